import Drydock
import SQLiteSchema

/// What `drydock snapshot new` prints.
package struct SnapshotNewText {
    let snapshot: GeneratedSnapshot
    let options: RenderOptions

    package init(snapshot: GeneratedSnapshot, options: RenderOptions) {
        (self.snapshot, self.options) = (snapshot, options)
    }

    package var text: String {
        let paint = options.paint
        let tables = snapshot.rows.values.count { $0 > 0 }
        var text =
            "\(paint.bold(VisibleText.line(snapshot.output)))  at \(VisibleText.line(snapshot.version)), "
            + "\(counted(snapshot.rowCount, "generated row")) in \(counted(tables, "table")), seed \(snapshot.seed), "
            + "\(StatisticsRenderer.size(snapshot.bytes))\n"
        for empty in snapshot.empty {
            text +=
                "  \(paint.yellow("note:")) \(VisibleText.line(empty.table)) has no row: \(VisibleText.line(empty.reason))\n"
        }
        for note in snapshot.notes { text += "  \(paint.yellow("note:")) \(VisibleText.line(note))\n" }
        return text
    }
}
