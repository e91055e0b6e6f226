import Drydock
import SQLiteSchema

/// The findings of a report, a cause each, errors first.
struct HTMLFindings {
    private let groups: [FindingGroup]
    private let options: RenderOptions
    private let names: SnapshotNames

    /// How many of a severity are shown without unfolding the rest.
    private static let limit = 60

    /// - Parameter groups: in the order of the page; a finding's fragment is `f` and its place there.
    init(_ groups: [FindingGroup], _ options: RenderOptions, _ names: SnapshotNames) {
        (self.groups, self.options, self.names) = (groups, options, names)
    }

    var section: HTMLPage.Section? {
        groups.isEmpty
            ? nil : HTMLPage.Section(id: "findings", title: "Findings", content: content)
    }

    var content: [HTMLNode] { [filter, articles] }

    /// Hides a severity, with the style sheet alone.
    private var filter: HTMLNode {
        let severities = Finding.Severity.allCases.reversed().filter { severity in
            groups.contains { $0.findings[0].severity == severity }
        }
        guard severities.count > 1 else { return .nothing }
        let boxes = severities.map { severity in
            let count = groups.count { $0.findings[0].severity == severity }
            return HTMLNode.element(
                "label", [:],
                [
                    .element(
                        "input",
                        ["type": "checkbox", "id": "show-\(severity.rawValue)", "checked": "checked"]),
                    .text(counted(count, severity.rawValue)),
                ])
        }
        return .element("div", ["class": "filter"], boxes)
    }

    private var articles: HTMLNode {
        let all = groups.enumerated().map {
            ($1.findings[0].severity, HTMLFinding($1, options, names).article($0))
        }
        return .group(
            Finding.Severity.allCases.reversed().map { severity in
                let articles = all.filter { $0.0 == severity }.map(\.1)
                guard articles.count > Self.limit else { return .group(articles) }
                let count = articles.count - Self.limit
                return .group([
                    .group(Array(articles.prefix(Self.limit))),
                    .element(
                        "details", [:],
                        [.element("summary", [:], ["and \(counted(count, "\(severity.rawValue)")) more"])]
                            + articles.dropFirst(Self.limit)),
                ])
            })
    }
}

/// One finding: what, where, its SQL, rows before and after, why it matters and what to do.
struct HTMLFinding {
    private let group: FindingGroup
    private let options: RenderOptions
    private let names: SnapshotNames
    private var finding: Finding { group.findings[0] }

    init(_ group: FindingGroup, _ options: RenderOptions, _ names: SnapshotNames) {
        (self.group, self.options, self.names) = (group, options, names)
    }

    static func symbol(_ severity: Finding.Severity) -> String {
        switch severity {
        case .error: "✗"
        case .warning: "!"
        case .note: "i"
        }
    }

    func article(_ number: Int) -> HTMLNode {
        .element(
            "article", ["class": "finding \(finding.severity.rawValue)", "id": "f\(number)"],
            [
                .element(
                    "div", ["class": "mark", "aria-hidden": "true"], [.text(Self.symbol(finding.severity))]),
                .element(
                    "div", [:],
                    [label, .element("h3", [:], [.text(title)]), sql, evidence, remedy]),
            ])
    }

    private var title: String {
        group.isOfDatabases && !group.isUniform
            ? "in \(group.findings.count) databases" : finding.message(options)
    }

    private var label: HTMLNode {
        var nodes: [HTMLNode] = [
            .element("b", [:], [.text(finding.severity.rawValue)]), .text(" " + finding.rule.rawValue),
        ]
        for tag in finding.tags where tag != .healed { nodes += [" · ", .span("tag", tag.rawValue)] }
        if let place = finding.place {
            let position = [place.line, place.column].compactMap { $0.map { ":\($0)" } }.joined()
            nodes += [" · ", .span("path", place.file + position)]
        }
        return .element("p", ["class": "label"], nodes)
    }

    private var sql: HTMLNode {
        guard let place = finding.place, !(options.redacts && place.quotesData) else { return .nothing }
        return HTMLSQL.quote(place)
    }

    // MARK: - Rows

    private var evidence: HTMLNode {
        // The rows of one database are not those of the others.
        guard let evidence = finding.evidence, !group.isOfDatabases else { return .nothing }
        return .group([rows(evidence), details(evidence)])
    }

