import Dispatch
import Drydock
import DrydockReport
import Foundation
import Synchronization

/// A verification and its reports, with progress and a clean stop.
struct VerifyRun: Sendable {
    let settings: VerifySettings

    /// - Returns: nil if it was interrupted.
    func report() async throws -> Report? {
        let progress = VerifyProgress(settings)
        let verifier = Verifier(
            engine: settings.engines.first, comparingWith: settings.engines.other, onEvent: progress.note)
        let request = settings.request
        let task = Task { try await verifier.run(request) }
        let interruption = Interruption(
            lastWords: "\ndrydock: interrupted; nothing was written\n",
            unless: {
                LiveCommands.end()
                return false
            }
        ) { task.cancel() }
        defer { interruption.end() }
        do {
            var report = try await task.value
            report.foundMigrations = settings.place.found
            report.part = settings.part(report)
            progress.clear()
            try write(report, progress)
            return report
        } catch is CancellationError {
            LiveCommands.end()
            progress.clear()
            let done = progress.doneCount
            Terminal.writeError(
                "drydock: interrupted; \(counted(done, "snapshot")) verified, nothing was written\n")
            return nil
        }
    }

    private func write(_ report: Report, _ progress: VerifyProgress) throws {
        // The lines of the snapshots are on the terminal already, unless there are too many for a line each.
        let text = progress.printsLines ? HumanRenderer().body(report, settings.options) : nil
        try ReportFile.write {
            try settings.reports.write(report, settings.options)
        } thenPrint: {
            try settings.format.write(report, settings.options, text: text)
        }
    }
}

/// The output during a run: a line for each snapshot when it is done, and the progress on a terminal.
private final class VerifyProgress: Sendable {
    private struct State {
        var done = 0
        /// The snapshots of the run, and how they are named.
        var count = 0
        var names = SnapshotNames([])
    }

    private let options: RenderOptions
    private let isHuman: Bool
    private let showsStatus: Bool
    private let state = Mutex(State())

    init(_ settings: VerifySettings) {
        options = settings.options
        isHuman = settings.format.isHuman
        showsStatus = Terminal.errorIsTerminal && !settings.options.isQuiet
    }

    var doneCount: Int { state.withLock { $0.done } }

    /// Whether each snapshot gets its line as soon as it is done.
    var printsLines: Bool {
        let count = state.withLock { $0.count }
        return isHuman && !options.isQuiet && (options.isVerbose || count <= ReplayLines.limit)
    }

    func note(_ event: VerifyEvent) {
        switch event {
        case .began(let snapshots):
            state.withLock { ($0.count, $0.names) = (snapshots.count, SnapshotNames(snapshots)) }
        case .step(let snapshot, let migration, let number, let count):
            guard showsStatus else { return }
            let name = state.withLock { $0.names.name(of: snapshot) }
            Terminal.progress("\(name)  \(number)/\(count)  \(migration)")
        case .replayed(let summary, let findings):
            state.withLock { $0.done += 1 }
            clear()
            if printsLines { Terminal.show(ReplayLines(options: options).line(summary, findings)) }
        }
    }

    func clear() {
        if showsStatus { Terminal.progress("") }
    }
}
