import DatabaseEngine
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
/// All that such a connection has is what it read of the last database, which SQLite drops (``Overlay/rebase(on:)``), and
/// the schema, which is the same byte by byte (``SchemaLayout``). One through which the schema was changed, or a temporary
/// table made, is not used again.
package final class ConnectionPool: Sendable {
    /// A connection to an overlay of one database.
    package struct Lease: Sendable {
        /// The database as it is, with its log or journal applied.
        package let image: Image
        fileprivate let connected: Connected
        /// Nil where the connection is for this database only.
        fileprivate let layout: SchemaLayout?
        /// For what is found out about the schema alone, which all databases with the same one share; nil where the
        /// connection is for this database only.
        package let schemaMemo: Memo?

        package var database: any OpenDatabase { connected.database }
    }

    fileprivate struct Connected: Sendable {
        let overlay: Overlay
        let database: any OpenDatabase
        let interrupt: InterruptSwitch
    }

    private let engine: any Engine
    private let settings: ConnectionSettings
    private let limit: Int
    private let idle = Mutex<[SchemaLayout: [Connected]]>([:])
    private let memos = Mutex<[SchemaLayout: Memo]>([:])
    /// More than the versions of most projects. It bounds the memory, not what is shared.
    private static let memoLimit = 512

    /// - Parameters:
    ///   - settings: of all connections, but for `interrupt`.
    ///   - limit: how many connections are kept; 0 closes each when it is given back.
    package init(engine: any Engine, settings: ConnectionSettings, limit: Int = 32) {
        (self.engine, self.limit) = (engine, limit)
        var settings = settings
        settings.foreignKeys = false
        settings.isDefensive = true
        settings.followsStatements = false
        settings.keepsStatements = limit > 0
        self.settings = settings
    }

    /// Returns a connection to an overlay of an image, with foreign keys off.
    /// - Parameter interrupt: as ``ConnectionSettings/interrupt``.
    /// - Throws: ``OverlayError``, ``EngineError``.
    package func lease(
        _ image: Image, interrupt: @escaping @Sendable () -> Bool
    ) async throws -> Lease {
        // What a test makes fail is for one overlay.
        let layout = limit > 0 && Overlay.faults == nil ? SchemaLayout(image) : nil
        if let layout, let connected = idle.withLock({ $0[layout]?.popLast() }) {
            connected.interrupt.isOn = interrupt
            try connected.overlay.rebase(on: image)
            return Lease(image: image, connected: connected, layout: layout, schemaMemo: memo(of: layout))
        }
        let overlay = try Overlay(image, isFork: false)
        let interrupt = InterruptSwitch(interrupt)
        var settings = settings
        settings.interrupt = { interrupt.isOn() }
        let database = try await engine.openWhole(overlay, settings: settings)
        let connected = Connected(overlay: overlay, database: database, interrupt: interrupt)
        let known = layout?.hasKnownModules == true ? layout : nil
        return Lease(
            image: overlay.freeze().image, connected: connected, layout: known,
            schemaMemo: known.map(memo))
    }

    private func memo(of layout: SchemaLayout) -> Memo {
        memos.withLock { memos in
            if let memo = memos[layout] { return memo }
            if memos.count >= Self.memoLimit { memos = [:] }
            let memo = Memo()
            memos[layout] = memo
            return memo
        }
    }

    /// Keeps the connection for the next database, or closes it. Only the lease itself holds the last database's file then.
    /// - Parameter isSound: whether all that it read was of one moment; one that read half of a write is not used again.
    package func giveBack(_ lease: Lease, isSound: Bool = true) async throws {
        let connected = lease.connected
        if isSound, let layout = lease.layout, await connected.isStill(layout) {
            connected.interrupt.isOn = { false }
            try connected.overlay.rebase(on: nil)
            let isKept = idle.withLock { idle in
                guard idle.values.reduce(0, { $0 + $1.count }) < limit else { return false }
                idle[layout, default: []].append(connected)
                return true
            }
            if isKept { return }
        }
        try await connected.database.close()
    }

    /// Closes the connections that are not in use.
    package func close() async {
        let rest = idle.withLock { idle in
            defer { idle = [:] }
            return idle.values.flatMap(\.self)
        }
        for connected in rest { try? await connected.database.close() }
    }
}

extension ConnectionPool.Connected {
    /// Whether the schema is as it was, and there is no temporary one.
    fileprivate func isStill(_ layout: SchemaLayout) async -> Bool {
        let (image, footprint) = overlay.freeze()
        guard footprint.isEmpty || SchemaLayout(image) == layout else { return false }
        let count = try? await database.withConnection { connection in
            try connection.firstRow("SELECT count(*) FROM sqlite_temp_master") { $0.integer(0) }
        }
        return count == 0
    }
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
