import Drydock
import SQLiteSchema

/// What `drydock snapshot list` and `check` print.
package struct SnapshotListText {
    let list: SnapshotList
    let options: RenderOptions

    package init(list: SnapshotList, options: RenderOptions) {
        (self.list, self.options) = (list, options)
    }

    package var text: String {
        let paint = options.paint
        var text = ""
        for entry in list.entries {
            let mark = entry.isSound ? paint.green("✓") : paint.red("✗")
            text += "\(mark) \(paint.bold(VisibleText.line(entry.path)))  \(facts(entry))\n"
            if let fault = entry.fault { text += "    \(paint.red("error:")) \(VisibleText.line(fault))\n" }
            if !entry.isKnownVersion {
                text += "    \(paint.red("error:")) the migrations do not have this version\n"
            }
            if entry.locked == .changed {
                text += "    \(paint.red("error:")) it is not what is locked; restore the released one\n"
            }
            for known in entry.known { text += "    \(paint.yellow("known:")) \(VisibleText.line(known))\n" }
        }
        for path in list.missing {
            text += "\(paint.red("✗")) \(paint.bold(VisibleText.line(path)))  is locked but missing\n"
        }
        if list.entries.isEmpty { text += "there is no snapshot; drydock snapshot new and take make some\n" }
        if !list.versionsWithout.isEmpty {
            text += "without a snapshot: \(listed(list.versionsWithout.map(VisibleText.line)))\n"
        }
        return text
    }

    private func facts(_ entry: SnapshotList.Entry) -> String {
        var facts: [String] = []
        if let version = entry.version { facts.append("at \(VisibleText.line(version))") }
        if entry.fault == nil { facts.append(counted(entry.rows, "row")) }
        facts.append(StatisticsRenderer.size(entry.bytes))
        if let library = entry.library { facts.append("SQLite \(library)") }
        if entry.locked == .no { facts.append("not locked") }
        if entry.isReplaced { facts.append("not the file that Drydock made here") }
        guard let origin = entry.origin else { return facts.joined(separator: ", ") }
        var words = origin.way.rawValue
        if let source = origin.source { words += " of \(VisibleText.line(source))" }
        words += " on \(VisibleText.line(origin.date)), seed \(origin.seed)"
        if !origin.masked.isEmpty { words += ", \(counted(origin.masked.count, "column")) masked" }
        return (facts + [words]).joined(separator: ", ")
    }
}
