import Drydock

/// The migrations of a report against its snapshots. Snapshots with equal results share a column, so that a thousand of
/// them remain readable.
struct ReplayMatrix {
    enum State: Hashable {
        /// The snapshot had the migration already.
        case applied
        case passed, warned, failed
        /// The replay stopped before it.
        case notRun
        /// Something could not be checked.
        case notChecked
    }

    struct Cell: Hashable {
        var state: State
        /// The number of errors and warnings, and the place of the first one on the page.
        var count = 0
        var first: Int?
    }

    struct Column {
        var replays: [ReplaySummary]
        var cells: [Cell]
        /// What is true of the snapshot as a whole.
        var end: Cell
        /// How much of each snapshot could not be checked.
        var gaps: Int
    }

    /// The slowest run of a migration, and the most pages that one wrote.
    struct Cost {
        var seconds = 0.0
        var pages = 0
    }

    private(set) var migrations: [String] = []
    private(set) var columns: [Column] = []
    private(set) var costs: [String: Cost] = [:]

    private typealias Found = [String: [(severity: Finding.Severity, number: Int)]]

    /// - Parameter groups: in the order of the page.
    init(_ report: Report, _ groups: [FindingGroup]) {
        var found: [String: Found] = [:]
        for (number, group) in groups.enumerated() {
            for finding in group.findings where finding.severity != .note {
                guard let snapshot = finding.snapshot else { continue }
                found[snapshot, default: [:]][finding.migration ?? "", default: []].append(
                    (finding.severity, number))
            }
        }
        for replay in report.replays.sorted(by: { $0.steps.count > $1.steps.count }) {
            add(replay.steps.map(\.migration))
        }
        for replay in report.replays {
            // A migration that failed is not a step.
            let last = replay.steps.last.map { [$0.migration] } ?? []
            for migration in (found[replay.snapshot] ?? [:]).keys.sorted() where !migration.isEmpty {
                add(last + [migration])
            }
            for step in replay.steps {
                costs[step.migration, default: Cost()].seconds = max(
                    costs[step.migration]?.seconds ?? 0, step.seconds)
                costs[step.migration, default: Cost()].pages = max(
                    costs[step.migration]?.pages ?? 0, step.pagesWritten)
            }
        }
        let gaps = Dictionary(grouping: report.notChecked) { $0.snapshot ?? "" }.mapValues(\.count)
        collect(report.replays, found, gaps)
    }

    private mutating func collect(
        _ replays: [ReplaySummary], _ found: [String: Found], _ gaps: [String: Int]
    ) {
        struct Key: Hashable {
            var start: String?
            var isProbe: Bool
            var cells: [Cell]
            var end: Cell
            var gaps: Int
        }
        var indexes: [Key: Int] = [:]
        let places = Dictionary(uniqueKeysWithValues: migrations.enumerated().map { ($1, $0) })
        for replay in replays {
            let own = found[replay.snapshot] ?? [:]
            let count = (gaps[replay.snapshot] ?? 0) + replay.integrityUnchecked
            let cells = cells(of: replay, own, places)
            let end = end(of: replay, cells, own, gaps: count)
            let key = Key(
                start: replay.from ?? replay.start.rawValue, isProbe: replay.isProbe, cells: cells, end: end,
                gaps: count)
            if let index = indexes[key] {
                columns[index].replays.append(replay)
            } else {
                indexes[key] = columns.count
                columns.append(Column(replays: [replay], cells: cells, end: end, gaps: count))
            }
        }
    }

    /// Returns the worst of what was found at its steps and besides; what is incomplete is never a tick.
    private func end(of replay: ReplaySummary, _ cells: [Cell], _ found: Found, gaps: Int) -> Cell {
        let all = cells + [Self.cell(found[""])].compactMap(\.self)
        func worst(_ state: State) -> Cell? {
            all.first { $0.state == state }.map { Cell(state: state, first: $0.first) }
        }
        if let failed = worst(.failed) { return failed }
        if replay.pendingCount > 0 || replay.steps.isEmpty && replay.to == nil { return Cell(state: .notRun) }
        return worst(.warned) ?? Cell(state: gaps > 0 ? .notChecked : .passed)
    }

    private func cells(of replay: ReplaySummary, _ found: Found, _ places: [String: Int]) -> [Cell] {
        // Where the replay's first step is, everything before was applied already; after its last, it was not run.
        let ran = replay.steps.compactMap { places[$0.migration] }
        let start = ran.min() ?? replay.from.flatMap { places[$0] }.map { $0 + 1 } ?? 0
        var cells = migrations.indices.map { index in
            Cell(state: index >= start && replay.pendingCount > 0 ? .notRun : .applied)
        }
        for place in ran { cells[place] = Cell(state: .passed) }
        for (migration, findings) in found {
            if let place = places[migration], let cell = Self.cell(findings) { cells[place] = cell }
        }
        return cells
    }

    private static func cell(_ found: [(severity: Finding.Severity, number: Int)]?) -> Cell? {
        guard let found, let first = found.min(by: { $0.number < $1.number }) else { return nil }
        let isError = found.contains { $0.severity == .error }
        return Cell(state: isError ? .failed : .warned, count: found.count, first: first.number)
    }

    /// Adds what is new, each after the one before it.
    private mutating func add(_ names: [String]) {
        var known = Dictionary(uniqueKeysWithValues: migrations.enumerated().map { ($1, $0) })
        var last = -1
        for name in names {
            if let index = known[name] {
                last = index
                continue
            }
            last += 1
            migrations.insert(name, at: last)
            known = Dictionary(uniqueKeysWithValues: migrations.enumerated().map { ($1, $0) })
        }
    }
}
