import CSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Limits the memory of untrusted SQL, and stops SQLite where it does not poll its progress handler: while it
/// compiles a statement.
///
/// Compiling takes time that grows exponentially with views over views. Until version 3.41 nothing interrupts
/// it; since then not everything can be interrupted. But compiling takes memory, and if an allocation fails,
/// SQLite gives up the statement at once and leaves the connection unchanged
/// (https://www.sqlite.org/malloc.html#memory_allocation_error_handling). So memory is refused to a thread
/// whose statement must stop.
///
/// An authorizer could do the same, but a connection can have only one, and GRDB uses it.
package enum AllocationGate {
    /// The work of one thread inside ``passing(_:_:)``. A connection may use one again and again, on its own thread.
    package final class Pass {
        private let isStopped: () -> Bool
        /// The power of two that says how many times the limit this work may use: dividing takes long.
        fileprivate let room: Int
        private var count = 0
        /// Whether memory was refused because the statement must stop.
        fileprivate private(set) var hasStopped = false
        /// Whether memory was refused because of the limit.
        fileprivate var isOverLimit = false

        /// - Parameter isOwn: whether the work is Drydock's own: its queries read rows of two states at once, and
        ///   sort them, so that they need more than the SQL which wrote the rows.
        package init(_ isStopped: (() -> Bool)?, isOwn: Bool = false) {
            self.isStopped = isStopped ?? { false }
            room = isOwn ? 2 : 0
        }

        fileprivate func begin() { (hasStopped, isOverLimit) = (false, false) }

        fileprivate var isShut: Bool {
            count &+= 1
            if count & 127 == 0, isStopped() { hasStopped = true }
            return hasStopped
        }
    }

    /// The memory that SQLite uses in this process, and the limit for untrusted SQL, in bytes.
    ///
    /// SQLite's own limit (https://www.sqlite.org/c3ref/hard_heap_limit64.html) would hit any thread that
    /// allocates next, for example one that opens a connection, and GRDB traps if that fails.
    private static let used = Atomic(0)
    static let limit = Atomic(Int.max)

    // Written once, before SQLite is used, and only read from then on.
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate static var methods = sqlite3_mem_methods()
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate static var key = pthread_key_t()
    /// Whether memory can be refused: false if SQLite was in use before the first driver was created.
    nonisolated(unsafe) package private(set) static var isInstalled = false

    /// Installs the gate. Call it before SQLite is used; afterwards it has no effect.
    static func install() {
        var original = sqlite3_mem_methods()
        var created = pthread_key_t()
        guard csqlite_get_memory_methods(&original) == SQLITE_OK, original.xMalloc != nil,
            pthread_key_create(&created, nil) == 0
        else { return }
        (methods, key) = (original, created)
        var gated = original
        gated.xMalloc = { AllocationGate.take($0) }
        gated.xRealloc = { AllocationGate.take($1, inPlaceOf: $0) }
        gated.xFree = { AllocationGate.giveBack($0) }
        isInstalled = csqlite_set_memory_methods(&gated) == SQLITE_OK
        if isInstalled {
            // `used` counts the same memory without a lock.
            _ = csqlite_keep_no_memory_account()
        } else {
            pthread_key_delete(created)
        }
    }

    // MARK: - What SQLite calls

    private static func take(_ count: Int32) -> UnsafeMutableRawPointer? {
        guard !isShut(for: count), let memory = methods.xMalloc?(count) else { return nil }
        used.add(size(memory), ordering: .relaxed)
        return memory
    }

    private static func take(
        _ count: Int32, inPlaceOf old: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        let oldSize = size(old)
        guard !isShut(for: count), let memory = methods.xRealloc?(old, count) else { return nil }
        used.add(size(memory) - oldSize, ordering: .relaxed)
        return memory
    }

    private static func giveBack(_ memory: UnsafeMutableRawPointer?) {
        used.subtract(size(memory), ordering: .relaxed)
        methods.xFree?(memory)
    }

    private static func size(_ memory: UnsafeMutableRawPointer?) -> Int {
        memory == nil ? 0 : Int(methods.xSize?(memory) ?? 0)
    }

    private static func isShut(for count: Int32) -> Bool {
        guard let pointer = pthread_getspecific(key) else { return false }
        let pass = Unmanaged<Pass>.fromOpaque(pointer).takeUnretainedValue()
        if pass.isShut { return true }
        guard (used.load(ordering: .relaxed) + Int(count)) >> pass.room > limit.load(ordering: .relaxed)
        else {
            return false
        }
        pass.isOverLimit = true
        return true
    }

    // MARK: - Statements

    /// Runs a closure whose work in SQLite ends when `isStopped` returns true, or when it would need more memory than
    /// the limit allows.
    /// - Throws: what the closure throws. ``EngineError`` with SQLITE_INTERRUPT if memory was refused to stop it; one
    ///   that names the limit, ``EngineError/memoryLimit``, if that was reached.
    package static func passing<Result>(
        _ isStopped: (() -> Bool)?, _ body: () throws -> Result
    ) throws -> Result {
        try passing(Pass(isStopped), body)
    }

    /// Runs a closure in the same way with a pass that was used before.
    package static func passing<Result>(_ pass: Pass, _ body: () throws -> Result) throws -> Result {
        guard isInstalled else { return try body() }
        pass.begin()
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(pass).toOpaque())
        defer { pthread_setspecific(key, outer) }
        let result: Result
        do {
            result = try withExtendedLifetime(pass, body)
        } catch {
            if pass.hasStopped { throw EngineError.interrupted }
            guard pass.isOverLimit, let error = error as? EngineError, error.isOutOfMemory else {
                throw error
            }
            throw error.naming(memoryLimit: limit.load(ordering: .relaxed))
        }
        // Not every function fails that is refused memory: `json_valid()` then returns 0 for any text.
        if pass.hasStopped { throw EngineError.interrupted }
        return result
    }
}
