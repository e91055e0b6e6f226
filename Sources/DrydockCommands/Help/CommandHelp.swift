import ArgumentParser
import Synchronization

/// The help of a command: `--help` prints what fits on a screen, `drydock help NAME` everything.
struct CommandHelp: Sendable {
    let name: String
    /// One line for the list of commands.
    let abstract: String
    /// What follows the name when the command is called.
    let usage: String
    let about: String
    /// The commands to copy, a line each.
    let examples: String
    /// The names of the options that most people need, with spaces between. All are in `drydock help NAME`.
    var common = ""
    /// What `--help` says below the options.
    var note = ""
    /// What only `drydock help NAME` says.
    var details = ""
    /// What the exit statuses mean, a line each.
    let exitStatus: String

    /// The text above the options in `drydock help NAME`.
    var discussion: String {
        let parts = [
            about.unwrapped, "EXAMPLES\n\(examples.indented)", details.unwrapped,
            "EXIT STATUS\n\(exitStatus.indented)",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}

/// A subcommand of `drydock`.
protocol DrydockSubcommand: AsyncParsableCommand {
    static var help: CommandHelp { get }
}

extension DrydockSubcommand {
    /// The text of `--help`.
    static var screen: String {
        let (facts, names) = (CommandFacts.of(self), help.common.split(whereSeparator: \.isWhitespace))
        let options = HelpLine.aligned(
            names.compactMap { facts["--" + $0].map(HelpLine.init) }
                + (facts.subcommands ?? []).map(HelpLine.init))
        let parts = [
            help.about, "EXAMPLES\n\(help.examples.indented)", "USAGE: drydock \(help.name) \(help.usage)",
            options.indented, help.note.indented, "Everything else: drydock help \(help.name)\n",
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}

/// The parser asks for a command's configuration again for each argument.
private let configurations = Mutex<[ObjectIdentifier: CommandConfiguration]>([:])

extension DrydockSubcommand {
    static var configuration: CommandConfiguration {
        configurations.withLock { known in
            if let configuration = known[ObjectIdentifier(self)] { return configuration }
            let configuration = CommandConfiguration(
                commandName: help.name, abstract: help.abstract, discussion: help.discussion)
            known[ObjectIdentifier(self)] = configuration
            return configuration
        }
    }
}

extension String {
    /// The text with a line for each paragraph, for what wraps it itself; what is indented, and what follows a heading, stays.
    fileprivate var unwrapped: String {
        lines.reduce(into: "") { text, line in
            let isNew = text.isEmpty || text.hasSuffix("\n") || line.isEmpty || line.hasPrefix(" ")
            text += (isNew ? (text.isEmpty ? "" : "\n") : " ") + line
        }
    }

    fileprivate var indented: String {
        lines.map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
    }

    /// Splitting by bytes is much faster than by characters, and this is done at each start.
    private var lines: [Substring] {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Substring.init)
    }
}
