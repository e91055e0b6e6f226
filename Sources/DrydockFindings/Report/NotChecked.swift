/// A rule that could not be checked, and why.
public struct NotChecked: Sendable, Hashable {
    public var rule: Rule
    public var snapshot: String?
    /// The live database, for `drydock health`.
    public var database: String?
    /// The table that was not checked; nil if nothing was.
    public var table: String?
    public var cause: Reason
    /// The reading of the migrations in which it was not checked; nil for every one.
    public var reading: String?

    /// Why, as reports say it.
    public var reason: String { cause.text + (reading.map { ", as \($0)" } ?? "") }

    public init(_ rule: Rule, snapshot: String? = nil, _ cause: Reason) {
        self.rule = rule
        self.snapshot = snapshot
        self.cause = cause
    }

    /// What keeps a run on a live database from a check.
    public enum Obstacle: Sendable, Hashable, Codable {
        /// The run's time was over: the next run continues here.
        case time
        /// Other writers: another run may reach it.
        case writers
        /// The database: something in it cannot be read here.
        case database
        /// Every table was checked; only what needs the whole file at once is missing.
        case wholeFile

        /// Whether another run may reach it.
        package var isOfRun: Bool { self == .time || self == .writers }
    }

    public enum Reason: Sendable, Hashable, Codable {
        /// SQLite, or an engine on top of it, refused what the check runs: its message.
        case refused(String)
        /// The check needs more memory than the run's limit allows, or a longer value than SQLite's.
        case overLimit(String)
        /// The rows of a table were not compared for that reason.
        case tableOverLimit(String, message: String)
        case unreadableTable(String, message: String)
        /// Neither SQLite's module nor Drydock can check this.
        case unsupported(String)
        /// Everything was read, and does not settle it.
        case undecided(String)
        /// What refused every generated row of a table.
        case noGeneratedRows(table: String, because: String)
        /// What refused every unusual row of a table that has ordinary ones.
        case noUnusualRows(table: String, before: String, because: String)
        /// Statements of a migration that choose rows and found no generated one, each with its place.
        case noRowMet(migration: String, statements: [String])
        /// Why no database could be made from the migrations alone.
        case noFreshInstall(String)
        /// The replay of a snapshot did not come to the newest version.
        case notReplayed(snapshot: String)
        case stopped(snapshot: String, before: String)
        case unknownMigrations(snapshot: String, home: String)
        case attachedDatabase(String, changedBy: String)
        /// Migrations that ran in one transaction.
        case ranTogether(migration: String)
        /// What differs between two runs of a migration from the same state.
        case unstable(migration: String, parts: String)
        case noWayBack(migration: String)
        case emptyWayBack(migration: String, file: String)
        case pointer(snapshot: String)
        /// How the lock's folder differs from the one that is read.
        case foreignLock(String)
        case notLinted(migrations: Int, because: String)
        case notSQL([String])
        /// Statements that name what a migration in code may have made, with the first of them.
        case behindCode(statements: Int, file: String, line: Int, message: String)
        /// What kept a run on a live database from it, in words.
        case notReached(Obstacle, String)
        /// Read from a baseline that an earlier run wrote down.
        case recorded(String)

        /// Whether the text says which snapshot it is about.
        package var namesSnapshot: Bool {
            switch self {
            case .notReplayed, .stopped, .unknownMigrations, .pointer: true
            default: false
            }
        }

        /// The same reason for any snapshot, so that those of several can be compared.
        package var ofAnySnapshot: Reason {
            switch self {
            case .notReplayed: .notReplayed(snapshot: "")
            case .stopped(_, let before): .stopped(snapshot: "", before: before)
            case .unknownMigrations(_, let home): .unknownMigrations(snapshot: "", home: home)
            case .pointer: .pointer(snapshot: "")
            default: self
            }
        }

        /// Whether a limit of the run is the reason, so that another run may check it.
        package var isLimit: Bool {
            switch self {
            case .overLimit, .tableOverLimit: true
            default: false
            }
        }

        /// The reason as reports say it.
        public var text: String {
            switch self {
            case .refused(let text), .overLimit(let text), .unsupported(let text), .undecided(let text),
                .recorded(let text), .notReached(_, let text):
                text
            case .tableOverLimit(let table, let message):
                "the rows of \(table) were not compared: \(message)"
            case .unreadableTable(let table, let message): "table \(table) cannot be read: \(message)"
            case .noGeneratedRows(let table, let reason):
                "table \(table) has no generated rows, so what happens to its rows was not checked: \(reason)"
            case .noUnusualRows(let table, let migration, let reason):
                "table \(table) has only ordinary rows before \(migration), since it accepted no unusual one: \(reason)"
            case .noRowMet(let migration, let statements):
                "\(migration): " + statements.joined(separator: "; ")
                    + " met no generated row, so what happens to such rows was not checked; a snapshot with such rows shows it"
            case .noFreshInstall(let message): "a fresh install cannot be created: \(message)"
            case .notReplayed(let snapshot): "\(snapshot) was not replayed to the end"
            case .stopped(let snapshot, let migration):
                "\(snapshot) stopped before \(migration), which cannot be run"
            case .unknownMigrations(let snapshot, let home):
                "\(snapshot) has applied migrations that are not in \(home)"
            case .attachedDatabase(let name, let migration):
                "\(migration) changes the attached database \(name), whose rows were not compared"
            case .ranTogether(let migration): "\(migration) cannot be separated from the step before it"
            case .unstable(let migration, let parts):
                "\(migration) gives different \(parts) when it is run twice"
            case .noWayBack(let migration): "\(migration) has no way back"
            case .emptyWayBack(let migration, let file):
                "the way back of \(migration) holds no statement: \(file)"
            case .pointer(let snapshot):
                "\(snapshot) is a Git LFS pointer; git lfs pull fetches the snapshot"
            case .foreignLock(let mismatch):
                "\(mismatch); --lock names another lock, --no-lock checks none"
            case .notLinted(let count, let cause): "\(counted(count, "migration")) not linted: \(cause)"
            case .notSQL(let paths):
                "\(counted(paths.count, "migration")) not linted: " + paths.prefix(3).joined(separator: ", ")
                    + (paths.count > 3 ? ", …" : "") + (paths.count == 1 ? " is not SQL" : " are not SQL")
            case .behindCode(let count, let file, let line, let message):
                "\(counted(count, "statement")) not linted, which may use what code created; first "
                    + "\(file):\(line): \(message)"
            }
        }
    }
}

/// As baselines keep it: the reason as text.
extension NotChecked: Codable {
    private enum CodingKeys: String, CodingKey {
        case rule, reason, snapshot
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Rule.self, forKey: .rule),
            snapshot: try container.decodeIfPresent(String.self, forKey: .snapshot),
            .recorded(try container.decode(String.self, forKey: .reason)))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rule, forKey: .rule)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(snapshot, forKey: .snapshot)
    }
}

extension NotChecked {
    /// An entry with everything that it says, for another run of the same version; the form above is for files that last.
    package struct Complete: Codable {
        private var rule: Rule
        private var snapshot, database, table: String?
        private var cause: Reason

        package init(_ entry: NotChecked) {
            (rule, snapshot, database) = (entry.rule, entry.snapshot, entry.database)
            (table, cause) = (entry.table, entry.cause)
        }

        package var entry: NotChecked {
            var entry = NotChecked(rule, snapshot: snapshot, cause)
            (entry.database, entry.table) = (database, table)
            return entry
        }
    }
}
