import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockState
import Foundation
import OverlayVFS

/// Runs the project's own command on a private copy of a database, and reads back what it made of it.
///
/// It takes any image, of a snapshot or of a database that was made here:
///
///     let overlay = try Overlay(image)
///     let made = try await run.apply("0002_names", on: overlay)
package struct CommandRun: Sendable {
    package let command: ProjectCommand
    package let format: CommandFormat
    package let fence: CommandFence
    package let engine: any Engine
    package let settings: ConnectionSettings
    package let watchdog: Watchdog
    /// How long the command may run; nil for as long as there is time.
    package var limit: Duration?

    package init(
        _ format: CommandFormat, fence: CommandFence, engine: any Engine, settings: ConnectionSettings,
        watchdog: Watchdog
    ) {
        (command, self.format, self.fence, self.engine) = (format.command, format, fence, engine)
        (self.settings, self.watchdog) = (settings, watchdog)
    }

    package struct Made: Sendable {
        package var image: Image
        package var footprint: Footprint
        package var seconds: Double
        package var lastLines: [String] = []
    }

    /// Applies one migration, or all of them, and gives the overlay the result. No connection may be open on it.
    /// - Parameter migration: nil for all.
    /// - Throws: ``CommandFailure``.
    package func apply(_ migration: (name: String, step: Int)?, on overlay: Overlay) async throws -> Made {
        let before = try await settled(overlay)
        let copy = try copy(of: before, for: command.command)
        defer { copy.delete() }
        let start = ContinuousClock.now
        let outcome = try await run(command.command, on: copy, migration)
        let seconds = (ContinuousClock.now - start).inSeconds
        try check(outcome, command.command)
        if let obstacle = copy.obstacle {
            throw failure(obstacle, "The result must be where $DRYDOCK_DATABASE says.", outcome.lastLines)
        }
        let left = try await result(copy, outcome.lastLines)
        try overlay.replaceContent(with: left)
        let (image, footprint) = overlay.freeze()
        if footprint.isEmpty { throw nothingChanged(outcome.lastLines) }
        return Made(image: image, footprint: footprint, seconds: seconds, lastLines: outcome.lastLines)
    }

    /// Applies a migration of the set, or all of them where they do not run one at a time, and checks that the history
    /// has it then.
    /// - Parameter index: its position in the set.
    /// - Throws: ``CommandFailure``.
    package func apply(
        _ migration: Migration, at index: Int, of set: MigrationSet, on overlay: Overlay
    ) async throws -> Made {
        let step = format.isStepped ? (name: migration.identifier, step: index + 1) : nil
        var known: [String] = []
        if step != nil { known = (try? await applied(in: try await settled(overlay))) ?? [] }
        let made = try await apply(step, on: overlay)
        do {
            try await checkApplied(step?.name, in: made.image, made.lastLines)
            let later = Set(set.migrations[(index + 1)...].map(\.identifier)).subtracting(known)
            if step != nil, let more = try await applied(in: made.image).first(where: later.contains) {
                throw failure(
                    "applied \(more) too, which comes later",
                    "With 'migrate: list' the command must apply $DRYDOCK_MIGRATION and no later one. Remove 'list' if it "
                        + "can only apply all at once.", made.lastLines)
            }
        } catch let error as EngineError where !error.isInterrupt {
            throw failure("left a history that cannot be read: \(error.message)", "", made.lastLines)
        }
        return made
    }

    /// Runs the command that prints the names of the migrations.
    /// - Throws: ``CommandFailure``, ``RequestError``.
    package func names(on overlay: Overlay) async throws -> [String]? {
        guard let list = command.list else { return nil }
        let copy = try copy(of: try await settled(overlay), for: list)
        defer { copy.delete() }
        let outcome = try await run(list, on: copy, nil)
        try check(outcome, list)
        do {
            return try ProjectCommand.names(in: outcome.output)
        } catch var error as RequestError {
            // Where one command of a pipeline fails, the last decides the status.
            error.quote = outcome.lastLines.suffix(5).map { "  " + $0 }.joined(separator: "\n")
            throw error
        }
    }

    private func copy(of image: Image, for text: String) throws -> PrivateCopy {
        do {
            return try PrivateCopy(of: image)
        } catch let fault as FileFault {
            throw notRun(
                "was not run: \(fault.description)",
                "It runs on a private copy in the folder that TMPDIR names, else in /tmp: that must exist and have room.",
                text)
        }
    }

    /// Returns what the overlay has, with the content of its log.
    private func settled(_ overlay: Overlay) async throws -> Image {
        try await engine.useWhole(overlay, settings: settings) { _ in }
        return overlay.freeze().image
    }

    /// Returns what the command left, as SQLite recovers it with what is beside it.
    private func result(_ copy: PrivateCopy, _ lines: [String]) async throws -> Image {
        do {
            let left = try Overlay(snapshot: copy.path)
            try await engine.useWhole(left, settings: settings) { _ in }
            return left.freeze().image
        } catch let error as EngineError where !error.isInterrupt {
            throw failure("left a database that cannot be read: \(error.message)", "", lines)
        } catch let error as OverlayError {
            throw failure("left a database that cannot be read: \(error.description)", "", lines)
        }
    }

    /// Runs a command inside the fence, and notes whether it opened the copy.
    private func run(
        _ text: String, on copy: PrivateCopy, _ migration: (name: String, step: Int)?
    ) async throws -> ShellProcess.Outcome {
        let variables = copy.variables.merging(command.variables(database: copy.path, migration: migration)) {
            $1
        }
        let (folder, limits, watchdog) = (command.folder, fence.limits(for: copy), watchdog)
        do {
            try await fence.enter(patience: Self.patience)
        } catch let obstacle as CommandFence.Obstacle {
            throw notRun(obstacle.fact, obstacle.help, text)
        }
        defer { fence.leave() }
        let watch = CopyWatch(copy.path)
        let end = limit.map { ContinuousClock.now + $0 }
        let outcome = await withCheckedContinuation { continuation in
            // A thread of its own, since it waits: the system's queues have few.
            Thread.detachNewThread {
                var process = ShellProcess(command: text, folder: folder, variables: variables) {
                    watchdog.isTripped || end.map { ContinuousClock.now >= $0 } ?? false
                }
                process.limits = limits
                continuation.resume(returning: Result { try process.run() })
            }
        }
        if watch.sawAccess { fence.noteAccess() }
        do {
            return try outcome.get()
        } catch let fault as FileFault {
            throw notRun("cannot be started: \(fault.description)", "", text)
        }
    }

    /// How long another program may write one of the project's databases before the command is not run.
    private static let patience = Duration.seconds(5)

    // MARK: - Failures

    private func failure(
        _ fact: String, _ help: String, _ lines: [String] = [], of text: String? = nil
    ) -> CommandFailure {
        CommandFailure(command: text ?? command.command, fact: fact, help: help, lines: lines)
    }

    private func notRun(_ fact: String, _ help: String, _ text: String) -> CommandFailure {
        var failure = failure(fact, help, of: text)
        failure.kind = .notRun
        return failure
    }

    private func check(_ outcome: ShellProcess.Outcome, _ text: String) throws {
        switch outcome.end {
        case .stopped:
            var stopped = failure("was stopped by the time limit", "", outcome.lastLines, of: text)
            stopped.kind = .stopped
            throw stopped
        case .signalled(let signal):
            throw failure("was ended by signal \(signal)", "", outcome.lastLines, of: text)
        case .exited(let status) where status != 0:
            // A shell reports the signal that ended what it ran.
            let signal = (129..<160).contains(status) ? " (signal \(status - 128))" : ""
            throw failure(
                "ended with exit status \(status)\(signal)",
                (fence.sawAccess ? "" : remedy + "\n")
                    + "It ran in '\(command.folder)' on a private copy, which is deleted. To see more, run it there by hand "
                    + "with DRYDOCK_DATABASE set to the path of a copy. " + fence.text, outcome.lastLines,
                of: text)
        case .exited: break
        }
        guard !outcome.leftRunning.isEmpty else { return }
        throw failure(
            "left processes running, which could still write and were stopped: "
                + outcome.leftRunning.prefix(3).joined(separator: "; "),
            "It must wait for what it starts; tools that start a background server have an option to turn that off.",
            outcome.lastLines, of: text)
    }

    private func nothingChanged(_ lines: [String]) -> CommandFailure {
        var failure = failure(
            "changed nothing: does it open $DRYDOCK_DATABASE?",
            remedy + "\n" + fence.text
                + (format.history != nil
                    ? ""
                    : " If nothing was pending, say where the database keeps its history with 'migrate: history'."),
            lines)
        failure.kind = .changedNothing
        return failure
    }

    /// Returns the failure of a command that was never seen to open its copy.
    /// - Parameter other: why it failed, if it did.
    func ignoredCopy(_ other: CommandFailure?) -> CommandFailure {
        let fact = "did not open the database in $DRYDOCK_DATABASE, so no migration was verified"
        return failure(fact, remedy + "\n" + fence.text, other?.lines ?? [])
    }

    /// How the project comes to open the copy.
    private var remedy: String {
        CodeMigrations.running(command.command)?.remedy
            ?? "Have the project open the path in the variable DRYDOCK_DATABASE; 'migrate: database' in drydock.yml passes it "
            + "in another form, such as $DATABASE_PATH or sqlite:///$DRYDOCK_DATABASE."
    }

    /// Checks that the history has what was to be applied: the migration, or else all that a new database gets.
    private func checkApplied(_ migration: String?, in image: Image, _ lines: [String]) async throws {
        guard let history = format.history, format.isStepped || !format.versions.isEmpty else { return }
        let applied = try await applied(in: image)
        let expected = migration.map { [$0] } ?? format.versions
        guard let missing = expected.first(where: { !applied.contains($0) }) else { return }
        throw failure(
            "ended with exit status 0, but the history does not have \(missing)",
            "The history is read with: \(history.query)", lines)
    }

    /// Returns what the history says; nothing where there is none.
    private func applied(in image: Image) async throws -> [String] {
        guard let history = format.history else { return [] }
        return try await engine.use(try Overlay(image), settings: settings) { database in
            try await database.withConnection { try CommandFormat.applied(history, $0) }
        }
    }
}
