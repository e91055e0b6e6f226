import CSQLite

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Stops SQLite where it does not poll its progress handler: while it compiles a statement.
///
/// Compiling takes time that grows exponentially with views over views, and until version 3.41 nothing interrupts it;
/// since then not everything can be interrupted. But it takes memory as it goes, and SQLite gives up a statement at
/// once when there is none, leaving the connection as it was (https://www.sqlite.org/malloc.html#memory_allocation_error_handling).
/// So memory is refused to a thread that works on a statement which is to stop.
///
/// An authorizer, which could do the same, is not at hand: GRDB has the one that a connection can have.
package enum AllocationGate {
    /// What a thread works on.
    fileprivate final class Pass {
        let isStopped: () -> Bool
        var count = 0
        var hasRefused = false

        init(_ isStopped: @escaping () -> Bool) { self.isStopped = isStopped }

        var isShut: Bool {
            count &+= 1
            if count & 127 == 0, isStopped() { hasRefused = true }
            return hasRefused
        }
    }

    // Written once, before SQLite is used, and only read from then on.
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate static var methods = sqlite3_mem_methods()
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate static var key = pthread_key_t()
    /// Whether memory can be refused: not where SQLite was in use before the first driver was made.
    nonisolated(unsafe) package private(set) static var isInstalled = false

    /// To be called once, before SQLite is used; afterwards it does nothing.
    static func install() {
        var original = sqlite3_mem_methods()
        var created = pthread_key_t()
        guard csqlite_get_memory_methods(&original) == SQLITE_OK, original.xMalloc != nil,
            pthread_key_create(&created, nil) == 0
        else { return }
        (methods, key) = (original, created)
        var gated = original
        gated.xMalloc = { AllocationGate.isShut ? nil : AllocationGate.methods.xMalloc?($0) ?? nil }
        gated.xRealloc = { AllocationGate.isShut ? nil : AllocationGate.methods.xRealloc?($0, $1) ?? nil }
        isInstalled = csqlite_set_memory_methods(&gated) == SQLITE_OK
        if !isInstalled { pthread_key_delete(created) }
    }

    private static var isShut: Bool {
        guard let pass = pthread_getspecific(key) else { return false }
        return Unmanaged<Pass>.fromOpaque(pass).takeUnretainedValue().isShut
    }

    /// Runs a closure whose work in SQLite ends when it is to stop. The closure gives what it throws in the engine's
    /// own words, an ``EngineError`` that says so where memory was refused.
    package static func passing<Result>(
        _ isStopped: (() -> Bool)?, _ body: () throws -> Result
    ) throws -> Result {
        guard isInstalled, let isStopped else { return try body() }
        let pass = Pass(isStopped)
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(pass).toOpaque())
        defer { pthread_setspecific(key, outer) }
        do {
            return try withExtendedLifetime(pass, body)
        } catch {
            guard pass.hasRefused else { throw error }
            throw EngineError(extendedCode: SQLITE_INTERRUPT, message: "interrupted")
        }
    }
}
