/// A folder as D1 keeps it.
enum D1Project {
    static let project = ToolProject(
        files: [
            "0001_people.sql": ToolProject.one, "0002_born.sql": ToolProject.two,
            "0010_index.sql": ToolProject.three,
        ], history: history)

    static let history = """
        CREATE TABLE d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
          applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
        INSERT INTO d1_migrations(name) VALUES ('0001_people.sql');
        """
}
