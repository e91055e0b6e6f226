import Drydock

/// How the report of many databases stays small: what many share is one entry with a count and examples, and of what is
/// left there are only so many. The JSON report has everything.
extension Report {
    /// Whether it is of so many databases that not each has a place of its own.
    var isFleet: Bool {
        let count =
            switch body {
            case .health(let health): health.databases.count
            case .rollOut(let rollOut): rollOut.databases.count
            case .vacuums(let vacuums): vacuums.databases.count
            case .verify, .lint, .lock, .migrate, .diff, .vacuum: 0
            }
        return count > HumanRenderer.sectionLimit
    }

    /// How many entries of findings a report for programs has at most.
    static let entryLimit = 500
    /// How many reasons for what was not checked have an entry each.
    static let gapLimit = 100
    /// How many further files an entry names.
    static let placeLimit = 50

    /// What was not checked, as entries: those of many databases with one reason as one.
    var gapEntries: (shown: [[NotChecked]], left: Int) {
        guard isFleet || notChecked.count > Self.gapLimit else { return (notChecked.map { [$0] }, 0) }
        let groups = notChecked.groups
        let shown = Array(groups.prefix(Self.gapLimit))
        return (shown, groups.dropFirst(Self.gapLimit).reduce(0) { $0 + $1.count })
    }

    /// The groups of all that is reported, and how many findings are left out.
    var reportedEntries: (shown: [FindingGroup], left: Int) {
        let groups = reportedGroups
        return (
            Array(groups.prefix(Self.entryLimit)),
            groups.dropFirst(Self.entryLimit).reduce(0) { $0 + $1.findings.count }
        )
    }

    /// What is said of findings that are left out.
    static func leftOut(_ count: Int) -> String {
        "\(counted(count, "finding")) more \(count == 1 ? "is" : "are") only in the JSON report"
    }
}

extension FindingGroup {
    /// Whether it is of several live databases.
    var isOfDatabases: Bool { findings.count > 1 && findings[0].database != nil }

    /// What is said in one line: what all say, or what one says, and in how many databases.
    func line(_ options: RenderOptions) -> String {
        let message = findings[0].message(options)
        guard isOfDatabases else { return message }
        return isUniform
            ? "in \(findings.count) databases: \(message)"
            : "in \(findings.count) databases, such as: \(message)"
    }
}

extension HumanRenderer {
    /// Returns what findings of several live databases have in common, and some of the databases.
    func words(ofDatabases group: FindingGroup, _ options: RenderOptions) -> String {
        let visible = FindingGroup(findings: group.findings.map(\.visible))
        let finding = visible.findings[0]
        let title = group.isUniform ? finding.message(options) : "in \(group.findings.count) databases"
        let help = finding.help.isEmpty ? "" : "\n\(finding.help)"
        return title + "\n" + String(examples(visible, Paint(false)).dropLast()) + help
    }

    /// Returns a finding, or what several live databases have in common, as a block of text.
    func block(of group: FindingGroup, _ options: RenderOptions) -> String {
        guard group.isOfDatabases else { return block(group, options) }
        let finding = group.findings[0]
        return
            "\(finding.severity.rawValue)[\(finding.rule.rawValue)] \(words(ofDatabases: group, options))\n"
    }
}

extension [NotChecked] {
    /// The reason that a group of them has, and where, in one line.
    var line: String {
        guard let first else { return "" }
        let table = first.table.map { "\($0): " } ?? ""
        guard count > 1 else { return table + first.reason }
        return "in \(count) \(first.database == nil ? "snapshots" : "databases"): \(table)\(first.reason)"
    }
}
