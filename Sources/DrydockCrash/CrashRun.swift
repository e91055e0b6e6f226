import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// Runs migrations on an open database as their tool does, and says after each thing that it did it.
struct CrashRun: Sendable {
    let context: ReplayContext

    /// Where a run stopped.
    struct Stop: Error {
        var point: CrashPoint?
        var error: any Error
    }

    /// - Parameters:
    ///   - batches: those that share a transaction, or have one of their own or none.
    ///   - called: whether a transaction is open or not.
    /// - Throws: ``Stop``; ``EngineError`` if the connection fails.
    func run(
        _ batches: [[Migration]], on database: any OpenDatabase,
        called: @escaping @Sendable (CrashPoint, any Connection) throws -> Void
    ) async throws {
        let set = context.set
        guard !set.policy.isRunByEngine else {
            for migration in batches.joined() { try await runByEngine(migration, database, called) }
            return
        }
        let stop = try await database.withConnection { connection in
            Self.runAsTool(batches, set, connection, called)
        }
        if let stop { throw stop }
    }

    private static func runAsTool(
        _ batches: [[Migration]], _ set: MigrationSet, _ connection: any Connection,
        _ called: @escaping (CrashPoint, any Connection) throws -> Void
    ) -> Stop? {
        guard var batch = batches.first else { return nil }
        var last: ToolRun.Call?
        var run = ToolRun(connection: connection, set: set)
        (run.commitsTogether, run.marksUnfinished) = (true, true)
        run.called = { call in
            last = call
            try called(CrashPoint(call, in: batch), connection)
        }
        do {
            try run.prepare()
            for next in batches {
                batch = next
                try run.run(batch) { _ in }
            }
            return nil
        } catch let failure as BatchFailure {
            return Stop(point: CrashPoint(call(of: failure), in: batch), error: failure.error)
        } catch {
            return Stop(point: CrashPoint(last == nil ? .setup : .mark(0), in: batch), error: error)
        }
    }

    private static func call(of failure: BatchFailure) -> ToolRun.Call {
        switch failure.phase {
        case .commit: .commit(failure.index)
        case .record: .record(failure.index)
        case .statement: .statement(failure.index, (failure.error as? StatementFailure)?.index ?? 0)
        }
    }

    private func runByEngine(
        _ migration: Migration, _ database: any OpenDatabase,
        _ called: @escaping @Sendable (CrashPoint, any Connection) throws -> Void
    ) async throws {
        do {
            _ = try await MigrationRun(migration).apply(to: database)
        } catch {
            let statement = (error as? StatementFailure).map { ToolRun.Call.statement(0, $0.index) }
            throw Stop(point: CrashPoint(statement ?? .whole(0), of: migration), error: error)
        }
        try await database.withConnection { try called(CrashPoint(.whole(0), of: migration), $0) }
    }
}

/// What a connection has at the start of a batch, from what ran before.
struct CrashStart: Sendable {
    /// Whether foreign keys are enforced.
    var foreignKeys = true
    /// The journal mode, where an earlier migration set one that is forgotten when the connection is closed.
    var journalMode: String?
    /// The value of `PRAGMA synchronous`, where it is not the default.
    var synchronous: Int64?

    /// The last migration that may have left something on the connection: a PRAGMA, a temporary object, an attached
    /// database.
    var carriedFrom: Migration?

    /// Whether SQLite cannot recover from every power cut.
    var isUnsafe: Bool { journalMode == "off" || journalMode == "memory" || synchronous == 0 }

    /// Reads the settings of the connection on which a batch ran.
    mutating func note(_ connection: any Connection) throws {
        let mode = try connection.firstRow("PRAGMA journal_mode") { $0.string(0) }
        journalMode = ["off", "memory", "truncate", "persist"].contains(mode) ? mode : nil
        synchronous = try connection.firstRow("PRAGMA synchronous") { $0.integer(0) }
    }

    func settings(_ context: ReplayContext, _ watchdog: Watchdog) -> ConnectionSettings {
        var settings = context.settings(watchdog)
        settings.foreignKeys = foreignKeys
        if let journalMode { settings.setup.append("PRAGMA journal_mode = \(journalMode)") }
        if let synchronous { settings.setup.append("PRAGMA synchronous = \(synchronous)") }
        return settings
    }
}

extension Migration {
    /// Whether a later migration on the same connection may find something that a new connection does not have.
    var mayLeaveSettings: Bool {
        statements.contains { statement in
            switch statement.action {
            case .pragma(_, _, let value): value != nil
            case .attach: true
            default: statement.action.target?.schema?.foldedASCII == "temp"
            }
        }
    }
}
