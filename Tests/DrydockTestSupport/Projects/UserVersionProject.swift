/// A folder as UserVersion keeps it.
enum UserVersionProject {
    static let project = ToolProject(
        files: [
            "001.sql": ToolProject.one, "002_born.sql": ToolProject.two, "010_index.sql": ToolProject.three,
        ],
        history: "PRAGMA user_version = 1;")
}
