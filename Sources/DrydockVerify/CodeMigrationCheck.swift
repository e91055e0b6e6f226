import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// `migration-in-code`: replays that ended before a migration which is not SQL. A snapshot of a later version continues
/// where they ended; where there is none, later migrations are not verified.
struct CodeMigrationCheck {
    let context: ReplayContext
    let results: [ReplayResult]

    init(context: ReplayContext, results: [ReplayResult]) {
        self.context = context
        self.results = results
    }

    func findings() -> [Finding] {
        let gaps = Dictionary(
            grouping: results.filter { $0.stoppedAtCode != nil }, by: { $0.stoppedAtCode ?? "" })
        return context.targets.compactMap { migration in
            gaps[migration.identifier].map { finding(migration, $0.map(\.summary.snapshot)) }
        }
    }

    private func finding(_ migration: Migration, _ stopped: [String]) -> Finding {
        let names = stopped.prefix(3).joined(separator: ", ") + (stopped.count > 3 ? ", …" : "")
        let place = Finding.Place(file: migration.path)
        if let bridge = bridge(behind: migration) {
            return Finding(
                .migrationInCode, .note,
                "\(migration.identifier) is written in code: the replay of \(names) ends before it, and \(bridge) continues after it",
                help: "What the code itself does to rows was not checked.", migration: migration.identifier,
                place: place)
        }
        return Finding(
            .migrationInCode,
            "\(migration.identifier) is written in code: the replay of \(names) ends before it, and no snapshot continues after it",
            help:
                "Let the app upgrade a copy of such a database to \(migration.identifier) or later, and keep that as a "
                + "snapshot too: the replay continues from there.",
            migration: migration.identifier, place: place)
    }

    /// Returns the first snapshot after a migration.
    private func bridge(behind migration: Migration) -> String? {
        let set = context.set
        return results.filter { $0.applied.contains(migration.identifier) }
            .min { a, b in
                let (x, y) = (a.summary.from.flatMap(set.index) ?? 0, b.summary.from.flatMap(set.index) ?? 0)
                return x < y
            }?.summary.snapshot
    }
}
