/// A folder as Diesel keeps it.
enum DieselProject {
    static let project = ToolProject(
        files: [
            "2024-01-01-000000_people/up.sql": ToolProject.one,
            "2024-01-01-000000_people/down.sql": "DROP TABLE pet; DROP TABLE person;",
            "2024-01-02-000000_born year/up.sql": ToolProject.two,
            "2024-01-02-000000_born year/down.sql": "ALTER TABLE person DROP COLUMN born;",
            "2024-01-03-000000_index/up.sql": ToolProject.three,
            "2024-01-03-000000_index/down.sql": "-- nothing",
        ],
        history: """
            CREATE TABLE __diesel_schema_migrations(version VARCHAR(50) PRIMARY KEY NOT NULL,
              run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP);
            INSERT INTO __diesel_schema_migrations(version) VALUES ('20240101000000');
            """)
}
