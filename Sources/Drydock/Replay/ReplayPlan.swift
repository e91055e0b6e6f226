/// Which migrations a snapshot has, and which are pending.
struct ReplayPlan: Sendable {
    /// Indexes into the set, in order.
    let pending: [Int]
    /// Identifiers that the snapshot has applied and the set has not.
    let unknown: [String]
    /// The newest migration of the set that the snapshot has applied.
    let from: String?
    /// How many migrations of the set a fresh install runs to be where this replay ends.
    let finalCount: Int
    private let outOfOrder: [(pending: String, applied: String)]

    init(applied: [String], set: MigrationSet, targetCount: Int) {
        let known = Set(applied)
        let appliedIndexes = set.migrations.indices.filter { known.contains(set.migrations[$0].identifier) }
        let pending = (0..<targetCount).filter { !known.contains(set.migrations[$0].identifier) }
        let identifiers = Set(set.migrations.map(\.identifier))
        self.pending = pending
        unknown = applied.filter { !identifiers.contains($0) }
        from = appliedIndexes.last.map { set.migrations[$0].identifier }
        finalCount = max(appliedIndexes.last.map { $0 + 1 } ?? 0, targetCount)
        outOfOrder = pending.compactMap { index in
            guard let last = appliedIndexes.last, index < last else { return nil }
            return (set.migrations[index].identifier, set.migrations[last].identifier)
        }
    }

    func findings(for snapshot: Snapshot) -> [Finding] {
        var findings: [Finding] = []
        if !unknown.isEmpty {
            let names = unknown.prefix(5).joined(separator: ", ") + (unknown.count > 5 ? ", …" : "")
            findings.append(
                Finding(
                    .unknownMigration,
                    "\(snapshot.path) has applied \(counted(unknown.count, "migration")) that "
                        + "\(unknown.count == 1 ? "is" : "are") not in the folder: \(names)",
                    help:
                        "The snapshot is newer than the folder, or a released migration was renamed or removed."
                ))
        }
        for gap in outOfOrder {
            findings.append(
                Finding(
                    .migrationOutOfOrder, .warning,
                    "\(gap.pending) is pending although \(gap.applied) is applied",
                    help:
                        "It runs after migrations that sort behind it. If it is new, rename it so that it sorts last.",
                    migration: gap.pending))
        }
        return findings
    }
}
