import DatabaseEngine
import Drydock
import SQLiteSchema

/// Turns a data diff into SQL that makes the old rows equal to the new ones, bit for bit.
///
/// In each table rows are deleted before others are inserted, so that no two ever have the same key: a changed row is
/// updated if no unique index covers the changed columns, otherwise deleted and inserted again. Triggers of the tables
/// that are written would fire, so they are dropped and recreated, all in one transaction.
package final class DataScriptRenderer: DataDiffConsumer {
    private var out: OutputBuffer
    private var overview = DataDiffOverview(old: "", new: "")
    private var hasBegun = false
    private var droppedTriggers: [String] = []
    private var staleIndexes: [String] = []
    private var writesSequences = false
    /// The names of the table that is being written, computed once.
    private var names = TableNames()

    package init(_ sink: @escaping OutputBuffer.Sink) { out = OutputBuffer(sink) }

    package func begin(_ overview: DataDiffOverview) { self.overview = overview }

    package func begin(_ table: TableDataDiff) throws -> (passes: Int, detail: RowDetail) {
        guard !table.isSame else { return (0, .whole) }
        if !hasBegun {
            hasBegun = true
            out.write(
                "-- Turns the rows of \(Self.comment(overview.old)) into those of \(Self.comment(overview.new)).\n"
            )
            out.write(
                "-- Apply it with: sqlite3 -bail DATABASE < FILE\nPRAGMA foreign_keys = OFF;\nBEGIN IMMEDIATE;\n"
            )
        }
        if table.name == "sqlite_sequence" {
            writesSequences = true
            return (0, .whole)
        }
        guard table.writing.rowidName != nil || table.writing.isWithoutRowid else {
            throw RequestError(
                .refused,
                "no SQL can address the rows of \(table.name): its columns hide all three names of the rowid"
            )
        }
        out.write("\n-- Table \(Self.comment(quotedIfNeeded(table.name))).\n")
        for trigger in overview.triggers[table.name.foldedASCII] ?? [] {
            out.write("DROP TRIGGER \(quotedName(trigger.name));\n")
            droppedTriggers.append(trigger.sql)
        }
        staleIndexes += overview.searchIndexes[table.name.foldedASCII] ?? []
        if table.writing.isAutoincrement { writesSequences = true }
        names = TableNames(table)
        let rewrites = table.changed > 0 && !(names.updatesAll)
        return (1 + (rewrites ? 1 : 0) + (table.added > 0 ? 1 : 0), rewrites ? .whole : .newValues)
    }

    package func take(_ row: RowDifference, of table: TableDataDiff, pass: Int) {
        let rewrites = table.changed > 0 && !names.updatesAll
        switch (row.kind, pass) {
        case (.removed, 0): delete(row, table)
        case (.changed, 0):
            if canUpdate(row, table) { update(row, table) } else { delete(row, table) }
        case (.changed, 1): if !canUpdate(row, table) { insert(row, table) }
        case (.added, rewrites ? 2 : 1): insert(row, table)
        default: break
        }
    }

    package func end(_ table: TableDataDiff) {}

    package func end(_ report: DataDiffReport) {
        if writesSequences, let sequences = overview.sequences {
            out.write("\n-- The AUTOINCREMENT marks.\nDELETE FROM sqlite_sequence;\n")
            for row in sequences {
                out.write("INSERT INTO sqlite_sequence(name, seq) VALUES (")
                values(row)
                out.write(");\n")
            }
        }
        guard hasBegun else { return out.flush() }
        for name in staleIndexes + overview.viewIndexes {
            out.write("INSERT INTO \(quotedName(name))(\(quotedName(name))) VALUES ('rebuild');\n")
        }
        if !droppedTriggers.isEmpty { out.write("\n-- The triggers as they were.\n") }
        for sql in droppedTriggers { out.write("\(sql);\n") }
        out.write("\nCOMMIT;\n")
        out.flush()
    }

    // MARK: - Statements

    private func canUpdate(_ row: RowDifference, _ table: TableDataDiff) -> Bool {
        if names.updatesAll { return true }
        guard let unique = table.writing.uniqueColumns, !table.writing.isVirtual else { return false }
        return !row.changes.contains { unique.contains($0.column) }
    }

    private func delete(_ row: RowDifference, _ table: TableDataDiff) {
        out.write(names.delete)
        condition(row, table)
        out.write(";\n")
    }

    private func update(_ row: RowDifference, _ table: TableDataDiff) {
        out.write(names.update)
        for (index, change) in row.changes.enumerated() {
            if index > 0 { out.write(Self.comma) }
            out.write(names.columns[change.column])
            out.write(Self.equals)
            value(change.new)
        }
        out.write(" WHERE ")
        condition(row, table)
        out.write(";\n")
    }

    private func condition(_ row: RowDifference, _ table: TableDataDiff) {
        if let rowid = row.oldRowid, let name = names.rowid {
            out.write(name)
            out.write(Self.equals)
            return value(.integer(rowid))
        }
        guard case .key(let key) = table.identity else { return }
        for (index, (position, value)) in zip(key, row.key).enumerated() {
            // The plus removes the affinity that a CAST would give the column.
            if index > 0 { out.write(" AND ") }
            out.write(names.columns[position])
            out.write(" = +")
            self.value(value)
        }
    }

    /// Writes an INSERT. A changed row keeps its rowid; an added row takes the new side's if rowids identify rows.
    private func insert(_ row: RowDifference, _ table: TableDataDiff) {
        var rowid: Int64?
        switch (table.identity, row.kind) {
        case (.rowid, _): rowid = row.newRowid
        case (.key, .changed): rowid = row.oldRowid
        default: rowid = nil
        }
        if table.writing.rowidAlias != nil { rowid = nil }
        out.write(rowid == nil ? names.insert : names.insertWithRowid)
        if let rowid {
            value(.integer(rowid))
            if !row.values.isEmpty { out.write(Self.comma) }
        }
        values(row.values)
        out.write(");\n")
    }

    private func values(_ values: [SQLValue]) {
        for (index, value) in values.enumerated() {
            if index > 0 { out.write(Self.comma) }
            self.value(value)
        }
    }

    private static let comma = Array(", ".utf8)
    private static let equals = Array(" = ".utf8)

    private func value(_ value: SQLValue) { out.write { value.writeLiteral(overview.encoding, to: &$0) } }

    /// Keeps a comment on one line.
    private static func comment(_ text: String) -> String { VisibleText.line(text) }
}

