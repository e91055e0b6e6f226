import Drydock
import Foundation
import GRDBEngine
import Testing

extension TemporaryFolder {
    /// Runs `drydock lock` on the folders `Migrations` and `Snapshots`, without a cache.
    @discardableResult
    func lock(_ replace: String..., configure: (inout LockRequest) -> Void = { _ in }) async throws
        -> Report
    {
        var request = LockRequest()
        request.path = file("drydock.lock")
        request.migrations.folder = file("Migrations")
        request.snapshotsFolder = file("Snapshots")
        request.date = "2026-01-31"
        request.replace = replace
        configure(&request)
        return try await Locker(engine: GRDBDriver()).run(request)
    }

    /// Runs `drydock lock --check`, and expects that it writes nothing.
    func checkLock(
        sourceLocation: SourceLocation = #_sourceLocation, _ configure: (inout LockRequest) -> Void = { _ in }
    ) async throws -> Report {
        let before = try contents()
        let report = try await lock {
            $0.isCheck = true
            configure(&$0)
        }
        #expect(try contents() == before, "a file was written", sourceLocation: sourceLocation)
        return report
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

    func edit(_ name: String, _ change: (String) -> String) throws { try write(name, change(text(name))) }

    /// Returns why no report can be made.
    func lockRefusal(_ configure: (inout LockRequest) -> Void = { _ in }) async throws -> String {
        do {
            let report = try await lock(configure: configure)
            Issue.record("a report was made: \(report.findings.map(\.line))")
            return ""
        } catch let error as RequestError {
            return error.description
        }
    }
}
