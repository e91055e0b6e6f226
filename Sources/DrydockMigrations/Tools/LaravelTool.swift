extension ToolProfile {
    /// Laravel.
    ///
    /// laravel.com/docs/migrations, "Running Migrations".
    static let laravel = ToolProfile(
        CodeMigrations(
            "Laravel", isIn: { $0.isForMigrations && $0.hasNumbered(".php") },
            recipe:
                "'php artisan migrate --pretend' on an empty database prints the SQL of each migration: write it into a folder, "
                + "as sql/NAME.sql.",
            settings: CodeMigrations.custom(
                "migrations", "SELECT migration FROM migrations", transaction: "none", foreignKeys: true,
                record: "(migration, batch) VALUES (:version, 1)"),
            programs: ["artisan"],
            command: [
                #"command: php artisan migrate --force"#,
                #"database: $DB_DATABASE"#,
                #"environment: {DB_CONNECTION: sqlite}"#,
            ],
            needs: [#"Laravel takes the path from DB_DATABASE."#]),
        namedBy: [],
        tables: ["migrations": ["id", "migration", "batch"]],
        history: CommandHistory(
            "migrations", ["migration", "batch"], "SELECT migration FROM migrations ORDER BY id"))
}