/// A table's names as they are written in SQL, in UTF-8.
private struct TableNames {
    var columns: [[UInt8]] = []
    /// The name of the rowid in a condition.
    var rowid: [UInt8]?
    /// The INSERT statement up to the values.
    var insert: [UInt8] = []
    var insertWithRowid: [UInt8] = []
    /// The UPDATE statement up to the columns.
    var update: [UInt8] = []
    /// The DELETE statement up to the condition.
    var delete: [UInt8] = []
    /// Whether no unique index covers the changed columns, so that no UPDATE can collide.
    var updatesAll = false

    init() {}

    init(_ diff: TableDataDiff) {
        let table = quotedName(diff.name)
        let names = diff.columns.map(quotedName)
        columns = names.map { Array($0.utf8) }
        let rowid = diff.writing.rowidAlias.map { names[$0] } ?? diff.writing.rowidName
        self.rowid = rowid.map { Array($0.utf8) }
        insert = Array("INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES (".utf8)
        let all = [diff.writing.rowidName ?? "rowid"] + names
        insertWithRowid = Array("INSERT INTO \(table)(\(all.joined(separator: ", "))) VALUES (".utf8)
        (update, delete) = (Array("UPDATE \(table) SET ".utf8), Array("DELETE FROM \(table) WHERE ".utf8))
        guard let unique = diff.writing.uniqueColumns, !diff.writing.isVirtual else { return }
        updatesAll = unique.allSatisfy { diff.changes[$0] == 0 }
    }
}
