import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import Foundation
import SQLiteSchema
import Synchronization

/// What happens during a health check.
public enum HealthEvent: Sendable {
    /// A database was checked, or could not be: the number of those that are done, of all.
    case checked(String, number: Int, of: Int)
}

/// The health check of databases that other programs may have open. It writes nothing.
public struct HealthInspector: Sendable {
    private let engine: any Engine
    private let onEvent: @Sendable (HealthEvent) -> Void

    /// - Parameter onEvent: called from any thread.
    public init(engine: any Engine, onEvent: @escaping @Sendable (HealthEvent) -> Void = { _ in }) {
        (self.engine, self.onEvent) = (engine, onEvent)
    }

    /// - Throws: ``RequestError`` if no report can be made, CancellationError if the task is cancelled.
    public func run(_ request: HealthRequest) async throws -> Report {
        let start = ContinuousClock.now
        let result = try await check(request)
        var report = Self.report(of: result.databases, accepted: result.accepted)
        report.seconds = (ContinuousClock.now - start).inSeconds
        return report
    }

    /// Returns the report on databases that were checked.
    package static func report(
        of databases: [CheckedDatabase], accepted: (path: String, count: Int)? = nil
    ) -> Report {
        var report = Report(databases)
        if case .health(var health) = report.body {
            health.accepted = accepted
            health.finishedAt = Date().timeIntervalSince1970
            report.body = .health(health)
        }
        return report
    }

    /// Checks the databases, and returns how many findings were written to the file of known ones, if any were.
    package func check(
        _ request: HealthRequest
    ) async throws -> (databases: [CheckedDatabase], accepted: (path: String, count: Int)?) {
        let request = try request.withIdentifiers()
        let paths = try request.listed ?? DatabaseNames.resolve(request.databases)
        let baseline = try request.baseline.map { try HealthBaseline.load($0) } ?? .none
        let progress = try request.progress.map { try HealthProgress.load($0) } ?? HealthProgress()
        let databases = try await inspect(paths, request, progress)
        if let path = request.progress { try progress.after(databases).write(to: path) }
        guard request.accepts, let path = request.baseline else {
            return (databases.map(baseline.withoutKnown), nil)
        }
        let known = baseline.accepting(databases)
        try known.write(to: path)
        return (databases.map(known.withoutKnown), (path, known.count))
    }

    private func inspect(
        _ paths: [String], _ request: HealthRequest, _ progress: HealthProgress
    ) async throws -> [CheckedDatabase] {
        let done = Atomic(0)
        let schemas = SchemaCache()
        let connections = ConnectionPool(
            engine: engine, settings: request.connectionSettings, limit: paths.count > 1 ? 32 : 0)
        let checked = try await concurrentMap(paths, jobs: request.jobs) { path in
            defer {
                let number = done.add(1, ordering: .relaxed).newValue
                onEvent(.checked(path, number: number, of: paths.count))
            }
            if let known: CheckedDatabase = request.kept?.result(of: path) { return known }
            let stamp = request.kept.flatMap { _ in KeptResults.stamp(of: path) }
            var run = HealthRun(path: path, request: request, schemas: schemas, connections: connections)
            run.start = progress.place(of: path)
            let checked = await run.run()
            // What could not be read, or was not reached, is for the next run to look at.
            let isFinal = checked.trouble == nil && checked.notReached.isEmpty && !Task.isCancelled
            try request.kept?.keep(checked, of: path, isFinal ? stamp : nil)
            return checked
        }
        await connections.close()
        return checked
    }
}

extension HealthRequest {
    var connectionSettings: ConnectionSettings {
        var settings = ConnectionSettings()
        (settings.functions, settings.collations) = (functions, collations)
        // So that every run says the same of damage: see IntegrityCheck.
        settings.setup = ["PRAGMA secure_delete = OFF", "PRAGMA cell_size_check = ON"]
        return settings
    }
}

extension HealthRequest {
    /// Returns it with the checks' identifiers, where it has earlier names of them.
    /// - Throws: ``RequestError`` if there is no check of a name.
    func withIdentifiers() throws -> HealthRequest {
        for name in only.union(without).union(thresholds.keys).sorted() {
            if let fault = HealthChecks.fault(ofName: name) { throw RequestError(.settingInvalid, fault) }
        }
        var request = self
        request.only = Set(only.map(HealthChecks.identifier))
        request.without = Set(without.map(HealthChecks.identifier))
        return request
    }
}
