import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// One versioned step of a migration set.
public struct Migration: Sendable {
    /// The identifier, as the history table has it.
    public var identifier: String
    /// The file's path, as reports show it.
    public var path: String
    public var statements: [SQLStatement]
    public var declarations: [Declaration]
    /// Why the migration cannot be run at all, such as a file that is not UTF-8.
    public var fault: Finding?
    /// Whether the fault counts only if the migration is pending.
    package var isFaultyWhenPending = false
    /// The transaction that the tool opens around it.
    public var transaction = ToolPolicy.Transaction.each
    /// Whether the connection enforces foreign keys when the migration begins.
    public var foreignKeys = true
    /// Whether GRDB's migrator runs it: foreign keys are off while it runs, and all are checked before the commit.
    public var isDeferred = true
    /// How to undo it; nil where its tool or folder has no way back.
    public var down: Down?
    /// What its tool records to detect a changed file, as in the history.
    public var checksum: String?
    /// What ``checksum`` would be with other line endings.
    public var checksumsOfLineEndings: [String] = []
    /// What its tool writes after applying it.
    public var record: [Bookkeeping] = []
    /// What its tool writes before it begins, so that it refuses to start where a migration was not finished; nil for one
    /// that writes nothing then.
    public var unfinishedMark: UnfinishedMark?
    /// What its tool writes after undoing it.
    public var unrecord: [Bookkeeping] = []
    /// When its tool runs it, among the others.
    public var order = Order.byPosition
    /// What its files say about its transaction; nil if they leave it to the tool.
    public var ownTransaction: ToolPolicy.Transaction?
    /// The setting that makes its tool open no transaction around any file, if nothing in the files says so:
    /// `transaction: none` in drydock.yml.
    public var transactionSwitch: String?
    /// What its tool reads beside the statements, in comments or in a list of its own: a marker, and the number of
    /// statements before it.
    public var marks: [String] = []
    /// The file beside it in which its tool reads more about it, whether it exists or not.
    public var companion: String?
    /// Whether it is written in the app's own language, which Drydock cannot run.
    public var isCode = false
    /// Whether the project's own command runs it, so that its statements are not known.
    public var isOfCommand = false
    /// What a closure of the app's, which its engine runs, does with foreign keys. Its statements are those that it
    /// executed when it ran.
    public var closureChecks: EngineMigration.ForeignKeyChecks?

    public var foreignKeyChecks: EngineMigration.ForeignKeyChecks {
        if let closureChecks { return closureChecks }
        return declarations.contains { $0.kind == .foreignKeysImmediate } ? .immediate : .deferred
    }

    package var isRepeatable: Bool { order == .repeatable }
    package var runsLate: Bool { order == .whenever }
    package var rank: Int64? { if case .ranked(let rank) = order { rank } else { nil } }

    /// Whether its statements run with foreign keys enforced.
    package var enforcesForeignKeys: Bool { isDeferred ? foreignKeyChecks == .immediate : foreignKeys }

    /// Whether its own file also holds the way back.
    package var hasWayBackInside: Bool { down.map { $0.path == path } ?? false }

    public init(
        identifier: String, path: String, statements: [SQLStatement] = [], declarations: [Declaration] = []
    ) {
        self.identifier = identifier
        self.path = path
        self.statements = statements
        self.declarations = declarations
    }

    /// Takes the executed statements as its own, as a separate text with a line for each.
    public mutating func take(_ executed: [String]) {
        let texts = executed.flatMap { SQLSource(name: path, $0).statements().map(\.text) }
        statements = SQLSource(name: path, texts.joined(separator: ";\n")).statements()
    }

    /// When a tool runs a migration, among the others.
    public enum Order: Sendable, Hashable {
        /// In its place: one before the newest applied migration is late.
        case byPosition
        /// By a number: one that is not above the highest applied one is late.
        case ranked(Int64)
        /// Even if a newer one is applied, whatever the policy for late migrations.
        case whenever
        /// Again whenever it changes, after all others.
        case repeatable
    }

