import Drydock
import SQLiteSchema
import Yams

/// The drydock.yml that `drydock init` writes: what was found, and in comments whatever else can be said.
struct ConfigTemplate {
    let found: FoundMigrations

    var text: String {
        var lines = [
            "# Settings of Drydock (drydock --help). Paths are relative to this file; a flag wins over its key.",
            "",
        ]
        lines += project
        lines += [
            "", "# What else can be set: remove the first # of a line. Values are the defaults, or examples.",
        ]
        lines += choices
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: - What was found

    private var project: [String] {
        switch found {
        case .folder(let path, let formats):
            let folder = ["migrations: \(Self.scalar(path))"]
            if formats.count == 1 { return folder + ["migrationFormat: \(formats[0].format)"] }
            let reason =
                formats.allSatisfy(\.reason.isEmpty)
                ? "Read as \(formats[0].format)'s. If another tool runs them, uncomment its line:"
                : "More than one tool names its files like this, and they would run them differently: each way is "
                    + "tried. Uncomment the line of the tool that runs them:"
            return folder + Self.comment(reason) + Self.lines(of: formats)
        case .refused(let path, let error):
            let folder = ["migrations: \(Self.scalar(path))"]
            guard !error.choices.isEmpty else {
                return folder + Self.comment("They cannot be read: \(error.description)")
                    + ["#migrationFormat: <format>"]
            }
            return folder
                + Self.comment(
                    "More than one tool names its files like this, and nothing here says which one runs them. That matters: "
                        + "the same files would do different things. Remove the # of its line; until then no other command "
                        + "reads them.")
                + Self.lines(of: error.choices)
        case .several(let candidates):
            return ["# There are several folders of migrations. Keep one line, without its #."]
                + candidates.map { "#migrations: \(Self.scalar($0.path))  # \(VisibleText.line($0.sign))" }
        case .code(let path, let tool):
            return [
                "# The migrations in \(VisibleText.line(path)) are code (\(tool.name)), and Drydock reads SQL."
            ]
                + command(tool) + Self.comment(recipe(tool))
                + tool.settings.map { "#\($0)" }
        case .nothing:
            return [
                "# No migrations were found. Name their folder, which has SQL files.",
                "#migrations: Migrations",
            ]
        }
    }

    private static func lines(of choices: [RequestError.Choice]) -> [String] {
        choices.map { choice in
            let reason = choice.reason.isEmpty ? "" : "  # " + VisibleText.line(choice.reason)
            return "#migrationFormat: \(choice.format)" + reason
        }
    }

    private func command(_ tool: CodeMigrations) -> [String] {
        guard !tool.command.isEmpty else { return [] }
        return Self.comment(
            "'drydock verify' can run \(tool.name)'s own command on private copies of the snapshots.")
            + tool.preparation.prefix(1).map { "# \($0)" }
            + tool.preparation.dropFirst().map { "#   \($0)" }
            + tool.command.map { "#\($0)" }
    }

    private func recipe(_ tool: CodeMigrations) -> String {
        (tool.command.isEmpty ? "To read the SQL: " : "Or have Drydock read the SQL: ") + tool.recipe
    }

    // MARK: - What can be chosen

    private var choices: [String] {
        var lines: [String] = []
        var outer: String?
        for setting in Setting.all where !isWritten(setting) {
            let parts = setting.key.split(separator: ".").map(String.init)
            let parent = parts.count > 1 ? parts[0] : nil
            if let parent, parent != outer { lines += ["", "#\(parent):"] }
            outer = parent
            let indent = parent == nil ? "" : "  "
            if parent == nil { lines.append("") }
            lines += Self.comment(setting.meaning, indent: parent == nil ? 0 : 2)
            lines.append("#\(indent)\(parts[parts.count - 1]):\(setting.example.map { " " + $0 } ?? "")")
        }
        return lines
    }

    /// Whether the part above has the setting.
    private func isWritten(_ setting: Setting) -> Bool {
        switch (found, setting.key) {
        case (_, "migrations"): true
        case (.folder, "migrationFormat"), (.refused, "migrationFormat"): true
        default: false
        }
    }

    // MARK: - Text

    /// Returns a path as YAML reads it.
    static func scalar(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-".utf8.contains(byte)
        }
        // Words that YAML reads as something else than text.
        let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        let isName = text.first.map { $0.isLetter } ?? false && !words.contains(text.lowercased())
        if isPlain, isName { return text }
        let isOneLine = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if isOneLine { return "'" + text.replacing("'", with: "''") + "'" }
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control:
                "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }

    /// Returns prose as comments of a readable width.
    private static func comment(_ text: String, indent: Int = 0) -> [String] {
        let head = "#" + String(repeating: " ", count: indent + 1)
        var lines = [head]
        for word in VisibleText.line(text).split(separator: " ") {
            let last = lines.count - 1
            if lines[last] == head {
                lines[last] += word
            } else if lines[last].count + 1 + word.count <= 110 {
                lines[last] += " " + word
            } else {
                lines.append(head + word)
            }
        }
        return lines
    }
}

extension Setting {
    /// A value that can be written for the key: the default if it is one word, otherwise what stands for a value in the
    /// help; nil for what takes several lines.
    fileprivate var example: String? {
        if let standard, !standard.contains(" "), isValid(standard) { return standard }
        if let valueName { return "<\(valueName)>" }
        return isValid("true") ? "true" : nil
    }

    private func isValid(_ value: String) -> Bool {
        let parts = key.split(separator: ".")
        let yaml =
            parts.joined(separator: ": {") + ": \(value)" + String(repeating: "}", count: parts.count - 1)
        return (try? ConfigFile(yaml, name: ConfigFile.defaultPath)) != nil
    }
}
