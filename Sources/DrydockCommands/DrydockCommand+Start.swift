import ArgumentParser
import Foundation
import SQLiteSchema

extension DrydockCommand {
    /// Runs the command that the process was given, and ends the process.
    public static func start() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if let fault = helpFault(in: arguments) { throw ValidationError(fault) }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let fault = firstFault(in: arguments, or: error)
            // What was typed may be a file's name, which a pattern of the shell put there.
            if exitCode(for: fault) == .validationFailure {
                Terminal.show(error: fullMessage(for: fault) + "\n")
                Foundation.exit(ExitCode.validationFailure.rawValue)
            }
            exit(withError: fault)
        }
    }

    /// Why there is no help on what `drydock help` is asked; nil where there is.
    static func helpFault(in arguments: [String]) -> String? {
        guard arguments.first == "help", let name = arguments.dropFirst().first(where: { !$0.hasPrefix("-") })
        else { return nil }
        let names = configuration.subcommands.map { $0._commandName } + ["help"]
        guard !names.contains(name) else { return nil }
        return "there is no command '\(name)'"
            + (nearestName(to: name, in: names).map { "; did you mean '\($0)'?" }
                ?? "; they are: \(names.joined(separator: ", "))")
    }

    /// Returns the error to report first: an unknown option comes before a missing argument, since what was typed is
    /// closer to what was meant.
    static func firstFault(in arguments: [String], or error: any Error) -> any Error {
        var given = arguments
        // No command takes more arguments than two that must be there.
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
        message(for: error).hasPrefix("Missing expected argument")
    }
}
