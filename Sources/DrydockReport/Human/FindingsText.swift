import Drydock
import SQLiteSchema

/// The text of findings: each with its place, its evidence and its remedy.
package struct FindingsText {
    let options: RenderOptions
    let names: SnapshotNames

    private var paint: Paint { options.paint }

    /// - Parameter names: how the snapshots of the report are named.
    package init(options: RenderOptions, names: SnapshotNames = SnapshotNames([])) {
        (self.options, self.names) = (options, names)
    }

    /// Returns the findings, and what was not checked, each with a blank line before it.
    func text(_ report: Report) -> String {
        let shown = report.findings.filter { finding in
            switch finding.severity {
            case .error: true
            case .warning: !options.isQuiet || report.isStrict
            case .note: options.isVerbose
            }
        }
        var text = ""
        var causes: Set<Cause> = []
        for group in FindingGroup.bySeverity(shown) {
            // One statement may empty fifty tables.
            let isKnown = Cause(group.findings[0]).map { !causes.insert($0).inserted } ?? false
            text += "\n" + block(group, isBrief: isKnown && !options.isVerbose)
        }
        return text + gaps(report)
    }

    /// What findings share whose place, reason and remedy are shown once.
    private struct Cause: Hashable {
        let cause: String
        let rule: Rule
        let migration: String?

        init?(_ finding: Finding) {
            guard let cause = finding.cause else { return nil }
            (self.cause, rule, migration) = (cause, finding.rule, finding.migration)
        }
    }

    /// Returns one cause with its place, evidence and remedy.
    /// - Parameter isBrief: whether only what is found is shown, since the cause was shown before.
    package func block(_ group: FindingGroup, isBrief: Bool = false) -> String {
        let group = FindingGroup(findings: group.findings.map(\.visible))
        let finding = group.findings[0]
        // The message names the readings.
        let known = (finding.formats ?? []).map(Finding.Tag.reading) + [.healed]
        let tags = finding.tags.filter { !known.contains($0) }
            .map { " (\($0 == .probe ? "unusual rows" : $0.rawValue))" }.joined()
        let lines = WrappedText.lines(
            finding.message(options)[...], to: options.width,
            after: finding.label.count + tags.count + 1, indent: 2)
        var text = "\(paint.label(finding))\(tags) \(lines.map(paint.bold).joined(separator: "\n  "))\n"
        guard !isBrief else {
            return text + snapshots(group) + "  \(paint.dim("as above (-v shows its rows)"))\n"
        }
        text += place(finding)
        text += EvidenceText(options: options).text(finding)
        text += snapshots(group)
        if finding.severity != .note, let why = finding.why {
            let lines = WrappedText.lines(why[...], to: options.width, indent: 8)
            text += "  \(paint.dim("why:"))  \(lines.joined(separator: "\n        "))\n"
        }
        if !finding.help.isEmpty {
            let lines = finding.help.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                WrappedText.lines($0, to: min(Self.helpWidth, options.width ?? .max), indent: 8)
            }
            text += "  \(paint.dim("help:")) " + lines.joined(separator: "\n        ") + "\n"
        }
        return text
    }

    /// Returns what a finding says, without the place and the SQL there: for what is shown beside them. Of several live
    /// databases it is what they have in common, and some of them.
    func words(_ group: FindingGroup) -> String {
        let isUniform = group.isUniform, isOfDatabases = group.isOfDatabases
        let group = FindingGroup(findings: group.findings.map(\.visible))
        let finding = group.findings[0]
        guard !isOfDatabases else {
            let title = isUniform ? finding.message(options) : "in \(group.findings.count) databases"
            let help = finding.help.isEmpty ? "" : "\n\(finding.help)"
            return title + "\n" + String(examples(group).dropLast()) + help
        }
        var text = finding.message(options) + "\n" + EvidenceText(options: options).text(finding)
        text += snapshots(group)
        if finding.severity != .note, let why = finding.why { text += "\n\(why)\n" }
        if !finding.help.isEmpty { text += "\n\(finding.help)\n" }
        return String(text.dropLast())
    }

    /// The columns of help, with its indent.
    private static let helpWidth = 100
    /// How many databases are named, of those in which a finding is not the same.
    private static let exampleLimit = 3

    private func place(_ finding: Finding) -> String {
        guard let place = finding.place else { return "" }
        let position = [place.line, place.column].compactMap { $0.map { ":\($0)" } }.joined()
        var text = "  \(paint.dim("-->")) \(place.file)\(position)\n"
        if place.line == nil, let statement = place.statement {
            // SQL that is in no file.
            for line in statement.split(separator: "\n").prefix(12) {
                text += "  \(paint.dim("|")) \(SourceQuote.cut(String(line), at: 1).text)\n"
            }
        }
        guard let line = place.line, let lineText = place.lineText, !(options.redacts && place.quotesData)
        else { return text }
        let number = String(line)
        let room = options.width.map { $0 - number.count - 7 } ?? SourceQuote.width
        let (quoted, caret) = SourceQuote.cut(
            lineText, at: place.column ?? 1, width: min(SourceQuote.width, room))
        let margin = String(repeating: " ", count: number.count)
        text += "  \(paint.dim("\(number) |")) \(quoted)\n"
        text += "  \(paint.dim("\(margin) |")) \(caret)\(paint.red("^"))\n"
        return text
    }

    /// Returns the snapshots of a group, in a line.
    func snapshots(_ group: FindingGroup) -> String {
        let shown = group.findings.compactMap { finding -> String? in
            guard let path = finding.snapshot, !names.isOnlyProbe(path) else { return nil }
            let count = group.findings.count > 1 ? finding.evidence?.rowCount : nil
            return names.name(of: path) + (count.map { " (\($0))" } ?? "")
        }
        guard !shown.isEmpty else { return "" }
        return "  \(paint.dim("in:"))   \(firstFew(shown))\n"
    }

    /// Returns the databases of a group: their names if all say the same, otherwise what some say.
    func examples(_ group: FindingGroup) -> String {
        let findings = group.findings
        guard findings.contains(where: { $0.database != nil }) else { return "" }
        func name(_ finding: Finding) -> String { VisibleText.line(finding.database ?? "") }
        guard !group.isUniform else {
            let count = findings.count > 1 ? "\(findings.count) databases: " : ""
            return "    \(paint.dim("in:"))   \(count)\(firstFew(findings.map(name)))\n"
        }
        let lines = findings.prefix(Self.exampleLimit).map { finding in
            let isNamed = finding.message.contains(name(finding))
            return "    " + (isNamed ? "" : name(finding) + ": ") + VisibleText.line(finding.message) + "\n"
        }
        let left = findings.count - lines.count
        return lines.joined() + (left > 0 ? paint.dim("    … and \(left) more") + "\n" : "")
    }

    private func gaps(_ report: Report) -> String {
        var text = report.notChecked.isEmpty ? "" : "\n"
        for group in report.notChecked.byReason {
            let entry = group[0]
            let isNamed = group.count == 1 && entry.cause.namesSnapshot
            let known = group.compactMap(\.snapshot).filter { !names.isOnlyProbe($0) }
            let list = isNamed ? "" : firstFew(known.map(names.name(of:)))
            let name = list.isEmpty ? "" : " [\(list)]"
            text +=
                "\(paint.yellow("not checked:")) \(entry.rule.rawValue)\(name): \(VisibleText.line(entry.reason))\n"
        }
        return text
    }
}

extension [NotChecked] {
    /// The entries, with those that differ only in the snapshot together.
    var byReason: [[NotChecked]] {
        var groups: [[NotChecked]] = []
        var indexes: [NotChecked: Int] = [:]
        for entry in self {
            var key = entry
            (key.snapshot, key.cause) = (nil, entry.cause.ofAnySnapshot)
            if entry.snapshot != nil, let index = indexes[key] {
                groups[index].append(entry)
            } else {
                if entry.snapshot != nil { indexes[key] = groups.count }
                groups.append([entry])
            }
        }
        return groups
    }
}
