import DrydockFindings
import DrydockReplay
import DatabaseEngine
import Foundation
import SQLiteSchema

/// The health check of databases that other programs may have open. It writes nothing.
public struct HealthInspector: Sendable {
    private let engine: any Engine

    public init(engine: any Engine) { self.engine = engine }

    /// - Throws: ``RequestError`` if no report can be made, CancellationError if the task is cancelled.
    public func run(_ request: HealthRequest) async throws -> HealthReport {
        let start = ContinuousClock.now
        var report = HealthReport()
        for name in request.only.union(request.without).union(request.thresholds.keys).sorted() {
            if let fault = HealthChecks.fault(ofName: name) { throw RequestError(fault) }
        }
        let paths = try DatabaseNames.resolve(request.databases)
        let baseline = try request.baseline.map { try HealthBaseline.load($0) } ?? .none
        let progress = try request.progress.map { try HealthProgress.load($0) } ?? HealthProgress()
        let databases = try await inspect(paths, request, progress)
        try Task.checkCancellation()
        if let path = request.progress { try progress.after(databases).write(to: path) }
        if request.accepts, let path = request.baseline {
            let known = baseline.accepting(databases)
            try known.write(to: path)
            report.accepted = (path, known.count)
            report.databases = databases.map(known.withoutKnown)
        } else {
            report.databases = databases.map(baseline.withoutKnown)
        }
        report.seconds = (ContinuousClock.now - start).inSeconds
        report.finishedAt = Date().timeIntervalSince1970
        return report
    }

    private func inspect(
        _ paths: [String], _ request: HealthRequest, _ progress: HealthProgress
    ) async throws -> [DatabaseHealth] {
        try await withThrowingTaskGroup(of: (Int, DatabaseHealth).self) { group in
            var results: [DatabaseHealth?] = Array(repeating: nil, count: paths.count)
            var next = 0
            func start() {
                guard next < paths.count else { return }
                let (index, path) = (next, paths[next])
                next += 1
                group.addTask {
                    var run = HealthRun(engine: engine, path: path, request: request)
                    run.start = progress.place(of: path)
                    return (index, await run.run())
                }
            }
            for _ in 0..<max(1, request.jobs) { start() }
            while let (index, health) = try await group.next() {
                results[index] = health
                if !Task.isCancelled { start() }
            }
            return results.compactMap { $0 }
        }
    }
}
