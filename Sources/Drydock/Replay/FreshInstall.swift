import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// All migrations on an empty database, as a new user's first launch runs them.
struct FreshInstall: Sendable {
    /// The schema after each migration that ran.
    var catalogs: [Catalog] = []
    /// Why it did not get to the end.
    var failure: String?

    /// Whether a migration passes when there are no rows.
    func passes(_ index: Int) -> Bool { index < catalogs.count }

    static func make(_ context: ReplayContext, timeout: Duration?) async throws -> FreshInstall {
        let watchdog = Watchdog(timeout: timeout)
        return try await withTaskCancellationHandler {
            try await make(context, watchdog)
        } onCancel: {
            watchdog.cancel()
        }
    }

    private static func make(_ context: ReplayContext, _ watchdog: Watchdog) async throws -> FreshInstall {
        var fresh = FreshInstall()
        let overlay = try Overlay(emptyNamed: "fresh.sqlite")
        let settings = context.settings(watchdog)
        let database = try await context.engine.open(.uri(overlay.uri), settings: settings)
        for migration in context.set.migrations {
            do {
                if let fault = migration.fault { throw RequestError(fault.message) }
                if let ending = StaticChecks.transactionStatement(in: migration) {
                    throw RequestError("\(migration.path) ends its runner's transaction with \(ending.text)")
                }
                _ = try await MigrationRun(migration).apply(to: database)
            } catch {
                try Task.checkCancellation()
                fresh.failure =
                    watchdog.isTimeUp
                    ? "\(migration.identifier) on an empty database took longer than the time limit"
                    : "\(migration.identifier) fails on an empty database: \(describe(error))"
                break
            }
            let (historyTable, earlier) = (context.set.format.historyTable, fresh.catalogs.last)
            fresh.catalogs.append(
                try await database.withConnection { connection in
                    var unreadable: [Catalog.UnreadableTable] = []
                    return try Catalog(
                        reading: connection, historyTable: historyTable, earlier: earlier,
                        unreadable: &unreadable)
                })
        }
        try await database.close()
        return fresh
    }

    private static func describe(_ error: any Error) -> String {
        switch error {
        case let failure as StatementFailure: failure.error.message
        default: String(describing: error)
        }
    }
}
