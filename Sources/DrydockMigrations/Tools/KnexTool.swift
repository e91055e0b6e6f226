extension ToolProfile {
    /// Knex.
    ///
    /// knex has no command that only prints (knex/knex#2580); its queries are logged by `debug`.
    static let knex = ToolProfile(
        CodeMigrations(
            "Knex", isIn: nil,
            recipe:
                "'DEBUG=knex:query npx knex migrate:latest' on an empty database logs the SQL: write that of each migration into "
                + "a folder, as sql/NAME.sql. The history has the file's whole name, here with .js.",
            settings: CodeMigrations.custom(
                "knex_migrations", "SELECT name FROM knex_migrations", transaction: "each",
                foreignKeys: false,
                identifier: "${version}.js",
                record: "(name, batch, migration_time) VALUES (:version, 1, 0)"),
            programs: ["knex"],
            command: [
                #"command: npx knex migrate:latest"#,
                #"database: $DATABASE_PATH"#,
            ],
            needs: [
                #"knexfile.js must first take the path from DATABASE_PATH:"#,
                #"filename: process.env.DATABASE_PATH"#,
            ]),
        namedBy: [.packages("knex")],
        tables: [
            "knex_migrations": ["id", "name", "batch", "migration_time"],
            "knex_migrations_lock": ["index", "is_locked"],
        ],
        history: CommandHistory(
            "knex_migrations", ["name", "batch"], "SELECT name FROM knex_migrations ORDER BY id",
            others: ["knex_migrations_lock"]))
}
