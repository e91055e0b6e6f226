import DrydockFindings
import DrydockConservation
import DrydockState
import DrydockReplay
import DatabaseEngine
import SQLiteSchema

/// How long a vacuum takes, estimated from a sample: rows of the largest table are copied, checked and compared in
/// memory, as the vacuum will do with all rows.
struct VacuumRate: Sendable {
    /// The bytes to copy for the sample, if the table has as many.
    private static let sampleSize = 8 << 20
    private static let limit = Duration.seconds(5)
    /// How much longer it takes when pages are read and written through the system, which the overlay avoids: a vacuum
    /// of 450 MB spent 5.4 s in the system and 4.2 s in the process.
    private static let systemFactor = 2.2

    /// In bytes of the vacuumed database.
    var sampleBytes: Int
    var secondsPerByte: Double

    /// - Returns: Nil if there is nothing to measure, or the database cannot be read at the moment.
    static func measure(_ path: String, _ statistics: DatabaseStatistics, _ engine: any Engine) async
        -> VacuumRate?
    {
        let tables = statistics.objects.filter { !$0.isIndex && $0.name != "sqlite_schema" && $0.entries > 0 }
        guard let table = tables.max(by: { $0.tree.pages < $1.tree.pages }) else { return nil }
        let bytes = table.tree.pages * statistics.pageSize
        let rows = max(1, Int(Double(table.entries) * min(1, Double(sampleSize) / Double(max(1, bytes)))))
        let live = LiveOverlay(
            engine: engine, path: path, settings: VacuumCheck.settings, limit: limit, isStopped: { false })
        let rate = try? await live.slice { slice in
            try sample(slice.connection, table.name, rows, statistics.pageSize)
        }
        await live.close()
        return rate
    }

    private static let name = "\"drydock sample\""

    /// Follows the order of ``Vacuum``: the original is checked and copied, the copy is checked, the rows are compared,
    /// and the copy's pages are written once more.
    private static func sample(
        _ connection: any Connection, _ table: String, _ rows: Int, _ pageSize: Int
    ) throws -> VacuumRate? {
        func pages() throws -> Int {
            try connection.firstRow("PRAGMA main.page_count") { Int($0.integer(0)) } ?? 0
        }
        func seconds(_ body: () throws -> Void) rethrows -> Double {
            let start = ContinuousClock.now
            try body()
            return (ContinuousClock.now - start).inSeconds
        }
        let free = try connection.firstRow("PRAGMA main.freelist_count") { Int($0.integer(0)) } ?? 0
        let before = try pages() - free
        let copying = try seconds {
            try connection.execute(
                "CREATE TABLE main.\(name) AS SELECT * FROM main.\(quotedName(table)) LIMIT \(rows)")
        }
        let left = try connection.firstRow("PRAGMA main.freelist_count") { Int($0.integer(0)) } ?? 0
        let size = (try pages() - left - before) * pageSize
        guard size > 0 else { return nil }
        let checking = try seconds {
            try connection.forEachRow("PRAGMA main.integrity_check(\(name))") { _ in }
        }
        let comparing = try seconds {
            let count = try connection.prepare("SELECT * FROM main.\(name)").columnCount
            let select = "SELECT *, rowid FROM main.\(name)"
            let columns = count < 2000 ? select : "SELECT * FROM main.\(name)"
            try RowMerge(
                before: connection.prepare(columns), after: connection.prepare(columns), keyCount: 0,
                columnCount: count
            ).run { _ in }
        }
        return VacuumRate(
            sampleBytes: size,
            secondsPerByte: systemFactor * (2 * copying + 2 * checking + comparing) / Double(size))
    }
}
