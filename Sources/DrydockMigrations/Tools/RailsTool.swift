extension ToolProfile {
    /// Rails.
    ///
    /// guides.rubyonrails.org/active_record_migrations.html, "Types of Schema Dumps".
    ///
    /// Ecto and dbmate keep the same history.
    static let rails = ToolProfile(
        CodeMigrations(
            "Rails", isIn: { $0.isForMigrations && $0.hasNumbered(".rb") },
            recipe:
                "with config.active_record.schema_format = :sql, 'bin/rails db:migrate VERSION=N' writes db/structure.sql as "
                + "version N has it. Keep one for each release: 'drydock diff OLD.sql NEW.sql' compares them, and with --sql "
                + "writes a migration whose SQL is proved. Migrations as SQL go into a folder, as sql/VERSION.sql.",
            settings: CodeMigrations.custom(
                "schema_migrations", "SELECT version FROM schema_migrations", transaction: "each",
                foreignKeys: true,
                record: "(version) VALUES (:version)"
            ),
            programs: ["rails"],
            command: [
                #"command: bin/rails db:migrate"#,
                #"database: sqlite3:$DRYDOCK_DATABASE"#,
            ],
            needs: [#"Rails takes the path from DATABASE_URL."#]),
        namedBy: [],
        tables: [
            "schema_migrations": ["version"],
            "ar_internal_metadata": ["key", "value", "created_at", "updated_at"],
        ],
        history: CommandHistory(
            "schema_migrations", ["version"], "SELECT version FROM schema_migrations ORDER BY version",
            without: "dirty", others: ["ar_internal_metadata"]))
}
