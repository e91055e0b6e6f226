import DrydockFindings
import DrydockMaintenance
import DrydockMigrations
import DrydockReplay
import DrydockState
import DrydockVerify
import OverlayVFS

/// What a live database has applied, and how its schema compares with its version's. Nothing is run on it.
package struct DatabaseStatus: Sendable {
    /// The newest applied migration; nil if there is none.
    package var version: String?
    /// In the order in which they run.
    package var pending: [String] = []
    package var bytes = 0
    /// The same for databases of one schema, within a run.
    package var schema = 0
    package var drift = Drift.none
    package var findings: [Finding] = []
    package var notChecked: [NotChecked] = []
    package var migrationFormat: String?
}

extension Migrator {
    /// Looks at a database inside a read transaction.
    /// - Throws: ``RequestError`` if it cannot be read, `CancellationError`.
    package func look(_ request: MigrateRequest) async throws -> DatabaseStatus {
        let stop = StopFlag()
        return try await withTaskCancellationHandler {
            try await look(request, stop)
        } onCancel: {
            stop.set()
        }
    }

    private func look(_ request: MigrateRequest, _ stop: StopFlag) async throws -> DatabaseStatus {
        try checkFile(request)
        return try await look(request, stop, checksDrift: true)
    }

    /// Returns the newest migration that a database has applied, as its history says; nil where it has no history. Nothing
    /// is written, not even what a killed run left beside it is taken away.
    /// - Throws: ``RequestError`` if it, or the migrations, cannot be read, `CancellationError`.
    package func version(_ request: MigrateRequest) async throws -> String? {
        let stop = StopFlag()
        return try await withTaskCancellationHandler {
            try await look(request, stop, checksDrift: false).version
        } onCancel: {
            stop.set()
        }
    }

    private func look(
        _ request: MigrateRequest, _ stop: StopFlag, checksDrift: Bool
    ) async throws -> DatabaseStatus {
        let verify = verify(request)
        let snapshot = Snapshot(live: request.path, copy: request.path)
        var copier = LiveCopier(engine: engine, path: request.path, stop: stop)
        copier.deadline = TimeBudget(verify.timeout).firstDeadline
        return try await look(copier) { try await reader(snapshot, verify, $0, checksDrift) }
    }

    private func reader(
        _ snapshot: Snapshot, _ verify: VerifyRequest, _ verifier: Verifier, _ checksDrift: Bool
    ) async throws -> @Sendable (LiveOverlay.Slice) throws -> DatabaseStatus {
        let made = try await verifier.preparation.prepared(verify, [snapshot])
        let target: Int
        if let context = made.context {
            target = context.targetCount
        } else {
            target = try await verifier.preparation.makeContext(verify, made.set, nil).targetCount
        }
        return { slice in
            var look = DatabaseStatus()
            look.migrationFormat = made.set.format.name
            look.bytes = slice.image.byteCount
            let reading = try made.schema(slice.connection)
            look.schema = reading.identity
            let history =
                try made.set.history(slice.connection)
                ?? made.set.base.map { _ in AppliedHistory([]) }
            guard let history else {
                look.findings.append(ReplayPlan.unknownVersion(of: snapshot, made.set))
                return look
            }
            let plan = ReplayPlan(history: history, set: made.set, targetCount: target)
            look.version = plan.from
            look.pending = plan.pending.map { made.set.migrations[$0].identifier }
            look.findings += plan.findings(for: snapshot)
            if checksDrift { look.drift = made.drift(reading, history) }
            return look
        }
    }
}
