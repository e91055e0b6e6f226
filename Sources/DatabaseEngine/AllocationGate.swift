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
        fileprivate let isStopped: () -> Bool
        /// The limit, if it is not that of the process.
        fileprivate let ownLimit: (() -> Int)?
        fileprivate let state: UnsafeMutablePointer<State>

        /// What each allocation looks at: nothing in it is counted by references, which takes longer than the rest.
        fileprivate struct State {
            /// The power of two that says how many times the limit this work may use: dividing takes long.
            let room: Int
            let hasOwnLimit: Bool
            var pass: Unmanaged<Pass>?
            var count = 0
            /// What was taken and given back since the process's account was last written, in bytes.
            var unaccounted = 0
            /// Whether memory was refused because the statement must stop.
            var hasStopped = false
            /// The limit because of which memory was refused.
            var limit: Int?
        }

        fileprivate var hasStopped: Bool { state.pointee.hasStopped }
        fileprivate var limit: Int? { state.pointee.limit }

        /// - Parameters:
        ///   - limit: the limit on memory in bytes, asked at each allocation; nil for that of the process.
        ///   - isOwn: whether the work is Drydock's own: its queries read rows of two states at once, and
        ///     sort them, so that they need more than the SQL which wrote the rows.
        package init(_ isStopped: (() -> Bool)?, limit: (() -> Int)? = nil, isOwn: Bool = false) {
            self.isStopped = isStopped ?? { false }
            ownLimit = limit
            state = .allocate(capacity: 1)
            state.initialize(to: State(room: isOwn ? 2 : 0, hasOwnLimit: limit != nil))
            state.pointee.pass = .passUnretained(self)
        }

        deinit { state.deallocate() }

        fileprivate func begin() {
            state.pointee.hasStopped = false
            state.pointee.limit = nil
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
    }

    /// The memory that SQLite uses in this process, and the limit for untrusted SQL, in bytes.
    ///
    /// SQLite's own limit (https://www.sqlite.org/c3ref/hard_heap_limit64.html) would hit any thread that
    /// allocates next, for example one that opens a connection, and GRDB traps if that fails.
    private static let used = Atomic(0)
    static let limit = Atomic(Int.max)

    /// The bytes that SQLite uses in this process. Of each thread that runs a statement 64 kB may be missing.
    package static var bytesInUse: Int { used.load(ordering: .relaxed) }

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
        let state = current
        guard !isShut(state, for: count), let memory = methods.xMalloc?(count) else { return nil }
        account(size(memory), state)
        return memory
    }

    private static func take(
        _ count: Int32, inPlaceOf old: UnsafeMutableRawPointer?
    ) -> UnsafeMutableRawPointer? {
        let (state, oldSize) = (current, size(old))
        guard !isShut(state, for: count), let memory = methods.xRealloc?(old, count) else { return nil }
        account(size(memory) - oldSize, state)
        return memory
    }

    private static func giveBack(_ memory: UnsafeMutableRawPointer?) {
        account(-size(memory), current)
        methods.xFree?(memory)
    }

    private static func size(_ memory: UnsafeMutableRawPointer?) -> Int {
        memory == nil ? 0 : Int(methods.xSize?(memory) ?? 0)
    }

    // MARK: - What a thread's work may take

    private typealias State = UnsafeMutablePointer<Pass.State>

    /// The state of this thread's work.
    private static var current: State? { pthread_getspecific(key)?.assumingMemoryBound(to: Pass.State.self) }

    private static func isShut(_ state: State?, for count: Int32) -> Bool {
        guard let state else { return false }
        state.pointee.count &+= 1
        if state.pointee.count & 127 == 0, state.pointee.pass?.takeUnretainedValue().isStopped() == true {
            state.pointee.hasStopped = true
        }
        return state.pointee.hasStopped || isBeyondLimit(state, by: Int(count))
    }

    private static func isBeyondLimit(_ state: State, by count: Int) -> Bool {
        let own = state.pointee.hasOwnLimit ? state.pointee.pass?.takeUnretainedValue().ownLimit?() : nil
        let limit = own ?? limit.load(ordering: .relaxed)
        let all = used.load(ordering: .relaxed) + state.pointee.unaccounted + count
        guard all >> state.pointee.room > limit else { return false }
        state.pointee.limit = limit
        return true
    }

    /// How much may be missing from the process's account: threads that all write there take turns.
    private static let unaccountedLimit = 64 << 10

    private static func account(_ count: Int, _ state: State?) {
        guard let state else {
            used.add(count, ordering: .relaxed)
            return
        }
        state.pointee.unaccounted &+= count
        if state.pointee.unaccounted.magnitude > unaccountedLimit { settle(state) }
    }

    /// Writes the process's account.
    private static func settle(_ state: State) {
        guard state.pointee.unaccounted != 0 else { return }
        used.add(state.pointee.unaccounted, ordering: .relaxed)
        state.pointee.unaccounted = 0
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
        pthread_setspecific(key, pass.state)
        defer {
            pthread_setspecific(key, outer)
            settle(pass.state)
        }
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
