import DrydockFindings
import Crypto
import DatabaseEngine
import Foundation
import SQLiteSchema

extension ToolProfile {
    static let drizzle = ToolProfile(
        DrizzleFormat(),
        leaves: [.file("meta/_journal.json", databaseKey: "dialect")],
        namedBy: [.packages("drizzle-orm", "drizzle-kit")],
        tables: ["__drizzle_migrations": ["id", "hash", "created_at", "name", "applied_at"]],
        places: [.named("drizzle")])
}

/// Drizzle (https://orm.drizzle.team), `drizzle-kit` and `migrate()` of its SQLite drivers.
///
/// - `meta/_journal.json` lists the migrations in order; an entry's `tag` names `TAG.sql`
///   (drizzle-orm/src/migrator.ts, `readMigrationFiles`). Without it, migrations are folders with `migration.sql` and
///   `snapshot.json`, in the order of their names, as drizzle-kit writes them since 1.0.
/// - `--> statement-breakpoint` cuts a file into pieces; better-sqlite3 prepares each as one statement.
/// - All pending migrations run in one transaction (sqlite-core/dialect.ts, `migrate`), with foreign keys on:
///   better-sqlite3 builds SQLite with `SQLITE_DEFAULT_FOREIGN_KEYS=1` and `SQLITE_DQS=0` (its
///   docs/compilation.md). So the `PRAGMA foreign_keys=OFF` that drizzle-kit writes into a rebuild does nothing,
/// - `__drizzle_migrations(id, hash, created_at)`, or the table that `migrationsTable` names: entries with a `when`
///   above the highest `created_at` are pending; an entry below it never runs. The hash is SHA-256 of the file and is
///   never read again.
/// - There is no way back.
public struct DrizzleFormat: NamedHistory {
    public let name = "drizzle"
    public var historyTable: String? = "__drizzle_migrations"
    public let historyColumns: Set<String> = ["id", "hash", "created_at"]
    public let policy = ToolPolicy(
        transaction: .all, foreignKeys: true, doubleQuotedStrings: false, late: .skip, edited: .accept)
    public let runsOnAppsConnection = true

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS \(quotedHistory) (
                    id SERIAL PRIMARY KEY,
                    hash text NOT NULL,
                    created_at numeric
                )
                """)
        ]
    }

    public var foreignKeysOffAdvice: String {
        """
        Drizzle ignores a PRAGMA in the file: call migrate() between client.pragma('foreign_keys = OFF') and \
        client.pragma('foreign_keys = ON') with better-sqlite3, or the like with the other drivers; libsql's migrate() turns \
        them off itself, and Expo has them off unless the app turns them on. Then say so with 'foreignKeys: false' in \
        drydock.yml. On D1 nothing turns them off in a migration.
        """
    }

    public let namingAdvice =
        "Drizzle runs what meta/_journal.json lists: have drizzle-kit generate it, or restore the journal."

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has(historyTable ?? "", "hash", "created_at")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        if folder.exists(Self.journal) {
            return FolderEvidence(.marker, "a journal", at: folder.file(Self.journal))
        }
        return Self.snapshotFolders(in: folder).first.map {
            FolderEvidence(.marker, "snapshot.json", at: folder.file($0))
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        let entries =
            folder.exists(Self.journal)
            ? try Self.readJournal(folder)
            : Self.snapshotFolders(in: folder).map { Entry(tag: $0, file: $0 + "/migration.sql", line: nil) }
        for entry in entries {
            guard folder.exists(entry.file) else {
                var migration = Migration(identifier: entry.tag, path: folder.file(entry.file))
                var place = Finding.Place(file: folder.file(Self.journal))
                place.line = entry.line
                migration.fault = Finding(
                    .migrationFailed, "the journal names '\(entry.tag)', but there is no \(entry.file)",
                    help: "Restore the file, or remove the entry from the journal.",
                    migration: entry.tag, place: place)
                if let fault = migration.fault { reader.note(fault) }
                migrations.append(migration)
                continue
            }
            var pieces: [Finding] = []
            var migration = reader.migration(entry.tag, in: entry.file, policy) { source in
                let ranges = Self.pieces(of: source)
                for range in ranges where source.statements(in: range).count > 1 {
                    pieces.append(Self.twoStatements(source, range, entry.tag))
                }
                let statements = ranges.map { source.statements(in: $0) }
                return .init(
                    up: statements.flatMap(\.self),
                    marks: ["when \(entry.when)"] + statements.map { "piece \($0.count)" })
            }
            if let first = pieces.first { reader.note(first) }
            migration.order = .ranked(entry.when)
            if folder.exists(Self.journal) { migration.companion = folder.file(Self.journal) }
            // Line endings do not count: the text is read with \r\n as \n.
            let text = String(decoding: reader.bytes(entry.file), as: UTF8.self).replacing("\r\n", with: "\n")
            migration.checksum = SHA256.digest(of: Array(text.utf8)).hex
            migration.record = [
                Bookkeeping(
                    "INSERT INTO \(quotedHistory) (\"hash\", \"created_at\") VALUES (?, ?)",
                    [SQLValue(migration.checksum ?? ""), .integer(entry.when)])
            ]
            migrations.append(migration)
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "hash", "created_at") {
            let rows = try connection.rows("SELECT created_at, hash FROM \(quotedHistory)") {
                ($0.integer(0), $0.string(1))
            }
            let hashes = Dictionary(rows, uniquingKeysWith: { _, last in last })
            var history = AppliedHistory([])
            for migration in set.migrations {
                guard let when = Self.when(migration), let hash = hashes[when] else { continue }
                history.identifiers.append(migration.identifier)
                history.checksums[migration.identifier] = hash
            }
            let known = Set(set.migrations.compactMap(Self.when))
            history.identifiers += hashes.keys.filter { !known.contains($0) }.sorted().map {
                "created_at \($0)"
            }
            return history
        }
    }

    // MARK: - The journal

    private static let journal = "meta/_journal.json"

    private struct Entry {
        var tag: String
        var file: String
        /// Milliseconds since 1970.
        var when: Int64 = 0
        var line: Int?

        init(tag: String, file: String, when: Int64? = nil, line: Int?) {
            self.tag = tag
            self.file = file
            self.when = when ?? DrizzleFormat.milliseconds(ofFolder: tag)
            self.line = line
        }
    }

    /// Returns what the history keeps of a migration, from its bookkeeping.
    private static func when(_ migration: Migration) -> Int64? {
        guard case .integer(let when)? = migration.record.first?.values.last else { return nil }
        return when
    }

    private static func readJournal(_ folder: FolderFiles) throws -> [Entry] {
        let path = folder.file(journal)
        let text = folder.text(journal) ?? ""
        func line(_ tag: String) -> Int? {
            text.range(of: "\"\(tag)\"").map { text[..<$0.lowerBound].count(where: \.isNewline) + 1 }
        }
        let object: Any
        do {
            object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        } catch {
            throw RequestError(
                .migrationsInvalid,
                "\(JSONFault.place(error, path)): the journal is not valid JSON; restore it")
        }
        guard let root = object as? [String: Any], let entries = root["entries"] as? [[String: Any]] else {
            throw RequestError(.migrationsInvalid, "\(path):1: the journal has no list 'entries'; restore it")
        }
        return try entries.enumerated().map { number, entry in
            guard let tag = entry["tag"] as? String, let when = entry["when"] as? NSNumber else {
                let near = (entry["tag"] as? String).flatMap(line) ?? line("entries") ?? 1
                throw RequestError(
                    .migrationsInvalid,
                    "\(path):\(near): entry \(number) of the journal has no 'tag' and 'when'; restore it")
            }
            return Entry(tag: tag, file: tag + ".sql", when: when.int64Value, line: line(tag))
        }
    }

    // MARK: - Files

    private static func snapshotFolders(in folder: FolderFiles) -> [String] {
        folder.folders.filter {
            folder.exists($0 + "/migration.sql") && folder.exists($0 + "/snapshot.json")
        }
    }

    /// Returns the time in `20240131120000_name`, in UTC, as drizzle-kit names the folders since 1.0.
    private static func milliseconds(ofFolder name: String) -> Int64 {
        let digits = name.prefix { $0.isASCII && $0.isNumber }
        var parts = DateComponents()
        parts.calendar = Calendar(identifier: .gregorian)
        parts.timeZone = TimeZone(secondsFromGMT: 0)
        guard digits.count == 14 else { return Int64(digits) ?? 0 }
        func number(_ start: Int, _ count: Int) -> Int? { Int(digits.dropFirst(start).prefix(count)) }
        (parts.year, parts.month, parts.day) = (number(0, 4), number(4, 2), number(6, 2))
        (parts.hour, parts.minute, parts.second) = (number(8, 2), number(10, 2), number(12, 2))
        return Int64((parts.date?.timeIntervalSince1970 ?? 0) * 1000)
    }

    /// Returns the parts between the breakpoints.
    private static func pieces(of source: SQLSource) -> [Range<Int>] {
        let mark = Array("--> statement-breakpoint".utf8)
        var pieces: [Range<Int>] = []
        var start = 0
        var bytes = source.bytes[...]
        while let found = bytes.firstRange(of: mark) {
            pieces.append(start..<found.lowerBound)
            start = found.upperBound
            bytes = source.bytes[start...]
        }
        return pieces + [start..<source.bytes.count]
    }

    private static func twoStatements(_ source: SQLSource, _ range: Range<Int>, _ tag: String) -> Finding {
        let second = source.statements(in: range)[1]
        return Finding(
            .migrationFailed, .warning,
            "there are two statements between breakpoints, which better-sqlite3 refuses",
            help:
                "Put '--> statement-breakpoint' between them. Drivers that accept a script run both, as was done here.",
            migration: tag, place: .init(second))
    }
}

/// Where a JSON text is broken.
enum JSONFault {
    /// Returns FILE:LINE, if Foundation gives the line ("around line 3, column 5").
    static func place(_ error: any Error, _ path: String) -> String {
        let text = "\((error as NSError).userInfo) \(error)"
        guard let match = text.firstMatch(of: /line (\d+)/) else { return "\(path):1" }
        return "\(path):\(match.1)"
    }
}