    private func rows(_ evidence: Evidence) -> HTMLNode {
        guard !evidence.rows.isEmpty else { return .nothing }
        let hasKeys = evidence.rows.contains { !$0.key.isEmpty }
        let hasChanges = evidence.rows.contains { $0.before != nil || $0.after != nil }
        let hasValues = evidence.rows.contains { $0.values?.isEmpty == false }
        let heads =
            (hasKeys ? ["row"] : []) + (hasChanges ? ["before", "after"] : []) + (hasValues ? ["values"] : [])
        let body = evidence.rows.map { row -> HTMLNode in
            var cells: [HTMLNode] = []
            if hasKeys {
                cells.append(
                    cell(row.key.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")))
            }
            if hasChanges {
                let differ = row.before.flatMap { before in
                    row.after.map { $0.storageClass != before.storageClass }
                }
                cells += [(row.before, "old"), (row.after, "new")].map { sample, style in
                    value(sample, style, showsClass: differ == true)
                }
            }
            if hasValues {
                let values = row.values ?? []
                cells.append(
                    cell(values.map { "\($0.column) = \($0.value.text(options))" }.joined(separator: ", ")))
            }
            return .element("tr", [:], cells)
        }
        let left = (evidence.rowCount ?? 0) - evidence.rows.count
        return .group([
            .element(
                "div", ["class": "wide"],
                [
                    .element(
                        "table", ["class": "rows"],
                        [
                            .element(
                                "thead", [:],
                                [
                                    .element(
                                        "tr", [:], heads.map { .element("th", ["scope": "col"], [.text($0)]) }
                                    )
                                ]),
                            .element("tbody", [:], body),
                        ])
                ]),
            left > 0
                ? .element("p", ["class": "more"], ["… and \(StatisticsRenderer.grouped(left)) more"])
                : .nothing,
        ])
    }

    private func cell(_ text: String) -> HTMLNode { .element("td", [:], [.text(text)]) }

    private func value(_ sample: Evidence.Sample?, _ style: String, showsClass: Bool) -> HTMLNode {
        guard let sample else { return .element("td", ["class": "gone"], ["nothing"]) }
        let storageClass: HTMLNode =
            showsClass && !options.redacts ? .element("small", [:], [.text(sample.storageClass)]) : .nothing
        return .element("td", ["class": style], [.text(sample.text(options)), storageClass])
    }

    private func details(_ evidence: Evidence) -> HTMLNode {
        guard !evidence.details.isEmpty else { return .nothing }
        if options.redacts, evidence.areDetailsData == true {
            let count = counted(evidence.details.count, "line")
            return .element("p", ["class": "more"], ["\(count) of output not shown (--no-redact shows them)"])
        }
        return .element("pre", [:], [.lines(evidence.details.joined(separator: "\n"))])
    }

    // MARK: - Why, and what to do

    private var remedy: HTMLNode {
        var items: [HTMLNode] = []
        func add(_ name: String, _ content: [HTMLNode]) {
            items += [.element("dt", [:], [.text(name)]), .element("dd", [:], content)]
        }
        if finding.severity != .note, let why = finding.why { add("Why", [.element("p", [:], [.text(why)])]) }
        if !finding.help.isEmpty { add("What to do", Self.prose(finding.help)) }
        if let example = finding.counterexample { add("Rows", [counterexample(example)]) }
        let snapshots = group.findings.compactMap { finding in
            finding.snapshot.map { path in
                let count = group.findings.count > 1 ? finding.evidence?.rowCount : nil
                return names.name(of: path) + (count.map { " (\(StatisticsRenderer.grouped($0)))" } ?? "")
            }
        }
        if !snapshots.isEmpty { add("Found in", [Self.list(snapshots)]) }
        if group.isOfDatabases { add("Found in", [databases]) }
        return items.isEmpty ? .nothing : .element("dl", ["class": "todo"], items)
    }

    /// How many databases are named of those that share a finding.
    private static let exampleLimit = 10

    private var databases: HTMLNode {
        let shown = group.findings.prefix(Self.exampleLimit)
        let items = shown.map { finding -> HTMLNode in
            let path = VisibleText.line(finding.database ?? "")
            let message = group.isUniform ? "" : ": \(finding.message(options))"
            return .element("li", [:], [.span("path", path), .text(message)])
        }
        let left = group.findings.count - shown.count
        return .group([
            .text(counted(group.findings.count, "database")), .element("ul", [:], items),
            left > 0
                ? .element("p", ["class": "more"], ["… and \(StatisticsRenderer.grouped(left)) more"])
                : .nothing,
        ])
    }

    /// Returns help as paragraphs; indented lines are code.
    static func prose(_ text: String) -> [HTMLNode] {
        var nodes: [HTMLNode] = []
        var (code, words): ([Substring], [Substring]) = ([], [])
        func end() {
            if !words.isEmpty { nodes.append(.element("p", [:], [.text(words.joined(separator: " "))])) }
            if !code.isEmpty {
                let depth = code.map { $0.prefix { $0 == " " }.count }.min() ?? 0
                nodes.append(HTMLSQL.block(code.map { $0.dropFirst(depth) }.joined(separator: "\n")))
            }
            (code, words) = ([], [])
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isCode = line.hasPrefix("  ")
            if isCode ? !words.isEmpty : !code.isEmpty || line.isEmpty { end() }
            if isCode { code.append(line) } else if !line.isEmpty { words.append(line) }
        }
        end()
        return nodes
    }

    private func counterexample(_ example: Counterexample) -> HTMLNode {
        guard !example.inserts.isEmpty else { return "none: it happens with empty tables" }
        let count = example.inserts.count
        let title = "\(counted(count, "generated row")) \(count == 1 ? "shows" : "show") it"
        let size = example.isSmallest ? "" : ", the smallest of \(example.tried) sets that were tried"
        return .element(
            "details", [:],
            [
                .element("summary", [:], [.text(title + size)]),
                HTMLSQL.block(example.shownInserts.joined(separator: "\n")),
            ])
    }

    private static func list(_ names: [String]) -> HTMLNode {
        guard names.count > 8 else { return .text(names.joined(separator: ", ")) }
        return .element(
            "details", [:],
            [
                .element("summary", [:], [.text(counted(names.count, "snapshot"))]),
                .element("p", [:], [.text(names.joined(separator: ", "))]),
            ])
    }
}
