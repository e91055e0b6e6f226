import DatabaseEngine
import DrydockFindings
import DrydockReplay
import DrydockState
import SQLiteSchema

/// The tables of a probe that get rows after a step.
struct ProbeTables: Sendable {
    /// The tables that the step may have created or emptied.
    private let changed: [Catalog.Table]
    /// The tables with a column that they did not have.
    private let grown: [Catalog.Table]

    /// - Parameter before: nil where all tables are new.
    init(before: DatabaseState?, after: DatabaseState) {
        let tables = after.catalog.tables.values.sorted { $0.name < $1.name }
        changed = tables.filter { table in
            guard before != nil, let changes = after.changes else { return true }
            return table.module != nil || !changes.isUntouched(table: table.name, now: table.name)
        }
        grown = tables.filter { table in
            guard let old = before?.catalog.table(table.name), table.module == nil else { return false }
            return table.storedColumns.contains { old.column($0.name) == nil }
        }
    }

    var candidates: [Catalog.Table] { changed + grown }

    /// Returns the folded names of the tables that are empty, lack rows with values in all columns, or have rows that are
    /// numbered from 1 without a gap, by which a full-text index finds them.
    func wanted(_ connection: any Connection, _ schema: Schema) throws -> Set<String> {
        var names = Set(grown.map(\.name.foldedASCII))
        for table in changed where try isEmpty(table, connection) { names.insert(table.name.foldedASCII) }
        let indexed = schema.virtualTables.reduce(into: Set<String>()) { indexed, index in
            guard let content = index.value.content?.foldedASCII else { return }
            // The index of one without triggers would be behind.
            if schema.triggers(on: content).contains(where: { $0.names.contains(index.key) }) {
                indexed.insert(content)
            }
        }
        for table in changed where indexed.contains(table.name.foldedASCII) {
            guard let rowid = schema.tables[table.name.foldedASCII]?.hiddenRowid else { continue }
            let isWhole = try connection.firstRow(
                "SELECT max(\(rowid)) = count(*) FROM main.\(quotedName(table.name))"
            ) { $0.integer(0) == 1 }
            if isWhole == true { names.insert(table.name.foldedASCII) }
        }
        return names
    }

    /// A table that cannot be read is reported by its rule, and gets no rows.
    private func isEmpty(_ table: Catalog.Table, _ connection: any Connection) throws -> Bool {
        do {
            return try connection.firstRow("SELECT 1 FROM main.\(quotedName(table.name)) LIMIT 1") { _ in }
                == nil
        } catch let error as EngineError where !error.isInterrupt {
            return false
        }
    }
}
