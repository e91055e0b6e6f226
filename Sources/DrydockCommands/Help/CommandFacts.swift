import ArgumentParser
import Foundation

/// What the argument parser knows of a command, so that nothing lists its options again.
struct CommandFacts: Decodable {
    struct Argument: Decodable {
        struct Name: Decodable {
            let kind, name: String

            /// The name as it is typed.
            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        let kind: String
        let names: [Name]?
        let valueName, abstract, defaultValue: String?

        var takesValue: Bool { kind == "option" }
    }

    private(set) var commandName = ""
    private(set) var abstract: String?
    private(set) var arguments: [Argument]?
    private(set) var subcommands: [CommandFacts]?

    /// Asks the parser, whose answer is JSON; one of a form that is not known gives no facts.
    static func of(_ command: any ParsableCommand.Type) -> CommandFacts {
        struct Answer: Decodable { let command: CommandFacts }
        let answer = try? JSONDecoder().decode(Answer.self, from: Data(command._dumpHelp().utf8))
        var facts = answer?.command ?? CommandFacts()
        // The parser adds its own to every command.
        facts.subcommands?.removeAll { $0.commandName == "help" }
        return facts
    }

    /// The option with a name, such as `--jobs` or `-j`.
    subscript(name: String) -> Argument? {
        arguments?.first { $0.names?.contains { $0.text == name } ?? false }
    }

    /// Returns the first option that the command does not have; nil where there is none, or where the value of an
    /// option before it is missing, which the parser says itself.
    func unknownOption(in arguments: some Collection<String>) -> String? {
        var rest = Array(arguments.prefix { $0 != "--" }.reversed())
        while let argument = rest.popLast() {
            guard argument.hasPrefix("-"), argument != "-" else { continue }
            let word = argument.prefix { $0 != "=" }
            // Letters behind a single dash are options, up to the first that takes a value.
            let names = word.hasPrefix("--") ? [String(word)] : word.dropFirst().map { "-\($0)" }
            for name in names {
                guard let option = self[name] else { return name == names.first ? String(word) : name }
                guard option.takesValue, word.count == argument.count else { continue }
                if name != word { break }
                guard let value = rest.popLast(), !value.hasPrefix("-") || value == "-" else { return nil }
            }
        }
        return nil
    }
}
