import Drydock
import SQLiteSchema

/// What commands without a replay did or found out, beside their findings.
enum HTMLChanges {
    static func sections(_ lint: LintSummary) -> [HTMLPage.Section] {
        guard let fixed = lint.fixed, !fixed.isEmpty else { return [] }
        let items = fixed.map { fix in
            let line = fix.place.line.map { ":\($0)" } ?? ""
            return item("~", "\(fix.rule.rawValue) in \(fix.place.file)\(line): \(fix.message)")
        }
        return [section("fixed", "Fixed", [list(items)])]
    }

    static func sections(_ lock: LockSummary) -> [HTMLPage.Section] {
        var items = lock.added.map { item("+", $0) }
        items += lock.replaced.map { item("~", $0) }
        items += lock.unchanged.map { item("=", "\($0) is as it was locked") }
        items += lock.removed.map { item("-", $0) }
        items += lock.unlocked.map { item("?", "\($0) is not locked") }
        return items.isEmpty ? [] : [section("lock", "The lock \(lock.path)", [list(items)])]
    }

    static func sections(_ migrate: MigrateSummary) -> [HTMLPage.Section] {
        var items: [HTMLNode] = []
        if migrate.outcome == .pending { items += migrate.pending.map { item("+", $0) } }
        items += migrate.needs.map { need in
            let free = need.free.map { ", \(StatisticsRenderer.size($0)) free" } ?? ""
            return item(
                "·", "\(StatisticsRenderer.size(need.bytes)) in \(need.folder)\(free): \(need.purpose)")
        }
        if let seconds = migrate.lockSeconds {
            let action = migrate.locksReaders ? "read or write" : "write"
            let isDone = migrate.outcome == .applied || migrate.outcome == .damaged
            let time = elapsed(seconds)
            items.append(
                item(
                    "·",
                    isDone
                        ? "other programs could not \(action) for \(time)"
                        : "other programs cannot \(action) for about \(time)"))
        }
        if let backup = migrate.backup { items.append(item("·", "backup: \(backup), every page read again")) }
        items += migrate.notes.map { item("!", $0) }
        return items.isEmpty
            ? [] : [section("database", VisibleText.line(migrate.database), [list(items)])]
    }

    static func sections(_ diff: DiffSummary) -> [HTMLPage.Section] {
        let title = "\(VisibleText.line(diff.old)) → \(VisibleText.line(diff.new))"
        var content = diff.isSame ? [] : [list(diff.changes)]
        var notes = diff.renames.taken.map {
            item("~", "treated as renamed: \($0.oldPath) → \($0.to) (\($0.evidence))")
        }
        notes += diff.renames.open.map {
            item("?", "perhaps renamed: \($0.oldPath) → \($0.to) (\($0.evidence))")
        }
        notes += diff.unparsed.map { item("?", "not parsed: \($0); compared by tokens") }
        if !notes.isEmpty { content.append(list(notes)) }
        var sections = content.isEmpty ? [] : [section("differences", title, content)]
        let excerpt = SchemaReferences(diff.newSchema).excerpt(of: diff.newSchema, around: diff.changes)
        let diagram = EntityDiagram(
            excerpt.schema, changes: diff.changes, leftOut: excerpt.leftOut, limit: 60)
        if !diagram.boxes.isEmpty {
            sections.append(section("diagram", "Diagram", [HTMLHistory.key, diagram.node("What differs")]))
        }
        for (id, name, plan) in [("sql", "SQL", diff.plan), ("back", "The way back", diff.downPlan)] {
            guard let plan, !plan.isEmpty else { continue }
            sections.append(section(id, name, [HTMLSQL.block(plan.text)]))
        }
        return sections
    }

    /// Returns the differences of two schemas, table by table.
    static func list(_ changes: [SchemaChange], limit: Int = .max) -> HTMLNode {
        var left = limit
        var nodes: [HTMLNode] = []
        for group in changes.byTable where left > 0 {
            let shown = group.changes.prefix(left)
            left -= shown.count
            nodes.append(.element("h3", [:], [.text(VisibleText.line(group.name))]))
            nodes.append(
                list(
                    shown.map { change in
                        item(
                            change.sign.rawValue, VisibleText.line(change.detail),
                            change.clauses.map { clause in
                                .element("code", ["class": "clause"], [.text(clause)])
                            })
                    }))
        }
        if changes.count > limit {
            nodes.append(.element("p", ["class": "more"], [.text("and \(changes.count - limit) more")]))
        }
        return .group(nodes)
    }

    private static func section(_ id: String, _ title: String, _ content: [HTMLNode]) -> HTMLPage.Section {
        HTMLPage.Section(id: id, title: title, content: content)
    }

    private static func list(_ items: [HTMLNode]) -> HTMLNode {
        .element("ul", ["class": "changes"], items)
    }

    private static func item(_ sign: String, _ text: String, _ more: [HTMLNode] = []) -> HTMLNode {
        let style = ["+": "good", "-": "bad", "~": "warn", "?": "warn", "!": "warn"][sign]
        return .element(
            "li", [:], [.element("b", ["class": style], [.text(sign)]), .text(text)] + more)
    }
}
