import Drydock
import SQLiteSchema

/// The lines of what `drydock health` could not look at.
struct HealthGapsText {
    let paint: Paint

    private static let (lineLimit, exampleLimit) = (10, 3)

    /// Returns those of one database: a line for each reason.
    func text(_ findings: [Finding], _ gaps: [NotChecked]) -> String {
        var text = ""
        let rest = Self.unreported(findings, gaps)
        let whole = Dictionary(grouping: rest.filter { $0.table == nil }) { VisibleText.line($0.reason) }
        for (reason, entries) in whole.sorted(by: { $0.key < $1.key }) {
            text += line(Self.cut(entries.map(\.rule.rawValue).sorted(), "check"), reason)
        }
        let parts = Dictionary(grouping: rest.filter { $0.table != nil }) {
            [$0.rule.rawValue, VisibleText.line($0.reason)]
        }
        for (key, entries) in parts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            let tables = entries.compactMap(\.table)
            let names = tables.prefix(3).joined(separator: ", ") + (tables.count > 3 ? ", …" : "")
            text += line("\(key[0]) of \(counted(tables.count, "table")) (\(names))", key[1])
        }
        return text
    }

    /// Returns those of many databases: the reasons that most share.
    func text(_ report: Report) -> String {
        let (findings, gaps) = (report.findingsByDatabase, report.gapsByDatabase)
        let rest = gaps.keys.sorted().flatMap { Self.unreported(findings[$0] ?? [], gaps[$0] ?? []) }
        let groups = Dictionary(grouping: rest, by: \.reason).sorted {
            ($1.value.count, $0.key) < ($0.value.count, $1.key)
        }
        let lines = groups.prefix(Self.lineLimit).map { reason, entries in
            let rules = Set(entries.map(\.rule.rawValue)).sorted()
            var paths: [String] = []
            for entry in entries where paths.last != entry.database { paths.append(entry.database ?? "") }
            let names = paths.prefix(Self.exampleLimit).map(VisibleText.line).joined(separator: ", ")
            let more = paths.count > Self.exampleLimit ? ", …" : ""
            return line(
                "\(Self.cut(rules, "check")) in \(counted(paths.count, "database")) (\(names)\(more))",
                VisibleText.line(reason))
        }
        let left = groups.count - lines.count
        return lines.joined()
            + (left > 0 ? paint.dim("  … for \(counted(left, "reason")) more (-v shows them)") + "\n" : "")
    }

    /// Returns the gaps that are not findings already.
    private static func unreported(_ findings: [Finding], _ gaps: [NotChecked]) -> [NotChecked] {
        let reported = Set(findings.filter { $0.tags.contains(.notChecked) }.map(\.rule))
        return gaps.filter { gap in
            if case .notReached(.wholeFile, _) = gap.cause { return true }
            return !reported.contains(gap.rule)
        }
    }

    private func line(_ what: String, _ reason: String) -> String {
        "  \(paint.yellow("not reached:")) \(what): \(reason)\n"
    }

    /// Returns the names, or the number of names and the first three.
    private static func cut(_ names: [String], _ noun: String) -> String {
        guard names.count > 4 else { return names.joined(separator: ", ") }
        return "\(counted(names.count, noun)) (\(names.prefix(3).joined(separator: ", ")), …)"
    }
}
