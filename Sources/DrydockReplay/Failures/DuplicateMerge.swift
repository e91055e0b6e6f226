import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// What to do where rows with the same key represent the same thing: the first of each is kept, the rows that reference
/// one of the others are made to reference the first instead, and only then are the others deleted.
struct DuplicateMerge {
    let table: Table
    let schema: Schema
    /// A name of the rowid.
    let rowid: String
    /// The columns of the key, folded.
    let keyColumns: Set<String>
    /// The terms of the key as GROUP BY compares them.
    let group: [String]
    /// A condition for the rows that the key covers.
    let covered: String
    /// Returns a column's name before the step, as declarations use it.
    let origin: (_ column: String, _ table: String) -> String?

    private var name: String { quotedIfNeeded(table.name) }

    /// A condition for the rows that are deleted.
    private var condition: String {
        "\(covered) AND \(rowid) NOT IN (SELECT min(\(rowid)) FROM \(name) WHERE \(covered) GROUP BY \(group.joined(separator: ", ")))"
    }

    /// - Throws: ``EngineError``.
    func help(_ connection: any Connection) throws -> Help {
        let different = try differences(connection)
        guard different.isEmpty else {
            return
                "\nThey differ in \(listed(different.map(quotedIfNeeded))): these values are lost with the rows that are deleted."
        }
        if let trigger = schema.triggers(on: table.name).first(where: { $0.event == .delete }) {
            return
                "\nWhere such rows mean the same, one of each is enough; but trigger \(trigger.name) acts on every DELETE of \(name): first make sure that it deletes nothing that is needed."
        }
        let references = schema.tables.values.sorted { $0.name < $1.name }.flatMap { child in
            child.foreignKeys.filter { $0.parent.foldedASCII == table.name.foldedASCII }.map { (child, $0) }
        }
        let children = listed(
            references.map { quotedIfNeeded($0.0.name) }.reduce(into: []) { names, name in
                if !names.contains(name) { names.append(name) }
            })
        let repoints = references.map { repointing($0.0, $0.1) }
        guard !repoints.contains(where: { $0 == nil }) else {
            return
                "\nWhere such rows mean the same, one of each is enough. Before the others are deleted, the rows of \(children) that reference them must reference the one that is kept: a DELETE would delete them too, or leave them without a parent."
        }
        let declared = repoints.compactMap { $0?.declaration }
        let intro =
            references.isEmpty
            ? "Only where such rows mean the same and nothing references them, keep the first of each and declare it:"
            : "Only where such rows mean the same, have \(children) reference the first of each, delete the others and declare it:"
        let declarations = (["deletes from \(name) where \(condition)"] + declared).map(Help.declaration)
        let statements = repoints.compactMap { $0?.sql } + ["DELETE FROM \(name) WHERE \(condition);"]
        return "\n\(intro)\n\(declarations.joinedLines())\n\(proposed(statements.joined(separator: "\n")))"
    }

    /// Returns the columns in which rows with the same key differ, besides those of the table's own key.
    private func differences(_ connection: any Connection) throws -> [String] {
        let ids = Set(table.primaryKey?.terms.map(\.column.foldedASCII) ?? [])
        let others = table.columns.filter { column in
            let name = column.name.foldedASCII
            return column.generated == nil && !ids.contains(name) && !keyColumns.contains(name)
        }
        // quote() tells values of two storage classes apart.
        return try others.map(\.name).filter { column in
            let value = "quote(\(quotedName(column)))"
            let query =
                "SELECT EXISTS (SELECT 1 FROM main.\(quotedName(table.name)) WHERE \(covered) "
                + "GROUP BY \(group.joined(separator: ", ")) HAVING min(\(value)) <> max(\(value)))"
            return try connection.firstRow(query) { $0.integer(0) != 0 } ?? false
        }
    }

    /// Returns statements that make the rows of a child reference the row that is kept.
    /// - Returns: nil where the key does not have exactly one column, or its values may not be repeated.
    private func repointing(_ child: Table, _ key: ForeignKey) -> (sql: String, declaration: String?)? {
        guard key.columns.count == 1, let column = child.column(key.columns[0]), column.generated == nil,
            let parents = schema.parentColumns(of: key), parents.count == 1,
            let parent = table.column(parents[0]), !keyColumns.contains(parent.name.foldedASCII),
            !isUnique(column, in: child),
            child.name.foldedASCII != table.name.foldedASCII || !keyColumns.contains(column.name.foldedASCII)
        else { return nil }
        let (reference, id) = (quotedIfNeeded(column.name), quotedIfNeeded(parent.name))
        let owner = quotedIfNeeded(child.name)
        let sql =
            "UPDATE \(owner) SET \(reference) = (SELECT kept FROM (SELECT \(id) AS gone, first_value(\(id)) OVER "
            + "(PARTITION BY \(group.joined(separator: ", ")) ORDER BY \(rowid)) AS kept FROM \(name) WHERE \(covered)) "
            + "WHERE gone = \(owner).\(reference)) WHERE \(reference) IN (SELECT \(id) FROM \(name) WHERE \(condition));"
        return (sql, origin(column.name, child.name).map { "rewrites \($0)" })
    }

    /// Whether no two rows of a child may reference the same row, or the child's own key would change.
    private func isUnique(_ column: Column, in child: Table) -> Bool {
        let folded = column.name.foldedASCII
        let constraints = child.uniques.map(\.terms) + [child.primaryKey?.terms].compactMap(\.self)
        return constraints.contains { $0.contains { $0.column.foldedASCII == folded } }
            || schema.indexes(on: child.name).contains { $0.isUnique && $0.names.contains(folded) }
    }
}
