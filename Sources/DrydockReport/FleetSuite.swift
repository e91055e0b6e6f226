import Drydock

/// What a report says of many databases, in the form of a test run: a case for each check, whose history programs that show
/// tests can follow, and not one for each of 10,000 databases. What was not checked anywhere is a case of its own, so that it
/// never counts as passed.
struct FleetSuite {
    private(set) var suite: CheckSuite
    private let report: Report

    init(_ report: Report) {
        self.report = report
        suite = CheckSuite(name: "drydock \(report.command)", seconds: report.seconds)
        let groups = report.reportedGroups
        suite.properties = properties
        let failing = Dictionary(grouping: groups.filter { report.fails($0.findings[0]) }, by: Self.rule)
        let passing = Dictionary(grouping: groups.filter { !report.fails($0.findings[0]) }, by: Self.rule)
        let gaps = Dictionary(grouping: report.notChecked, by: \.rule)
        for rule in rules(groups) {
            add(rule, failing[rule] ?? [], passing[rule] ?? [])
            if let entries = gaps[rule] { add(rule, entries) }
        }
        suite.cases += outcomes
        // A case that passes would hide that something failed, or that nothing was checked.
        if suite.cases.isEmpty {
            suite.cases = [
                CheckCase(name: report.command, outcome: .skipped("there was nothing to check"))
            ]
        }
    }

    private static func rule(_ group: FindingGroup) -> Rule { group.findings[0].rule }

    /// The rules that were checked somewhere, in the order of the checks, and then the others.
    private func rules(_ groups: [FindingGroup]) -> [Rule] {
        var seen: Set<Rule> = []
        let checked = report.health?.databases.flatMap(\.checked) ?? []
        return (checked + groups.map(Self.rule) + report.notChecked.map(\.rule)).filter {
            seen.insert($0).inserted
        }
    }

    private mutating func add(_ rule: Rule, _ failing: [FindingGroup], _ passing: [FindingGroup]) {
        let isChecked = report.health?.databases.contains { $0.checked.contains(rule) } ?? false
        if !failing.isEmpty {
            suite.cases.append(CheckCase(name: rule.rawValue, outcome: .failed, groups: failing))
        } else if isChecked {
            suite.cases.append(CheckCase(name: rule.rawValue))
        }
        for severity in [Finding.Severity.warning, .note] {
            let groups = passing.filter { $0.findings[0].severity == severity }
            guard let first = groups.first else { continue }
            let isGap = groups.contains { $0.findings[0].tags.contains(.notChecked) }
            suite.cases.append(
                CheckCase(
                    name: "\(rule.rawValue) (\(severity.rawValue)s)",
                    outcome: isGap ? .skipped(first.line(RenderOptions())) : .passed, groups: groups))
        }
    }

    private mutating func add(_ rule: Rule, _ gaps: [NotChecked]) {
        let count = Set(gaps.map { $0.database ?? $0.snapshot ?? "" }).count
        let reasons = gaps.groups
        let more = reasons.count > 1 ? ", and \(counted(reasons.count - 1, "reason")) more" : ""
        suite.cases.append(
            CheckCase(
                name: "\(rule.rawValue): not checked",
                outcome: .skipped(
                    "in \(counted(count, "database")): \(reasons.first?.first?.reason ?? "")\(more)")))
    }

    private var properties: [(name: String, value: String)] {
        var properties: [(name: String, value: String)] = []
        if let totals = report.healthTotals {
            properties.append(("databases", "\(totals.databases)"))
            properties += HealthTotals.State.allCases.map { ($0.rawValue, "\(totals.counts[$0] ?? 0)") }
            for (name, spread) in [("size_bytes", totals.size), ("freelist_ratio", totals.freeRatio)] {
                guard let spread else { continue }
                properties += [
                    ("\(name)_median", "\(spread.median)"),
                    ("\(name)_percentile99", "\(spread.percentile99)"),
                    ("\(name)_most", "\(spread.most)"),
                ]
            }
        }
        if let rollOut = report.rollOut {
            properties.append(("databases", "\(rollOut.databases.count)"))
            properties += Self.outcomes(rollOut).map { ($0.outcome.rawValue, "\($0.count)") }
        }
        if let vacuums = report.vacuums {
            properties += [
                ("databases", "\(vacuums.databases.count)"), ("bytesBefore", "\(vacuums.bytesBefore)"),
                ("bytesAfter", "\(vacuums.bytesAfter)"),
            ]
        }
        return properties
    }

    /// A case for each way in which databases came out well. What did not is among the findings.
    private var outcomes: [CheckCase] {
        switch report.body {
        case .rollOut(let rollOut):
            let well: [RollOutSummary.Outcome] = [.upToDate, .rehearsed, .applied]
            return Self.outcomes(rollOut).filter { well.contains($0.outcome) }.map {
                CheckCase(name: $0.outcome.rawValue)
            }
        case .vacuums(let vacuums): return vacuums.done.isEmpty ? [] : [CheckCase(name: "vacuumed")]
        case .verify, .lint, .lock, .migrate, .health, .diff, .vacuum: return []
        }
    }

    private static func outcomes(
        _ rollOut: RollOutSummary
    ) -> [(outcome: RollOutSummary.Outcome, count: Int)] {
        let all: [RollOutSummary.Outcome] = [
            .upToDate, .pending, .rehearsed, .applied, .failed, .busy, .damaged, .notReached,
        ]
        return all.map { (outcome: $0, count: rollOut.count($0)) }.filter { $0.count > 0 }
    }
}
