import Drydock
import SQLiteSchema

/// The formats of a schema diff; each renders it as text.
package enum DiffFormat: String, CaseIterable, Sendable {
    case human, json, markdown

    package func render(_ report: DiffReport, showsQuiet: Bool, _ options: RenderOptions) -> String {
        let changes = report.changes.filter { showsQuiet || !$0.isQuiet }
        switch self {
        case .human: return Self.human(report, changes, Paint(options.usesColor))
        case .json: return jsonText(JSONDiff(report, changes))
        case .markdown: return Self.markdown(report, changes)
        }
    }

    /// Returns the names of the objects that differ, one on each line.
    package static func names(_ report: DiffReport) -> String {
        let names = report.changes.filter { !$0.isQuiet }.map { $0.table ?? $0.description }
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }.map { line($0) + "\n" }.joined()
    }

    // MARK: - Formats

    private static func human(_ report: DiffReport, _ changes: [SchemaChange], _ paint: Paint) -> String {
        guard !changes.isEmpty else {
            return "\(paint.green("same")): \(line(report.old)) and \(line(report.new))\n"
        }
        var text = "\(paint.red("---")) \(line(report.old))\n\(paint.green("+++")) \(line(report.new))\n"
        for group in groups(changes) {
            text += "\n\(paint.bold(line(group.name)))\n"
            for change in group.changes {
                let detail = "\(change.sign.rawValue) \(line(change.detail))"
                switch change.sign {
                case .added: text += "  \(paint.green(detail))\n"
                case .dropped: text += "  \(paint.red(detail))\n"
                case .changed: text += "  \(paint.yellow(detail))\n"
                }
                for clause in change.clauses.map(line) {
                    text += "      \(clause.hasPrefix("+") ? paint.green(clause) : paint.red(clause))\n"
                }
            }
        }
        for rename in report.renames.taken {
            text +=
                "\n\(paint.cyan("taken as renamed:")) \(line(rename.oldPath)) → \(line(rename.to)) (\(line(rename.evidence))); "
                + "--rename or --no-detect-renames decides otherwise\n"
        }
        for rename in report.renames.open {
            text +=
                "\n\(paint.yellow("perhaps renamed:")) \(line(rename.oldPath)) → \(line(rename.to)) (\(line(rename.evidence))); "
                + "--rename \(line(rename.oldPath))=\(line(rename.to)) says so\n"
        }
        for object in report.unparsed {
            text += "\n\(paint.yellow("not parsed:")) \(line(object)); compared by tokens\n"
        }
        return text + "\n" + counted(changes.count, "difference") + "\n"
    }

    private static func markdown(_ report: DiffReport, _ changes: [SchemaChange]) -> String {
        guard !changes.isEmpty else {
            return "No difference between \(code(report.old)) and \(code(report.new)).\n"
        }
        var text = "### Schema: \(code(report.old)) → \(code(report.new))\n"
        for group in groups(changes) {
            text += "\n**\(code(group.name))**\n\n"
            for change in group.changes {
                let mark =
                    switch change.sign {
                    case .added: "➕"
                    case .dropped: "➖"
                    case .changed: "✏️"
                    }
                text += "- \(mark) \(code(change.detail))\n"
            }
        }
        let renames =
            report.renames.taken.map { "Taken as renamed: \(code($0.oldPath + " → " + $0.to))" }
            + report.renames.open.map { "Perhaps renamed: \(code($0.oldPath + " → " + $0.to))" }
        if !renames.isEmpty { text += "\n" + renames.map { "- \($0)\n" }.joined() }
        for (title, plan) in [("SQL", report.plan), ("The way back", report.downPlan)] {
            guard let plan, !plan.isEmpty else { continue }
            let sql = VisibleText.lines(plan.text)
            let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: sql) + 1))
            if sql != plan.text {
                text += "\nNames in it have characters that do not show: take the SQL from `--sql`.\n"
            }
            text += "\n**\(title)**\n\n\(fence)sql\n\(sql)\(fence)\n"
        }
        return text
    }

    private static func code(_ text: String) -> String { "`" + line(text).replacing("`", with: "'") + "`" }

    private static func line(_ text: String) -> String { VisibleText.line(text) }

    private static func longestRun(of character: Character, in text: String) -> Int {
        text.reduce(into: (run: 0, longest: 0)) { counts, next in
            counts.run = next == character ? counts.run + 1 : 0
            counts.longest = max(counts.longest, counts.run)
        }.longest
    }

    private static func groups(_ changes: [SchemaChange]) -> [(name: String, changes: [SchemaChange])] {
        var order: [String] = []
        var byName: [String: [SchemaChange]] = [:]
        for change in changes {
            let name = change.table ?? "database"
            if byName[name] == nil { order.append(name) }
            byName[name, default: []].append(change)
        }
        return order.map { ($0, byName[$0] ?? []) }
    }
}

