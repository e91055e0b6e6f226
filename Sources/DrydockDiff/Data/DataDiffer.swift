import DrydockFindings
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// Compares the rows of two databases exactly: storage class and bits, whatever a collation says.
///
/// Rows are passed to a consumer as they are found. Only counts are kept, and a hash of each row that moved to another
/// rowid, so that memory does not grow with the differences.
public struct DataDiffer: Sendable {
    private let engine: any Engine

    /// The memory for written pages and SQLite's sorting, in bytes; beyond it they go to a temporary file.
    private static let memoryLimit = 16 << 20
    /// How many rows may be left without a partner before rows are aligned another way; each takes 16 bytes. Tests lower
    /// it.
    @TaskLocal package static var unpairedLimit = 600_000

    public init(engine: any Engine) { self.engine = engine }

    /// Compares two databases.
    /// - Throws: ``RequestError`` if something cannot be read or compared, and what the consumer throws.
    public func run(_ request: DataDiffRequest, to consumer: any DataDiffConsumer) async throws
        -> DataDiffReport
    {
        if request.tables.isEmpty, await FileEquality.areSame(request.old, request.new) {
            var report = DataDiffReport(overview: .init(old: request.old.text, new: request.new.text))
            report.isSameFile = true
            try consumer.begin(report.overview)
            try consumer.end(report)
            return report
        }
        let loader = SchemaLoader(
            engine: engine, functions: request.functions, collations: request.collations)
        let old = try await loader.load(request.old)
        let new = try await loader.load(request.new)
        let newSide = try await loader.inspector.withConnection(to: new.image) { try DataSide($0) }
        var inspector = loader.inspector
        inspector.memoryLimit = Self.memoryLimit
        // Only one thread uses it at a time: this one waits while the closure runs.
        nonisolated(unsafe) let consumer = consumer
        let (readsPages, unpairedLimit) = (PageReading.isOn, Self.unpairedLimit)
        do {
            return try await inspector.withConnection(to: old.image, attaching: new.image) { connection in
                let run = try DataDiffRun(
                    request, connection, old, new, newSide, consumer, readsPages: readsPages,
                    unpairedLimit: unpairedLimit)
                return try run.report()
            }
        } catch {
            // A file that is written while it is read may cause any error.
            try old.checkUnchanged()
            try new.checkUnchanged()
            guard let error = error as? EngineError else { throw error }
            throw RequestError(.init(error), "the rows cannot be compared: \(error.message)")
        }
    }
}

/// What is read through one side's own connection.
package struct DataSide: Sendable {
    package var catalog: Catalog
    package var unreadable: [Catalog.UnreadableTable] = []
    var triggers: [(table: String, name: String, sql: String)]
    var sequences: [[SQLValue]]?

    package init(_ connection: any Connection) throws {
        catalog = try Catalog(reading: connection, historyTables: [], unreadable: &unreadable)
        triggers = try connection.rows(
            "SELECT tbl_name, name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND sql IS NOT NULL ORDER BY rowid"
        ) { ($0.string(0), $0.string(1), $0.string(2)) }
        if catalog.hasSequences {
            sequences = try connection.rows("SELECT name, seq FROM main.sqlite_sequence ORDER BY rowid") {
                [$0.value(0), $0.value(1)]
            }
            catalog.tables["sqlite_sequence"] = Self.sequenceTable
        }
    }

    /// The AUTOINCREMENT marks: data, in one of SQLite's own tables.
    private static let sequenceTable = Catalog.Table(
        name: "sqlite_sequence", kind: .ordinary,
        columns: [
            .init(name: "name", keyPosition: 1, isGenerated: false),
            .init(name: "seq", keyPosition: 0, isGenerated: false),
        ],
        sql: NormalizedSQL(sql: ""), text: "", isAutoincrement: false)
}
