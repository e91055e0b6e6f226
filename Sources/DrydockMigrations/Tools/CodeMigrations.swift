import DrydockFindings

/// A tool's migrations in code: Drydock knows them by their files, and cannot read them.
package struct CodeMigrations: Sendable, Hashable {
    /// The name of the tool that messages use.
    package let name: String
    /// How its own commands give the SQL, in sentences.
    package let recipe: String
    /// What describes its folder of SQL in drydock.yml; empty if another format reads what the recipe gives.
    package let settings: [String]
    /// What says in drydock.yml how `verify` runs its own command; empty if it has none.
    package let command: [String]
    /// What the project must have for that: a sentence, then code.
    package let preparation: [String]
    /// The programs of that command.
    private let programs: [String]
    /// Returns whether a folder has them; nil where only the project's files tell whose ``ToolProfile/script`` they are.
    private let isIn: (@Sendable (FolderSummary) -> Bool)?

    init(
        _ name: String, isIn: (@Sendable (FolderSummary) -> Bool)?, recipe: String, settings: [String] = [],
        programs: [String] = [], command: [String] = [], needs preparation: [String] = []
    ) {
        (self.name, self.isIn, self.recipe, self.settings) = (name, isIn, recipe, settings)
        (self.programs, self.preparation) = (programs, preparation)
        self.command = command.isEmpty ? [] : ["migrate:"] + command.map { "  " + $0 }
    }

    package static func == (a: CodeMigrations, b: CodeMigrations) -> Bool { a.name == b.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Returns `custom:` for a folder `sql` of what the tool printed.
    static func custom(
        _ table: String, _ query: String, transaction: String, foreignKeys: Bool,
        identifier: String? = nil, isNewestOnly: Bool = false, record: String? = nil
    ) -> [String] {
        ["migrations: sql", "custom:", "  files: '(?<version>.+)[.]sql'"]
            + (identifier.map { ["  identifier: '\($0)'"] } ?? [])
            + [
                "  transaction: \(transaction)", "  foreignKeys: \(foreignKeys)", "  history:",
                "    table: '\(table)'", "    query: \"\(query)\"",
            ] + (isNewestOnly ? ["    newest: true"] : [])
            + (record.map { ["    record: \"INSERT INTO \(table)\($0)\""] } ?? [])
    }

    /// Those of all tools.
    package static let all = ToolProfile.all.compactMap(\.code)

    /// Returns those that a folder has; of scripts, those of the tool that the project's files name.
    static func first(in folder: FolderSummary) -> CodeMigrations? {
        guard let found = all.first(where: { $0.isIn?(folder) ?? false }) else { return nil }
        guard found == ToolProfile.script.code else { return found }
        let runners = all.filter { $0.isIn == nil }
        let named = ProjectSign.nearest(to: folder.path, among: Set(runners.map(\.name)))
        return runners.first { named?.places[$0.name] != nil } ?? found
    }

    /// Returns those of the tool that a command line starts, by the name of its program.
    package static func running(_ command: String) -> CodeMigrations? {
        let words = command.split { $0.isWhitespace || $0 == "/" || $0 == ";" || $0 == "&" }.map(String.init)
        return all.first { !Set(words).isDisjoint(with: $0.programs) }
    }

    /// What the project must have so that its command opens the copy; nil where it needs nothing.
    package var remedy: String? {
        guard let first = preparation.first else { return nil }
        return ([first] + preparation.dropFirst().map { "  " + $0 }).joined(separator: "\n")
    }

    /// The recipes as lines below an error: its own command for `verify`, SQL for everything.
    package var help: String {
        var lines: [String] = []
        if !command.isEmpty {
            lines += Self.wrapped("verify can run \(name)'s own command, on private copies of the snapshots.")
            lines += preparation.prefix(1).flatMap(Self.wrapped)
            lines += preparation.dropFirst().map { "  " + $0 }
            lines += [preparation.isEmpty ? "drydock.yml then says:" : "Then drydock.yml says:"]
            lines += command.map { "  " + $0 }
            lines += ["As SQL, which lint and lock read too:"]
        }
        lines += Self.wrapped(recipe)
        if !settings.isEmpty { lines += ["drydock.yml then says:"] + settings.map { "  " + $0 } }
        return "  help: " + lines.joined(separator: "\n        ")
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= Self.width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static let width = 92
}
