/// Migrations in code that no known tool runs, by language.
extension ToolProfile {
    static let go = ToolProfile(code: "Go") { $0.isForMigrations && $0.hasNumbered(".go") }
    static let kotlin = ToolProfile(code: "Kotlin") { folder in
        folder.isForMigrations && folder.files.contains { $0.hasSuffix(".kt") }
    }
    static let script = ToolProfile(code: "JavaScript") { folder in
        folder.isForMigrations
            && [".js", ".ts", ".mjs", ".cjs", ".mts", ".cts"].contains { folder.hasNumbered($0) }
    }

    private init(code language: String, isIn: @escaping @Sendable (FolderSummary) -> Bool) {
        let recipe =
            "log the SQL that the app's migrations send to an empty database, and write that of each into a folder of its own, "
            + "as sql/0001_name.sql; --migrations names the folder, and 'custom:' in drydock.yml says where the history is. Or "
            + "verify runs a command of yours that migrates a database: 'migrate: command' in drydock.yml."
        self.init(
            CodeMigrations(language, isIn: isIn, recipe: recipe), namedBy: [], tables: [:], history: nil)
    }
}