    /// The way back: what undoes a migration.
    public struct Down: Sendable {
        public var path: String
        public var statements: [SQLStatement]
        public var transaction: ToolPolicy.Transaction

        public init(path: String, statements: [SQLStatement], transaction: ToolPolicy.Transaction = .each) {
            self.path = path
            self.statements = statements
            self.transaction = transaction
        }
    }

    /// - Parameter rank: the highest of the applied or locked migrations.
    package func isOutranked(by rank: Int64?) -> Bool {
        guard let own = self.rank, let rank else { return false }
        return own <= rank
    }

    /// Other names that people use for it: the file's without its ending, the folder's.
    var names: [String] {
        let parts = path.split(separator: "/").suffix(2)
        guard let file = parts.last else { return [] }
        let stem = file.lowercased().hasSuffix(".sql") ? file.dropLast(4) : file
        let bare = stem.lowercased().hasSuffix(".up") ? stem.dropLast(3) : stem
        return [file, stem, bare].map(String.init)
            + (parts.count == 2 ? [String(parts[parts.startIndex])] : [])
    }
}

/// A statement of a tool's own bookkeeping.
public struct Bookkeeping: Sendable, Codable {
    public var sql: String
    public var values: [SQLValue]

    public init(_ sql: String, _ values: [SQLValue] = []) {
        self.sql = sql
        self.values = values
    }
}

/// An ordered folder of migrations.
public struct MigrationSet: Sendable {
    public var folder: String
    public var format: any MigrationFormat
    public var policy: ToolPolicy
    public var migrations: [Migration]
    /// What is wrong with the set, whatever the snapshot.
    public var findings: [Finding]
    /// What a history may call the files of code between the migrations that are not run: their numbers, without leading
    /// zeros, and their names.
    var codeIdentifiers: Set<String> = []
    /// What the migrations use and this SQLite may lack.
    package var standIns = StandIns()
    /// Creates what the first migration needs.
    public var base: SchemaBase?
    /// The statements that create the schema of a version from nothing, by its number of migrations, if the tool
    /// keeps them.
    public var expected: [Int: [SQLStatement]] = [:]
    /// The identifiers that the tool's history has, in order, where the migrations go by those of another reading; nil where
    /// they are the same.
    var identifiersInHistory: [String]?

    public init(
        folder: String, format: any MigrationFormat, policy: ToolPolicy? = nil, migrations: [Migration] = [],
        findings: [Finding] = []
    ) {
        self.folder = folder
        self.format = format
        self.policy = policy ?? format.policy
        self.migrations = migrations
        self.findings = findings
    }

    /// Returns the position of a migration, by its identifier or the name of its file.
    public func index(of name: String) -> Int? {
        migrations.firstIndex { $0.identifier == name } ?? migrations.firstIndex { $0.names.contains(name) }
    }

    /// Returns the position of a migration that a user names.
    /// - Parameter place: Where it is looked for, as the error shows it.
    /// - Throws: ``RequestError`` that proposes another name.
    package func requiredIndex(of name: String, in place: String) throws -> Int {
        if let index = index(of: name) { return index }
        let names = migrations.map(\.identifier)
        let nearest = nearestName(to: name, in: names) ?? names.first { $0.hasPrefix(name) }
        throw RequestError(
            .notFound,
            "there is no migration '\(name)' in \(place)"
                + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    }

    /// Cuts the pending migrations into groups that share a transaction.
    package func batches(of indexes: [Int]) -> [[Int]] {
        var result: [[Int]] = []
        for index in indexes {
            let isShared = migrations[index].transaction == .all
            if isShared, let last = result.last?.last, migrations[last].transaction == .all {
                result[result.count - 1].append(index)
            } else {
                result.append([index])
            }
        }
        return result
    }
}

/// What exists before the first migration of a set: a project's base schema or database.
public struct SchemaBase: Sendable, Hashable {
    public var path: String

    public init(path: String) { self.path = path }
}
