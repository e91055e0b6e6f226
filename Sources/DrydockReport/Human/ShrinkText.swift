import Drydock
import Foundation
import SQLiteSchema

/// What `drydock shrink` prints.
package struct ShrinkText {
    let shrunk: ShrunkFinding
    /// Where the smaller project was written to.
    let folder: String
    let options: RenderOptions

    private var paint: Paint { options.paint }

    package init(shrunk: ShrunkFinding, folder: String, options: RenderOptions) {
        (self.shrunk, self.folder, self.options) = (shrunk, folder, options)
    }

    package var text: String {
        let size = StatisticsRenderer.size
        let finding = shrunk.finding
        let place = finding.place.map { VisibleText.line($0.file) + ($0.line.map { ":\($0)" } ?? "") }
        var text =
            "\(paint.bold("\(finding.severity.rawValue)[\(finding.rule.rawValue)]")) \(VisibleText.line(finding.message(options)))\n"
        if let place { text += "  --> \(place)\n" }
        text +=
            "  \(VisibleText.line(shrunk.snapshot)), \(size(shrunk.bytes.before)) -> \(size(shrunk.bytes.after)): "
            + (shrunk.rowCount == 0
                ? "no row" : "\(counted(shrunk.rowCount, "row")) in \(counted(shrunk.tables.count, "table"))")
            + statements + "\n"
        if !options.redacts, let example = finding.counterexample, !example.inserts.isEmpty {
            text += "\n"
            let shown = example.shownInserts.prefix(Self.shownInserts)
            for insert in shown { text += "    \(VisibleText.line(insert))\n" }
            if example.inserts.count > shown.count {
                text += "    … and \(counted(example.inserts.count - shown.count, "more row"))\n"
            }
            text += "\n"
        }
        text += values
        if !shrunk.isSameCause {
            text +=
                "  \(paint.yellow("note:")) the cause differs from the one in the snapshot: no sample of its rows showed that one\n"
        }
        if !shrunk.isScriptExact {
            text +=
                "  \(paint.yellow("note:")) finding.sql creates different rows than the folder's snapshot has: look at both\n"
        }
        if !shrunk.isSmallest {
            text += "  \(paint.yellow("note:")) the search ended at a limit: something smaller may show it\n"
        }
        let name = PathParts.inShell(VisibleText.line(folder))
        text +=
            "written to \(name), after \(counted(shrunk.runs, "run")) of the step in \(time(shrunk.seconds)):\n"
        text += "  sqlite3 < \(name)/finding.sql     the rows, and the statements, in plain SQLite\n"
        guard shrunk.project.isVerified else {
            return text
                + "  \(paint.red("warning:")) drydock verify does not report the finding in that folder: it needs options of "
                + "this command, or files that are missing there\n"
        }
        let libraries = shrunk.project.settings.checks.sqliteLibraries.map {
            " --sqlite-library \(PathParts.inShell(VisibleText.line($0)))"
        }
        text += "  cd \(name) && drydock verify\(libraries.joined())      reports the finding"
        text += others + "\n"
        if shrunk.project.isMigrationWhole, shrunk.statements.after < shrunk.statements.before {
            text +=
                "  \(paint.yellow("note:")) the migration's file there is the whole one; finding.sql has the "
                + "statements that are needed\n"
        }
        return text
    }

    private var statements: String {
        guard shrunk.statements.before > 0 else { return ", and no migration is run" }
        let name = migrations
        return ", \(shrunk.statements.after) of \(counted(shrunk.statements.before, "statement"))"
            + (name.isEmpty ? "" : " of \(name)")
    }

    private var migrations: String {
        shrunk.migrations.count > 1
            ? counted(shrunk.migrations.count, "migration") : VisibleText.line(shrunk.migration)
    }

    private var others: String {
        var names: [String] = []
        for rule in shrunk.project.others where !names.contains(rule.rawValue) { names.append(rule.rawValue) }
        return names.isEmpty
            ? "" : "; also \(listed(names)), from what was left out"
    }

    private static let shownInserts = 10

    private var values: String {
        guard let kept = shrunk.keptColumns else {
            return
                "  \(paint.yellow("note:")) values are those of the snapshot (--keep-values): look at them before you share it\n"
        }
        guard !kept.isEmpty else {
            return "  no value of the snapshot is left except short texts and small numbers\n"
        }
        return "  \(paint.yellow("note:")) values of the snapshot are left in "
            + kept.map(VisibleText.line).joined(separator: ", ")
            + (shrunk.isSmallest ? ", since the finding needs them" : "")
            + ": look at them before you share it\n"
    }

    private func time(_ seconds: Double) -> String { String(format: "%.1f s", seconds) }
}
