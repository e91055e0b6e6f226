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
            progress.clear()
            try write(report)
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

    private func write(_ report: Report) throws {
        if settings.format == "human" {
            Terminal.show(HumanRenderer().body(report, settings.options))
        } else if let renderer = ReportRenderers.named(settings.format) {
            Terminal.write(renderer.render(report, settings.options))
        }
        try settings.reports.write(report, settings.options)
    }
}

/// The output during a run: a line for each snapshot when it is done, and the progress on a terminal.
private final class VerifyProgress: Sendable {
    private let options: RenderOptions
    private let printsLines: Bool
    private let showsStatus: Bool
    private let done = Mutex(0)

    init(_ settings: VerifySettings) {
        options = settings.options
        printsLines = settings.format == "human" && !settings.options.isQuiet
        showsStatus = Terminal.errorIsTerminal && !settings.options.isQuiet
    }

    var doneCount: Int { done.withLock { $0 } }

    func note(_ event: VerifyEvent) {
        switch event {
        case .step(let snapshot, let migration, let number, let count):
            guard showsStatus else { return }
            let name = PathParts.name(of: snapshot)
            Terminal.progress("\(name)  \(number)/\(count)  \(migration)")
        case .replayed(let summary, let findings):
            done.withLock { $0 += 1 }
            clear()
            if printsLines { Terminal.show(HumanRenderer().line(for: summary, findings, options)) }
        }
    }

    func clear() {
        if showsStatus { Terminal.progress("") }
    }
}
