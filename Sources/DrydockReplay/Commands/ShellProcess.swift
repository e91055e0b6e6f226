import DrydockFiles
import DrydockFindings
import Foundation

/// A run of a command by `/bin/sh`, in a process group of its own, so that everything it starts can be ended with it.
package struct ShellProcess {
    package let command: String
    package let folder: String
    /// The variables that are added to the user's.
    package let variables: [String: String]
    /// What it may write; nil for what the user may.
    package var limits: WriteLimits?
    /// Polled while it runs; it is ended when this returns true.
    package let mustStop: () -> Bool

    package init(
        command: String, folder: String, variables: [String: String], limits: WriteLimits? = nil,
        mustStop: @escaping () -> Bool
    ) {
        self.command = command
        self.folder = folder
        self.variables = variables
        self.limits = limits
        self.mustStop = mustStop
    }

    package struct Outcome: Sendable {
        package enum End: Sendable, Hashable {
            case exited(Int32)
            case signalled(Int32)
            /// Ended because `mustStop` said so.
            case stopped
        }

        package var end: End
        /// What it printed, up to a limit.
        var output: String
        /// The last lines of what it printed and of its errors, in the order in which they came.
        package var lastLines: [String]
        /// What it started and left running, which was ended: the command lines.
        var leftRunning: [String] = []

        package init(end: End, output: String, lastLines: [String], leftRunning: [String] = []) {
            self.end = end
            self.output = output
            self.lastLines = lastLines
            self.leftRunning = leftRunning
        }
    }

    private static let outputLimit = 4 << 20
    private static let tailLimit = 64 << 10
    private static let lineLimit = 20
    /// How long a process that was asked to end may take before it is killed.
    private static let patience = Duration.milliseconds(200)
    /// How long what the command started may outlive it.
    private static let lag = Duration.milliseconds(500)

    /// Runs the command and returns when it has ended, with everything that it started.
    /// - Throws: ``FileFault`` if it cannot be started.
    package func run() throws -> Outcome {
        let (output, errors) = (try Pipe(), try Pipe())
        defer {
            output.close()
            errors.close()
        }
        let process = try start(output, errors)
        output.closeWriting()
        errors.closeWriting()
        let group = LeftProcesses(group: process, mark: variables)
        LiveCommands.add(group)
        defer { LiveCommands.remove(group) }
        var collected = Collected()
        var (status, isEnded, isStopped): (Int32, Bool, Bool) = (0, false, false)
        while !isEnded {
            collected.take(from: output, errors, milliseconds: 20)
            isEnded = waitpid(process, &status, WNOHANG) == process
            if !isEnded, mustStop() {
                isStopped = true
                group.end(after: Self.patience)
                isEnded = waitpid(process, &status, 0) == process
            }
        }
        collected.take(from: output, errors, milliseconds: 0)
        var left: [String] = []
        if !isStopped {
            left = group.names(after: Self.lag)
        }
        group.end(after: left.isEmpty ? .zero : Self.patience)
        collected.take(from: output, errors, milliseconds: 0)
        return Outcome(
            end: isStopped ? .stopped : Self.end(status), output: collected.text,
            lastLines: collected.lastLines(Self.lineLimit), leftRunning: left)
    }

    /// What `waitpid` reports, as wait(2) lays it out.
    private static func end(_ status: Int32) -> Outcome.End {
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    private func start(_ output: Pipe, _ errors: Pipe) throws -> pid_t {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // Nobody answers a question.
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
        // Signals that this process ignores would be ignored there too.
        var (signals, none) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigemptyset(&none)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let script = #"cd -- "$0" && exec /bin/sh -c "$1""#
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let shell = ["/bin/sh", "-c", script, folder, command]
        let words = limits?.arguments(shell) ?? shell
        var process = pid_t()
        let code = try Self.withCStrings(words) { arguments in
            try Self.withCStrings(environment.map { "\($0)=\($1)" }) { variables in
                try WriteLimits.run(within: limits) {
                    posix_spawn(&process, words[0], &actions, &attributes, arguments, variables)
                }
            }
        }
        guard code == 0 else { throw FileFault(FolderListing.describe(code)) }
        return process
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
    ) rethrows -> Result {
        var pointers = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return try pointers.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("it has at least one element") }
            return try body(start)
        }
    }

    // MARK: - Output

    /// A pipe that no other process inherits by accident.
    private final class Pipe {
        let reading: Int32
        private(set) var writing: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw FileFault(FolderListing.describe(errno)) }
            (reading, writing) = (ends[0], ends[1])
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            _ = fcntl(reading, F_SETFL, O_NONBLOCK)
        }

        func closeWriting() {
            if writing >= 0 { Foundation.close(writing) }
            writing = -1
        }

        func close() {
            closeWriting()
            Foundation.close(reading)
        }
    }

    /// What the command wrote, to a limit.
    private struct Collected {
        private var output: [UInt8] = []
        private var tail: [UInt8] = []
        private var isCut = false
        private var ended: Set<Int32> = []

        var text: String { String(decoding: output, as: UTF8.self) }

        func lastLines(_ count: Int) -> [String] {
            var lines = String(decoding: tail, as: UTF8.self).split(whereSeparator: \.isNewline).map(
                String.init)
            if isCut, !lines.isEmpty { lines.removeFirst() }
            return lines.map { $0.trimmingSuffix(while: \.isWhitespace) }.filter { !$0.isEmpty }.suffix(count)
                .map { String($0.prefix(400)) }
        }

        /// Takes what is there, after waiting for it.
        mutating func take(from output: Pipe, _ errors: Pipe, milliseconds: Int32) {
            var open = [output.reading, errors.reading].filter { !ended.contains($0) }.map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            if poll(&open, nfds_t(open.count), milliseconds) <= 0 { return }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            for end in open where end.revents != 0 {
                // A command that prints without end must not keep the loop here.
                for _ in 0..<16 {
                    let count = read(end.fd, &buffer, buffer.count)
                    if count == 0 { ended.insert(end.fd) }
                    guard count > 0 else { break }
                    add(buffer[..<count], isOutput: end.fd == output.reading)
                }
            }
        }

        private mutating func add(_ bytes: ArraySlice<UInt8>, isOutput: Bool) {
            if isOutput, output.count < ShellProcess.outputLimit { output += bytes }
            tail += bytes
            guard tail.count > 2 * ShellProcess.tailLimit else { return }
            tail.removeFirst(tail.count - ShellProcess.tailLimit)
            isCut = true
        }
    }
}

extension StringProtocol {
    /// Returns the text without characters at its end.
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        var text = Substring(self)
        while let last = text.last, predicate(last) { text.removeLast() }
        return String(text)
    }
}
