import DatabaseEngine
import TestTools
import SQLiteSchema
import Testing

@testable import DrydockConservation
@testable import DrydockState
@testable import DrydockTestSupport

/// Names after random statements, compared with where SQLite put the rows and values.
@Suite struct LineagePropertyTests {
    @Test func `tables and columns are where their rows and values are`() throws {
        for seed in seeds(150, of: 20_000) { try check(UInt64(seed)) { $0.statement() } }
    }

    @Test func `ALTER alone leads to every table and column that is left`() throws {
        for seed in seeds(150, of: 20_000) {
            let round = try check(UInt64(seed)) { $0.alteration() }
            #expect(round.match.dropped.isEmpty, "\(round)")
            #expect(round.match.pairs.count == round.origins.count, "\(round)")
        }
    }

    @discardableResult
    private func check(
        _ seed: UInt64, _ next: (inout RandomAlterations) -> String
    ) throws -> LineageRound {
        let round = try LineageRound(seed: seed, next)
        for fault in try round.faults() { Issue.record("\(fault)\n\(round)") }
        return round
    }
}

/// One seed: statements that SQLite took, and the names that follow from them.
struct LineageRound: CustomStringConvertible {
    let description: String
    let origins: [String]
    let match: SchemaMatch
    private let lineage: TableLineage
    /// By the folded name of each table with rows: its first name, and each value by the folded name of its column.
    private var places: [String: (origin: String, values: [String: String])] = [:]
    private let temporaries: Set<String>

    init(seed: UInt64, _ next: (inout RandomAlterations) -> String) throws {
        var alterations = RandomAlterations(seed: seed)
        let database = try PlainDatabase()
        try database.execute(alterations.schema)
        let before = try Catalog(database, without: [], earlier: nil)
        // The migration's tool opens a transaction.
        try database.execute("BEGIN")
        var statements: [String] = []
        for _ in 0..<14 {
            let statement = next(&alterations)
            if (try? database.execute(statement)) != nil { statements.append(statement) }
        }
        let step = statements.joined(separator: ";\n")
        let after = try Catalog(database, without: [], earlier: nil)
        lineage = TableLineage(before, statements: SQLStep.statements(step))
        match = SchemaMatch(before: before, after: after, lineage: lineage, declarations: [])
        origins = alterations.origins
        description = "seed \(seed):\n\(alterations.schema)\(step)\n\(match.lines)"
        temporaries = Set(
            try database.rows("SELECT name FROM temp.sqlite_schema") { $0.string(0).foldedASCII })
        for table in after.tables.values {
            guard let key = table.primaryKey.first else { continue }
            let names = table.columns.map { RandomSchema.quoted($0.name) }.joined(separator: ", ")
            let rows = try database.rows("SELECT \(names) FROM main.\(RandomSchema.quoted(table.name))") {
                row in
                (0..<row.columnCount).map { row.optionalString($0) }
            }
            guard let row = rows.first else { continue }
            var values: [String: String] = [:]
            for (column, value) in zip(table.columns, row) {
                values[column.name.foldedASCII] = column == key ? "id" : value
            }
            let number = zip(table.columns, row).first { $0.0 == key }?.1 ?? ""
            places[table.name.foldedASCII] = (origins[Int(number) ?? 0], values)
        }
    }

    /// What the lineage or the match says that is not so.
    func faults() throws -> [String] {
        var faults: [String] = []
        if lineage.state.temporaryTables != temporaries {
            faults.append("temporary tables are \(lineage.state.temporaryTables), not \(temporaries)")
        }
        for origin in origins {
            let place = places.first { $0.value.origin == origin }
            if lineage.currentName(of: origin) != place?.key {
                faults.append("\(origin) is not \(lineage.currentName(of: origin) ?? "gone")")
            }
            if (lineage.dropStatement(ofTable: origin) == nil) != (place != nil) {
                faults.append("\(origin) was dropped by \(lineage.dropStatement(ofTable: origin) ?? -1)")
            }
            for (column, value) in place?.value.values ?? [:] {
                let found = lineage.columns.nameBefore(ofColumn: column, in: place?.key ?? "", from: origin)
                if found != value { faults.append("\(origin).\(value) is not \(found ?? "nothing")") }
            }
        }
        for pair in match.pairs { faults += self.faults(of: pair) }
        return faults
    }

    private func faults(of pair: TableMatch) -> [String] {
        let (old, new) = (pair.before.name.foldedASCII, pair.after.name.foldedASCII)
        // Another table took the name, or the table is new: the name decides.
        guard let place = places[new], place.origin == old else { return [] }
        return (pair.columns + pair.derived).compactMap { columns in
            let value = place.values[columns.after.name.foldedASCII]
            // A column without a value was added; its name decides.
            guard let value, value != columns.before.name.foldedASCII else { return nil }
            return "\(columns.before.name) is not \(columns.after.name)"
        }
            + place.values.compactMap { column, value in
                pair.columns.contains { $0.after.name.foldedASCII == column } ? nil : "\(value) has no pair"
            }
    }
}
