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
        return count > Self.databaseLimit
    }

    /// How many live databases have a place of their own.
    static let databaseLimit = 10
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

extension [NotChecked] {
    /// The reason that a group of them has, and where, in one line.
    var line: String {
        guard let first else { return "" }
        let table = first.table.map { "\($0): " } ?? ""
        guard count > 1 else { return table + first.reason }
        return "in \(count) \(first.database == nil ? "snapshots" : "databases"): \(table)\(first.reason)"
    }
}

extension Report {
    /// The findings about live databases, by path.
    var findingsByDatabase: [String: [Finding]] { Dictionary(grouping: findings) { $0.database ?? "" } }

    /// What was not reached in live databases, by path.
    var gapsByDatabase: [String: [NotChecked]] { Dictionary(grouping: notChecked) { $0.database ?? "" } }
}
