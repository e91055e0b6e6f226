import Drydock
import SQLiteSchema

/// The lines of the snapshots.
extension HumanRenderer {
    /// Returns which part of a run the report is, if it is not of the whole.
    package func shard(_ report: Report, _ options: RenderOptions) -> String {
        guard let part = report.part, !options.isQuiet else { return "" }
        return Self.shard(part)
    }

    static func shard(_ part: ReportPart) -> String {
        "shard \(part.shard) of \(part.shards): \(part.databases.count) of "
            + "\(counted(part.listCount, "database")); 'drydock merge' makes one report of all shards\n"
    }

    /// Says how many rows were compared with the state before, and of none why there was none to compare.
    func compared(_ replays: [ReplaySummary]) -> [String] {
        let rows = replays.reduce(0) { $0 + $1.rowsCompared }
        let steps = replays.flatMap(\.steps)
        let untouched = replays.reduce(0) { $0 + $1.tablesUntouched }
        let text =
            if rows > 0 {
                counted(rows, "row") + " compared"
            } else if replays.isEmpty || replays.contains(where: { $0.steps.isEmpty && $0.pendingCount > 0 })
            {
                "nothing compared"
            } else if replays.allSatisfy({ $0.hasNoRows == true }) {
                "no rows to compare"
            } else if steps.isEmpty {
                "nothing to compare"
            } else if untouched > 0 {
                // What no step wrote to is the same, byte by byte.
                counted(untouched, "table") + " untouched"
            } else {
                "nothing compared"
            }
        let missed = replays.reduce(0) { $0 + ($1.tablesNotCompared ?? 0) }
        return [text] + (missed > 0 ? [counted(missed, "table") + " not compared"] : [])
    }

    /// How many snapshots have a line each; of more than that, only some of those with findings have one.
    package static let lineLimit = 50
    /// How many snapshots with findings have a line where not all have one.
    private static let shownLines = 20

    func snapshotLines(_ report: Report, _ options: RenderOptions, showsSteps: Bool) -> String {
        let findings = Dictionary(grouping: report.findings, by: \.snapshot)
        func line(_ replay: ReplaySummary) -> String {
            self.line(for: replay, findings[replay.snapshot] ?? [], options)
                + (showsSteps ? stepLines(of: replay, options) : "")
        }
        guard report.replays.count > Self.lineLimit, !options.isVerbose else {
            return report.replays.map(line).joined()
        }
        let results = report.replays.map { ($0, Result($0, findings[$0.snapshot] ?? [])) }
        let counts = Result.allCases.compactMap { result -> String? in
            let count = results.count { $0.1 == result }
            return count == 0 ? nil : "\(count) \(result.rawValue)"
        }
        let troubled = results.filter { $0.1 != .passed }.map(\.0)
        let more = troubled.count - Self.shownLines
        return "\(report.replays.count) snapshots: \(counts.joined(separator: ", "))\n"
            + troubled.prefix(Self.shownLines).map(line).joined()
            + (more > 0 ? Paint(options.usesColor).dim("… and \(more) more (-v shows them)") + "\n" : "")
    }

    /// How the replay of a snapshot ended.
    private enum Result: String, CaseIterable {
        case failed
        case incomplete = "not replayed to the end"
        case partial = "not compared whole"
        case warned = "with warnings"
        case passed

        init(_ replay: ReplaySummary, _ findings: [Finding]) {
            switch findings.map(\.severity).max() ?? .note {
            case .error: self = .failed
            // A replay that did not run to the end gets no tick.
            case _ where replay.pendingCount > 0: self = .incomplete
            // Nor does one that may have lost rows.
            case _ where replay.tablesNotCompared != nil: self = .partial
            case .warning: self = .warned
            case .note: self = .passed
            }
        }
    }

    /// Returns the line that is printed as soon as a snapshot is done.
    package func line(for replay: ReplaySummary, _ findings: [Finding], _ options: RenderOptions) -> String {
        let (replay, paint) = (replay.visible, Paint(options.usesColor))
        let mark =
            switch Result(replay, findings) {
            case .failed: paint.red("✗")
            case .incomplete, .partial: paint.yellow("–")
            case .warned: paint.yellow("!")
            case .passed: paint.green("✓")
            }
        let way =
            replay.steps.isEmpty
            ? replay.to.map { "at \($0)" } ?? "not replayed"
            : "\(replay.from ?? replay.start.rawValue) → \(replay.to ?? replay.start.rawValue)"
        let steps =
            counted(replay.steps.count, "step")
            + (replay.pendingCount > 0 ? " of \(replay.steps.count + replay.pendingCount)" : "")
        // Of generated rows it only matters that there are some; a table that is untouched needs no comparison.
        var facts = [steps] + (replay.isProbe ? [counted(replay.rowsGenerated, "row")] : compared([replay]))
        if options.isVerbose {
            let untouched = counted(replay.tablesUntouched, "table") + " untouched"
            if !facts.contains(untouched) { facts.append(untouched) }
            facts.append("baseline \(replay.baseline.rawValue.replacing("-", with: " "))")
            facts.append(
                "integrity of " + (replay.tablesChecked.map { counted($0, "table") } ?? "everything")
                    + " checked"
                    + (replay.integrityUnchecked > 0 ? ", not of \(replay.integrityUnchecked)" : ""))
        }
        facts.append(duration(replay.seconds))
        let text =
            "\(mark) \(paint.bold(replay.isProbe ? SnapshotNames.probe : replay.name))  \(way)  \(paint.dim(facts.joined(separator: ", ")))\n"
        return options.isVerbose ? text + stepLines(of: replay, options) : text
    }

    func stepLines(of replay: ReplaySummary, _ options: RenderOptions) -> String {
        let paint = Paint(options.usesColor)
        return replay.steps.map { step in
            paint.dim(
                "    \(step.migration)  \(duration(step.seconds)), \(counted(step.pagesWritten, "page")) written"
                    // Those of the project's own command are not known.
                    + (step.statementSeconds.isEmpty
                        ? "" : ", \(counted(step.statementSeconds.count, "statement"))")) + "\n"
        }.joined()
    }
}

extension HumanRenderer {
    /// Says on which other SQLite libraries every step of every replay was repeated, if that was asked for.
    func libraries(_ replays: [ReplaySummary]) -> [String] {
        let versions = replays.compactMap(\.sqliteVersions)
        guard let first = versions.first else { return [] }
        let all = first.filter { version in versions.allSatisfy { $0.contains(version) } }
        return ["repeated on " + (all.isEmpty ? "no other SQLite" : "SQLite " + all.joined(separator: ", "))]
    }

    /// Says after how many crashes the tool was started again, if that was asked for.
    func crashes(_ replays: [ReplaySummary]) -> [String] {
        func sum(_ counts: [Int], _ noun: String) -> String? {
            counts.isEmpty ? nil : counted(counts.reduce(0, +), noun)
        }
        let parts = [
            sum(replays.compactMap(\.crashStates), "kill"),
            sum(replays.compactMap(\.crashFaults), "fault"),
            sum(replays.compactMap(\.crashPowerCuts), "power cut"),
        ].compactMap(\.self)
        guard let last = parts.last else { return [] }
        let others = parts.dropLast().joined(separator: ", ")
        return [(others.isEmpty ? "" : others + " and ") + last + " tried"]
    }
}
