import CSQLite
import DatabaseEngine

/// What ends a statement before its time: the settings' `interrupt`, or a task that was cancelled.
///
/// SQLite polls it from its progress handler (https://www.sqlite.org/c3ref/progress_handler.html); the
/// connection asks before each statement and row as well. Used on the connection's thread alone.
final class Stop {
    var cancellation: Cancellation?
    private let interrupt: (@Sendable () -> Bool)?
    private var isSuspended = false

    init(_ interrupt: (@Sendable () -> Bool)?) { self.interrupt = interrupt }

    /// The connection that owns this outlives the handler.
    func install(on connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection, ConnectionSettings.progressInterval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Stop>.fromOpaque(context).takeUnretainedValue().isAsked ? 1 : 0
            }, context)
    }

    private var isAsked: Bool {
        !isSuspended && (cancellation?.isCancelled == true || interrupt?() == true)
    }

    /// Runs a closure in which SQLite stops also where it does not poll.
    func passing<Result>(_ body: () throws -> Result) throws -> Result {
        try AllocationGate.passing({ self.isAsked }, body)
    }

    /// - Throws: `CancellationError` when the task was cancelled.
    func check() throws {
        if !isSuspended, cancellation?.isCancelled == true { throw CancellationError() }
    }

    func suspended(_ body: () -> Void) {
        isSuspended = true
        defer { isSuspended = false }
        body()
    }
}
