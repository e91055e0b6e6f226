/// A folder as GolangMigrate keeps it.
enum GolangMigrateProject {
    static let history = """
        CREATE TABLE schema_migrations (version uint64, dirty bool);
        CREATE UNIQUE INDEX version_unique ON schema_migrations (version);
        INSERT INTO schema_migrations VALUES (1, 0);
        """

    static let project = ToolProject(
        files: [
            "000001_people.up.sql": ToolProject.one,
            "000001_people.down.sql": "DROP TABLE pet; DROP TABLE person;",
            "000002_born.up.sql": ToolProject.two,
            "000002_born.down.sql": "ALTER TABLE person DROP COLUMN born;",
            "000003_index.up.sql": ToolProject.three, "000003_index.down.sql": "DROP INDEX pet_on_person;",
        ], history: history)
}
