import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Compares two states that should be the same, such as those of two engines or of two runs.
package struct StateComparison: Sendable {
    package let inspector: StateInspector

    package init(inspector: StateInspector) {
        self.inspector = inspector
    }

    /// Something that differs.
    package enum Part: Hashable, Sendable, CustomStringConvertible {
        case rows(table: String)
        case column(table: String, String)
        case object(kind: String, String)
        case pragma(String)

        package var description: String {
            switch self {
            case .rows(let table): "rows of \(quotedText(table))"
            case .column(let table, let column): "\(quotedText(table)).\(quotedText(column))"
            case .object(let kind, let name): "\(kind) \(quotedText(name))"
            case .pragma(let name): name
            }
        }

        /// Whether it is data of the app's, and not the schema.
        package var isData: Bool {
            switch self {
            case .rows, .column: true
            case .object, .pragma: false
            }
        }
    }

    /// Whether two states have the same bytes, except for those that every commit writes.
    /// - Parameter pages: those that may differ.
    package static func areEqual(_ a: Image, _ b: Image, _ pages: Set<UInt32>) throws -> Bool {
        guard a.byteCount == b.byteCount, a.pageSize == b.pageSize else { return false }
        var (left, right) = (
            [UInt8](repeating: 0, count: a.pageSize), [UInt8](repeating: 0, count: a.pageSize)
        )
        for page in pages {
            let offset = (Int(page) - 1) * a.pageSize
            try left.withUnsafeMutableBytes { try a.read(into: $0, at: offset) }
            try right.withUnsafeMutableBytes { try b.read(into: $0, at: offset) }
            if page == 1 {
                for range in HeaderBytes.ofCommit { left.replaceSubrange(range, with: right[range]) }
            }
            guard left == right else { return false }
        }
        return true
    }

    /// Returns what differs: of the schema, and the rows and columns of tables that both have.
    package func parts(_ first: Image, _ second: Image) async throws -> Set<Part> {
        let own = Set(inspector.historyTables.map(\.foldedASCII))
        return try await compare(first, second) { connection, conservation, _ in
            var parts = try Self.objects(connection, without: own)
            for kept in conservation.kept {
                let table = kept.match.before.name
                if kept.difference.lost.count + kept.difference.added.count > 0 {
                    parts.insert(.rows(table: table))
                }
                for column in try Self.stored(table, on: connection) {
                    parts.insert(.column(table: table, column))
                }
                for column in kept.difference.changed.keys {
                    parts.insert(.column(table: table, kept.match.columns[column].before.name))
                }
            }
            return parts
        }
    }

    /// Returns a few of the rows that differ, with what the first state has and what the second has.
    package func rows(of parts: Set<Part>, _ first: Image, _ second: Image) async throws -> [Evidence.Row] {
        guard parts.contains(where: \.isData) else { return [] }
        return try await compare(first, second) { _, conservation, encoding in
            var rows: [Evidence.Row] = []
            for kept in conservation.kept {
                let (difference, table) = (kept.difference, kept.match.before.name)
                let add = { (row: TableDifference.Row, before: SQLValue?, after: SQLValue?) in
                    let sample = { Evidence.Sample($0, encoding: encoding) }
                    let key = zip(difference.keyColumns, row.key).map {
                        Evidence.Cell(column: $0, value: sample($1))
                    }
                    rows.append(.init(key: key, before: before.map(sample), after: after.map(sample)))
                }
                for (position, changes) in difference.changed.sorted(by: { $0.key < $1.key }) {
                    let column = kept.match.columns[position].before.name
                    guard parts.contains(.column(table: table, column)) else { continue }
                    for change in changes.samples { add(change.row, change.before, change.after) }
                }
                guard parts.contains(.rows(table: table)) else { continue }
                for row in difference.lost.samples + difference.added.samples { add(row, nil, nil) }
            }
            return Array(rows.prefix(Evidence.rowLimit))
        }
    }

    private func compare<Result: Sendable>(
        _ first: Image, _ second: Image,
        _ body: @escaping @Sendable (any Connection, Conservation, TextEncoding) throws -> Result
    ) async throws -> Result {
        let (before, after) = (
            try await inspector.catalog(of: first), try await inspector.catalog(of: second)
        )
        return try await inspector.withConnection(to: first, attaching: second) { connection in
            let conservation = try Conservation(
                connection: connection, before: before, after: after,
                lineage: TableLineage(tables: before.tableNames), declarations: [])
            return try body(connection, conservation, before.encoding)
        }
    }

    /// Returns the stored generated columns whose values differ. Conservation leaves them out, since the migration does not
    /// write them; but a library computes them.
    private static func stored(_ table: String, on connection: any Connection) throws -> [String] {
        let later = StateInspector.laterSchema
        let columns = { (schema: String) in
            try connection.rows("PRAGMA \(schema).table_xinfo(\(quotedName(table)))") { row in
                row.integer(6) == 3 ? row.string(1) : nil
            }.compactMap(\.self)
        }
        return try Set(columns("main")).intersection(columns(later)).sorted().filter { column in
            let values = { (schema: String) in
                "SELECT quote(\(quotedName(column))), count(*) FROM \(schema).\(quotedName(table)) GROUP BY 1"
            }
            let (first, second) = (values("main"), values(later))
            return try connection.firstRow(
                "SELECT 1 FROM (SELECT * FROM (\(first)) EXCEPT SELECT * FROM (\(second))) "
                    + "UNION ALL SELECT 1 FROM (SELECT * FROM (\(second)) EXCEPT SELECT * FROM (\(first)))"
            ) { $0.integer(0) } != nil
        }
    }

    /// Returns the objects and settings of a database that differ in the attached one.
    private static func objects(_ connection: any Connection, without own: Set<String>) throws -> Set<Part> {
        let later = StateInspector.laterSchema
        var parts: Set<Part> = []
        for pragma in ["user_version", "application_id"] {
            let read = { (schema: String) in
                try connection.firstRow("PRAGMA \(schema).\(pragma)") { $0.integer(0) }
            }
            if try read("main") != read(later) { parts.insert(.pragma(pragma)) }
        }
        let list = { (schema: String) in
            try connection.rows("SELECT type, name, tbl_name, sql FROM \(schema).sqlite_schema") { row in
                (0..<4).map(row.value)
            }
        }
        for row in Set(try list("main")).symmetricDifference(try list(later)) {
            guard !own.contains(text(row[2]).foldedASCII) else { continue }
            parts.insert(.object(kind: text(row[0]), text(row[1])))
        }
        return parts
    }

    private static func text(_ value: SQLValue) -> String {
        if case .text(let bytes) = value { String(decoding: bytes, as: UTF8.self) } else { "" }
    }
}
