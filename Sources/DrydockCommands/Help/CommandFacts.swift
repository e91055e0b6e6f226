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
}
