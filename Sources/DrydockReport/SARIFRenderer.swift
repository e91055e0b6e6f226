import Drydock
import SQLiteSchema

/// Renders findings as SARIF 2.1.0, which code scanning services and editors read
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html). What was not checked is a notification of the run.
package struct SARIFRenderer: ReportRenderer {
    package let name = "sarif"

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        let (groups, left) = report.reportedEntries
        let gaps = report.gapEntries
        var rules: [Rule] = []
        for rule in groups.map({ $0.findings[0].rule }) + gaps.shown.map({ $0[0].rule })
        where !rules.contains(rule) {
            rules.append(rule)
        }
        let indexes = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1, $0) })
        var fingerprints = FindingFingerprints(options.paths)
        var run = SARIFRun(command: report.command)
        run.tool.driver.rules = rules.map { rule in
            SARIFRule(
                rule, groups.filter { $0.findings[0].rule == rule }.map { $0.findings[0].severity }.max())
        }
        let names = SnapshotNames(report.visible)
        run.results = groups.map { group in
            SARIFResult(
                group, report, options, names, index: indexes[group.findings[0].rule] ?? 0,
                fingerprint: fingerprints.next(group))
        }
        run.invocations[0].toolExecutionNotifications = gaps.shown.map { group in
            let entry = group[0]
            return SARIFNotification(
                level: "warning", message: .init("not checked: \(entry.rule.rawValue): \(group.line)"),
                locations: [.init(report.file(of: entry) ?? ".", options.paths)],
                associatedRule: .init(id: entry.rule.rawValue, index: indexes[entry.rule]))
        }
        run.invocations[0].toolExecutionNotifications +=
            [(left, Report.leftOut(left)), (gaps.left, "\(gaps.left) more not checked")]
            .filter { $0.0 > 0 }.map { SARIFNotification(level: "warning", message: .init($0.1)) }
        run.properties = [
            "verdict": report.hasPassed ? "passed" : "failed", "command": report.command,
        ]
        return jsonText(SARIFLog(runs: [run]))
    }

    package func renderFailure(_ error: RequestError, of command: String, _ options: RenderOptions) -> String?
    {
        var run = SARIFRun(command: command)
        var notification = SARIFNotification(level: "error", message: .init(error.description))
        if let file = error.file {
            var place = Finding.Place(file: file)
            place.line = error.line
            notification.locations = [.init(place, options.paths)]
        }
        run.invocations = [
            SARIFInvocation(executionSuccessful: false, toolExecutionNotifications: [notification])
        ]
        return jsonText(SARIFLog(runs: [run]))
    }
}

extension SARIFRule {
    fileprivate init(_ rule: Rule, _ severity: Finding.Severity?) {
        let details = [rule.why, rule.lintText?.detail].compactMap(\.self)
        let summary = rule.summary.prefix(1).uppercased() + rule.summary.dropFirst() + "."
        id = rule.rawValue
        shortDescription = .init(summary)
        fullDescription = .init(([summary] + details).joined(separator: "\n\n"))
        var markdown = ([summary] + details).joined(separator: "\n\n")
        if let bad = rule.lintText?.bad { markdown += "\n\n```sql\n\(bad)\n```" }
        if let good = rule.lintText?.good { markdown += "\n\nBetter:\n\n```sql\n\(good)\n```" }
        help = .init(([summary] + details).joined(separator: "\n\n"), markdown: markdown)
        defaultConfiguration = .init(level: (severity ?? .warning).sarif)
        properties = .init(
            tags: ["sqlite", "migration"], severity: (severity ?? .warning).problem)
    }
}

extension SARIFResult {
    fileprivate init(
        _ group: FindingGroup, _ report: Report, _ options: RenderOptions, _ names: SnapshotNames, index: Int,
        fingerprint: String
    ) {
        let finding = group.findings[0]
        ruleId = finding.rule.rawValue
        ruleIndex = index
        level = finding.severity.sarif
        message = .init(
            FindingsText(options: options.plain, names: names).words(group))
        var place = finding.place ?? Finding.Place(file: report.file(of: finding) ?? ".")
        if options.redacts && place.quotesData { place.lineText = nil }
        var location = SARIFLocation(place, options.paths)
        let object = [finding.table, finding.column ?? finding.object].compactMap(\.self)
        if !object.isEmpty {
            location.logicalLocations = [
                .init(
                    name: object[object.count - 1], fullyQualifiedName: object.joined(separator: "."),
                    kind: finding.column == nil ? "type" : "member")
            ]
        }
        locations = [location]
        let probes = Set(report.replays.filter(\.isProbe).map(\.snapshot))
        let related = group.findings.filter { finding in
            (finding.snapshot ?? finding.database).map { $0 != place.file && !probes.contains($0) } ?? false
        }
        relatedLocations = related.prefix(Report.placeLimit).enumerated().map { number, finding in
            let count = finding.evidence?.rowCount.map { ": \(counted($0, "row"))" } ?? ""
            let path = finding.snapshot ?? finding.database ?? ""
            var location = SARIFLocation(path, options.paths)
            location.id = number + 1
            location.message = .init("in \(names.name(of: VisibleText.line(path)))\(count)")
            return location
        }
        if relatedLocations?.isEmpty == true { relatedLocations = nil }
        partialFingerprints = ["drydock/v1": fingerprint]
        if !finding.edits.isEmpty {
            fixes = [SARIFFix(finding.edits, options.paths)]
        }
        properties = .init(group)
    }
}

extension SARIFFix {
    fileprivate init(_ edits: [Finding.Edit], _ paths: SourcePaths) {
        description = .init("What drydock lint --fix writes.")
        var files: [String] = []
        for edit in edits where !files.contains(edit.file) { files.append(edit.file) }
        artifactChanges = files.map { file in
            .init(
                artifactLocation: .init(file, paths),
                replacements: edits.filter { $0.file == file }.map { edit in
                    .init(
                        deletedRegion: SARIFRegion(
                            of: edit.replaced, line: edit.line, column: edit.linePosition),
                        insertedContent: .init(text: edit.replacement))
                })
        }
    }
}

extension Finding.Severity {
    fileprivate var sarif: String { rawValue }

    /// As GitHub's code scanning spells it.
    fileprivate var problem: String { self == .note ? "recommendation" : rawValue }
}
