import DatabaseEngine
import Drydock
import SQLiteSchema

/// Turns a data diff into JSON, row by row; values can be restored from it exactly.
package final class DataJSONRenderer: DataDiffConsumer {
    private var out: OutputBuffer
    private let redacts: Bool
    private let isSummary: Bool
    private var encoding = TextEncoding.utf8
    private var tableCount = 0
    private var rowCount = 0

    package init(_ options: RenderOptions, isSummary: Bool, _ sink: @escaping OutputBuffer.Sink) {
        redacts = options.redacts
        self.isSummary = isSummary
        out = OutputBuffer { sink(Array(VisibleText.json(String(decoding: $0, as: UTF8.self)).utf8)) }
    }

    package func begin(_ overview: DataDiffOverview) {
        encoding = overview.encoding
        out.write(
            "{\n  \"tool\": \"drydock\",\n  \"formatVersion\": 1,\n  \"command\": \"diff\",\n  \"old\": ")
        string(overview.old)
        out.write(",\n  \"new\": ")
        string(overview.new)
        out.write(",\n  \"onlyInOld\": ")
        list(overview.onlyInOld)
        out.write(",\n  \"onlyInNew\": ")
        list(overview.onlyInNew)
        out.write(",\n  \"tables\": [")
    }

    package func begin(_ table: TableDataDiff) -> (passes: Int, detail: RowDetail) {
        guard !table.isSame || table.isPartial else { return (0, .changes) }
        out.write(tableCount == 0 ? "\n    { \"name\": " : ",\n    { \"name\": ")
        tableCount += 1
        rowCount = 0
        string(table.name)
        out.write(", \"key\": ")
        list(table.key)
        out.write(
            ", \"added\": \(table.added), \"removed\": \(table.removed), \"changed\": \(table.changed), \"columns\": {"
        )
        for (index, (column, count)) in zip(table.columns, table.changes).filter({ $0.1 > 0 }).enumerated() {
            if index > 0 { out.write(", ") }
            string(column)
            out.write(": \(count)")
        }
        out.write("}")
        if table.isPartial {
            out.write(", \"columnsOnlyInOld\": ")
            list(table.columnsOnlyInOld)
            out.write(", \"columnsOnlyInNew\": ")
            list(table.columnsOnlyInNew)
        }
        if !isSummary { out.write(", \"rows\": [") }
        return (isSummary ? 0 : 1, .changes)
    }

    package func take(_ row: RowDifference, of table: TableDataDiff, pass: Int) {
        out.write(rowCount == 0 ? "\n      " : ",\n      ")
        rowCount += 1
        out.write("{ \"kind\": \"\(row.kind.rawValue)\", \"key\": {")
        cells(zip(table.key, row.key).map { ($0, $1) }, redacts: false)
        if row.kind == .changed {
            out.write("}, \"old\": {")
            cells(row.changes.map { (table.columns[$0.column], $0.old) }, redacts: redacts)
            out.write("}, \"new\": {")
            cells(row.changes.map { (table.columns[$0.column], $0.new) }, redacts: redacts)
        } else {
            out.write("}, \"row\": {")
            cells(zip(table.columns, row.values).map { ($0, $1) }, redacts: redacts)
        }
        out.write("} }")
    }

    package func end(_ table: TableDataDiff) {
        guard !table.isSame || table.isPartial else { return }
        if !isSummary { out.write(rowCount == 0 ? "]" : "\n    ]") }
        out.write(" }")
    }

    package func end(_ report: DataDiffReport) {
        out.write(tableCount == 0 ? "],\n  \"notCompared\": [" : "\n  ],\n  \"notCompared\": [")
        for (index, (table, reason)) in report.overview.notCompared.enumerated() {
            out.write(index == 0 ? "{ \"table\": " : ", { \"table\": ")
            string(table)
            out.write(", \"reason\": ")
            string(reason)
            out.write(" }")
        }
        let verdict = report.isSame && !report.isIncomplete ? "passed" : "failed"
        // The same again in the words of every report.
        out.write("],\n  \"notChecked\": [")
        for (index, (table, reason)) in report.overview.notCompared.enumerated() {
            out.write(index == 0 ? "" : ", ")
            out.write("{ \"rule\": \"\(Rule.valuesChanged.rawValue)\", \"table\": ")
            string(table)
            out.write(", \"reason\": ")
            string(reason)
            out.write(" }")
        }
        out.write("],\n  \"findings\": [],\n  \"verdict\": \"\(verdict)\"\n}\n")
        out.flush()
    }

    // MARK: - Pieces

    private func cells(_ cells: [(String, SQLValue)], redacts: Bool) {
        for (index, (name, value)) in cells.enumerated() {
            if index > 0 { out.write(", ") }
            string(name)
            out.write(": ")
            if redacts {
                out.write("{\"shape\": \"\(Evidence.Sample(value, encoding: encoding).shape)\"}")
            } else {
                out.write { value.writeJSON(encoding, to: &$0) }
            }
        }
    }

    private func list(_ names: [String]) {
        out.write("[")
        for (index, name) in names.enumerated() {
            if index > 0 { out.write(", ") }
            string(name)
        }
        out.write("]")
    }

    private func string(_ text: String) { out.write { text.writeJSON(to: &$0) } }
}
