extension ToolProfile {
    /// Alembic.
    ///
    /// alembic.sqlalchemy.org/en/latest/offline.html.
    static let alembic = ToolProfile(
        CodeMigrations(
            "Alembic", isIn: { $0.files.contains("env.py") && $0.folders.contains("versions") },
            recipe:
                "'alembic upgrade FROM:TO --sql' prints the SQL between two revisions (the first is 'base'): write that of each "
                + "revision into a folder, as sql/REVISION.sql. The names must sort in the order of the revisions; "
                + "'alembic revision --rev-id 0007' names the next.",
            settings: CodeMigrations.custom(
                "alembic_version", "SELECT version_num FROM alembic_version", transaction: "none",
                foreignKeys: false, isNewestOnly: true),
            programs: ["alembic"],
            command: [
                #"command: alembic upgrade ${DRYDOCK_MIGRATION:-head}"#,
                #"list: alembic history | sed 's/.* -> //; s/[ ,].*//' | sed '1!G;h;$!d'"#,
                #"database: sqlite:///$DRYDOCK_DATABASE"#,
            ],
            needs: [
                #"env.py must first take the URL from DATABASE_URL where it is set:"#,
                #"if url := os.environ.get("DATABASE_URL"): config.set_main_option("sqlalchemy.url", url)"#,
            ]),
        namedBy: [],
        tables: ["alembic_version": ["version_num"]],
        history: CommandHistory(
            "alembic_version", ["version_num"], "SELECT version_num FROM alembic_version", newest: true))
}
