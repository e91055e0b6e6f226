import DatabaseEngine
import Drydock
import SQLiteSchema

/// Turns a data diff into text for people, table by table, one line for each row.
package final class DataDiffRenderer: DataDiffConsumer {
    private var out: OutputBuffer
    private let options: RenderOptions
    private let isSummary: Bool
    private let paint: Paint
    private var encoding = TextEncoding.utf8
    private var overview = DataDiffOverview(old: "", new: "")
    private var hasHeader = false
    /// The columns of the table that is being written.
    private var columnNames: [String] = []
    private var keyNames: [String] = []

    package init(_ options: RenderOptions, isSummary: Bool, _ sink: @escaping OutputBuffer.Sink) {
        self.options = options
        self.isSummary = isSummary
        paint = Paint(options.usesColor)
        out = OutputBuffer(sink)
    }

    package func begin(_ overview: DataDiffOverview) {
        encoding = overview.encoding
        for (sign, names, other) in [
            ("-", overview.onlyInOld, overview.old), ("+", overview.onlyInNew, overview.new),
        ] {
            for name in names {
                header(overview)
                let line = "\(sign) \(quotedIfNeeded(name))  only in \(VisibleText.line(other))"
                out.write((sign == "-" ? paint.red(line) : paint.green(line)) + "\n")
            }
        }
        if !overview.onlyInOld.isEmpty || !overview.onlyInNew.isEmpty { out.write("\n") }
        self.overview = overview
    }

    private func header(_ overview: DataDiffOverview) {
        guard !hasHeader else { return }
        hasHeader = true
        out.write(
            "\(paint.red("---")) \(VisibleText.line(overview.old))\n\(paint.green("+++")) \(VisibleText.line(overview.new))\n\n"
        )
    }

    package func begin(_ table: TableDataDiff) -> (passes: Int, detail: RowDetail) {
        guard !table.isSame || table.isPartial else { return (0, .changes) }
        header(overview)
        columnNames = table.columns.map(quotedIfNeeded)
        keyNames = table.key.map(quotedIfNeeded)
        out.write(
            paint.bold(quotedIfNeeded(table.name)) + "  \(Self.identity(table)): \(Self.counts(table))\n")
        for (names, side) in [(table.columnsOnlyInOld, overview.old), (table.columnsOnlyInNew, overview.new)]
        where !names.isEmpty {
            let list = names.map(quotedIfNeeded).joined(separator: ", ")
            out.write("  not compared, only in \(VisibleText.line(side)): \(list)\n")
        }
        return (isSummary ? 0 : 1, .changes)
    }

    package func take(_ row: RowDifference, of table: TableDataDiff, pass: Int) {
        let color: (String) -> String =
            switch row.kind {
            case .added: paint.green
            case .removed: paint.red
            case .changed: paint.yellow
            }
        var line = row.kind == .added ? "+" : row.kind == .removed ? "-" : "~"
        for (index, value) in row.key.enumerated() {
            line += index == 0 ? " " : ", "
            line += keyNames[index]
            line += "="
            line += sample(value).literal
        }
        if row.kind == .changed {
            for (index, change) in row.changes.enumerated() {
                line += index == 0 ? "  " : ", "
                line += columnNames[change.column]
                line += ": "
                line += self.change(change.old, change.new)
            }
        } else {
            let cells = whole(row, table)
            if !cells.isEmpty { line += " " + cells }
        }
        out.write(options.usesColor ? color(line) : line)
        out.write("\n")
    }

    package func end(_ table: TableDataDiff) {
        if !table.isSame || table.isPartial { out.write("\n") }
    }

    package func end(_ report: DataDiffReport) {
        for (table, reason) in report.overview.notCompared {
            out.write(
                "\(paint.yellow("not compared:")) \(quotedIfNeeded(table)): \(VisibleText.line(reason))\n")
        }
        if report.isSame {
            let word = report.isIncomplete ? "same as far as it was compared" : "same"
            out.write(
                "\(paint.green(word)): \(VisibleText.line(overview.old)) and \(VisibleText.line(overview.new))\n"
            )
        } else {
            let tables = report.tables.filter { !$0.isSame }
            let total = tables.reduce(0) { $0 + $1.added + $1.removed + $1.changed }
            out.write("\(counted(total, "row")) in \(counted(tables.count, "table"))\n")
        }
        out.flush()
    }

    // MARK: - Wording

    private static func identity(_ table: TableDataDiff) -> String {
        switch table.identity {
        case .key, .rowid: "by " + table.key.map(quotedIfNeeded).joined(separator: ", ")
        case .content: "by content"
        }
    }

    static func counts(_ table: TableDataDiff) -> String {
        var parts: [String] = []
        if table.added > 0 { parts.append("\(table.added) added") }
        if table.removed > 0 { parts.append("\(table.removed) removed") }
        if table.changed > 0 {
            let columns = zip(table.columns, table.changes).filter { $0.1 > 0 }
                .map { "\(quotedIfNeeded($0)) \($1)" }
            parts.append("\(table.changed) changed (\(columns.joined(separator: ", ")))")
        }
        return parts.isEmpty ? "same in what both have" : parts.joined(separator: ", ")
    }

    private func whole(_ row: RowDifference, _ table: TableDataDiff) -> String {
        let key: Set<Int> = if case .key(let positions) = table.identity { Set(positions) } else { [] }
        let cells = row.values.indices.filter { !key.contains($0) }
            .map { "\(columnNames[$0]) \(sample(row.values[$0]).text(options))" }
        return cells.isEmpty ? "" : "(\(cells.joined(separator: ", ")))"
    }

    /// Returns both values, and the position of the difference if shortening hides it.
    private func change(_ old: SQLValue, _ new: SQLValue) -> String {
        let (a, b) = (sample(old).text(options), sample(new).text(options))
        guard a == b, !options.redacts else { return "\(a) -> \(b)" }
        switch (old, new) {
        case (.text(let x), .text(let y)), (.blob(let x), .blob(let y)):
            let place = zip(x, y).enumerated().first { $1.0 != $1.1 }?.offset ?? min(x.count, y.count)
            return "\(a) -> \(b) (from byte \(place + 1) on; \(counted(x.count, "byte")) -> \(y.count))"
        default: return "\(a) -> \(b)"
        }
    }

    private func sample(_ value: SQLValue) -> Evidence.Sample { Evidence.Sample(value, encoding: encoding) }
}
