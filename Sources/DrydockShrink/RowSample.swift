import DatabaseEngine
import DrydockFindings
import DrydockProbes
import DrydockReplay
import DrydockState
import DrydockVerify
import SQLiteSchema

/// Rows of a database that may show a finding by themselves: those that its evidence names, some from both ends of each
/// table, and all that these refer to.
struct RowSample: Sendable {
    let state: DatabaseState
    let schema: Schema
    let inspector: StateInspector
    let finding: Finding
    /// The folded names of the tables that give rows, parents before those that refer to them.
    private let order: [String]
    private let sources: [String: Source]

    /// The largest number of rows of a sample, and of one where a replay may not give the finding at all.
    static let (limit, quickLimit) = (20_000, 300)
    /// The largest number of rows of this one.
    var limit = Self.limit

    /// - Parameter own: the tables of the migration tool.
    init(
        _ tables: Set<String>, of state: DatabaseState, _ schema: Schema, _ inspector: StateInspector,
        _ finding: Finding, own: [String]
    ) {
        (self.state, self.schema, self.inspector, self.finding) = (state, schema, inspector, finding)
        order = ParentsFirst(schema).order(tables.subtracting(own.map(\.foldedASCII)))
        var sources: [String: Source] = [:]
        for name in order {
            guard let table = state.catalog.tables[name], table.keepsRows else { continue }
            let foreign = schema.tables[name]?.columnsWithoutParent(among: tables) ?? []
            let columns = table.storedColumns.map(\.name).filter { !foreign.contains($0.foldedASCII) }
            guard !columns.isEmpty else { continue }
            sources[name] = Source(table: table.name, columns: columns, rowid: table.rowidName)
        }
        self.sources = sources
    }

    private struct Source: Sendable {
        var table: String
        var columns: [String]
        var rowid: String?

        /// The key of a row, then its columns.
        var query: String {
            let list = columns.map(quotedName)
            return "SELECT \(([rowid ?? "0"] + list).joined(separator: ", ")) FROM main.\(quotedName(table))"
        }

        func row(_ row: any PreparedStatement) -> (key: [SQLValue], row: GeneratedRow) {
            let values = columns.indices.map { row.value($0 + 1) }
            return (
                rowid == nil ? values : [row.value(0)],
                GeneratedRow(table: table, columns: columns, values: values)
            )
        }
    }

    private struct Chosen {
        var rows: [String: [[SQLValue]: GeneratedRow]] = [:]
        /// Rows whose parents are still to be chosen.
        var open: [GeneratedRow] = []
        var count = 0

        mutating func add(_ found: [(key: [SQLValue], row: GeneratedRow)]) {
            for (key, row) in found where rows[row.table.foldedASCII, default: [:]][key] == nil {
                rows[row.table.foldedASCII, default: [:]][key] = row
                open.append(row)
                count += 1
            }
        }
    }

    /// - Parameter count: how many rows are taken from each end of each table.
    /// - Returns: nil if there are too many.
    func rows(_ count: Int) async throws -> [GeneratedRow]? {
        try await inspector.withConnection(to: state.image) { connection in
            var chosen = Chosen()
            try addEvidence(to: &chosen, connection)
            for name in order where count > 0 {
                guard let source = sources[name] else { continue }
                for end in source.rowid.map({ ["ORDER BY \($0)", "ORDER BY \($0) DESC"] }) ?? [""] {
                    chosen.add(
                        try connection.rows("\(source.query) \(end) LIMIT \(count)") { source.row($0) })
                }
                guard chosen.count <= limit else { return nil }
            }
            while let row = chosen.open.popLast() {
                try addParents(of: row, to: &chosen, connection)
                guard chosen.count <= limit else { return nil }
            }
            let rows = order.flatMap { name in
                (chosen.rows[name] ?? [:]).sorted { Self.precedes($0.key, $1.key) }.map(\.value)
            }
            return marks + rows + rebuilds
        }
    }

    private var marks: [GeneratedRow] {
        finding.rule == .autoincrementReset ? state.marks(of: order.filter { sources[$0] != nil }) : []
    }

    /// The commands by which full-text indexes read the rows of other tables, once these are there
    /// (https://www.sqlite.org/fts5.html#the_rebuild_command), where the finding is about an index.
    private var rebuilds: [GeneratedRow] {
        guard finding.rule == .searchIndexStale else { return [] }
        return order.compactMap { name in
            guard let table = state.catalog.tables[name], case .derived(let module) = table.kind,
                ["fts3", "fts4", "fts5"].contains(module)
            else { return nil }
            return GeneratedRow(
                table: table.name, columns: [table.name],
                values: [.text(state.catalog.encoding.encode("rebuild"))])
        }
    }

    /// The order of the rowids; in a table without them any order does that is always the same.
    private static func precedes(_ a: [SQLValue], _ b: [SQLValue]) -> Bool {
        if case (.integer(let a)?, .integer(let b)?) = (a.first, b.first), a != b { return a < b }
        return a.map(\.literal).lexicographicallyPrecedes(b.map(\.literal))
    }

    private func addEvidence(to chosen: inout Chosen, _ connection: any Connection) throws {
        guard let source = finding.table.flatMap({ sources[$0.foldedASCII] }) else { return }
        for row in finding.evidence?.rows ?? [] where row.key.allSatisfy(\.value.isWhole) && !row.key.isEmpty
        {
            let condition = row.key.map { "\(quotedName($0.column)) IS \($0.value.literal)" }
            // What is shown may be a key that the table has only after the step.
            let found = try? connection.rows(
                "\(source.query) WHERE \(condition.joined(separator: " AND ")) LIMIT 4"
            ) { source.row($0) }
            chosen.add(found ?? [])
        }
    }

    private func addParents(
        of row: GeneratedRow, to chosen: inout Chosen, _ connection: any Connection
    ) throws {
        let values = Dictionary(
            zip(row.columns.map(\.foldedASCII), row.values), uniquingKeysWith: { first, _ in first })
        for link in schema.parentLinks(of: row.table) {
            guard let parent = sources[link.parent.foldedASCII] else { continue }
            let own = link.columns.map { values[$0.foldedASCII] ?? .null }
            guard !own.contains(.null) else { continue }
            let condition = zip(link.parentColumns, own).map { "\(quotedName($0)) = \($1.literal)" }
            let found = try connection.rows(
                "\(parent.query) WHERE \(condition.joined(separator: " AND ")) LIMIT 1"
            ) { parent.row($0) }
            chosen.add(found)
        }
    }
}

extension Evidence.Sample {
    /// Whether the literal is the whole value as SQL has it, neither cut nor escaped.
    fileprivate var isWhole: Bool { !literal.contains { $0 == "…" || $0 == "\\" } }
}
