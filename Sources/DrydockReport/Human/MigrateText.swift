import Drydock

/// What `drydock migrate` prints besides its findings.
struct MigrateText {
    let migrate: MigrateSummary
    let options: RenderOptions

    /// What is pending, what it costs, and where the backup is.
    var cost: String {
        guard !options.isQuiet || migrate.isWrong else { return "" }
        let paint = options.paint
        var lines: [String] = []
        if migrate.outcome == .pending {
            lines += migrate.pending.map { paint.yellow("+ ") + $0 }
        }
        for need in migrate.needs {
            let free = need.free.map { ", \(StatisticsRenderer.size($0)) free" } ?? ""
            let verb = migrate.outcome == .applied ? "took at most" : "needs"
            lines.append(
                "\(verb) \(StatisticsRenderer.size(need.bytes)) in \(need.folder)\(free): \(need.purpose)")
        }
        if let seconds = migrate.lockSeconds {
            let action = migrate.locksReaders ? "read or write" : "write"
            lines.append(
                migrate.outcome == .applied || migrate.outcome == .damaged
                    ? "other programs could not \(action) for \(elapsed(seconds))"
                    : "other programs cannot \(action) for about \(elapsed(seconds))")
        }
        if migrate.rehearsals > 1 {
            lines.append("rehearsed \(migrate.rehearsals) times: another program committed in the meantime")
        }
        if let backup = migrate.backup {
            lines.append("backup: \(paint.bold(backup)), every page read again")
        }
        lines += migrate.notes.map { "\(paint.yellow("note:")) \($0)" }
        return lines.isEmpty ? "" : "\n" + lines.map { "  \($0)\n" }.joined()
    }
}

extension MigrateSummary {
    /// Returns the beginning of the summary line, up to the counts.
    func result(hasPassed: Bool) -> String {
        switch outcome {
        case .upToDate: "nothing is pending"
        case .pending: "\(counted(pending.count, "migration")) pending"
        case .rehearsed:
            hasPassed
                ? "rehearsed, nothing was written; --apply applies it" : "rehearsed, nothing was written"
        case .refused: "refused, nothing was written"
        case .applied: "migrated"
        case .damaged:
            "migrated, but \(database) is read differently from what was written: the disk is failing"
        }
    }

    fileprivate var isWrong: Bool { [.pending, .refused, .damaged].contains(outcome) }
}
