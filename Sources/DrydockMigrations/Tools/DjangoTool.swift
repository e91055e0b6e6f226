extension ToolProfile {
    /// Django.
    ///
    /// `sqlmigrate` prints BEGIN and COMMIT around what is atomic (django/db/backends/base/schema.py); foreign keys are off
    /// meanwhile (django/db/backends/sqlite3/schema.py, `__enter__`).
    static let django = ToolProfile(
        CodeMigrations(
            "Django",
            isIn: { folder in
                folder.isForMigrations && folder.files.contains("__init__.py") && folder.hasNumbered(".py")
            },
            recipe:
                "'python manage.py sqlmigrate APP NAME' prints the SQL of a migration: write that of each into a folder, as "
                + "sql/0001_initial.sql.",
            settings: CodeMigrations.custom(
                "django_migrations", "SELECT name FROM django_migrations WHERE app = 'APP'",
                transaction: "none",
                foreignKeys: false,
                record: "(app, name, applied) VALUES ('APP', :version, datetime('now'))"),
            programs: ["manage.py", "django-admin"],
            command: [
                #"command: python manage.py migrate ${DRYDOCK_MIGRATION%%.*} ${DRYDOCK_MIGRATION#*.}"#,
                #"list: python manage.py showmigrations --plan"#,
            ],
            needs: [
                #"settings.py must first take the path from DRYDOCK_DATABASE:"#,
                #""NAME": os.environ.get("DRYDOCK_DATABASE", BASE_DIR / "db.sqlite3")"#,
            ]),
        namedBy: [],
        tables: ["django_migrations": ["id", "app", "name", "applied"]],
        history: CommandHistory(
            "django_migrations", ["app", "name"],
            "SELECT app || '.' || name FROM django_migrations ORDER BY id",
            filled: ["django_content_type", "auth_permission"]))
}
