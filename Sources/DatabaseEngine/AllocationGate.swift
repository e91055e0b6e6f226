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
        private let room: Int
        /// The limit, if it is not that of the process.
        private let ownLimit: (() -> Int)?
        private var count = 0
        /// Whether memory was refused because the statement must stop.
        fileprivate private(set) var hasStopped = false
        /// The limit because of which memory was refused.
        fileprivate private(set) var limit: Int?

        /// - Parameters:
        ///   - limit: the limit on memory in bytes, asked at each allocation; nil for that of the process.
        ///   - isOwn: whether the work is Drydock's own: its queries read rows of two states at once, and
        ///     sort them, so that they need more than the SQL which wrote the rows.
        package init(_ isStopped: (() -> Bool)?, limit: (() -> Int)? = nil, isOwn: Bool = false) {
            self.isStopped = isStopped ?? { false }
            ownLimit = limit
            room = isOwn ? 2 : 0
        }

        fileprivate func begin() { (hasStopped, limit) = (false, nil) }

        /// Whether an allocation is refused because of the limit.
        fileprivate func refuses(_ count: Int, beside used: Int) -> Bool {
            let limit = ownLimit?() ?? AllocationGate.limit.load(ordering: .relaxed)
            guard (used + count) >> room > limit else { return false }
            self.limit = limit
            return true
        }

        /// Checks that no memory was refused to work that seems to have succeeded.
        ///
        /// Not every function fails that is refused memory: `json_valid()` then returns 0 for any text. SQLite itself goes
        /// on without some allocations, such as a larger hash table, and the result is then right; but near the limit the
        /// next allocation fails anyway, and nobody can tell the two apart.
        fileprivate func check(_ sql: String? = nil) throws {
            if hasStopped { throw EngineError.interrupted }
            guard let limit else { return }
            throw EngineError.outOfMemory(limit, sql: sql)
        }

        /// Checks the same of a statement that has ended, so that the next one does not begin.
        ///
        /// A statement that neither returns nor writes anything itself computes nothing that could be wrong. Those that
        /// end a transaction are among them: what was committed or rolled back is not reported as failed.
        /// - Throws: ``EngineError``, as ``AllocationGate/passing(_:_:)``.
        package func check(after statement: OpaquePointer) throws {
            if sqlite3_stmt_readonly(statement) == 0 || sqlite3_column_count(statement) > 0 {
                try check(sqlite3_sql(statement).map { String(cString: $0) })
            }
            begin()
        }

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
        return pass.refuses(Int(count), beside: used.load(ordering: .relaxed))
    }

    // MARK: - Statements

    /// Runs a closure whose work in SQLite ends when `isStopped` returns true, or when it would need more memory than
    /// the limit allows.
    /// - Throws: what the closure throws. ``EngineError`` with SQLITE_INTERRUPT if memory was refused to stop it; one
    ///   that names the limit, ``EngineError/memoryLimit``, if that was reached, whatever SQLite itself reported.
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
            guard let limit = pass.limit, let error = error as? EngineError, !error.isInterrupt else {
                throw error
            }
            throw error.following(memoryLimit: limit)
        }
        try pass.check()
        return result
    }
}
