/// A folder as Dbmate keeps it.
enum DbmateProject {
    static func file(_ up: String, options: String = "") -> String {
        "-- migrate:up\(options)\n\(up)\n-- migrate:down\nSELECT 1;\n"
    }

    static let project = ToolProject(
        files: [
            "20240101_people.sql": file(ToolProject.one), "20240102_born.sql": file(ToolProject.two),
            "20240103_index.sql": file(ToolProject.three),
        ],
        history: """
            CREATE TABLE schema_migrations(version varchar(128) primary key);
            INSERT INTO schema_migrations VALUES ('20240101');
            """)
}
