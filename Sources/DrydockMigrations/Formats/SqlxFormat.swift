import DrydockFindings
import Crypto
import DatabaseEngine
import SQLiteSchema

extension ToolProfile {
    static let sqlx = ToolProfile(
        SqlxFormat(),
        leaves: [],
        namedBy: [.crate("sqlx"), .exists(".sqlx")],
        tables: [
            "_sqlx_migrations": [
                "version", "description", "installed_on", "success", "checksum", "execution_time",
            ]
        ],
        history: CommandHistory(
            "_sqlx_migrations", ["version", "success"],
            "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version"))
}

/// sqlx (https://github.com/launchbadge/sqlx), `sqlx migrate` and `migrate!`.
///
/// - Files are `VERSION_DESCRIPTION.sql`, VERSION an i64; reversible ones end in `.up.sql` and `.down.sql`. Any other
///   file is ignored, and a version that is not a number is an error (sqlx-core/src/migrate/source.rs). They run in
///   the order of their versions, including one below an applied one (migrator.rs, `run`).
/// - Each runs with its bookkeeping in one transaction (sqlx-sqlite/src/migrate.rs, `apply`). A file that begins with
///   `-- no-transaction` opts out where the driver heeds it (migration.rs, `no_tx`).
/// - `SqliteConnectOptions` turns foreign keys on (its documentation: "By default, this is enabled"), and the
///   bundled SQLite reads double-quoted strings.
/// - `_sqlx_migrations(version, description, installed_on, success, checksum, execution_time)`: the checksum is
///   SHA-384 of the file's bytes. A different checksum is an error, as is a version that is not in the folder, and a
///   row with `success` false.
public struct SqlxFormat: MigrationFormat {
    public let name = "sqlx"
    public let historyTable: String? = "_sqlx_migrations"
    public let policy = ToolPolicy(foreignKeys: true)
    public let runsOnAppsConnection = true
    public let checksums = ChecksumScope.bytes

    public init() {}

    public var historySetup: [Bookkeeping] {
        [
            Bookkeeping(
                """
                CREATE TABLE IF NOT EXISTS _sqlx_migrations (
                    version BIGINT PRIMARY KEY,
                    description TEXT NOT NULL,
                    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
                    success BOOLEAN NOT NULL,
                    checksum BLOB NOT NULL,
                    execution_time BIGINT NOT NULL
                )
                """)
        ]
    }

    public var foreignKeysOffAdvice: String {
        """
        From sqlx 0.9, write '-- no-transaction' as the file's first line, PRAGMA foreign_keys = OFF before a BEGIN of its \
        own, and PRAGMA foreign_keys = ON after its COMMIT. Older versions ignore that line on SQLite: run the migrator on \
        a connection with SqliteConnectOptions::foreign_keys(false), and say so with 'foreignKeys: false' in drydock.yml.
        """
    }

    public let namingAdvice = "A migration is called VERSION_DESCRIPTION.sql, such as 3_add_label.sql."

    public func owns(_ facts: HistoryFacts) -> Bool {
        facts.has("_sqlx_migrations", "version", "checksum", "success")
    }

    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        let files = folder.files.filter { Self.parse($0) != nil }
        guard let first = files.first else { return nil }
        let isReversible = files.contains { $0.hasSuffix(".up.sql") }
        let isWhole = files.count == folder.sqlFiles.count
        return FolderEvidence(
            isReversible ? .layout : isWhole ? .names : .possible,
            isReversible ? "VERSION_DESCRIPTION.up.sql" : "VERSION_DESCRIPTION.sql", at: folder.file(first))
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        let files = folder.files.compactMap { file in
            Self.parse(file).map { (file: file, version: $0.version, description: $0.description) }
        }
        let downs = Dictionary(
            files.filter { $0.file.hasSuffix(".down.sql") }.map { ($0.version, $0.file) },
            uniquingKeysWith: { first, _ in first })
        var migrations: [Migration] = []
        let ups = files.filter { !$0.file.hasSuffix(".down.sql") }
            .sorted { naturallyPrecedes($0.version, $1.version) }
        for (file, version, description) in ups {
            var migration = reader.migration(version, in: file, policy) { source in
                let isOpen = source.text(in: 0..<18).hasPrefix("-- no-transaction")
                return .init(up: source.statements(), transaction: isOpen ? ToolPolicy.Transaction.none : nil)
            }
            let bytes = reader.bytes(file)
            let digest = SHA384.digest(of: bytes)
            migration.checksum = digest.hex
            migration.checksumsOfLineEndings = MigrationReader.otherLineEndings(bytes).map {
                SHA384.digest(of: $0).hex
            }
            migration.record = [
                Bookkeeping(
                    "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) "
                        + "VALUES (?, ?, TRUE, ?, -1)",
                    [.integer(Int64(version) ?? 0), SQLValue(description), .blob(digest)])
            ]
            migration.unrecord = [
                Bookkeeping("DELETE FROM _sqlx_migrations WHERE version = ?", [.integer(Int64(version) ?? 0)])
            ]
            migration.down = reader.down(in: downs[version], of: version, transaction: migration.transaction)
            migrations.append(migration)
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        try connection.history(in: "_sqlx_migrations", columns: "version", "checksum", "success") {
            var history = AppliedHistory([])
            let query = "SELECT version, checksum, success FROM _sqlx_migrations ORDER BY version"
            try connection.forEachRow(query) { row in
                let version = row.string(0)
                history.identifiers.append(version)
                history.checksums[version] = row.withBytes(1) { Array($0).hex }
                if row.integer(2) == 0 {
                    history.refusal = "version \(version) failed halfway (success is 0)"
                }
            }
            return history
        }
    }

    /// Returns the version as the history has it, and the words after it.
    private static func parse(_ file: String) -> (version: String, description: String)? {
        // A regex is compiled again for each file; most of another tool's files need none.
        guard file.first?.isNumber == true, let match = file.wholeMatch(of: /([0-9]+)_(.*)\.sql/),
            let number = Int64(match.1), number > 0
        else { return nil }
        var words = String(match.2)
        for suffix in [".up", ".down"] where words.hasSuffix(suffix) { words.removeLast(suffix.count) }
        return (String(number), words.replacing("_", with: " "))
    }
}
