import ArgumentParser
import DatabaseEngine
import Dispatch
import Drydock
import Foundation

/// How much memory a command gives SQLite: what it reads and runs may come from a stranger.
struct MemoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much memory SQLite may take, such as 512MB or 4GB, or none for no limit; one value may take an eighth. (default: 2GB)",
            valueName: "size"))
    var memory: MemoryLimit?

    func apply(_ config: ConfigFile) {
        SQLiteLibrary.limitMemory(to: (memory ?? config.memory ?? .standard).bytes)
    }
}

/// How long a command may take, and how much memory it gives SQLite.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long the command may take, such as 90s, 5m or 1h, or none for no limit. (default: 10m)",
            valueName: "duration"))
    var timeout: RunLimit?

    @OptionGroup var memory: MemoryOptions

    /// Runs a command's work within its limits, and ends the command with status 2 where there is no result.
    func run(
        _ stubs: StubOptions, _ body: (_ config: ConfigFile, _ limits: CommandLimits) async throws -> Void
    ) async throws {
        var limits: CommandLimits?
        do {
            let config = try ConfigFile.load(stubs.config)
            memory.apply(config)
            let started = CommandLimits(timeout ?? config.timeout ?? .standard)
            limits = started
            defer { started.end() }
            try await body(config, started)
        } catch let error as RequestError {
            Terminal.complain(limits?.explaining(error.description) ?? error.description, help: error.quote)
            throw ExitCode(2)
        } catch let error as EngineError {
            Terminal.complain(limits?.explaining(error.description) ?? error.description)
            throw ExitCode(2)
        }
    }
}

/// The time that a command has.
struct CommandLimits: Sendable {
    private let limit: RunLimit
    private let deadline: ContinuousClock.Instant?
    private let lastResort: LastResort?

    /// How long the work may take to stop by itself.
    private static let grace = Duration.seconds(5)

    init(_ limit: RunLimit) {
        self.limit = limit
        deadline = limit.duration.map { ContinuousClock.now + $0 }
        let message = "the work does not end; " + Self.complaint(limit)
        lastResort = limit.duration.map { duration in
            LastResort(after: duration + Self.grace) {
                Terminal.complain(message)
                // Nothing of the command is left behind: its temporary files have no name.
                _exit(2)
            }
        }
    }

    /// An engine that stops when the time is up.
    func engine(_ base: any Engine) -> any Engine {
        guard let deadline else { return base }
        return BoundedEngine(base) { ContinuousClock.now >= deadline }
    }

    /// An error's words, with what is behind it when the time is up.
    func explaining(_ error: String) -> String {
        guard let deadline, ContinuousClock.now >= deadline else { return error }
        return "\(error); \(Self.complaint(limit))"
    }

    private static func complaint(_ limit: RunLimit) -> String {
        "the time limit of \(limit.text) is over. A statement may never end; where it only takes long, give it longer "
            + "with --timeout"
    }

    func end() { lastResort?.cancel() }
}

/// Does something when a time is over, on a thread of its own, unless it is cancelled before.
private final class LastResort: @unchecked Sendable {
    // Made once and only cancelled, which any thread may do.
    private let item: DispatchWorkItem

    init(after time: Duration, _ body: @escaping @Sendable () -> Void) {
        item = DispatchWorkItem(block: body)
        let seconds = DispatchTimeInterval.seconds(Int(time.components.seconds) + 1)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: item)
    }

    func cancel() { item.cancel() }
}
