import Drydock
import SQLiteSchema

/// Renders for people: findings grouped by cause, each with its place, the line, why it matters and the declaration for
/// an intended change; then a summary line.
package struct HumanRenderer: ReportRenderer {
    package let name = "human"
    package let isForPeople = true

    package init() {}

    package func render(_ report: Report, _ options: RenderOptions) -> String {
        let report = report.visible
        switch report.body {
        case .health(let health): return text(health, report, options) + shard(report, options)
        case .diff(let diff): return text(diff, options)
        case .vacuum(let vacuum): return text(vacuum, report, options)
        case .vacuums(let vacuums): return text(vacuums, report, options) + shard(report, options)
        case .verify, .lint, .lock, .migrate, .rollOut: break
        }
        // `line` has them if it is to be verbose.
        let showsSteps = if case .migrate = report.body { !options.isVerbose } else { false }
        let lines = options.isQuiet ? "" : snapshotLines(report, options, showsSteps: showsSteps)
        return lines + body(report, options)
    }

    // MARK: - Findings

    /// Returns everything that follows the lines of the snapshots.
    package func body(_ report: Report, _ options: RenderOptions) -> String {
        let report = report.visible
        var text = found(report, options)
        var followsLines = true
        switch report.body {
        case .verify: break
        case .lint(let lint):
            text += fixes(lint, options)
            followsLines = false
        case .lock(let lock): text += changes(lock, options)
        case .migrate(let migrate):
            text += cost(migrate, options)
            followsLines = migrate.outcome != .pending
        case .rollOut(let rollOut): text += progress(rollOut, options)
        case .health, .diff, .vacuum, .vacuums: break
        }
        let hasPassed = report.hasPassed
        guard !(options.isQuiet && hasPassed) else { return text }
        if !followsLines, text.hasPrefix("\n") { text.removeFirst() }
        return text + (report.replays.isEmpty && text.isEmpty ? "" : "\n") + summary(report, options)
            + shard(report, options)
    }

    /// Returns the findings, and what was not checked, each with a blank line before it.
    func found(_ report: Report, _ options: RenderOptions) -> String {
        let shown = report.findings.filter { finding in
            switch finding.severity {
            case .error: true
            case .warning: !options.isQuiet || report.isStrict
            case .note: options.isVerbose
            }
        }
        var text = ""
        let names = SnapshotNames(report)
        var causes: Set<Cause> = []
        for group in FindingGroup.bySeverity(shown) {
            // One statement may empty fifty tables.
            let isKnown = Cause(group.findings[0]).map { !causes.insert($0).inserted } ?? false
            text += "\n" + block(group, options, names, isBrief: isKnown && !options.isVerbose)
        }
        return text + notChecked(report, options, names)
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
    package func block(
        _ group: FindingGroup, _ options: RenderOptions, _ names: SnapshotNames = SnapshotNames([]),
        isBrief: Bool = false
    ) -> String {
        let group = FindingGroup(findings: group.findings.map(\.visible))
        let (paint, finding) = (Paint(options.usesColor), group.findings[0])
        let label = "\(finding.severity.rawValue)[\(finding.rule.rawValue)]"
        let painted =
            switch finding.severity {
            case .error: paint.red(label)
            case .warning: paint.yellow(label)
            case .note: paint.cyan(label)
            }
        // The message names the readings.
        let known = (finding.formats ?? []).map(Finding.Tag.reading) + [.healed]
        let tags = finding.tags.filter { !known.contains($0) }
            .map { " (\($0 == .probe ? "unusual rows" : $0.rawValue))" }.joined()
        let lines = Self.wrapped(
            finding.message(options)[...], to: options.width, after: label.count + tags.count + 1, indent: 2)
        var text = "\(painted)\(tags) \(lines.map(paint.bold).joined(separator: "\n  "))\n"
        guard !isBrief else {
            return text + snapshots(group, paint, names) + "  \(paint.dim("as above (-v shows its rows)"))\n"
        }
        text += place(finding, options, paint)
        text += evidence(finding, options, paint)
        text += counterexample(finding, options, paint)
        text += snapshots(group, paint, names)
        if finding.severity != .note, let why = finding.why {
            let lines = Self.wrapped(why[...], to: options.width, indent: 8)
            text += "  \(paint.dim("why:"))  \(lines.joined(separator: "\n        "))\n"
        }
        if !finding.help.isEmpty {
            let lines = finding.help.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
                Self.wrapped($0, to: min(Self.helpWidth, options.width ?? .max), indent: 8)
            }
            text += "  \(paint.dim("help:")) " + lines.joined(separator: "\n        ") + "\n"
        }
        return text
    }

    /// Returns what a finding says, without the place and the SQL there: for what is shown beside them.
    func words(_ group: FindingGroup, _ options: RenderOptions, _ names: SnapshotNames) -> String {
        let group = FindingGroup(findings: group.findings.map(\.visible))
        let (finding, paint) = (group.findings[0], Paint(false))
        var text = finding.message(options) + "\n" + evidence(finding, options, paint)
        text += counterexample(finding, options, paint) + snapshots(group, paint, names)
        if finding.severity != .note, let why = finding.why { text += "\n\(why)\n" }
        if !finding.help.isEmpty { text += "\n\(finding.help)\n" }
        return String(text.dropLast())
    }

    /// The columns of help, with its indent.
    private static let helpWidth = 100

    /// Wraps prose between words; indented text is code and stays as it is.
    /// - Parameter width: the columns of the terminal; nil for text that stays on one line.
    /// - Parameter start: how many of them the first line has used.
    /// - Parameter indent: how many are blank in the other lines.
    package static func wrapped(
        _ line: Substring, to width: Int?, after start: Int? = nil, indent: Int
    ) -> [String] {
        guard let width, !line.hasPrefix(" "), line.count + (start ?? indent) > width else {
            return [String(line)]
        }
        // No terminal is so narrow that a word or two would not fit.
        let columns = max(24, width)
        var (lines, used) = ([""], start ?? indent)
        for word in line.split(separator: " ") {
            let last = lines.count - 1
            if lines[last].isEmpty, used == indent || used + word.count <= columns {
                lines[last] = String(word)
                used += word.count
            } else if used + 1 + word.count <= columns {
                lines[last] += " " + word
                used += 1 + word.count
            } else {
                lines.append(String(word))
                used = indent + word.count
            }
        }
        return lines
    }

    private func place(_ finding: Finding, _ options: RenderOptions, _ paint: Paint) -> String {
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

    func evidence(_ finding: Finding, _ options: RenderOptions, _ paint: Paint) -> String {
        guard let evidence = finding.evidence else { return "" }
        var text = ""
        for row in evidence.rows {
            let key = row.key.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")
            var line = "    " + key
            if row.before != nil || row.after != nil {
                let (before, after) = (
                    row.before?.text(options) ?? "nothing", row.after?.text(options) ?? "nothing"
                )
                line += "\(key.isEmpty ? "" : ":  ")\(before) → \(after)" + classNote(row)
            }
            if let values = row.values, !values.isEmpty {
                let cells = values.map { "\($0.column) = \($0.value.text(options))" }
                line += "\(key.isEmpty ? "" : ":  ")\(cells.joined(separator: ", "))"
            }
            text += line + "\n"
        }
        if let count = evidence.rowCount, !evidence.rows.isEmpty, count > evidence.rows.count {
            text += paint.dim("    … and \(count - evidence.rows.count) more") + "\n"
        }
        if options.redacts, evidence.areDetailsData == true, !evidence.details.isEmpty {
            let count = counted(evidence.details.count, "line")
            return text + paint.dim("    \(count) of output not shown (--no-redact shows them)") + "\n"
        }
        let shown = options.isVerbose ? .max : 5
        // Of what a program printed, the end says why it stopped.
        let details =
            evidence.areDetailsData == true ? evidence.details.suffix(shown) : evidence.details.prefix(shown)
        for detail in details { text += "    \(detail)\n" }
        if evidence.details.count > details.count {
            text +=
                paint.dim("    … and \(evidence.details.count - details.count) more (-v shows them)") + "\n"
        }
        return text
    }

    /// Returns a note if the values look alike but differ in class.
    private func classNote(_ row: Evidence.Row) -> String {
        guard let before = row.before, let after = row.after, before.storageClass != after.storageClass else {
            return ""
        }
        return "  (\(before.storageClass) → \(after.storageClass))"
    }

    func snapshots(_ group: FindingGroup, _ paint: Paint, _ known: SnapshotNames) -> String {
        let names = group.findings.compactMap { finding -> String? in
            guard let path = finding.snapshot, !known.isOnlyProbe(path) else { return nil }
            return Optional(path).map { path in
                let count = group.findings.count > 1 ? finding.evidence?.rowCount : nil
                return known.name(of: path) + (count.map { " (\($0))" } ?? "")
            }
        }
        guard !names.isEmpty else { return "" }
        return "  \(paint.dim("in:"))   \(Self.list(names))\n"
    }

    private func notChecked(
        _ report: Report, _ options: RenderOptions, _ names: SnapshotNames
    ) -> String {
        let paint = Paint(options.usesColor)
        var text = report.notChecked.isEmpty ? "" : "\n"
        for group in Self.groups(report.notChecked) {
            let entry = group[0]
            let isNamed = group.count == 1 && entry.cause.namesSnapshot
            let known = group.compactMap(\.snapshot).filter { !names.isOnlyProbe($0) }
            let list = isNamed ? "" : Self.list(known.map(names.name(of:)))
            let name = list.isEmpty ? "" : " [\(list)]"
            text +=
                "\(paint.yellow("not checked:")) \(entry.rule.rawValue)\(name): \(VisibleText.line(entry.reason))\n"
        }
        return text
    }

    /// Returns a few names, and how many more there are.
    static func list(_ names: [String]) -> String {
        let limit = names.count > 6 ? 4 : names.count
        return names.prefix(limit).joined(separator: ", ")
            + (names.count > limit ? " and \(names.count - limit) more" : "")
    }

    /// Returns what was not checked, with what differs only in the snapshot together.
    static func groups(_ entries: [NotChecked]) -> [[NotChecked]] {
        var groups: [[NotChecked]] = []
        var indexes: [NotChecked: Int] = [:]
        for entry in entries {
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

    func summary(_ report: Report, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        // The tool whose behaviour was followed, if it is not Drydock.
        let tool = report.tools.flatMap { $0 == "drydock" ? nil : " as \($0)" } ?? ""
        var word = report.hasPassed ? "passed" : "failed"
        let facts: [String]
        switch report.body {
        case .verify(let verify):
            facts = replayed(verify, tool)
        case .lint(let lint): facts = self.facts(lint, tool: tool)
        case .lock(let lock): facts = self.facts(lock)
        case .migrate(let migrate):
            facts = migrate.replays.isEmpty ? [] : replayed(migrate.replays, tool)
            word = result(of: migrate, report)
        case .health(let health): facts = [databases(health, report)]
        case .rollOut(let rollOut):
            facts = [counted(rollOut.databases.count, "database")]
            word = result(of: rollOut)
        case .vacuums(let vacuums):
            facts = [counted(vacuums.databases.count, "database")]
            word = result(of: vacuums)
        case .diff, .vacuum: facts = []
        }
        let found = report.foundMigrations.map { ["migrations found in \($0)"] } ?? []
        let gaps =
            report.notChecked.isEmpty ? [] : ["\(Self.groups(report.notChecked).count) not checked"]
        let severities = report.findingGroups.map { $0.findings[0].severity }
        let counts = Finding.Severity.allCases.reversed().compactMap { severity -> String? in
            let count = severities.count { $0 == severity }
            guard count > 0 else { return nil }
            let hint =
                severity == .note && !options.isVerbose ? " (-v shows \(count == 1 ? "it" : "them"))" : ""
            return counted(count, severity.rawValue) + hint
        }
        let verdict = report.hasPassed ? paint.green(word) : paint.red(word)
        return "\(verdict)\(counts.isEmpty ? "" : " with " + counts.joined(separator: ", ")): "
            + (facts + found + gaps + [duration(report.seconds)]).joined(separator: ", ") + "\n"
            + claim(report, paint)
    }

    /// Says how much a run on generated rows alone proves.
    private func claim(_ report: Report, _ paint: Paint) -> String {
        guard case .verify(let verify) = report.body, !verify.replays.isEmpty else { return "" }
        if report.hasPassed, verify.replays.contains(where: { !$0.isProbe && !$0.steps.isEmpty }),
            verify.replays.allSatisfy({ $0.hasNoRows == true })
        {
            return paint.dim(
                "No migration met a row, which proves no more than that they run on an empty database. Snapshots with rows "
                    + "prove more.") + "\n"
        }
        guard verify.replays.allSatisfy(\.isProbe),
            !report.findings.contains(where: { $0.rule == .nothingVerified })
        else { return "" }
        let claim =
            if verify.replays.allSatisfy({ $0.rowsGenerated == 0 }) {
                "No migration met a row, which proves no more than that they run on an empty database."
            } else if report.hasPassed, report.findings.contains(where: { $0.tags.contains(.probe) }) {
                "Only unusual rows show a fault; whether users have such rows is yours to know."
            } else if report.hasPassed {
                "No generated row shows a fault, which does not prove that no row does."
            } else {
                "The rows are generated."
            }
        return paint.dim(claim + " Snapshots of released versions prove more: put them into Snapshots/.")
            + "\n"
    }

    /// Says what was replayed: snapshots, or generated rows.
    private func replayed(_ verify: VerifySummary, _ tool: String) -> [String] {
        let probes = verify.replays.filter(\.isProbe)
        let snapshots = verify.replays.count - probes.count
        let generated = counted(probes.reduce(0) { $0 + $1.rowsGenerated }, "generated row")
        guard snapshots == 0, !probes.isEmpty else {
            return [counted(snapshots, "snapshot")] + (probes.isEmpty ? [] : [generated])
                + replayed(verify.replays, tool)
        }
        // What was compared and written of rows that nobody has is of no use to anyone.
        return [counted(probes.reduce(0) { $0 + $1.steps.count }, "step") + tool, generated, "no snapshot"]
            + crashes(probes)
    }

    private func replayed(_ replays: [ReplaySummary], _ tool: String) -> [String] {
        let steps = replays.flatMap(\.steps)
        let pages = counted(steps.reduce(0) { $0 + $1.pagesWritten }, "page") + " written"
        return [counted(steps.count, "step") + tool] + compared(replays) + [pages] + crashes(replays)
            + libraries(replays)
    }

    func duration(_ seconds: Double) -> String {
        if seconds < 0.0995 { return "\(max(0.1, (seconds * 10_000).rounded() / 10)) ms" }
        return "\((seconds * 100).rounded() / 100) s"
    }
}
