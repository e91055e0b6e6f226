import SQLiteSchema

/// Findings that differ only in the snapshot, or in the live database: reports show them as one.
package struct FindingGroup: Sendable {
    /// At least one; those of snapshots in the order of the report.
    package var findings: [Finding]

    package init(findings: [Finding]) { self.findings = findings }

    /// The snapshots in which it is found.
    package var snapshots: [String] { findings.compactMap(\.snapshot) }

    /// Returns the groups in the order of their first findings. A finding without a snapshot is a group of its own.
    package static func groups(of findings: [Finding]) -> [FindingGroup] {
        var groups: [FindingGroup] = []
        var indexes: [Key: Int] = [:]
        var counts: [Key: Int] = [:]
        for finding in findings {
            guard let snapshot = finding.snapshot else {
                groups.append(FindingGroup(findings: [finding]))
                continue
            }
            var key = Key(finding)
            // What is found twice in one snapshot is two findings.
            var own = key
            own.snapshot = snapshot
            key.number = counts[own, default: 0]
            counts[own] = key.number + 1
            if let index = indexes[key] {
                groups[index].findings.append(finding)
            } else {
                indexes[key] = groups.count
                groups.append(FindingGroup(findings: [finding]))
            }
        }
        return groups
    }

    /// Returns the groups with errors first.
    package static func bySeverity(_ findings: [Finding]) -> [FindingGroup] {
        let groups = groups(of: findings)
        return Finding.Severity.allCases.reversed().flatMap { severity in
            groups.filter { $0.findings[0].severity == severity }
        }
    }

    /// Returns findings of live databases: those of one check at one place of the schema, with one remedy, as a group.
    /// Their messages may differ, as in figures. The worst come first, then those that most databases share.
    package static func byDatabase(_ findings: [Finding]) -> [FindingGroup] {
        var groups: [FindingGroup] = []
        var indexes: [SharedKey: Int] = [:]
        var counts: [SharedKey: Int] = [:]
        for finding in findings {
            var key = SharedKey(finding)
            // What is found twice in one database is two findings.
            var own = key
            own.database = finding.database
            key.number = counts[own, default: 0]
            counts[own] = key.number + 1
            if let index = indexes[key] {
                groups[index].findings.append(finding)
            } else {
                indexes[key] = groups.count
                groups.append(FindingGroup(findings: [finding]))
            }
        }
        return groups.enumerated().sorted { a, b in
            let (x, y) = (a.element.findings, b.element.findings)
            if x[0].severity != y[0].severity { return x[0].severity > y[0].severity }
            return x.count == y.count ? a.offset < b.offset : x.count > y.count
        }.map(\.element)
    }

    /// Whether all of them say the same.
    package var isUniform: Bool { findings.allSatisfy { $0.message == findings[0].message } }

    /// What findings of different databases have in common.
    private struct SharedKey: Hashable {
        var rule: Rule
        var severity: Finding.Severity
        var table, column, object, database: String?
        var tags: [Finding.Tag]
        var help: Help
        var number = 0

        init(_ finding: Finding) {
            (rule, severity, tags) = (finding.rule, finding.severity, finding.tags)
            (table, column, object) = (finding.table, finding.column, finding.object)
            help = finding.advice
        }
    }

    /// What findings of different snapshots have in common.
    struct Key: Hashable {
        var rule: Rule
        var severity: Finding.Severity
        var migration, table, column, object, database: String?
        var place: Finding.Place?
        var tags: [Finding.Tag]
        /// Nil where the rest identifies the cause: counts of rows in a message differ.
        var fact: String?
        var number = 0
        var snapshot: String?

        init(_ finding: Finding) {
            (rule, severity, tags) = (finding.rule, finding.severity, finding.tags)
            (migration, table, column) = (finding.migration, finding.table, finding.column)
            (object, database, place) = (finding.object, finding.database, finding.place)
            let isIdentified =
                (finding.migration != nil || finding.table != nil) && finding.evidence?.rowCount != nil
            fact = isIdentified ? nil : finding.fact ?? finding.message
            // A file in a snapshot is that snapshot's own.
            if place?.file == finding.snapshot { place?.file = "" }
        }
    }
}

extension Report {
    /// Returns the findings as they are shown: those that differ only in the snapshot as one.
    package var findingGroups: [FindingGroup] { FindingGroup.groups(of: findings) }
}
