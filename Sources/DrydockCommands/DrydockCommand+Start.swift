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
            let fault = dashFault(in: arguments, or: error) ?? firstFault(in: short, or: error)
            // An argument may be a file name that the shell put there for a pattern.
            if exitCode(for: fault) == .validationFailure {
                Terminal.show(error: withoutFarSuggestion(fullMessage(for: fault)) + "\n")
                Foundation.exit(ExitCode.validationFailure.rawValue)
            }
            exit(withError: fault)
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

    /// Returns what `--help` prints for the command that the arguments name; nil if they ask for something else.
    static func helpScreen(for arguments: [String]) -> String? {
        let asked = arguments.prefix { $0 != "--" }.contains { $0 == "-h" || $0 == "--help" }
        guard asked, let name = arguments.first else { return nil }
        func find(_ name: String, in commands: [any ParsableCommand.Type]) -> (any DrydockSubcommand.Type)? {
            commands.lazy.compactMap { $0 as? any DrydockSubcommand.Type }.first { $0.help.name == name }
        }
        guard let command = find(name, in: configuration.subcommands) else { return nil }
        let inner = arguments.dropFirst().first.flatMap {
            find("\(name) \($0)", in: command.configuration.subcommands)
        }
        return (inner ?? command).screen
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

    /// Returns an error's text without a suggestion that is nothing like what was written: the parser offers the nearest
    /// option, however far it is.
    static func withoutFarSuggestion(_ text: String) -> String {
        guard let match = text.firstMatch(of: /Unknown option '-*([^']+)'(\. Did you mean '-*([^']+)'\?)/),
            nearestName(to: String(match.1), in: [String(match.3)]) == nil
        else { return text }
        return text.replacingCharacters(in: match.2.startIndex..<match.2.endIndex, with: "")
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

    /// Returns the error to report first: an unknown option comes before a missing argument, since the user's typing
    /// shows better what was meant.
    static func firstFault(in arguments: [String], or error: any Error) -> any Error {
        var given = arguments
        // No command has more than two required arguments.
        for _ in 0..<2 where isMissingArgument(error) {
            given.append("x")
            do {
                _ = try parseAsRoot(given)
                return error
            } catch let other where isMissingArgument(other) {
                continue
            } catch let other {
                return message(for: other).contains("Unknown option") ? other : error
            }
        }
        return error
    }

    private static func isMissingArgument(_ error: any Error) -> Bool {
        let text = message(for: error)
        return text.hasPrefix("Missing expected argument") || text == ListOptions.noDatabase
    }
}
