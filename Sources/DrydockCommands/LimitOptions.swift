import ArgumentParser
import DatabaseEngine
import Dispatch
import Drydock
import Foundation

/// How long a command may take, and how much memory it gives SQLite: what it reads and runs may come from a stranger.
struct LimitOptions: ParsableArguments {
    @Option(name: Setting.timeout.name, help: Setting.timeout.help, transform: RunLimit.parsed)
    var timeout: RunLimit?

    @Option(name: Setting.memory.name, help: Setting.memory.help, transform: MemoryLimit.parsed)
    var memory: MemoryLimit?

    @Option(
        name: Setting.snapshotSize.name, help: Setting.snapshotSize.help, transform: SnapshotSize.parsed)
    var snapshotSize: SnapshotSize?

    func timeout(_ config: ConfigFile) -> RunLimit { timeout ?? config[Setting.timeout] ?? .standard }

    func memory(_ config: ConfigFile) -> MemoryLimit { memory ?? config[Setting.memory] ?? .standard }

    func snapshotSize(_ config: ConfigFile) -> SnapshotSize {
        snapshotSize ?? config[Setting.snapshotSize] ?? .standard
    }

    /// Sets the limits that hold for the whole process.
    func apply(_ config: ConfigFile) {
        MemoryBounds.apply(memory(config).bytes)
        CompressedFile.limitSize(to: snapshotSize(config).bytes)
    }

    /// Runs a command's work within its limits. Ends the command with status 2 if there is no result, and with 130 if
    /// it is interrupted.
    func run(
        _ stubs: StubOptions, _ failure: FailureOutput,
        writing files: (ConfigFile) -> [ReportFile] = { _ in [] },
        _ body: (_ config: ConfigFile, _ limits: CommandLimits) async throws -> Void
    ) async throws {
        try await failure.run {
            let config = try failure.config(stubs.config, writing: files)
            apply(config)
            let limits = CommandLimits(timeout(config), failure)
            let interruption = Interruption(lastWords: CommandLimits.interrupted) { limits.interrupt() }
            defer {
                interruption.end()
                limits.end()
            }
            do {
                try await body(config, limits)
            } catch let error where error is RequestError || error is EngineError {
                try limits.explain()
                throw error
            }
        }
    }
}

/// The time limit of a command.
struct CommandLimits: Sendable {
    private let limit: RunLimit
    private let deadline: ContinuousClock.Instant?
    private let lastResort: LastResort?
    private let statements = StatementLog()
    private let isInterrupted = Latch()

    static let interrupted = "drydock: interrupted\n"

    /// How long the work may take to stop by itself.
    private static let grace = Duration.seconds(5)

    init(_ limit: RunLimit, _ failure: FailureOutput) {
        self.limit = limit
        deadline = limit.duration.map { ContinuousClock.now + $0 }
        let statements = statements
        lastResort = limit.duration.map { duration in
            LastResort(after: duration + Self.grace) {
                _ = failure.end(Self.error(duration, statements))
                TemporaryCopy.removeAll { _ in _exit(2) }
            }
        }
    }

    /// Returns an engine that stops when the time is up.
    func engine(_ base: any Engine) -> any Engine {
        let (deadline, isInterrupted) = (deadline, isInterrupted)
        return BoundedEngine(base, statements: statements) {
            isInterrupted.value || deadline.map { ContinuousClock.now >= $0 } ?? false
        }
    }

    func interrupt() { isInterrupted.set() }

    /// Ends the command if the limit or the interruption is the only cause of an error.
    /// - Throws: `ExitCode`, ``RequestError``.
    func explain() throws {
        if isInterrupted.value {
            Terminal.writeError(Self.interrupted)
            throw ExitCode(130)
        }
        guard let deadline, let duration = limit.duration, ContinuousClock.now >= deadline else { return }
        throw Self.error(duration, statements)
    }

    private static func error(_ limit: Duration, _ statements: StatementLog) -> RequestError {
        let place = statements.place
        return RequestError(
            .limitReached, TimeLimitText.fact(limit, at: place), quote: "  help: " + TimeLimitText.remedy,
            file: place?.file, line: place?.line)
    }

    func end() { lastResort?.cancel() }
}

/// An action after a time, on a separate thread, unless it is cancelled before.
final class LastResort: @unchecked Sendable {
    // Created once and then only cancelled, which any thread may do.
    private let item: DispatchWorkItem

    init(after time: Duration, _ body: @escaping @Sendable () -> Void) {
        item = DispatchWorkItem(block: body)
        let milliseconds = DispatchTimeInterval.milliseconds(Int(time / .milliseconds(1)))
        DispatchQueue.global().asyncAfter(deadline: .now() + milliseconds, execute: item)
    }

    func cancel() { item.cancel() }
}
