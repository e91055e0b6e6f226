import Drydock

/// What `drydock lock` prints besides its findings.
struct LockText {
    let lock: LockSummary
    let options: RenderOptions

    /// A line for each entry that was added, changed or removed.
    var changes: String {
        guard !options.isQuiet else { return "" }
        let paint = options.paint
        var lines = lock.added.map { paint.green("+ ") + $0 }
        lines += lock.replaced.map { paint.yellow("~ ") + $0 }
        lines += lock.unchanged.map { paint.dim("= \($0) is as it was locked") }
        lines += lock.removed.map { paint.red("- ") + $0 }
        lines += lock.unlocked.map { paint.dim("? \($0) is not locked") }
        return lines.isEmpty ? "" : "\n" + lines.joined(separator: "\n") + "\n"
    }

    /// What the summary line counts.
    var facts: [String] {
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
