import Drydock
import SQLiteSchema

/// The databases of `drydock health`: a table of all, the worst first, and what is wrong with each.
struct HTMLFleet {
    private let health: HealthSummary
    private let findings: [String: [FindingGroup]]
    private let gaps: [String: Int]
    private let options: RenderOptions

    init(_ health: HealthSummary, _ report: Report, _ options: RenderOptions) {
        (self.health, self.options) = (health, options)
        findings = report.findingsByDatabase.mapValues(FindingGroup.bySeverity)
        gaps = report.gapsByDatabase.mapValues(\.count)
    }

    var sections: [HTMLPage.Section] {
        var sections = [
            HTMLPage.Section(id: "databases", title: "Databases", content: [table] + accepted)
        ]
        let wrong = ordered.filter { !(findings[$0.path] ?? []).isEmpty || $0.trouble != nil }
        if !wrong.isEmpty {
            sections.append(
                HTMLPage.Section(id: "wrong", title: "Findings", content: articles(wrong)))
        }
        return sections
    }

    private var ordered: [DatabaseHealth] {
        health.databases.enumerated().sorted { a, b in
            (rank(a.element), a.offset) < (rank(b.element), b.offset)
        }.map(\.element)
    }

    private func rank(_ database: DatabaseHealth) -> Int {
        if database.trouble != nil { return 0 }
        switch severity(database) {
        case .error: return 1
        case .warning: return 2
        default: return gaps[database.path] == nil ? 4 : 3
        }
    }

    private func severity(_ database: DatabaseHealth) -> Finding.Severity? {
        findings[database.path]?.first?.findings[0].severity
    }

    private func state(_ database: DatabaseHealth) -> (style: String, text: String) {
        if database.trouble != nil { return ("bad", "? not checked") }
        let words = (findings[database.path] ?? []).filter { $0.findings[0].severity != .note }.count
        switch severity(database) {
        case .error: return ("bad", "✗ \(counted(words, "finding"))")
        case .warning: return ("warn", "! \(counted(words, "finding"))")
        default:
            return gaps[database.path] == nil ? ("good", "✓ healthy") : ("warn", "? not checked in full")
        }
    }

    // MARK: - The table

    private var table: HTMLNode {
        let heads = ["database", "state", "what", "size", "free", "known", "checks", "not reached", "time"]
        let rows = ordered.map { database -> HTMLNode in
            let state = state(database)
            let rules = (findings[database.path] ?? []).filter { $0.findings[0].severity != .note }.map {
                $0.findings[0].rule.rawValue
            }
            let what = database.trouble ?? Set(rules).sorted().joined(separator: ", ")
            let figures = [
                measure("size_bytes", database).map { StatisticsRenderer.size(Int($0)) } ?? "",
                measure("freelist_ratio", database).map { "\(Int(($0 * 100).rounded())) %" } ?? "",
                "\(database.knownCount)", "\(database.checked.count)", "\(gaps[database.path] ?? 0)",
                HumanRenderer().duration(database.seconds),
            ]
            // What a heading sorts by where that is not the text.
            let values = [0: measure("size_bytes", database), 5: database.seconds]
            let head: [HTMLNode] = [
                .element("td", ["class": "path"], [.text(VisibleText.line(database.path))]),
                .element("td", ["class": state.style, "data-v": "\(rank(database))"], [.text(state.text)]),
                .element("td", [:], [.text(what)]),
            ]
            return .element(
                "tr", [:],
                head
                    + figures.enumerated().map { index, figure in
                        .element(
                            "td",
                            [
                                "class": "num", "data-n": heads[index + 3],
                                "data-v": (values[index] ?? nil).map { String($0) },
                            ], [.text(figure)])
                    })
        }
        return .element("div", ["class": "wide"], [HTMLTable.table(heads, rows, numbersFrom: 3)])
    }

    private func measure(_ name: String, _ database: DatabaseHealth) -> Double? {
        database.measures.first { $0.name == name }?.value
    }

    private var accepted: [HTMLNode] {
        health.accepted.map {
            [
                .element(
                    "p", ["class": "soft"],
                    ["\(counted($0.count, "finding")) known in \(VisibleText.line($0.path))"])
            ]
        } ?? []
    }

    // MARK: - What is wrong

    private func articles(_ databases: [DatabaseHealth]) -> [HTMLNode] {
        var number = 0
        return databases.map { database in
            let groups = findings[database.path] ?? []
            let articles = groups.map { group -> HTMLNode in
                defer { number += 1 }
                return HTMLFinding(group, options, SnapshotNames([])).article(number)
            }
            let trouble: HTMLNode =
                database.trouble.map { .element("p", ["class": "bad"], [.text("? \($0)")]) } ?? .nothing
            return .element(
                "details", ["open": databases.count <= 5 ? "open" : nil],
                [
                    .element(
                        "summary", [:],
                        [
                            .span("path", VisibleText.line(database.path)), " ",
                            .span(state(database).style, state(database).text),
                        ]), trouble,
                ] + articles)
        }
    }
}
