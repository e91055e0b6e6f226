import Drydock

/// What `drydock lock` prints besides its findings.
extension HumanRenderer {
    /// Returns a line for each entry that was added, changed or removed.
    func changes(_ lock: LockSummary, _ options: RenderOptions) -> String {
        guard !options.isQuiet else { return "" }
        let paint = Paint(options.usesColor)
        var lines = lock.added.map { paint.green("+ ") + $0 }
        lines += lock.replaced.map { paint.yellow("~ ") + $0 }
        lines += lock.unchanged.map { paint.dim("= \($0) is as it was locked") }
        lines += lock.removed.map { paint.red("- ") + $0 }
        lines += lock.unlocked.map { paint.dim("? \($0) is not locked") }
        return lines.isEmpty ? "" : "\n" + lines.joined(separator: "\n") + "\n"
    }

    /// Returns what the summary line counts.
    func facts(_ lock: LockSummary) -> [String] {
        let changes = [
            ("added", lock.added), ("replaced", lock.replaced), ("unchanged", lock.unchanged),
            ("removed", lock.removed), ("not locked", lock.unlocked),
        ].filter { !$0.1.isEmpty }.map { "\($0.1.count) \($0.0)" }
        return [
            counted(lock.migrationCount, "migration") + " and " + counted(lock.snapshotCount, "snapshot")
                + " in \(lock.path)"
        ] + changes
    }
}
