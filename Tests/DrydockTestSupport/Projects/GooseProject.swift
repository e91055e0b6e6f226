/// A folder as Goose keeps it.
enum GooseProject {
    static let history = """
        CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL,
          is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
        INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
        """

    static func file(_ up: String, _ down: String = "SELECT 1;\n", head: String = "") -> String {
        "\(head)-- +goose Up\n\(up)\n-- +goose Down\n\(down)"
    }

    static let project = ToolProject(
        files: [
            "001_people.sql": file(ToolProject.one), "002_born.sql": file(ToolProject.two),
            "003_index.sql": file(ToolProject.three),
        ], history: history)
}
