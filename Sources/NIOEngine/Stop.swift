import CSQLite
import DatabaseEngine

/// A condition that ends a statement early: the settings' `interrupt`, or the cancellation of a task.
///
/// SQLite polls it from its progress handler (https://www.sqlite.org/c3ref/progress_handler.html); the
/// connection also checks before each statement and row. Used only on the connection's thread.
final class Stop {
    var cancellation: Cancellation?
    private let interrupt: (@Sendable () -> Bool)?
    private var isSuspended = false
    private let memoryLimit: (@Sendable () -> Int)?
    private lazy var pass = AllocationGate.Pass({ [unowned self] in isRequested }, limit: memoryLimit)
    private lazy var ownPass = AllocationGate.Pass(
        { [unowned self] in isRequested }, limit: memoryLimit, isOwn: true)

    init(_ settings: ConnectionSettings) {
        interrupt = settings.interrupt
        memoryLimit = settings.memoryLimit
    }

    /// Installs the progress handler. The connection, which owns this object, outlives the handler.
    func install(on connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection, ConnectionSettings.progressInterval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Stop>.fromOpaque(context).takeUnretainedValue().isRequested ? 1 : 0
            }, context)
    }

    private var isRequested: Bool {
        !isSuspended && (cancellation?.isCancelled == true || interrupt?() == true)
    }

    /// Runs a closure in which SQLite also stops where it does not poll, and has a limit on memory.
    func passing<Result>(_ body: () throws -> Result) throws -> Result {
        try AllocationGate.passing(pass, body)
    }

    /// Checks inside ``passing(_:)`` that a statement which has ended got the memory that it requested.
    func check(after statement: OpaquePointer) throws {
        try pass.check(after: statement)
    }

    /// Runs a closure in the same way for a prepared statement: only Drydock's own queries are.
    func passingOwn<Result>(_ body: () throws -> Result) throws -> Result {
        try AllocationGate.passing(ownPass, body)
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
