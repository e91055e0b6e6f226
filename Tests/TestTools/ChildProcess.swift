import Foundation

/// A program that a test starts. It is used as Foundation's `Process` is, which crashes now and then where many threads
/// start programs (an object of its run loop is released twice).
///
///     let process = ChildProcess()
///     process.executableURL = URL(filePath: "/bin/sh")
///     process.arguments = ["-c", "exit 3"]
///     try process.run()
///     process.waitUntilExit()  // terminationStatus == 3
package final class ChildProcess: @unchecked Sendable {
    package enum TerminationReason { case exit, uncaughtSignal }

    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    package var executableURL: URL?
    package var arguments: [String] = []
    package var environment: [String: String]?
    package var currentDirectoryURL: URL?
    /// A `Pipe` or a `FileHandle`; nil for the test's own.
    package var standardInput: Any?
    package var standardOutput: Any?
    package var standardError: Any?

    package private(set) var processIdentifier: pid_t = 0
    /// Guards the status, and is signalled when it is known.
    private let ended = NSCondition()
    /// What waitpid(2) said of its end; nil while it runs.
    private var status: Int32?

    package init() {}

    /// - Throws: ``Failure`` if the program cannot be started.
    package func run() throws {
        guard let path = executableURL?.path else { throw Failure(description: "no program is named") }
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
        let input = (standardInput as? Pipe)?.fileHandleForReading ?? standardInput as? FileHandle
        let outputs = [standardOutput, standardError].map {
            ($0 as? Pipe)?.fileHandleForWriting ?? $0 as? FileHandle
        }
        for (number, handle) in ([input] + outputs).enumerated() {
            guard let handle else { continue }
            posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(number))
        }
        // A pipe of another test that the program inherited would not end with that test's own program.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0) }
        for descriptor in 3...((open.max() ?? 3) + 64) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // The threads that run tests block signals, which a program would inherit.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let variables = environment ?? ProcessInfo.processInfo.environment
        var command = [path] + arguments
        if let folder = currentDirectoryURL?.path {
            command = ["/bin/sh", "-c", #"cd -- "$0" && exec "$@""#, folder] + command
        }
        var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, command[0], &actions, &attributes, &words, &settings)
        guard code == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(code)))") }
        processIdentifier = child
        // The program has its own ends.
        for pipe in [standardOutput, standardError] { try? (pipe as? Pipe)?.fileHandleForWriting.close() }
        try? (standardInput as? Pipe)?.fileHandleForReading.close()
        Thread.detachNewThread { self.reap() }
    }

    /// Takes the exit status as soon as there is one: the thread of Swift Testing that waits for exit tests would otherwise
    /// find this program again and again, and none of its own.
    private func reap() {
        var new: Int32 = 0
        while waitpid(processIdentifier, &new, 0) < 0, errno == EINTR {}
        ended.lock()
        status = new
        ended.broadcast()
        ended.unlock()
    }

    package var isRunning: Bool { ended.withLock { status == nil } }

    package func waitUntilExit() { _ = endStatus() }

    /// Waits in a thread of its own, so that a task may wait.
    package func end() async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.waitUntilExit()
                continuation.resume()
            }
        }
    }

    package func interrupt() { send(SIGINT) }

    package func terminate() { send(SIGTERM) }

    private func send(_ signal: Int32) {
        ended.withLock { if status == nil { _ = kill(processIdentifier, signal) } }
    }

    /// The exit status, or the signal that ended it. It waits for the end.
    package var terminationStatus: Int32 {
        let status = endStatus()
        return status & 0x7f == 0 ? (status >> 8) & 0xff : status & 0x7f
    }

    package var terminationReason: TerminationReason { endStatus() & 0x7f == 0 ? .exit : .uncaughtSignal }

    private func endStatus() -> Int32 {
        guard processIdentifier != 0 else { return 0 }
        return ended.withLock {
            while true {
                if let status { return status }
                ended.wait()
            }
        }
    }
}
