import ArgumentParser
import DrydockReport

/// What an option means, and its default. The parser has both as one text.
struct OptionText {
    var meaning: String
    /// What counts if nothing is said; nil where that needs no words.
    var standard: String?

    private static let mark = " (default: "

    var whole: String { meaning + (standard.map { "\(Self.mark)\($0))" } ?? "") }

    /// The first sentence, without what follows a semicolon in it.
    var brief: String {
        var short = OptionText(meaning: Self.start(of: meaning), standard: standard.map(Self.start))
        if short.meaning.hasSuffix(".") { short.meaning.removeLast() }
        return short.whole
    }

    private static func start(of text: String) -> String {
        let ends = ["; ", ". "].compactMap { text.firstRange(of: $0)?.lowerBound }
        return String(text[..<(ends.min() ?? text.endIndex)])
    }
}

extension OptionText {
    init(_ argument: CommandFacts.Argument) {
        let text = argument.abstract ?? ""
        guard text.hasSuffix(")"), let mark = text.firstRange(of: Self.mark) else {
            self.init(meaning: text, standard: argument.defaultValue)
            return
        }
        self.init(
            meaning: String(text[..<mark.lowerBound]), standard: String(text[mark.upperBound...].dropLast()))
    }
}

extension ArgumentHelp {
    /// - Parameter standard: what counts if nothing is said.
    init(_ text: String, default standard: String, valueName: String? = nil) {
        self.init(OptionText(meaning: text, standard: standard).whole, valueName: valueName)
    }
}

/// A line of `--help`: an option or a command, and in a few words what it means.
struct HelpLine {
    let label: String
    let text: String

    init(_ option: CommandFacts.Argument) {
        let names = (option.names ?? []).map(\.text)
        let short = names.first { !$0.hasPrefix("--") }.map { $0 + ", " } ?? "    "
        let value = option.takesValue ? " " + (option.valueName ?? "").uppercased() : ""
        label = short + (names.first { $0.hasPrefix("--") } ?? "") + value
        text = OptionText(option).brief
    }

    init(_ command: CommandFacts) { (label, text) = (command.commandName, command.abstract ?? "") }

    private static let (screen, margin, gap, longest) = (80, 2, 2, 27)

    /// Returns lines with their texts in one column.
    static func aligned(_ lines: [HelpLine]) -> String {
        let column = min(longest, lines.map(\.label.count).max() ?? 0) + gap
        return lines.map { line in
            let label = line.label + String(repeating: " ", count: max(gap, column - line.label.count))
            let words = WrappedText.lines(
                line.text[...], to: screen - margin, after: label.count, indent: column)
            return label + words.joined(separator: "\n" + String(repeating: " ", count: column))
        }.joined(separator: "\n")
    }
}
