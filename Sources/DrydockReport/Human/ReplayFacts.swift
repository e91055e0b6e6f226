import Drydock

/// What is said of replays in a few words: how many steps, what was compared, and what else was tried.
struct ReplayFacts {
    private let replays: [ReplaySummary]

    init(_ replays: [ReplaySummary]) { self.replays = replays }

    func all(tool: String) -> [String] {
        let steps = replays.flatMap(\.steps)
        let pages = counted(steps.reduce(0) { $0 + $1.pagesWritten }, "page") + " written"
        return [counted(steps.count, "step") + tool] + compared + [pages] + crashes
            + libraries
    }

    /// Says how many rows were compared with the state before, and of none why there was none to compare.
    var compared: [String] {
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

    /// Says on which other SQLite libraries every step of every replay was repeated, if that was requested.
    private var libraries: [String] {
        let versions = replays.compactMap(\.sqliteVersions)
        guard let first = versions.first else { return [] }
        let all = first.filter { version in versions.allSatisfy { $0.contains(version) } }
        return ["repeated on " + (all.isEmpty ? "no other SQLite" : "SQLite " + all.joined(separator: ", "))]
    }

    /// Says after how many crashes the tool was started again, if that was requested.
    var crashes: [String] {
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
