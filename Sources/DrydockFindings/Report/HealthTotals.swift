/// How many of the databases of a health report are healthy, and which are the worst.
public struct HealthTotals: Sendable, Equatable {
    /// How one database is, the worst first. Each database has one state.
    public enum State: String, Sendable, CaseIterable {
        /// There are errors.
        case broken
        /// Nothing could be checked.
        case notRead = "not-read"
        /// There are warnings and no error.
        case warned
        /// Nothing was found, and something was not reached.
        case partlyChecked = "partly-checked"
        /// Everything was reached, and there are at most notes.
        case healthy

        /// The state after a count: `3 broken`.
        package var words: String {
            switch self {
            case .broken: "broken"
            case .notRead: "not read"
            case .warned: "with warnings"
            case .partlyChecked: "not checked in full"
            case .healthy: "healthy"
            }
        }
    }

    /// A database that is not healthy.
    public struct Case: Sendable, Equatable {
        public var path: String
        public var state: State
        public var errors: Int
        public var warnings: Int
        /// The checks that have findings, by name.
        public var rules: [Rule]
    }

    public var databases = 0
    public var counts: [State: Int] = [:]
    /// The sizes in bytes; nil if none was measured.
    public var size: Spread?
    /// The part of a file that is free pages; nil if it was not measured.
    public var freeRatio: Spread?
    /// The databases that are not healthy: the worst first, equal ones in the order of the report.
    public var cases: [Case] = []

    package init() {}

    /// The counts in words: `3 broken, 1,997 healthy`.
    package var words: String {
        State.allCases.compactMap { state in counts[state].map { "\($0) \(state.words)" } }
            .joined(separator: ", ")
    }
}

extension Report {
    /// How the databases of a health report are; nil in another command's report.
    public var healthTotals: HealthTotals? {
        guard let health else { return nil }
        let findings = Dictionary(grouping: findings) { $0.database ?? "" }
        let gaps = Set(notChecked.map { $0.database ?? "" })
        var totals = HealthTotals()
        totals.databases = health.databases.count
        for database in health.databases {
            let own = (findings[database.path] ?? []).filter { $0.severity > .note }
            let errors = own.count { $0.severity == .error }
            let state: HealthTotals.State =
                if errors > 0 { .broken } else if database.trouble != nil { .notRead } else if !own.isEmpty {
                    .warned
                } else { gaps.contains(database.path) ? .partlyChecked : .healthy }
            totals.counts[state, default: 0] += 1
            guard state != .healthy else { continue }
            totals.cases.append(
                HealthTotals.Case(
                    path: database.path, state: state, errors: errors, warnings: own.count - errors,
                    rules: Set(own.map(\.rule)).sorted { $0.rawValue < $1.rawValue }))
        }
        let order = HealthTotals.State.allCases
        func rank(_ entry: HealthTotals.Case) -> (Int, Int, Int) {
            (order.firstIndex(of: entry.state) ?? 0, -entry.errors, -entry.warnings)
        }
        totals.cases = totals.cases.enumerated().sorted {
            let (a, b) = (rank($0.element), rank($1.element))
            return a == b ? $0.offset < $1.offset : a < b
        }.map(\.element)
        func spread(_ name: String) -> Spread? {
            Spread(health.databases.compactMap { $0.measures.first { $0.name == name }?.value })
        }
        (totals.size, totals.freeRatio) = (spread("size_bytes"), spread("freelist_ratio"))
        return totals
    }
}
