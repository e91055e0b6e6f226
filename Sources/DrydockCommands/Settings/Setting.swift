import ArgumentParser
import Drydock
import Yams

/// A row of the table of settings: a key of drydock.yml, the flag that says the same, and the commands that read both.
///
/// drydock.yml is read with these rows, the options of the command line take their names and help from them, and
/// docs/settings.md has them as a table.
struct Setting: Sendable {
    /// The commands that read drydock.yml.
    enum Reader: String, CaseIterable, Sendable {
        case verify, lint, lock, migrate, health, diff, schema, new, snapshot
    }

    /// Reads the key's value into the file.
    typealias Parser =
        @Sendable (
            _ reader: YAMLReader, _ value: Node, _ key: String, _ file: inout ConfigFile
        ) throws -> Void

    /// The key; for one that stands under another, both: `health.budget`.
    let key: String
    /// The long flag without its dashes; nil for what only the file can say.
    let flag: String?
    let readers: [Reader]
    /// What it means, in one line.
    let text: String
    /// What counts if nothing is said; nil where that needs no words.
    let standard: String?
    /// What stands for the value in the help.
    let valueName: String?
    let parse: Parser

    init(
        _ key: String, flag: String?, _ readers: [Reader], _ text: String, standard: String? = nil,
        valueName: String? = nil, _ parse: @escaping Parser
    ) {
        (self.key, self.flag, self.readers, self.text) = (key, flag, readers, text)
        (self.standard, self.valueName, self.parse) = (standard, valueName, parse)
    }

    /// The meaning and the default, as the help and the documentation have them.
    var meaning: String { OptionText(meaning: text, standard: standard).whole }

    /// The help of the option.
    var help: ArgumentHelp { ArgumentHelp(meaning, valueName: valueName) }

    /// The name of the option.
    var name: NameSpecification { NameSpecification(arrayLiteral: .customLong(flag ?? key)) }

    /// The name of the option, and a short one.
    func name(_ short: Character, allowingJoined: Bool = false) -> NameSpecification {
        NameSpecification(
            arrayLiteral: .customShort(short, allowingJoined: allowingJoined), .customLong(flag ?? key))
    }
}

/// How values of drydock.yml are parsed.
extension Setting {
    typealias Place<Value> = WritableKeyPath<ConfigFile, Value> & Sendable

    static func text(_ place: Place<String?>) -> Parser {
        { reader, value, key, file in file[keyPath: place] = try reader.string(value, key) }
    }

    static func bool(_ place: Place<Bool?>) -> Parser {
        { reader, value, key, file in file[keyPath: place] = try reader.bool(value, key) }
    }

    static func named(_ place: Place<String?>, in names: [String]) -> Parser {
        parsed(place, "one of: \(names.joined(separator: ", "))") { names.contains($0) ? $0 : nil }
    }

    static func parsed<Value>(
        _ place: Place<Value?>, _ expected: String, _ parse: @escaping @Sendable (String) -> Value?
    ) -> Parser {
        { reader, value, key, file in
            file[keyPath: place] = try reader.parsed(value, key, expected, parse)
        }
    }

    /// A value with a reader of its own.
    static func own<Value>(
        _ place: Place<Value>, _ read: @escaping @Sendable (YAMLReader, Node, String) throws -> Value
    ) -> Parser {
        { reader, value, key, file in file[keyPath: place] = try read(reader, value, key) }
    }
}