private struct JSONDiff: Encodable {
    struct Change: Encodable {
        var kind: String
        var code: String
        var table: String?
        var object: String?
        var description: String
        var quiet: Bool
    }

    struct Rename: Encodable {
        var from, to, evidence: String
        var score: Double
        var taken: Bool
    }

    struct Refusal: Encodable {
        var rule = "plan-refused"
        var severity = "error"
        var message: String
        var help = ""
    }

    var tool = "drydock"
    var formatVersion = 1
    var command = "diff"
    var verdict: String
    var old, new: String
    var changes: [Change]
    var findings: [Refusal]
    var renames: [Rename]
    var sql, downSQL: String?
    var losses, leftOver, unparsed: [String]?

    init(_ report: DiffReport, _ changes: [SchemaChange]) {
        verdict = report.isSame && report.refusals.isEmpty ? "passed" : "failed"
        old = report.old
        new = report.new
        self.changes = changes.map { change in
            let kind =
                switch change.sign {
                case .added: "added"
                case .dropped: "dropped"
                case .changed: "changed"
                }
            return Change(
                kind: kind, code: change.code, table: change.table, object: change.object,
                description: change.description, quiet: change.isQuiet)
        }
        renames = [(report.renames.taken, true), (report.renames.open, false)].flatMap { renames, isTaken in
            renames.map {
                Rename(from: $0.oldPath, to: $0.to, evidence: $0.evidence, score: $0.score, taken: isTaken)
            }
        }
        findings = report.refusals.map { Refusal(message: $0.message, help: $0.help) }
        sql = report.plan?.text
        downSQL = report.downPlan?.text
        losses = report.plan.flatMap { $0.losses.isEmpty ? nil : $0.losses }
        leftOver = report.plan.flatMap { $0.leftOver.isEmpty ? nil : $0.leftOver }
        unparsed = report.unparsed.isEmpty ? nil : report.unparsed
    }
}

extension SchemaChange {
    package enum Sign: String { case added = "+", dropped = "-", changed = "~" }

    package var sign: Sign {
        switch self {
        case .tableAdded, .indexAdded, .viewAdded, .triggerAdded, .virtualTableAdded, .unparsedAdded: .added
        case .tableDropped, .indexDropped, .viewDropped, .triggerDropped, .virtualTableDropped,
            .unparsedDropped:
            .dropped
        case .table(_, .columnAdded), .table(_, .uniqueAdded), .table(_, .checkAdded),
            .table(_, .foreignKeyAdded):
            .added
        case .table(_, .columnDropped), .table(_, .uniqueDropped), .table(_, .checkDropped),
            .table(_, .foreignKeyDropped):
            .dropped
        default: .changed
        }
    }

    /// The change without the table under which it is shown.
    package var detail: String {
        if case .table(_, let change) = self { change.description } else { description }
    }

    /// The clauses in which two queries or trigger bodies differ, one on each line.
    fileprivate var clauses: [String] {
        let (from, to): ([SQLFragment], [SQLFragment])
        switch self {
        case .view(_, .query(let before, let after)): (from, to) = ([before], [after])
        case .trigger(_, _, .body(let before, let after)): (from, to) = (before, after)
        default: return []
        }
        let (old, new) = (from.flatMap(\.lines), to.flatMap(\.lines))
        let difference = new.difference(from: old)
        let gone = Set(difference.removals.map(\.offset)), come = Set(difference.insertions.map(\.offset))
        return old.indices.filter(gone.contains).map { "- " + old[$0] }
            + new.indices.filter(come.contains).map { "+ " + new[$0] }
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
