import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import DrydockReplay
import Synchronization

/// Vacuums several databases. If one fails, the others are vacuumed all the same.
///
///     let report = try await FleetVacuum(engine: GRDBDriver()).run(paths, as: VacuumRequest(path: ""))
///     for database in report.vacuums?.databases ?? [] { print(database.path, database.vacuum?.bytesAfter ?? "-") }
public struct FleetVacuum: Sendable {
    private let engine: any Engine
    private let note: @Sendable (String, VacuumEvent) -> Void
    private let onDone: @Sendable (VacuumFleetSummary.Database) -> Void

    /// - Parameters:
    ///   - note: called from any thread, with the path of a database and what is done to it.
    ///   - onDone: called from any thread, when a database is done.
    public init(
        engine: any Engine, onEvent note: @escaping @Sendable (String, VacuumEvent) -> Void = { _, _ in },
        onDone: @escaping @Sendable (VacuumFleetSummary.Database) -> Void = { _ in }
    ) {
        (self.engine, self.note, self.onDone) = (engine, note, onDone)
    }

    /// Vacuums databases. After the task is cancelled no further one begins, and the report is of those that had begun.
    /// - Parameters:
    ///   - request: how each is vacuumed; its path is ignored.
    ///   - jobs: how many are vacuumed at once.
    public func run(_ paths: [String], as request: VacuumRequest, jobs: Int = 1) async -> Report {
        await run(paths, as: request, jobs: jobs, kept: nil)
    }

    /// - Parameter kept: the results of earlier runs, and where those of this one are kept; nil for neither. A database that
    ///   an earlier run vacuumed is not vacuumed again unless it was written since.
    package func run(
        _ paths: [String], as request: VacuumRequest, jobs: Int, kept: KeptResults?
    ) async -> Report {
        let start = ContinuousClock.now
        let done = Mutex<[String: VacuumFleetSummary.Database]>([:])
        // A cancelled map has no results; those that were made are kept here.
        _ = try? await concurrentMap(paths, jobs: jobs) { path in
            let database = await database(path, request, kept)
            done.withLock { $0[path] = database }
            onDone(database)
        }
        var summary = VacuumFleetSummary(databases: done.withLock { done in paths.compactMap { done[$0] } })
        summary.isInterrupted = Task.isCancelled
        var report = Report(summary)
        report.seconds = (ContinuousClock.now - start).inSeconds
        return report
    }

    /// Returns the report on the databases of all shards, of which none is opened.
    /// - Throws: ``RequestError`` where the parts have no result of one.
    package static func merged(_ paths: [String], _ kept: KeptResults) throws -> Report {
        let summary = VacuumFleetSummary(databases: try paths.map { try kept.resultOfPart(of: $0) })
        var report = Report(summary)
        report.seconds = summary.databases.reduce(0) { $0 + $1.seconds }
        return report
    }

    private func database(
        _ path: String, _ request: VacuumRequest, _ kept: KeptResults?
    ) async -> VacuumFleetSummary.Database {
        if let known: VacuumFleetSummary.Database = kept?.result(of: path) { return known }
        let start = ContinuousClock.now
        // A forecast is of what the database is before; a vacuum leaves one behind that need not be vacuumed again.
        let before = request.isForecast ? KeptResults.stamp(of: path) : nil
        var database = VacuumFleetSummary.Database(path: path)
        var one = request
        one.path = path
        do {
            let report = try await Vacuum(engine: engine, onEvent: { note(path, $0) }).run(one)
            database.vacuum = report.vacuum
        } catch let error as RequestError {
            database.trouble = error
        } catch {
            let isCancelled = error is CancellationError
            database.trouble = RequestError(
                isCancelled ? .refused : .other, isCancelled ? Self.interrupted : "'\(path)': \(error)")
        }
        database.seconds = (ContinuousClock.now - start).inSeconds
        keep(database, before, request, kept)
        return database
    }

    private func keep(
        _ database: VacuumFleetSummary.Database, _ before: String?, _ request: VacuumRequest,
        _ kept: KeptResults?
    ) {
        let after = request.isForecast ? before : KeptResults.stamp(of: database.path, takesNew: true)
        // That it cannot be noted changes nothing of what was done, and is reported once, for all (``KeptResults/fault``).
        try? kept?.keep(database, of: database.path, database.trouble == nil ? after : nil)
    }

    /// What is said of a database whose vacuum was interrupted.
    package static let interrupted = "interrupted; the database is unchanged"
}
