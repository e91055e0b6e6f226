import Drydock
import SQLiteSchema

/// The lines of the snapshots: how the replay of each ended.
package struct ReplayLines {
    let options: RenderOptions

    private var paint: Paint { options.paint }

    package init(options: RenderOptions) { self.options = options }

    /// How many snapshots have a line each; of more than that, only some of those with findings have one.
    package static let limit = 50
    /// How many snapshots with findings have a line where not all have one.
    private static let shownLines = 20

    /// Returns the lines of all snapshots of a report, or, of very many, those of some.
    func text(_ report: Report, showsSteps: Bool) -> String {
        let findings = Dictionary(grouping: report.findings, by: \.snapshot)
        func line(_ replay: ReplaySummary) -> String {
            self.line(replay, findings[replay.snapshot] ?? [])
                + (showsSteps ? stepLines(of: replay) : "")
        }
        guard report.replays.count > Self.limit, !options.isVerbose else {
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
            + (more > 0 ? paint.dim("… and \(more) more (-v shows them)") + "\n" : "")
    }

    /// How the replay of a snapshot ended.
    private enum Result: String, CaseIterable {
        case failed
        case incomplete = "not replayed to the end"
        case partial = "not compared completely"
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
    package func line(_ replay: ReplaySummary, _ findings: [Finding]) -> String {
        let replay = replay.visible
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
        let count =
            counted(replay.steps.count, "step")
            + (replay.pendingCount > 0 ? " of \(replay.steps.count + replay.pendingCount)" : "")
        // Of generated rows it only matters that there are some; a table that is untouched needs no comparison.
        var facts =
            [count]
            + (replay.isProbe ? [counted(replay.rowsGenerated, "row")] : ReplayFacts([replay]).compared)
        if options.isVerbose {
            let untouched = counted(replay.tablesUntouched, "table") + " untouched"
            if !facts.contains(untouched) { facts.append(untouched) }
            facts.append("baseline \(replay.baseline.rawValue.replacing("-", with: " "))")
            facts.append(
                "integrity of " + (replay.tablesChecked.map { counted($0, "table") } ?? "everything")
                    + " checked"
                    + (replay.integrityUnchecked > 0 ? ", not of \(replay.integrityUnchecked)" : ""))
        }
        facts.append(elapsed(replay.seconds))
        let text =
            "\(mark) \(paint.bold(replay.isProbe ? SnapshotNames.probe : replay.name))  \(way)  \(paint.dim(facts.joined(separator: ", ")))\n"
        return options.isVerbose ? text + stepLines(of: replay) : text
    }

    private func stepLines(of replay: ReplaySummary) -> String {
        replay.steps.map { step in
            paint.dim(
                "    \(step.migration)  \(elapsed(step.seconds)), \(counted(step.pagesWritten, "page")) written"
                    // Those of the project's own command are not known.
                    + (step.statementSeconds.isEmpty
                        ? "" : ", \(counted(step.statementSeconds.count, "statement"))")) + "\n"
        }.joined()
    }
}
