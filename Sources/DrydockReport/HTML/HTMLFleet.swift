import Drydock
import SQLiteSchema

/// The databases of `drydock health`: a table of all, the worst first, and what is wrong with each. Of many only the worst are
/// in the table, below what all come to; what several share is said once.
struct HTMLFleet {
    private let health: HealthSummary
    private let findings: [String: [FindingGroup]]
    private let gaps: [String: Int]
    private let options: RenderOptions
    private let report: Report
    /// How many of many databases are in the table.
    private static let worstLimit = 10
    /// How many findings that databases share are shown.
    private static let groupLimit = 100

    init(_ health: HealthSummary, _ report: Report, _ options: RenderOptions) {
        (self.health, self.report, self.options) = (health, report, options)
        findings = report.findingsByDatabase.mapValues(FindingGroup.bySeverity)
        gaps = report.gapsByDatabase.mapValues(\.count)
    }

    var sections: [HTMLPage.Section] {
        if report.isFleet { return sectionsOfMany }
        var sections = [
            HTMLPage.Section(
                id: "databases", title: "Databases", content: [table(of: health.databases)] + accepted)
        ]
        let wrong = ordered.filter { !(findings[$0.path] ?? []).isEmpty || $0.trouble != nil }
        if !wrong.isEmpty {
            sections.append(
                HTMLPage.Section(id: "wrong", title: "Findings", content: articles(wrong)))
        }
        return sections
    }

    // MARK: - Many

    private var sectionsOfMany: [HTMLPage.Section] {
        guard let totals = report.healthTotals else { return [] }
        var sections = [
            HTMLPage.Section(
                id: "databases", title: "Databases", content: [states(totals), spreads(totals)] + accepted)
        ]
        let byPath = Dictionary(health.databases.map { ($0.path, $0) }) { first, _ in first }
        let worst = totals.cases.prefix(Self.worstLimit).compactMap { byPath[$0.path] }
        if !worst.isEmpty {
            let left = totals.cases.count - worst.count
            sections.append(
                HTMLPage.Section(id: "worst", title: "The worst", content: [table(of: worst), more(left)]))
        }
        let groups = FindingGroup.byDatabase(report.reported)
        guard !groups.isEmpty else { return sections }
        let left = groups.dropFirst(Self.groupLimit).reduce(0) { $0 + $1.findings.count }
        var content = HTMLFindings(Array(groups.prefix(Self.groupLimit)), options, SnapshotNames([])).content
        if left > 0 { content.append(.element("p", ["class": "more"], [.text(Report.leftOut(left) + ".")])) }
        sections.append(HTMLPage.Section(id: "findings", title: "Findings", content: content))
        return sections
    }

    private func more(_ count: Int) -> HTMLNode {
        guard count > 0 else { return .nothing }
        let text =
            "… and \(StatisticsRenderer.grouped(count)) more that are not healthy (--format json lists them)"
        return .element("p", ["class": "more"], [.text(text)])
    }

    private func states(_ totals: HealthTotals) -> HTMLNode {
        let heads = ["state", "databases", "share"]
        let rows = HealthTotals.State.allCases.compactMap { state -> HTMLNode? in
            guard let count = totals.counts[state] else { return nil }
            let share = (Double(count) * 1000 / Double(totals.databases)).rounded() / 10
            return HTMLTable.row(
                [state.words, StatisticsRenderer.grouped(count), "\(share) %"], heads, numbersFrom: 1,
                values: [1: count, 2: count])
        }
        return .element("div", ["class": "wide"], [HTMLTable.table(heads, rows, numbersFrom: 1)])
    }

    private func spreads(_ totals: HealthTotals) -> HTMLNode {
        let heads = ["", "least", "median", "90 %", "99 %", "most"]
        func row(_ name: String, _ spread: Spread?, _ text: (Double) -> String) -> HTMLNode {
            guard let spread else { return .nothing }
            let values = [
                spread.least, spread.median, spread.percentile90, spread.percentile99, spread.most,
            ]
            return HTMLTable.row([name] + values.map(text), heads, numbersFrom: 1)
        }
        let rows = [
            row("size", totals.size) { StatisticsRenderer.size(Int($0)) },
            row("free", totals.freeRatio) { "\(($0 * 1000).rounded() / 10) %" },
        ]
        guard totals.size != nil || totals.freeRatio != nil else { return .nothing }
        return .element("div", ["class": "wide"], [HTMLTable.table(heads, rows, numbersFrom: 1)])
    }

    // MARK: - The order

    private var ordered: [DatabaseHealth] { inOrder(health.databases) }

    private func inOrder(_ databases: [DatabaseHealth]) -> [DatabaseHealth] {
        databases.enumerated().sorted { a, b in
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

    private func table(of databases: [DatabaseHealth]) -> HTMLNode {
        let heads = ["database", "state", "what", "size", "free", "known", "checks", "not reached", "time"]
        let rows = inOrder(databases).map { database -> HTMLNode in
            let state = state(database)
            let rules = (findings[database.path] ?? []).filter { $0.findings[0].severity != .note }.map {
                $0.findings[0].rule.rawValue
            }
            let what = database.trouble ?? Set(rules).sorted().joined(separator: ", ")
            let figures = [
                measure("size_bytes", database).map { StatisticsRenderer.size(Int($0)) } ?? "",
                measure("freelist_ratio", database).map { "\(Int(($0 * 100).rounded())) %" } ?? "",
                "\(database.knownCount)", "\(database.checked.count)", "\(gaps[database.path] ?? 0)",
                elapsed(database.seconds),
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
