import Drydock
import SQLiteSchema

/// Renders one line for a monitoring system: status, what is wrong, performance data
/// (https://www.monitoring-plugins.org/doc/guidelines.html#PLUGOUTPUT).
package struct NagiosRenderer: ReportRenderer {
    package let name = "nagios"
    package let isForPeople = true

    package init() {}

    /// The exit status.
    package enum Status: Int32, Sendable {
        case ok = 0
        case warning, critical, unknown

        package var text: String { "\(self)".uppercased() }
    }

    /// Returns the worst status of all databases; a database that could not be read is worse than a warning and better
    /// than an error.
    package static func status(of report: Report) -> Status {
        if report.findings.contains(where: { $0.severity == .error }) { return .critical }
        if report.health?.hasTrouble == true { return .unknown }
        return report.hasPassed ? .ok : .warning
    }

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        let status = Self.status(of: report).text
        let problems = self.problems(report)
        var sentences = problems.prefix(Self.shownProblems).map(\.text)
        if sentences.isEmpty {
            let databases = report.health?.databases ?? []
            let checks = databases.reduce(0) { $0 + $1.checked.count }
            sentences = [
                "\(counted(databases.count, "database")) healthy in \(counted(checks, "check"))"
            ]
        }
        if problems.count > sentences.count {
            sentences.append("and \(problems.count - sentences.count) more")
        }
        // Where few of many databases fit into the line, it begins with how many are concerned.
        if let totals = report.healthTotals, totals.databases > Report.databaseLimit, !problems.isEmpty {
            sentences.insert("\(totals.databases) databases, \(totals.words)", at: 0)
        }
        if !report.notChecked.isEmpty { sentences.append("\(report.notChecked.count) not reached") }
        let text = "DRYDOCK \(status) - " + sentences.joined(separator: "; ") + performance(report) + "\n"
        return text + rest(problems.dropFirst(Self.shownProblems), room: Self.limit - text.utf8.count)
    }

    /// The bytes that every reader of a plugin takes: 4096 or more
    /// (https://assets.nagios.com/downloads/nagioscore/docs/nagioscore/4/en/pluginapi.html).
    private static let limit = 4000
    /// Bytes for the figures; the rest is for everything else.
    private static let figureLimit = 1800
    private static let shownProblems = 3
    private static let sentenceLimit = 240

    private struct Problem {
        /// The severity, from 0 for the worst.
        var rank: Int
        var text: String
    }

    /// Returns the databases that cannot be read, and the findings; what several databases share is one problem.
    private func problems(_ report: Report) -> [Problem] {
        let (names, databases) = (names(report), report.health?.databases ?? [])
        let findings = report.findings.filter { $0.severity > .note }
        let groups =
            names.isEmpty
            ? findings.map { FindingGroup(findings: [$0]) } : FindingGroup.byDatabase(findings)
        let problems =
            databases.compactMap(\.trouble).map { Problem(rank: 1, text: sentence($0)) }
            + groups.map { group in
                Problem(
                    rank: group.findings[0].severity == .error ? 0 : 2,
                    text: sentence(text(of: group, names)))
            }
        return (0...2).flatMap { rank in problems.filter { $0.rank == rank } }
    }

    private func text(of group: FindingGroup, _ names: [String: String]) -> String {
        let (finding, count) = (group.findings[0], group.findings.count)
        func name(_ finding: Finding) -> String {
            let path = finding.database ?? ""
            return names[path] ?? path
        }
        guard !names.isEmpty else { return finding.message }
        guard group.isUniform else {
            let isNamed = finding.message.contains(finding.database ?? "")
            return (isNamed ? "" : name(finding) + ": ") + finding.message
                + " (\(finding.rule.rawValue) in \(count) databases)"
        }
        if count == 1, finding.message.contains(finding.database ?? "") { return finding.message }
        let shown = group.findings.prefix(2).map(name).joined(separator: ", ")
        return shown + (count > 2 ? " and \(count - 2) more" : "") + ": " + finding.message
    }

    /// Returns a line for each problem that does not fit into the first line, while there is room, and how many are
    /// left.
    private func rest(_ problems: ArraySlice<Problem>, room: Int) -> String {
        var (text, shown) = ("", 0)
        for problem in problems {
            guard text.utf8.count + problem.text.utf8.count + 1 < room - 40 else { break }
            text += problem.text + "\n"
            shown += 1
        }
        return shown < problems.count ? text + "and \(problems.count - shown) more, left out here\n" : text
    }

    private func sentence(_ text: String) -> String {
        let plain = plain(text)
        guard plain.utf8.count > Self.sentenceLimit else { return plain }
        return String(decoding: plain.utf8.prefix(Self.sentenceLimit), as: UTF8.self).filter {
            $0 != "\u{fffd}"
        } + "…"
    }

    /// Returns one line, without the bar that begins performance data.
    private func plain(_ text: String) -> String {
        VisibleText.line(text).replacing("|", with: "/")
    }

    /// Returns ` | 'label'=value[UOM];[warn];[crit];[min];[max]`. If the figures of all databases do not fit, none are
    /// included, so that no graph comes and goes.
    private func performance(_ report: Report) -> String {
        let (names, databases) = (names(report), report.health?.databases ?? [])
        let time = "time=\((report.seconds * 1000).rounded() / 1000)s;;;0;"
        var labels: Set<String> = ["time"]
        let data = databases.flatMap { health in
            health.measures.map { measure in
                let name = (names[health.path].map { $0 + "_" } ?? "") + measure.name
                let label = unique(quoted(name), &labels)
                let (value, unit) = figure(measure)
                let (warning, critical) = (
                    measure.threshold?.warning?.text ?? "", measure.threshold?.critical?.text ?? ""
                )
                return "\(label)=\(value)\(unit);\(warning);\(critical);0;"
            }
        }
        let all = (data + [time]).joined(separator: " ")
        if names.isEmpty || all.utf8.count <= Self.figureLimit { return " | " + all }
        let findings = report.findingsByDatabase
        let worst = databases.map { findings[$0.path]?.map(\.severity).max() }
        let sums =
            [
                ("databases", databases.count), ("critical", worst.count { $0 == .error }),
                ("warning", worst.count { $0 == .warning }),
                ("unknown", databases.count { $0.trouble != nil }),
            ].map { "\($0)=\($1);;;0;" } + [time]
        return "; figures of each are left out, --format json has them | " + sums.joined(separator: " ")
    }

    private func figure(_ measure: HealthMeasure) -> (String, String) {
        switch measure.unit {
        case .bytes: ("\(Int(measure.value))", "B")
        case .ratio: ("\((measure.value * 10000).rounded() / 100)", "%")
        case .rows, .frames: ("\(Int(measure.value))", "")
        }
    }

    private func quoted(_ label: String) -> String {
        let isPlain = label.utf8.allSatisfy { byte in
            byte == 95 || byte == 45 || byte == 46 || (48...57).contains(byte) || (65...90).contains(byte)
                || (97...122).contains(byte)
        }
        // "two single quotes" stand for one; the equals sign is not allowed.
        return isPlain ? label : "'" + plain(label).replacing("'", with: "''").replacing("=", with: "_") + "'"
    }

    /// Returns a label that is not among the earlier ones: different names may look alike where some characters cannot be
    /// written.
    private func unique(_ label: String, _ taken: inout Set<String>) -> String {
        var (result, number) = (label, 1)
        while !taken.insert(result).inserted {
            number += 1
            result = label.hasSuffix("'") ? "\(label.dropLast())_\(number)'" : "\(label)_\(number)"
        }
        return result
    }

    /// Returns the labels of databases by path: the file's name if it is unique; none for a single database.
    private func names(_ report: Report) -> [String: String] {
        let paths = report.health?.databases.map(\.path) ?? []
        guard paths.count > 1 else { return [:] }
        let names = paths.map { PathParts.name(of: $0) }
        let areUnique = Set(names).count == names.count
        return Dictionary(zip(paths, areUnique ? names : paths)) { first, _ in first }
    }
}
