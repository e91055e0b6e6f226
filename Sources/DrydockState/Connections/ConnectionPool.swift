import DatabaseEngine
import DrydockFindings
import OverlayVFS
import Synchronization

/// Connections that go on from one database to the next of the same schema, so that SQLite parses the schema and compiles
/// queries once for many.
///
///     let pool = ConnectionPool(engine: engine, settings: settings)
///     let lease = try await pool.lease(Image(snapshot: path)) { isStopped }
///     let count = try await lease.database.withConnection { try count($0) }
///     try await pool.giveBack(lease)
///
/// All that such a connection has is what it read of the last database, which SQLite drops (``Overlay/rebase(on:_:)``), and
/// the schema, which is the same byte by byte (``SchemaLayout``). One through which the schema was changed, or a temporary
/// table made, is not used again.
package final class ConnectionPool: Sendable {
    /// A connection to an overlay of one database.
    package struct Lease: Sendable {
        /// The database as it is, with its log or journal applied.
        package let image: Image
        fileprivate let connected: Connected
        /// Nil where the connection is for this database only.
        fileprivate let key: Key?
        /// For what is found out about the schema alone, which all databases with the same one share; nil where the
        /// connection is for this database only.
        package let schemaMemo: Memo?

        package var database: any OpenDatabase { connected.database }
    }

    /// What a connection knows: the schema, and that of the attached database.
    fileprivate struct Key: Hashable {
        var main: SchemaLayout
        var attached: SchemaLayout?

        var byteCount: Int { main.byteCount + (attached?.byteCount ?? 0) }
    }

    fileprivate struct Connected: Sendable {
        let overlay: Overlay
        /// The attached database.
        let mount: Overlay.Mount?
        let database: any OpenDatabase
        let interrupt: InterruptSwitch
    }

    private struct Idle: Sendable {
        private(set) var connections: [Key: [(connected: Connected, since: Int)]] = [:]
        private(set) var count = 0
        /// The sizes of their schemas.
        private(set) var byteCount = 0
        /// How many connections were ever given back.
        private(set) var time = 0

        mutating func take(_ key: Key) -> Connected? {
            guard let last = connections[key]?.popLast() else { return nil }
            if connections[key]?.isEmpty == true { connections[key] = nil }
            (count, byteCount) = (count - 1, byteCount - key.byteCount)
            return last.connected
        }

        mutating func put(_ connected: Connected, _ key: Key) {
            connections[key, default: []].append((connected, time))
            (count, byteCount) = (count + 1, byteCount + key.byteCount)
        }

        mutating func tick() { time += 1 }

        /// Takes the connection that has been idle for longest, unless that is not longer than a number of others took.
        mutating func takeStale(after limit: Int) -> Connected? {
            let oldest = connections.min { ($0.value.first?.since ?? 0) < ($1.value.first?.since ?? 0) }
            guard let key = oldest?.key, let first = oldest?.value.first, time - first.since > limit else {
                return nil
            }
            connections[key]?.removeFirst()
            if connections[key]?.isEmpty == true { connections[key] = nil }
            (count, byteCount) = (count - 1, byteCount - key.byteCount)
            return first.connected
        }
    }

    private let engine: any Engine
    private let settings: ConnectionSettings
    private let limit: Int
    private let isFork: Bool
    private let idle = Mutex(Idle())
    private let memos = Mutex<[Key: Memo]>([:])
    /// More than the versions of most projects. It bounds the memory, not what is shared.
    private static let memoLimit = 512
    /// What the schemas of idle connections may take as text; parsed, they take some ten times as much.
    private static let schemaLimit = 4 << 20
    /// What an overlay that is kept may hold for pages that were written.
    fileprivate static let heldLimit = 8 << 20

    /// - Parameters:
    ///   - settings: of all connections, but for `interrupt` and `statements`.
    ///   - limit: how many connections are kept; 0 closes each when it is given back.
    ///   - isFork: whether Drydock's own checks write there, which may write more than a migration.
    package init(
        engine: any Engine, settings: ConnectionSettings, limit: Int = 32, isFork: Bool = false
    ) {
        (self.engine, self.limit, self.isFork) = (engine, limit, isFork)
        var settings = settings
        settings.foreignKeys = false
        settings.isDefensive = true
        settings.followsStatements = false
        settings.keepsStatements = limit > 0
        settings.statements = nil
        self.settings = settings
    }

    /// What a test makes fail is for one overlay, as is the log of what is written. Where SQL may reach any file, it is the
    /// program's own, whose connections keep what nobody knows.
    private var isOn: Bool {
        limit > 0 && Overlay.faults == nil && Overlay.writeLog == nil && Overlay.reach == .workingFolder
    }

    /// Returns a connection to an overlay of an image, with foreign keys off.
    /// - Parameter interrupt: as ``ConnectionSettings/interrupt``.
    /// - Throws: ``OverlayError``, ``EngineError``.
    package func lease(
        _ image: Image, interrupt: @escaping @Sendable () -> Bool
    ) async throws -> Lease {
        let key = isOn ? SchemaLayout(image).map { Key(main: $0) } : nil
        if let key, let lease = try idleLease(key, image, nil, interrupt) { return lease }
        let connected = try await connect(Overlay(image, isFork: isFork), nil, interrupt)
        let known = key?.main.hasKnownModules == true ? key : nil
        return Lease(
            image: connected.overlay.freeze().image, connected: connected, key: known,
            schemaMemo: known.map(memo))
    }

    /// Returns a connection that others used or will use, with foreign keys off; nil where this database needs one of its own.
    /// - Parameters:
    ///   - later: a database that is attached.
    ///   - schema: the name by which it is.
    ///   - interrupt: as ``ConnectionSettings/interrupt``.
    /// - Throws: ``OverlayError``, ``EngineError``.
    package func sharedLease(
        _ image: LaidOutImage, attaching later: LaidOutImage? = nil, as schema: String = "",
        interrupt: @escaping @Sendable () -> Bool
    ) async throws -> Lease? {
        guard isOn, let main = image.layout, !main.hasStatistics else { return nil }
        var key = Key(main: main)
        if let later {
            guard let attached = later.layout, !attached.hasStatistics else { return nil }
            key.attached = attached
        }
        let (image, later) = (image.image, later?.image)
        if let lease = try idleLease(key, image, later, interrupt) { return lease }
        guard main.hasKnownModules, key.attached?.hasKnownModules ?? true else { return nil }
        let overlay = try Overlay(image.alone, isFork: isFork)
        let connected = try await connect(overlay, later.map(overlay.mount), interrupt)
        if let mount = connected.mount {
            do {
                try await connected.database.withConnection {
                    try $0.execute("ATTACH \(quotedText(mount.uri)) AS \(schema)")
                }
            } catch {
                try? await connected.database.close()
                throw error
            }
        }
        return Lease(image: image, connected: connected, key: key, schemaMemo: memo(of: key))
    }

    private func idleLease(
        _ key: Key, _ image: Image, _ later: Image?, _ interrupt: @escaping @Sendable () -> Bool
    ) throws -> Lease? {
        guard let connected = idle.withLock({ $0.take(key) }) else { return nil }
        connected.interrupt.isOn = interrupt
        try connected.rebase(on: image, later)
        return Lease(image: image, connected: connected, key: key, schemaMemo: memo(of: key))
    }

    private func connect(
        _ overlay: Overlay, _ mount: Overlay.Mount?, _ interrupt: @escaping @Sendable () -> Bool
    ) async throws -> Connected {
        let interrupt = InterruptSwitch(interrupt)
        var settings = settings
        settings.interrupt = { interrupt.isOn() }
        let database = try await engine.openWhole(overlay, settings: settings)
        return Connected(overlay: overlay, mount: mount, database: database, interrupt: interrupt)
    }

    private func memo(of key: Key) -> Memo {
        memos.withLock { memos in
            if let memo = memos[key] { return memo }
            if memos.count >= Self.memoLimit { memos = [:] }
            let memo = Memo()
            memos[key] = memo
            return memo
        }
    }

    /// Keeps the connection for the next database, or closes it. Only the lease itself holds the last database's file then.
    /// - Parameter isSound: whether all that it read was of one moment, and no error ended its work; otherwise it is not used
    ///   again.
    package func giveBack(_ lease: Lease, isSound: Bool = true) async throws {
        let connected = lease.connected
        var surplus: Connected? = connected
        if isSound, let key = lease.key, await connected.isStill(key) {
            connected.interrupt.isOn = { false }
            try connected.rebase(on: nil, nil)
            surplus = idle.withLock { idle in
                idle.tick()
                var stale: Connected?
                if idle.count >= limit { stale = idle.takeStale(after: 4 * limit) }
                guard idle.count < limit, idle.byteCount + key.byteCount <= Self.schemaLimit else {
                    return connected
                }
                idle.put(connected, key)
                return stale
            }
        }
        try await surplus?.database.close()
    }

    /// Closes the connections that are not in use.
    package func close() async {
        let rest = idle.withLock { idle in
            defer { idle = Idle() }
            return idle.connections.values.flatMap { $0.map(\.connected) }
        }
        for connected in rest { try? await connected.database.close() }
    }
}

