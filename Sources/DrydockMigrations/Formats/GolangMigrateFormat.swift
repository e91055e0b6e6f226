import DrydockFindings
import DatabaseEngine

extension ToolProfile {
    static let golangMigrate = ToolProfile(
        GolangMigrateFormat(),
        leaves: [.numbered("1_x.up.sql", ending: ".up.sql")],
        namedBy: ProjectSign.goModule("github.com/golang-migrate/migrate")
            + ProjectSign.atlas("golang-migrate"),
        tables: ["schema_migrations": ["version", "dirty"]],
        history: CommandHistory(
            "schema_migrations", ["version", "dirty"], "SELECT version FROM schema_migrations", newest: true))
}

/// golang-migrate (https://github.com/golang-migrate/migrate), its drivers `sqlite3` and `sqlite`.
///
/// - Files are `VERSION_TITLE.up.EXT` and `.down.EXT`, matched by `^([0-9]+)_(.*)\.(up|down)\.(.*)$`; versions are
///   whole numbers and run in numeric order. A version with only a down file runs nothing (source/parse.go,
///   source/migration.go).
/// - `Run` executes the whole file in one transaction; `x-no-tx-wrap=true` in the database's URL turns that off
///   for every file: `transaction: none` (database/sqlite3/sqlite3.go).
/// - The drivers keep SQLite's defaults: foreign keys off, and double-quoted strings on.
/// - `schema_migrations(version uint64, dirty bool)`, or the table that `x-migrations-table` names, holds one row,
///   the newest version: `SetVersion` deletes and inserts in a separate transaction, dirty before the file runs and
///   clean after it. Migrations below that version are never read again; a dirty version stops every run (migrate.go,
///   `readUp`, `ErrDirty`).
public struct GolangMigrateFormat: NamedHistory {
    public let name = "golang-migrate"
    public var historyTable: String? = "schema_migrations"
    public let historyColumns: Set<String> = ["version", "dirty"]
    public let policy = ToolPolicy(foreignKeys: false, late: .skip, recordsInTransaction: false)
    public let runsOnAppsConnection = true

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping("CREATE TABLE IF NOT EXISTS \(quotedHistory) (version uint64,dirty bool)"),
            Bookkeeping("CREATE UNIQUE INDEX IF NOT EXISTS version_unique ON \(quotedHistory) (version)"),
        ]
    }

    public let namingAdvice = "A migration is called VERSION_TITLE.up.sql, such as 3_add_label.up.sql."

    public var foreignKeysOffAdvice: String {
        """
        The drivers leave them off: migrate with a database URL that does not turn them on (_foreign_keys, _fk, \
        _pragma=foreign_keys), and say so with 'foreignKeys: false' in drydock.yml. With x-no-tx-wrap=true in the URL and \
        'transaction: none' in drydock.yml, a file can have PRAGMA foreign_keys = OFF before a BEGIN of its own, and PRAGMA \
        foreign_keys = ON after its COMMIT.
        """
    }

    public func owns(_ facts: HistoryFacts) -> Bool { facts.has(historyTable ?? "", "version", "dirty") }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        folder.files.first { Self.parse($0)?.isUp == true }.map {
            FolderEvidence(.layout, "VERSION_TITLE.up.sql", at: folder.file($0))
        }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        let files = folder.files.compactMap { file in
            Self.parse(file).map { (file: file, $0.version, $0.isUp) }
        }
        let downs = Dictionary(
            files.filter { !$0.2 }.map { ($0.1, $0.file) }, uniquingKeysWith: { first, _ in first })
        let ups = Set(files.filter(\.2).map(\.1))
        // A version without an up file counts, and runs nothing.
        let steps = files.filter { $0.2 || !ups.contains($0.1) }
            .sorted { naturallyPrecedes($0.1, $1.1) }
        var previous: String?
        var migrations: [Migration] = []
        for (file, version, isUp) in steps {
            var migration = reader.migration(version, in: file, policy) { source in
                .init(up: isUp ? source.statements() : [])
            }
            migration.transactionSwitch = "x-no-tx-wrap=true in the database's URL"
            migration.record = setVersion(version)
            migration.unrecord = setVersion(previous)
            // "dirty" is committed before a file runs (database/sqlite3/sqlite3.go, SetVersion; migrate.go, runMigrations),
            // and a start where it is set ends with ErrDirty (migrate.go, Up).
            migration.unfinishedMark = UnfinishedMark(
                begun: setVersion(version, isDirty: true),
                waysOut: [
                    // -1 alone would be a flag (internal/cli/main.go).
                    .init("migrate force \(previous ?? "-- -1")", migration.unrecord),
                    .init("migrate force \(version)", migration.record),
                ])
            migration.down = reader.down(in: downs[version], of: version, transaction: policy.transaction)
            migrations.append(migration)
            previous = version
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: historyTable ?? "", columns: "version", "dirty") {
            let row = try connection.firstRow("SELECT version, dirty FROM \(quotedHistory) LIMIT 1") {
                ($0.string(0), $0.integer(1) != 0)
            }
            guard let (version, isDirty) = row else { return AppliedHistory([]) }
            let known = set.migrations.map(\.identifier).filter { !naturallyPrecedes(version, $0) }
            var history = AppliedHistory(known.contains(version) ? known : known + [version])
            if isDirty { history.refusal = "it is dirty: version \(version) failed halfway" }
            return history
        }
    }

    private func setVersion(_ version: String?, isDirty: Bool = false) -> [Bookkeeping] {
        let clear = Bookkeeping("DELETE FROM \(quotedHistory)")
        guard let version, let number = Int64(version) else { return [clear] }
        return [
            clear,
            Bookkeeping(
                "INSERT INTO \(quotedHistory) (version, dirty) VALUES (?, ?)",
                [.integer(number), .integer(isDirty ? 1 : 0)]),
        ]
    }

    /// Returns the version without leading zeros, as the history has it.
    private static func parse(_ file: String) -> (version: String, isUp: Bool)? {
        guard file.first?.isNumber == true,
            let match = file.wholeMatch(of: /([0-9]+)_(.*)\.(up|down)\.(.*)/), let number = UInt64(match.1)
        else { return nil }
        return (String(number), match.3 == "up")
    }
}
