import ArgumentParser

/// A command that takes any number of databases by name.
protocol TakesManyNames: ParsableCommand {
    /// Where the parser puts the names.
    static var names: WritableKeyPath<Self, [String]> { get }
}

/// Names that the parser does not see: the time that it takes for a list of them grows with the square of their number, and
/// a shell makes ten thousand of `*.db`.
///
///     let (short, list) = LongNameList.taken(from: ["health", "1.db", ..., "10000.db", "-q"])
///     let command = list.restored(in: try parseAsRoot(short))
struct LongNameList {
    private var runs: [[String]] = []

    /// Shorter runs of names are left where they are.
    private static let length = 100
    /// No argument of a process can hold this character.
    private static let mark = "\0"

    /// Takes the names of a command out of its arguments, but for those that may be the value of an option.
    static func taken(from arguments: [String]) -> (arguments: [String], list: LongNameList) {
        var (rest, list) = (arguments, LongNameList())
        guard rest.count > length, takesManyNames(arguments.first) else { return (rest, list) }
        var (short, run) = ([rest.removeFirst()], [String]())
        func endRun() {
            // The first may belong to an option before it; with the second it stays a list for those who count.
            if run.count > Self.length {
                short += run.prefix(2) + ["\(mark)\(list.runs.count)"]
                list.runs.append(Array(run.dropFirst(2)))
            } else {
                short += run
            }
            run = []
        }
        for argument in rest {
            guard argument.hasPrefix("-") else {
                run.append(argument)
                continue
            }
            endRun()
            short.append(argument)
        }
        endRun()
        return (short, list)
    }

    private static func takesManyNames(_ name: String?) -> Bool {
        DrydockCommand.configuration.subcommands.contains {
            $0._commandName == name && $0 is any TakesManyNames.Type
        }
    }

    /// Puts the names back where they were.
    func restored(in command: any ParsableCommand) -> any ParsableCommand {
        guard !runs.isEmpty, let command = command as? any TakesManyNames else { return command }
        return restored(command)
    }

    private func restored<Command: TakesManyNames>(_ command: Command) -> Command {
        var command = command
        command[keyPath: Command.names] = command[keyPath: Command.names].flatMap { name in
            guard name.hasPrefix(Self.mark), let run = Int(name.dropFirst()) else { return [name] }
            return runs[run]
        }
        return command
    }
}
