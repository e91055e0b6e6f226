import DatabaseEngine
import DrydockFiles
import DrydockFindings

extension ToolProfile {
    static let drydock = ToolProfile(
        DrydockFormat(),
        leaves: [.scripts],
        namedBy: [],
        tables: ["grdb_migrations": ["identifier"]],
        history: CommandHistory(
            "grdb_migrations", ["identifier"], "SELECT identifier FROM grdb_migrations ORDER BY rowid"))
}

/// Drydock's own format: a flat folder of `NAME.sql` files in natural order.
///
/// - The identifier is the file's name without `.sql`. `NAME.down.sql` undoes `NAME.sql` and is not a migration
///   itself.
/// - Each migration runs in a separate transaction, with foreign keys checked before the commit, as GRDB's
///   `DatabaseMigrator` does by default; `-- drydock: foreign-keys immediate` makes every statement enforce them,
///   GRDB's `.immediate`.
/// - The history table is `grdb_migrations(identifier)`, so that Drydock can read a database that an app migrated
///   with the same identifiers.
public struct DrydockFormat: MigrationFormat {
    public let name = "drydock"
    public let historyTable: String? = "grdb_migrations"
    public let policy: ToolPolicy

    public init() {
        var policy = ToolPolicy(foreignKeys: true, doubleQuotedStrings: nil)
        policy.isRunByEngine = true
        self.policy = policy
    }

    public var foreignKeysOffAdvice: String {
        "Leave out 'foreign-keys immediate': they are then off while the migration runs, and checked before its commit."
    }

    public let namingAdvice = "A migration is a file NAME.sql."

    public func owns(_ facts: HistoryFacts) -> Bool { facts.has("grdb_migrations", "identifier") }

    /// Any folder of SQL files can be in this format.
    public func evidence(in folder: FolderFiles) -> FolderEvidence? {
        folder.sqlFiles.first.map { FolderEvidence(.names, "NAME.sql", at: folder.file($0)) }
    }

    public func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        guard options.transaction == nil || options.transaction == .each else {
            throw RequestError(
                .settingInvalid,
                "'transaction' cannot be set for Drydock's own format: GRDB runs each migration in its own")
        }
        guard options.foreignKeys == nil || folder.sqlFiles.isEmpty else {
            throw RequestError(
                .settingInvalid,
                "'foreignKeys' does not apply to Drydock's own format: GRDB checks all of them before each commit, and "
                    + "'-- drydock: foreign-keys immediate' in a migration enforces them for each of its statements. "
                    + "Leave it out, or name the tool that has it with --migration-format")
        }
        let policy = policy(options)
        var reader = MigrationReader(folder, options)
        var migrations: [Migration] = []
        // A folder that is named like a migration is a mistake, and reported as one.
        let files = (folder.sqlFiles + folder.folders.filter { $0.lowercased().hasSuffix(".sql") })
            .sorted(by: naturallyPrecedes)
        for file in files where !file.lowercased().hasSuffix(".down.sql") {
            let stem = String(file.dropLast(4))
            var migration = reader.migration(stem, in: file, policy)
            migration.down = reader.down(in: stem + ".down.sql", of: stem)
            if migration.foreignKeyChecks == .immediate { migration.marks = ["foreign-keys immediate"] }
            // GRDB does this itself.
            migration.record = [
                Bookkeeping("INSERT OR IGNORE INTO grdb_migrations VALUES (?)", [SQLValue(stem)])
            ]
            migration.unrecord = [
                Bookkeeping("DELETE FROM grdb_migrations WHERE identifier = ?", [SQLValue(stem)])
            ]
            migrations.append(migration)
        }
        return MigrationSet(
            folder: folder.path, format: self, policy: policy, migrations: migrations,
            findings: try unreadFolders(in: folder) + reader.findings)
    }

    public func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        // Another tool's table with that name says nothing.
        try connection.history(in: "grdb_migrations", columns: "identifier") {
            AppliedHistory(try connection.rows("SELECT identifier FROM grdb_migrations") { $0.string(0) })
        }
    }

    /// The format is flat: what is deeper is not replayed, which must be reported.
    private func unreadFolders(in folder: FolderFiles) throws -> [Finding] {
        try folder.folders.compactMap { name in
            let path = folder.file(name)
            guard !name.lowercased().hasSuffix(".sql"),
                try FolderListing.files(in: path).contains(where: { $0.lowercased().hasSuffix(".sql") })
            else { return nil }
            return Finding(
                .nothingVerified, .warning, "the migrations in \(path) are not read",
                help: "Files NAME.sql must be in the folder itself. --migrations names another folder.",
                place: .init(file: path))
        }
    }
}
