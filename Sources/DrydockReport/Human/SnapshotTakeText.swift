import Drydock
import Foundation
import SQLiteSchema

/// What `drydock snapshot take` prints.
package struct SnapshotTakeText {
    let report: SubsetReport
    let options: RenderOptions

    private var paint: Paint { options.paint }

    package init(report: SubsetReport, options: RenderOptions) {
        (self.report, self.options) = (report, options)
    }

    package var text: String {
        let name = VisibleText.line(report.output)
        guard report.isWritten else {
            return "\(paint.bold(name))  \(paint.red("not written"))\n" + unsettled
        }
        let size = StatisticsRenderer.size
        var text =
            "\(paint.bold(name))  \(VisibleText.line(report.database)), \(size(report.bytes.before)) -> \(size(report.bytes.after)) in "
            + "\(String(format: "%.1f", report.seconds)) s\n"
        let shown = report.tables.filter { $0.rows > 0 }
        text +=
            "  \(counted(report.rowCount, "row")) of \(counted(shown.count, "table")), seed \(report.seed)\n"
        let width = shown.map { VisibleText.line($0.table).count }.max() ?? 0
        for table in shown {
            let name = VisibleText.line(table.table)
            let of = table.total.map { table.rows == $0 ? ", all" : " of \($0)" } ?? ""
            text += "    \(name)\(String(repeating: " ", count: width - name.count))  \(table.rows)\(of)\n"
        }
        text += masks
        for orphans in report.orphans {
            text +=
                "  \(paint.yellow("note:")) \(counted(orphans.rows, "row")) of \(VisibleText.line(orphans.table)) "
                + "(\(orphans.columns.map(VisibleText.line).joined(separator: ", "))) references no row of "
                + "\(VisibleText.line(orphans.parent)), as in the database\n"
        }
        for note in report.notes { text += "  \(paint.yellow("note:")) \(VisibleText.line(note))\n" }
        return text + "  integrity_check and foreign_key_check of the snapshot found nothing"
            + (report.orphans.isEmpty ? "\n" : " else\n")
    }

    private var masks: String {
        let masks = report.masks
        guard !masks.masked.isEmpty || !masks.left.isEmpty else { return "" }
        var text = masks.masked.isEmpty ? "" : "  masked:\n" + lines(masks.masked)
        let reasoned = masks.left.filter { $0.reason != MaskSummary.notNamed }
        if !reasoned.isEmpty { text += "  not masked:\n" + lines(reasoned) }
        let others = masks.left.count - reasoned.count
        if others > 0 {
            text +=
                "  not masked: \(counted(others, "other column")) that no --mask names; --mask-auto says which look private\n"
        }
        text +=
            "  \(paint.yellow("note:")) names and the SQL of the schema are not masked, nor is what the migration tool reads\n"
        if masks.hasRandomKey {
            text +=
                "  \(paint.yellow("note:")) the key of the masks was random and was not kept: no other run gives the same masks; "
                + "DRYDOCK_MASK_KEY or --mask-key-file sets one\n"
        }
        return text
    }

    private func lines(_ columns: [MaskSummary.Column]) -> String {
        let width = columns.map { VisibleText.line($0.name).count }.max() ?? 0
        return columns.map { column in
            let name = VisibleText.line(column.name)
            return
                "    \(name)\(String(repeating: " ", count: width - name.count))  \(VisibleText.line(column.reason))\n"
        }.joined()
    }

    private var unsettled: String {
        "  these columns are neither masked nor allowed; name them with --mask, or with --unmasked if they may stay:\n"
            + lines(report.masks.unsettled)
    }
}
