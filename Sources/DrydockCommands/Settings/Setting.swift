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
}

/// A row of the table, whatever its values are.
protocol SettingRow: Sendable {
    var setting: Setting { get }
}

extension SettingRow {
    /// The help of the option.
    var help: ArgumentHelp { ArgumentHelp(setting.meaning, valueName: setting.valueName) }

    /// The name of the option.
    var name: NameSpecification { NameSpecification(arrayLiteral: .customLong(setting.flag ?? setting.key)) }

    /// The name of the option, and a short one.
    func name(_ short: Character, allowingJoined: Bool = false) -> NameSpecification {
        NameSpecification(
            arrayLiteral: .customShort(short, allowingJoined: allowingJoined),
            .customLong(setting.flag ?? setting.key))
    }
}

extension Setting: SettingRow {
    var setting: Setting { self }
}

/// A setting with one value. What drydock.yml says of `Setting.jobs` is `config[Setting.jobs]`; nil where it says nothing.
@dynamicMemberLookup
struct ValueSetting<Value: Sendable>: SettingRow {
    let setting: Setting

    init(
        _ key: String, flag: String?, _ readers: [Setting.Reader], _ text: String, standard: String? = nil,
        valueName: String? = nil, _ read: @escaping Setting.Read<Value>
    ) {
        setting = Setting(key, flag: flag, readers, text, standard: standard, valueName: valueName) {
            $3.values[key] = try read($0, $1, $2)
        }
    }

    subscript<Fact>(dynamicMember fact: KeyPath<Setting, Fact>) -> Fact { setting[keyPath: fact] }
}

/// How one value is read.
extension Setting {
    typealias Read<Value> = @Sendable (_ reader: YAMLReader, _ value: Node, _ key: String) throws -> Value

    static let string: Read<String> = { try $0.string($1, $2) }

    static let truth: Read<Bool> = { try $0.bool($1, $2) }

    static func word(of names: [String]) -> Read<String> {
        value("one of: \(names.joined(separator: ", "))") { names.contains($0) ? $0 : nil }
    }

    static func value<Value>(
        _ expected: String, _ parse: @escaping @Sendable (String) -> Value?
    ) -> Read<Value> {
        { try $0.parsed($1, $2, expected, parse) }
    }
}

/// How values are read that stand under another key, or of which there are several.
extension Setting {
    typealias Place<Value> = WritableKeyPath<ConfigFile, Value> & Sendable

    static func text(_ place: Place<String?>) -> Parser {
        { reader, value, key, file in file[keyPath: place] = try reader.string(value, key) }
    }

    static func bool(_ place: Place<Bool?>) -> Parser {
        { reader, value, key, file in file[keyPath: place] = try reader.bool(value, key) }
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
        _ place: Place<Value>, _ read: @escaping Read<Value>
    ) -> Parser {
        { reader, value, key, file in file[keyPath: place] = try read(reader, value, key) }
    }
}
