import DrydockState
import DrydockFindings
import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// Compares tables before and after a step directly from the pages.
///
/// It decides what can be decided exactly, and leaves the rest to ``TableComparison``, which uses SQL.
package struct PageConservation {
    let changes: PageChanges
    /// Has the state before as `main` and the one after attached.
    let connection: any Connection
    var encoding = TextEncoding.utf8

    enum Verdict {
        /// No page of the table changed: every row and value is the same, and none was read.
        case untouched
        /// The difference of its rows, all of them compared.
        case compared(TableDifference)
        case undecided
    }

    /// - Parameters:
    ///   - rewritable: positions of column pairs that a declaration allows to be rewritten.
    ///   - hasConditions: whether a declaration allows rows to go.
    /// - Throws: ``EngineError``; what the pages do not show is undecided, not an error.
    func verdict(on match: TableMatch, rewritable: Set<Int>, hasConditions: Bool) throws -> Verdict {
        if match.before.module != nil || match.after.module != nil {
            return isUntouchedVirtualTable(match) ? .untouched : .undecided
        }
        if match.hasSameDefinition,
            changes.isUntouched(table: match.before.name, now: match.after.name)
        {
            return .untouched
        }
        guard let old = RecordLayout(match.before), let new = RecordLayout(match.after),
            let columns = RecordColumns(match, old, new)
        else { return .undecided }
        if changes.isUntouched(table: match.before.name, now: match.after.name),
            old.isWithoutRowid == new.isWithoutRowid,
            columns.areReadAlike
        {
            return .untouched
        }
        guard let before = table(match.before, old, changes.before, "main"),
            let after = table(match.after, new, changes.after, StateInspector.laterSchema)
        else { return .undecided }
        let comparison = RecordComparison(
            match: match, columns: columns, before: before, after: after, dirty: changes.dirty,
            rewritable: rewritable, encoding: encoding)
        do {
            guard var difference = try comparison.run() else { return .undecided }
            // Only SQL can evaluate which condition a lost row matches, or one whose place another row has.
            if hasConditions, difference.lost.count > 0 || !difference.changed.isEmpty { return .undecided }
            if difference.lost.count > 0 {
                let sql = "SELECT count(*) FROM main.\(quotedName(match.before.name))"
                difference.rowsBefore = try connection.firstRow(sql) { Int($0.integer(0)) }
            }
            return .compared(difference)
        } catch is FileDamage {
            return .undecided
        }
    }

    /// Whether the definition of a virtual table and the tables with its data are unchanged.
    private func isUntouchedVirtualTable(_ match: TableMatch) -> Bool {
        let known: Set<String> = ["fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"]
        guard let module = match.before.module, known.contains(module), match.before.sql == match.after.sql,
            match.before.name == match.after.name
        else { return false }
        return changes.isUntouched(shadowTablesOf: match.before.name)
    }

    private func table(
        _ table: Catalog.Table, _ layout: RecordLayout, _ pages: StatePages, _ schema: String
    ) -> RecordTable? {
        guard let root = pages.trees[table.name.foldedASCII]?.root else { return nil }
        let (connection, rowidName) = (connection, table.rowidName)
        return RecordTable(pages.file, root: root, layout: layout) { column, rowid in
            guard let rowidName else { throw NoDefault() }
            return try connection.firstRow(
                "SELECT \(quotedName(column)) FROM \(schema).\(quotedName(table.name)) WHERE \(rowidName) = \(rowid)"
            ) { $0.value(0) } ?? .null
        }
    }

    /// The error for a row without a rowid: its default value cannot be queried.
    package struct NoDefault: Error {
        package init() {}
    }
}

extension TableMatch {
    /// Whether the same text defines both tables, and each column is paired with itself.
    fileprivate var hasSameDefinition: Bool {
        before.text == after.text && before.kind == after.kind && droppedColumns.isEmpty
            && columns.allSatisfy { !$0.isGuess && $0.before == $0.after }
    }
}