extension ConnectionPool.Connected {
    fileprivate func rebase(on image: Image?, _ later: Image?) throws(OverlayError) {
        try overlay.rebase(on: image, mount.map { [($0, later)] } ?? [])
    }

    /// Whether the schema is as it was, there is no temporary one, and little memory is held.
    fileprivate func isStill(_ key: ConnectionPool.Key) async -> Bool {
        let states = overlay.freeze(with: mount.map { [$0] } ?? [])
        for (state, layout) in zip(states, [key.main, key.attached]) where !state.footprint.isEmpty {
            guard SchemaLayout(state.image) == layout else { return false }
        }
        guard overlay.heldBytes <= ConnectionPool.heldLimit else { return false }
        let count = try? await database.withConnection { connection in
            connection.releaseMemory()
            return try connection.firstRow("SELECT count(*) FROM sqlite_temp_master") { $0.integer(0) }
        }
        return count == 0
    }
}

/// A database that connections may go on to. Its layout is found out once for all of them.
package struct LaidOutImage: Sendable {
    package let image: Image
    /// Nil where no connection can.
    let layout: SchemaLayout?

    package init(_ image: Image) { (self.image, layout) = (image, SchemaLayout(image)) }
}

/// What interrupts a connection, which changes from one use of it to the next.
private final class InterruptSwitch: Sendable {
    /// A mutex over a bare closure would wrap it once more at each access.
    private struct Interrupt { var isOn: @Sendable () -> Bool }

    private let current: Mutex<Interrupt>

    init(_ interrupt: @escaping @Sendable () -> Bool) { current = Mutex(Interrupt(isOn: interrupt)) }

    var isOn: @Sendable () -> Bool {
        get { current.withLock { $0.isOn } }
        set { current.withLock { $0.isOn = newValue } }
    }
}
