extension ToolProfile {
    /// Entity Framework Core.
    ///
    /// The script has its own BEGIN, COMMIT and INSERT into the history.
    static let entityFramework = ToolProfile(
        CodeMigrations(
            "EF Core", isIn: { folder in folder.files.contains { $0.hasSuffix("ModelSnapshot.cs") } },
            recipe:
                "'dotnet ef migrations script FROM TO -o sql/TO.sql' writes the SQL between two migrations (the first is 0), its "
                + "own transaction and history included: write one file for each migration.",
            settings: CodeMigrations.custom(
                "__EFMigrationsHistory", "SELECT MigrationId FROM __EFMigrationsHistory", transaction: "none",
                foreignKeys: true),
            programs: ["ef"],
            command: [
                #"command: dotnet ef database update --connection "Data Source=$DRYDOCK_DATABASE""#
            ]),
        namedBy: [],
        tables: [
            "__EFMigrationsHistory": ["migrationid", "productversion"],
            "__EFMigrationsLock": ["id", "timestamp"],
        ],
        history: CommandHistory(
            "__EFMigrationsHistory", ["MigrationId"],
            "SELECT MigrationId FROM __EFMigrationsHistory ORDER BY MigrationId",
            others: ["__EFMigrationsLock"]))
}
