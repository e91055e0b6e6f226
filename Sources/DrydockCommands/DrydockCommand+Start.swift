import ArgumentParser
import Drydock
import Foundation
import SQLiteSchema

extension DrydockCommand {
    /// Runs the command that the process was given, and ends the process.
    public static func start() async {
        // A write beyond the limit on the size of files then fails, and the error can be reported.
        signal(SIGXFSZ, SIG_IGN)
        // So does a write whose reader has gone; see Terminal.
        signal(SIGPIPE, SIG_IGN)
        let arguments = joiningNumbers(Array(givenArguments.dropFirst()))
        if let screen = helpScreen(for: arguments) { return print(screen, terminator: "") }
        let (short, list) = LongNameList.taken(from: arguments)
        do {
            if let fault = helpFault(in: arguments) { throw ValidationError(fault) }
            if let fault = nameFault(in: arguments) {
                Terminal.complain(fault)
                Foundation.exit(2)
            }
            var command = list.restored(in: try parseAsRoot(short))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let dash = dashFault(in: arguments, or: error)
            let fault = dash ?? error
            guard exitCode(for: fault) == .validationFailure else { exit(withError: fault) }
            let unknown = dash == nil ? unknownOption(in: short) : nil
            // An argument may be a file name that the shell put there for a pattern.
            Terminal.show(error: (unknown ?? fullMessage(for: fault)) + "\n")
            Foundation.exit(ExitCode.validationFailure.rawValue)
        }
    }

    /// The arguments of the process, those that are not valid UTF-8 with their bytes written out.
    static var givenArguments: [String] {
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).compactMap {
            guard let argument = $0 else { return nil }
            return String(validatingCString: argument)
                ?? ByteName.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    /// Returns why an argument that is not valid UTF-8 cannot be what it was meant for; nil for the commands that report such
    /// databases beside the others.
    static func nameFault(in arguments: [String]) -> String? {
        let ofMany = ["verify", "health", "stats", "migrate", "vacuum", "manifest"]
        guard let command = arguments.first, !ofMany.contains(command) || arguments.contains("--follow")
        else {
            return nil
        }
        return arguments.first(where: ByteName.isIn).map(ByteName.fault)
    }

    /// Returns the command that arguments name, and what follows its name.
    private static func named(
        in arguments: [String]
    ) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>) {
        var (command, rest): (any ParsableCommand.Type, _) = (Self.self, arguments[...])
        while let inner = command.configuration.subcommands.first(where: { $0._commandName == rest.first }) {
            (command, rest) = (inner, rest.dropFirst())
        }
        return (command, rest)
    }

    /// Returns what `--help` prints for the command that the arguments name; nil if they ask for something else.
    static func helpScreen(for arguments: [String]) -> String? {
        let asked = arguments.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == "--help" }
        return asked ? (named(in: arguments).command as? any DrydockSubcommand.Type)?.screen : nil
    }

    /// Returns why arguments were not read as they were meant, if one of them is the name of a file that begins with a
    /// dash: the parser reads letters after a single dash as options, `-h` among them.
    static func dashFault(in arguments: [String], or error: any Error) -> (any Error)? {
        let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0.count > 2 }
        let file: String?
        switch exitCode(for: error) {
        case .validationFailure: file = options.first(where: FolderListing.exists)
        case .success:
            file = options.first {
                !$0.hasPrefix("--") && $0.contains("h") && ($0.contains(".") || FolderListing.exists($0))
            }
        default: file = nil
        }
        guard let file, !options.contains("--help") else { return nil }
        return ValidationError(
            "'\(file)' was read as options; if it is a file, write './\(file)', or -- before it")
    }

    /// Returns what to say of an option that the command does not have; nil if it has all. This comes before whatever else
    /// is wrong, such as a missing argument, since it shows better what was meant.
    static func unknownOption(in arguments: [String]) -> String? {
        let (command, rest) = named(in: arguments)
        let facts = CommandFacts.of(command)
        guard let option = facts.unknownOption(in: rest) else { return nil }
        let names = (facts.arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(
            \.name)
        let word = option.drop { $0 == "-" }
        let nearest = word.count > 1 ? nearestName(to: String(word), in: names) : nil
        let called = arguments[..<rest.startIndex].reduce(_commandName) { $0 + " " + $1 }
        return "Error: Unknown option '\(option)'" + (nearest.map { ". Did you mean '--\($0)'?" } ?? "")
            + "\nUsage: \(usageString(for: command))\n  See '\(called) --help' for more information."
    }

    /// Returns why `drydock help` has no help on its argument; nil if it has.
    static func helpFault(in arguments: [String]) -> String? {
        guard arguments.first == "help", let name = arguments.dropFirst().first(where: { !$0.hasPrefix("-") })
        else { return nil }
        let names = configuration.subcommands.map { $0._commandName } + ["help"]
        guard !names.contains(name) else { return nil }
        return "there is no command '\(name)'"
            + (nearestName(to: name, in: names).map { "; did you mean '\($0)'?" }
                ?? "; they are: \(names.joined(separator: ", "))")
    }
}
