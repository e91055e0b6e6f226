import DatabaseEngine
import DrydockProbes
import DrydockReplay
import DrydockVerify
import Foundation
import GRDBEngine
import NIOEngine
import SQLiteSchema

@testable import DrydockTestSupport

/// A database that is built by statements and then filled with generated rows.
struct RowCase: Sendable {
    /// The statements that build it.
    var present: String
    /// Those of later steps, one text a step.
    var later: [String] = []
    var foreignKeys = true
    var seed: UInt64 = 1
    var rowCount = 3
    /// The tables to fill; nil for all.
    var tables: [String]?
    var engine: any Engine = GRDBDriver()

    init(_ present: String, later: String...) { (self.present, self.later) = (present, later) }

    /// A database with what the generator said, and what SQLite says of it.
    struct Outcome: Sendable {
        var result = GeneratedRows()
        var edges = GeneratedRows()
        /// The rows of each table, each value as SQL shows it.
        var dump: [String: [[SQLValue]]] = [:]
        var columns: [String: [String]] = [:]
        var faults: [String] = []
        var answers: [[String]] = []
        var seconds = 0.0

        /// The values of a column in the order of the table.
        func values(_ table: String, _ column: String) -> [SQLValue] {
            guard let place = columns[table]?.firstIndex(of: column) else { return [] }
            return dump[table]?.map { $0[place] } ?? []
        }

        func texts(_ table: String, _ column: String) -> [String] {
            values(table, column).map {
                if case .text(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { "\($0)" }
            }
        }

        func reason(_ table: String) -> String? { result.empty.first { $0.table == table }?.reason }
    }

    static func schema(_ connection: any Connection) throws -> Schema {
        let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema") {
            SchemaRow(type: $0.string(0), name: $0.string(1), table: $0.string(2), sql: $0.optionalString(3))
        }
        let encoding = try connection.firstRow("PRAGMA encoding") { $0.string(0) } ?? ""
        return SchemaParser().schema(
            of: rows, settings: DatabaseSettings(encoding: TextEncoding(rawValue: encoding)))
    }

    /// Builds and fills the database.
    /// - Parameters:
    ///   - edges: whether edge rows are added too.
    ///   - queries: what to ask afterwards.
    func run(edges: Bool = false, rounds: Int = 1, asking queries: [String] = []) async throws -> Outcome {
        var settings = ConnectionSettings()
        settings.foreignKeys = foreignKeys
        let database = try await engine.open(.memory, settings: settings)
        let request = RowCase.self
        let copy = self
        let statements = ([present] + later).flatMap { Array(StatementSplitter(SQLSource(name: "", $0))) }
        let laterSchemas = try await Self.laterSchemas(copy)
        let outcome = try await database.withConnection { connection in
            try connection.execute(copy.present)
            var outcome = Outcome()
            let schema = try request.schema(connection)
            let names = copy.tables ?? (Array(schema.tables.keys) + Array(schema.virtualTables.keys))
            var rows = RowRequest(schema: schema, tables: Set(names))
            rows.later = laterSchemas
            rows.statements = statements
            rows.seed = copy.seed
            rows.rowCount = copy.rowCount
            let maker = RowMaker()
            let start = ContinuousClock.now
            for round in 0..<rounds {
                rows.round = round
                outcome.result = try maker.insertOrdinaryRows(rows, on: connection)
            }
            outcome.faults = try request.faults(connection, foreignKeys: true)
            if edges { outcome.edges = try maker.insertEdgeRows(rows, on: connection) }
            outcome.seconds = (ContinuousClock.now - start) / .seconds(1)
            if edges { outcome.faults += try request.faults(connection, foreignKeys: copy.foreignKeys) }
            try request.dump(connection, schema, &outcome)
            for query in queries {
                outcome.answers.append(try connection.rows(query) { row in row.string(0) })
            }
            return outcome
        }
        try await database.close()
        return outcome
    }

    private static func laterSchemas(_ rowCase: RowCase) async throws -> [Schema] {
        guard !rowCase.later.isEmpty else { return [] }
        var settings = ConnectionSettings()
        settings.doubleQuotedStrings = true
        let database = try await rowCase.engine.open(.memory, settings: settings)
        let schemas = try await database.withConnection { connection in
            try connection.execute("PRAGMA foreign_keys = OFF")
            try connection.execute(rowCase.present)
            return try rowCase.later.map { step in
                try connection.execute(step)
                return try schema(connection)
            }
        }
        try await database.close()
        return schemas
    }

    private static func faults(_ connection: any Connection, foreignKeys: Bool) throws -> [String] {
        var faults = try connection.rows("PRAGMA integrity_check") { $0.string(0) }.filter { $0 != "ok" }
        if foreignKeys {
            faults += try connection.rows("PRAGMA foreign_key_check") {
                "orphan in \($0.string(0)) of \($0.string(2))"
            }
        }
        return faults
    }

    private static func dump(_ connection: any Connection, _ schema: Schema, _ outcome: inout Outcome) throws
    {
        for name in schema.tables.keys.sorted() + schema.virtualTables.keys.sorted() {
            guard let table = schema.tables[name]?.name ?? schema.virtualTables[name]?.name else { continue }
            let statement = try connection.prepare("SELECT * FROM \"\(table.replacing("\"", with: "\"\""))\"")
            outcome.columns[table] = (0..<statement.columnCount).map { statement.columnName($0) }
            var rows: [[SQLValue]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.value($0) })
            }
            outcome.dump[table] = rows
        }
    }
}
