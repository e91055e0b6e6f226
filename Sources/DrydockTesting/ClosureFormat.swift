import DatabaseEngine
import Drydock

/// Migrations that an app registers with GRDB's `DatabaseMigrator`.
struct ClosureFormat: MigrationFormat {
    let name = "grdb"
    let historyTable: String? = "grdb_migrations"
    let home = "the migrator"
    let policy: ToolPolicy
    /// Identifiers of migrations that a newer migration has merged.
    let merged: Set<String>

    init(enforcesForeignKeys: Bool, doubleQuotedStrings: Bool, merged: Set<String>) {
        var policy = ToolPolicy(foreignKeys: enforcesForeignKeys, doubleQuotedStrings: doubleQuotedStrings)
        policy.isRunByEngine = true
        self.policy = policy
        self.merged = merged
    }

    func owns(_ facts: HistoryFacts) -> Bool { facts.has("grdb_migrations", "identifier") }

    func evidence(in folder: FolderFiles) -> FolderEvidence? { nil }

    func load(folder: FolderFiles, options: FormatOptions) throws -> MigrationSet {
        throw RequestError(.settingInvalid, "a migrator's closures stand in no folder")
    }

    func history(_ connection: any Connection, of set: MigrationSet) throws -> AppliedHistory? {
        guard var history = try DrydockFormat().history(connection, of: set) else { return nil }
        history.identifiers.removeAll(where: merged.contains)
        return history
    }
}
