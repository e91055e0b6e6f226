import Drydock
import SQLiteSchema

/// Renders a report as one page for people: the verdict, what was not checked, the migrations against the snapshots, and
/// each finding with its SQL, rows and remedy.
package struct HTMLRenderer: ReportRenderer {
    package let name = "html"

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        let report = report.visible
        let groups = FindingGroup.bySeverity(report.findings)
        var page = HTMLPage(
            title: "drydock \(report.command): \(report.hasPassed ? "passed" : "failed")",
            brand: Self.brand(report), verdict: Self.verdict(report), lead: Self.lead(report, groups),
            facts: Self.facts(report))
        page.sections = ownSections(report, options)
        if let gaps = HTMLGaps(report).section { page.sections.insert(gaps, at: 0) }
        let matrix = HTMLMatrix(report, groups)
        page.sections += matrix.sections
        if case .health = report.body {
            // The table of databases has them.
        } else if let section = HTMLFindings(groups, options, SnapshotNames(report)).section {
            page.sections.append(section)
        }
        if case .verify(let verify) = report.body, let history = verify.history {
            page.sections += HTMLHistory.sections(history)
        }
        return page.text
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        var page = HTMLPage(
            title: "drydock \(command): no report", brand: "drydock \(command)",
            verdict: .init(symbol: "✗", words: "No report", style: "bad"), lead: [.text(error.description)],
            facts: [])
        if !error.quote.isEmpty {
            page.sections = [
                .init(id: "help", title: "What to do", content: [.element("pre", [:], [.lines(error.quote)])])
            ]
        }
        return page.text
    }

    private func ownSections(_ report: Report, _ options: RenderOptions) -> [HTMLPage.Section] {
        switch report.body {
        case .verify: []
        case .lint(let lint): HTMLChanges.sections(lint)
        case .lock(let lock): HTMLChanges.sections(lock)
        case .migrate(let migrate): HTMLChanges.sections(migrate)
        case .rollOut(let rollOut):
            [
                HTMLPage.Section(
                    id: "databases", title: "Databases",
                    content: [
                        .element(
                            "pre", [:],
                            [.lines(RollOutText(rollOut: rollOut, options: options.plain).progress)])
                    ])
            ]
        case .health(let health): HTMLFleet(health, report, options).sections
        case .diff(let diff): HTMLChanges.sections(diff)
        case .vacuums(let vacuums):
            [
                HTMLPage.Section(
                    id: "vacuum", title: "What was done",
                    content: [
                        .element(
                            "pre", [:],
                            [
                                .lines(
                                    FleetVacuumText(options: options.plain).text(
                                        vacuums, seconds: report.seconds))
                            ])
                    ])
            ]
        case .vacuum(let vacuum):
            [
                HTMLPage.Section(
                    id: "vacuum", title: "What was done",
                    content: [
                        .element(
                            "pre", [:],
                            [
                                .lines(
                                    VacuumText(vacuum: vacuum, seconds: report.seconds, options: options).text
                                )
                            ])
                    ])
            ]
        }
    }

    // MARK: - The top of the page

    private static func brand(_ report: Report) -> String {
        let tool = report.tools.map { ", migrations read as \($0)" } ?? ""
        let found = report.foundMigrations.map { ", found in \($0)" } ?? ""
        return "drydock \(report.command)\(tool)\(found)"
    }

    private static func verdict(_ report: Report) -> HTMLPage.Verdict {
        let isGood = report.hasPassed
        var words = isGood ? "Passed" : "Failed"
        switch report.body {
        case .diff(let diff): words = diff.isSame ? "Same" : "Different"
        case .migrate(let migrate):
            let result = migrate.result(hasPassed: report.hasPassed)
            words = result.prefix(1).uppercased() + result.dropFirst()
        case .rollOut(let rollOut):
            let result = rollOut.result
            words = result.prefix(1).uppercased() + result.dropFirst()
        case .vacuums(let vacuums):
            let result = vacuums.result
            words = result.prefix(1).uppercased() + result.dropFirst()
        case .health: words = isGood ? "Healthy" : "Findings"
        case .verify, .lint, .lock, .vacuum: break
        }
        // What was not checked never gets a tick.
        if isGood, !report.notChecked.isEmpty {
            return HTMLPage.Verdict(symbol: "!", words: words + ", with gaps", style: "warn")
        }
        return HTMLPage.Verdict(symbol: isGood ? "✓" : "✗", words: words, style: isGood ? "good" : "bad")
    }

    private static func lead(_ report: Report, _ groups: [FindingGroup]) -> [HTMLNode] {
        var counts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = groups.count { $0.findings[0].severity == severity }
            return count == 0 ? nil : counted(count, severity.rawValue)
        }
        let gaps = report.notChecked.groups.count
        if gaps > 0 { counts.append("\(gaps) not checked") }
        if case .diff(let diff) = report.body, !diff.isSame {
            counts.insert(counted(diff.changes.count, "difference"), at: 0)
        }
        if let totals = report.healthTotals, report.isFleet {
            return [.text("\(StatisticsRenderer.grouped(totals.databases)) databases: \(totals.words).")]
        }
        var text = counts.isEmpty ? "No findings" : listed(counts)
        text += "."
        if case .verify(let verify) = report.body, !verify.replays.isEmpty,
            verify.replays.allSatisfy(\.isProbe)
        {
            text +=
                report.hasPassed
                ? " No generated row shows a fault, which does not prove that no row does."
                : " The rows are generated."
        }
        return [.text(text)]
    }

    private static func facts(_ report: Report) -> [(name: String, value: String)] {
        func fact(_ count: Int, _ noun: String, _ rest: String = "") -> (String, String) {
            ((count == 1 ? noun : noun + "s") + rest, StatisticsRenderer.grouped(count))
        }
        var facts: [(String, String)] = []
        switch report.body {
        case .verify(let verify):
            let snapshots = verify.replays.count { !$0.isProbe }
            if snapshots > 0 || verify.replays.isEmpty { facts.append(fact(snapshots, "snapshot")) }
            let rows = verify.replays.reduce(0) { $0 + $1.rowsGenerated }
            if rows > 0 { facts.append(fact(rows, "row", " generated")) }
        case .lint(let lint):
            facts = [fact(lint.migrations, "migration"), fact(lint.statements, "statement")]
        case .lock(let lock):
            facts = [
                fact(lock.migrationCount, "migration", " locked"),
                fact(lock.snapshotCount, "snapshot", " locked"),
            ]
        case .migrate(let migrate): facts = [("pending", StatisticsRenderer.grouped(migrate.pending.count))]
        case .health(let health): facts = [fact(health.databases.count, "database")]
        case .rollOut(let rollOut): facts = [fact(rollOut.databases.count, "database")]
        case .vacuums(let vacuums): facts = [fact(vacuums.databases.count, "database")]
        case .diff, .vacuum: break
        }
        let steps = report.replays.flatMap(\.steps)
        if !report.replays.isEmpty {
            facts += [
                fact(steps.count, "step"),
                fact(report.replays.reduce(0) { $0 + $1.rowsCompared }, "row", " compared"),
                fact(steps.reduce(0) { $0 + $1.pagesWritten }, "page", " written"),
            ]
        }
        if report.seconds > 0 { facts.append(("time", elapsed(report.seconds))) }
        return facts
    }
}
