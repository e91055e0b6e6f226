extension ToolProfile {
    /// TypeORM.
    ///
    /// Its runner turns foreign keys off around migrations (AbstractSqliteQueryRunner.ts, `beforeMigration`).
    static let typeORM = ToolProfile(
        CodeMigrations(
            "TypeORM", isIn: nil,
            recipe:
                "with logging: true in the data source, 'npx typeorm migration:run -d DATASOURCE' on an empty database logs the "
                + "SQL: write that of each migration into a folder, as sql/TIMESTAMP.sql.",
            settings: CodeMigrations.custom(
                "migrations", "SELECT timestamp FROM migrations", transaction: "all", foreignKeys: false,
                record: "(timestamp, name) VALUES (:version, :version)"),
            programs: ["typeorm"],
            command: [
                #"command: npx typeorm migration:run -d DATASOURCE"#,
                #"database: $DATABASE_PATH"#,
            ],
            needs: [
                #"The data source must first take the path from DATABASE_PATH:"#,
                #"database: process.env.DATABASE_PATH"#,
            ]),
        namedBy: [.packages("typeorm")],
        tables: ["migrations": ["id", "timestamp", "name"]],
        history: CommandHistory(
            "migrations", ["id", "timestamp", "name"], "SELECT name FROM migrations ORDER BY id"))
}
