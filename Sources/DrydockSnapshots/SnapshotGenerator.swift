import DatabaseEngine
import DrydockDiff
import DrydockFindings
import DrydockMigrations
import DrydockProbes
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// What a snapshot of generated rows is to be.
public struct GeneratedSnapshotRequest: Sendable {
    /// The folder of migrations.
    public var source: SchemaSource
    /// The last migration that runs; nil for all.
    public var version: String?
    /// The file that is made. It must not exist.
    public var output: String
    /// The least number of rows for each table.
    public var rows = usualRows
    package static let usualRows = 20
    /// The same seed gives the same rows.
    public var seed: UInt64 = 1
    public var functions: [FunctionStub] = []
    public var collations: [CollationStub] = []

    public init(source: SchemaSource, output: String) { (self.source, self.output) = (source, output) }
}

/// A snapshot of generated rows that was made.
public struct GeneratedSnapshot: Sendable {
    public var output: String
    /// The newest migration that it has applied.
    public var version: String
    public var bytes = 0
    /// How many rows each table has, by name.
    public var rows: [String: Int] = [:]
    /// The tables that stay empty, and why.
    public var empty: [(table: String, reason: String)] = []
    public var seed: UInt64
    public var seconds = 0.0
    /// What is still to be said of it.
    public var notes: [String] = []

    public var rowCount: Int { rows.values.reduce(0, +) }
}

/// Makes snapshots of a version that no database is left of: the migrations run on an empty database, and its tables get the
/// rows that probes get.
///
///     let snapshot = try await SnapshotGenerator(engine: GRDBDriver()).run(request)
public struct SnapshotGenerator: Sendable {
    let engine: any Engine

    public init(engine: any Engine) { self.engine = engine }

    /// - Throws: ``RequestError`` if a migration fails, or the file exists or cannot be written.
    public func run(_ request: GeneratedSnapshotRequest) async throws -> GeneratedSnapshot {
        let start = ContinuousClock.now
        try NewFile.check(request.output)
        let loader = SchemaLoader(
            engine: engine, functions: request.functions, collations: request.collations)
        let made = try await loader.migrated(request.source, upTo: request.version)
        var snapshot = GeneratedSnapshot(output: request.output, version: made.version, seed: request.seed)
        var settings = ConnectionSettings()
        settings.foreignKeys = made.set.policy.foreignKeys
        settings.doubleQuotedStrings = made.set.policy.doubleQuotedStrings
        (settings.functions, settings.collations) = (request.functions, request.collations)
        settings.interrupt = { Task.isCancelled }
        let set = made.set
        do {
            snapshot = try await engine.use(made.overlay, settings: settings) { [snapshot] database in
                try await database.withConnection { connection in
                    var snapshot = snapshot
                    try Self.fill(set, request, connection, &snapshot)
                    try connection.checkpoint()
                    return snapshot
                }
            }
        } catch let error as EngineError {
            throw RequestError(
                .init(error), "no rows can be generated for '\(request.output)': \(error.message)")
        }
        guard snapshot.rowCount > 0 else {
            throw RequestError(
                .refused, "no table of \(made.version) takes a generated row; nothing was written")
        }
        snapshot.bytes = try NewFile.write(made.overlay.freeze().image, to: request.output)
        snapshot.seconds = (ContinuousClock.now - start) / .seconds(1)
        return snapshot
    }

    private static func fill(
        _ set: MigrationSet, _ request: GeneratedSnapshotRequest, _ connection: any Connection,
        _ snapshot: inout GeneratedSnapshot
    ) throws {
        let catalog = try Catalog(connection, without: set.format.ownTables, earlier: nil)
        let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM main.sqlite_schema") {
            SchemaRow(type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
        }
        let tables = catalog.tables.filter { $0.value.keepsRows }
        func count(_ table: Catalog.Table) throws -> Int {
            try connection.firstRow("SELECT count(*) FROM main.\(quotedName(table.name))") {
                Int($0.integer(0))
            } ?? 0
        }
        var wanted: Set<String> = []
        for (name, table) in tables where try count(table) == 0 { wanted.insert(name) }
        wanted.subtract(set.format.sharedTables.map(\.foldedASCII))
        var filled = RowRequest(schema: SchemaParser().schema(of: rows), tables: wanted)
        filled.statements = set.migrations.flatMap(\.statements)
        (filled.rowCount, filled.seed) = (request.rows, request.seed)
        let made = try RowMaker().insertOrdinaryRows(filled, on: connection)
        snapshot.empty = made.empty.map { ($0.table, $0.reason) }.sorted { $0.table < $1.table }
        for table in tables.values { snapshot.rows[table.name] = try count(table) }
        let faults = try connection.rows("PRAGMA main.integrity_check(10)") { $0.string(0) }.filter {
            $0 != "ok"
        }
        if let fault = faults.first { snapshot.notes.append("integrity_check: \(VisibleText.line(fault))") }
    }
}
