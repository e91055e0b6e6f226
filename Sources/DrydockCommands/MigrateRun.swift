import Drydock
import DrydockReport

/// A migration of a live database and its reports, with progress and a clean stop.
struct MigrateRun: Sendable {
    let settings: MigrateSettings

    /// - Returns: nil if it was interrupted.
    func report() async throws -> Report? {
        if let rollOut = settings.rollOut { return try await report(of: rollOut) }
        let showsStatus = Terminal.errorIsTerminal && !settings.options.isQuiet
        let isInstalling = Latch()
        let migrator = Migrator(engine: settings.engine) { event in
            // From here on the work itself reports what happens to the database.
            if case .installing = event { isInstalling.set() }
            if showsStatus { Terminal.progress(Self.text(event)) }
        }
        let request = settings.request
        let task = Task { try await migrator.run(request) }
        let interruption = Interruption(
            lastWords: Self.interrupted, unless: { isInstalling.value }
        ) { task.cancel() }
        defer { interruption.end() }
        let outcome = await task.result
        if showsStatus { Terminal.progress("") }
        do {
            var report = try outcome.get()
            report.foundMigrations = settings.place.found
            try write(report)
            return report
        } catch is CancellationError {
            Terminal.writeError(Self.interrupted)
            return nil
        }
    }

    private func report(of request: RollOutRequest) async throws -> Report? {
        let showsStatus = Terminal.errorIsTerminal && !settings.options.isQuiet
        let rollOut = RollOut(engine: settings.engine) { event in
            if showsStatus { Terminal.progress(Self.text(event)) }
        }
        let task = Task { try await rollOut.run(request) }
        // Databases are being installed at any time, and each is finished or rolled back.
        let interruption = Interruption(lastWords: Self.stopped, unless: { request.migrate.mode == .apply }) {
            task.cancel()
        }
        defer { interruption.end() }
        let outcome = await task.result
        if showsStatus { Terminal.progress("") }
        do {
            var report = try outcome.get()
            report.foundMigrations = settings.place.found
            report.part = settings.part(report)
            try write(report)
            return report
        } catch is CancellationError {
            Terminal.writeError(Self.stopped)
            return nil
        }
    }

    private static let stopped =
        "drydock: interrupted; every database is either the old one or the migrated one. The same command continues\n"

    private static func text(_ event: RollOutEvent) -> String {
        switch event {
        case .looking(let done, let count): "looking at databases: \(done)/\(count)"
        case .migrating(let wave, let done, let count): "\(wave): \(done)/\(count)"
        }
    }

    private static let interrupted = "drydock: interrupted; the database is unchanged\n"

    private static func text(_ event: MigrateEvent) -> String {
        switch event {
        case .copying: "copying"
        case .step(let migration, let number, let count): "rehearsing \(number)/\(count)  \(migration)"
        case .installing(let done, let total): "installing \(done * 100 / max(1, total)) %"
        }
    }

    private func write(_ report: Report) throws {
        try ReportFile.write(after: report.workDone) {
            try settings.reports.write(report, settings.options)
        } thenPrint: {
            try settings.format.write(report, settings.options)
        }
    }
}
