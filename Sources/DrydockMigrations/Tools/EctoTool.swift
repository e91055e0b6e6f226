extension ToolProfile {
    /// Ecto.
    ///
    /// hexdocs.pm/ecto_sql/Mix.Tasks.Ecto.Migrate.html.
    static let ecto = ToolProfile(
        CodeMigrations(
            "Ecto", isIn: { $0.isForMigrations && $0.hasNumbered(".exs") },
            recipe:
                "'mix ecto.migrate --log-migrations-sql' on an empty database logs the SQL of each migration: write it into a "
                + "folder, as sql/VERSION.sql.",
            settings: CodeMigrations.custom(
                "schema_migrations", "SELECT version FROM schema_migrations", transaction: "each",
                foreignKeys: true,
                record: "(version, inserted_at) VALUES (:version, datetime('now'))"
            ),
            programs: ["ecto"],
            command: [
                #"command: mix ecto.migrate"#,
                #"database: $DATABASE_PATH"#,
            ],
            needs: [#"The configuration must first take the path from DATABASE_PATH."#]),
        namedBy: [],
        tables: ["schema_migrations": ["version"]],
        history: ToolProfile.rails.history)
}
