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
            let time = HumanRenderer().duration(seconds)
            items.append(
                item(
                    "·",
                    isDone
                        ? "others could not \(action) for \(time)"
                        : "others cannot \(action) for about \(time)"))
        }
        if let backup = migrate.backup { items.append(item("·", "backup: \(backup), every page read again")) }
        items += migrate.notes.map { item("!", $0) }
        return items.isEmpty
            ? [] : [section("database", VisibleText.line(migrate.database), [list(items)])]
    }

    static func sections(_ diff: DiffSummary) -> [HTMLPage.Section] {
        let title = "\(VisibleText.line(diff.old)) → \(VisibleText.line(diff.new))"
        var content: [HTMLNode] = diff.changesByTable.flatMap { group -> [HTMLNode] in
            [
                .element("h3", [:], [.text(VisibleText.line(group.name))]),
                list(group.changes.map { item($0.sign.rawValue, VisibleText.line($0.detail)) }),
            ]
        }
        var notes = diff.renames.taken.map {
            item("~", "taken as renamed: \($0.oldPath) → \($0.to) (\($0.evidence))")
        }
        notes += diff.renames.open.map {
            item("?", "perhaps renamed: \($0.oldPath) → \($0.to) (\($0.evidence))")
        }
        notes += diff.unparsed.map { item("?", "not parsed: \($0); compared by tokens") }
        if !notes.isEmpty { content.append(list(notes)) }
        var sections = content.isEmpty ? [] : [section("differences", title, content)]
        for (id, name, plan) in [("sql", "SQL", diff.plan), ("back", "The way back", diff.downPlan)] {
            guard let plan, !plan.isEmpty else { continue }
            sections.append(section(id, name, [HTMLSQL.block(plan.text)]))
        }
        return sections
    }

    private static func section(_ id: String, _ title: String, _ content: [HTMLNode]) -> HTMLPage.Section {
        HTMLPage.Section(id: id, title: title, content: content)
    }

    private static func list(_ items: [HTMLNode]) -> HTMLNode {
        .element("ul", ["class": "changes"], items)
    }

    private static func item(_ sign: String, _ text: String) -> HTMLNode {
        let style = ["+": "good", "-": "bad", "~": "warn", "?": "warn", "!": "warn"][sign]
        return .element(
            "li", [:], [.element("b", ["class": style], [.text(sign)]), .text(text)])
    }
}
