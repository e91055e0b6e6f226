import DrydockFiles
import DrydockFindings
import DrydockMigrate

/// What came of one database of a roll-out, as another run or the merge of shards needs it.
struct RollOutResult: Codable {
    var database: RollOutSummary.Database
    var findings: [Finding]
    var notChecked: [NotChecked.Complete]
    var format, wave: String?

    init(_ looked: RollOutRun.Inspected, redacts: Bool) {
        database = looked.database
        findings = redacts ? looked.findings.map(\.redacted) : looked.findings
        notChecked = looked.notChecked.map(NotChecked.Complete.init)
        (format, wave) = (looked.format, looked.wave)
    }
}

/// What a run says besides its databases, for the merge of shards.
struct RollOutEnd: Codable {
    var waves: [RollOutSummary.Wave]
    var stopped, log: String?

    /// Begins the key, which goes on with the first database, so that no two shards have the same.
    private static let key = "\u{0}roll-out "

    func keep(in kept: KeptResults, of databases: [String]) throws {
        try kept.keep(self, of: Self.key + (databases.first ?? ""), nil)
    }

    /// Returns those of all shards.
    static func all(in kept: KeptResults) -> [RollOutEnd] {
        kept.results.keys.filter { $0.hasPrefix(key) }.sorted().compactMap { kept.result(of: $0) }
    }
}

extension RollOutRun {
    /// Keeps what no migration changes any more: a look that was all, or that shows why nothing can be done.
    func keepLooked(_ looked: Inspected) throws {
        guard request.migrate.mode != .apply, looked.database.isRead, looked.database.outcome != .busy,
            request.migrate.mode == .check || looked.database.outcome != .pending
        else { return }
        try keep(looked, looked.stamp)
    }

    /// Keeps what came of a migration. That a database is migrated counts whatever was written since, as long as another
    /// look shows that it still is.
    func keepMigrated(_ looked: Inspected) throws {
        switch looked.database.outcome {
        case .applied: try keep(looked, KeptResults.lasting)
        case .rehearsed: try keep(looked, looked.stamp)
        case .failed where request.migrate.mode == .rehearsal: try keep(looked, looked.stamp)
        case .upToDate, .pending, .failed, .busy, .damaged, .notReached: break
        }
    }

    /// Keeps everything for the part of a shard.
    func keep(_ looked: [Inspected], _ summary: RollOutSummary) throws {
        guard let kept = request.kept else { return }
        for one in looked { try keep(one, nil) }
        try RollOutEnd(waves: summary.waves, stopped: summary.stopped, log: summary.log)
            .keep(in: kept, of: request.databases)
    }

    private func keep(_ looked: Inspected, _ stamp: String?) throws {
        try request.kept?.keep(
            RollOutResult(looked, redacts: request.redactsKept), of: looked.database.path, stamp)
    }

    /// Returns the waves of earlier runs, as far as what they did counts for this one.
    static func wavesBefore(_ looked: [Inspected]) -> [RollOutSummary.Wave] {
        let kept = Dictionary(grouping: looked.filter { $0.isKept && $0.wave != nil }) { $0.wave ?? "" }
        return kept.map { name, looked in
            var wave = RollOutSummary.Wave(name: name, count: looked.count)
            wave.failed = looked.count { $0.database.outcome == .failed }
            wave.applied = looked.count - wave.failed
            wave.seconds = looked.reduce(0) { $0 + $1.database.seconds }
            return wave
        }
    }
}

extension RollOutRun.Inspected {
    /// - Parameter isKept: whether it is of an earlier run, and not of a shard of this one.
    init(_ result: RollOutResult, isKept: Bool = false) {
        self.init(
            database: result.database, findings: result.findings, notChecked: result.notChecked.map(\.entry),
            format: result.format, wave: result.wave, isKept: isKept)
    }

    /// Returns what an earlier run made of the database, if this look shows that it still is as that run left it.
    func migratedBefore(_ known: RollOutResult?) -> Self {
        guard let known, known.database.outcome == .applied, database.outcome == .upToDate,
            known.database.version == database.version
        else { return self }
        var before = Self(known, isKept: true)
        // Its schema may have changed since.
        (before.database.hasDrifted, before.findings, before.notChecked) = (
            database.hasDrifted, findings, notChecked
        )
        return before
    }
}

extension RollOutSummary.Wave {
    /// The databases that were busy are tried again after all waves.
    static let again = "tried again"
    static let canary = "canary"

    /// Returns the waves of several runs or shards as those of one, in the order in which they begin.
    static func sums(of runs: [[RollOutSummary.Wave]], _ request: RollOutRequest) -> [RollOutSummary.Wave] {
        var sums: [String: RollOutSummary.Wave] = [:]
        for wave in runs.joined() {
            var sum = sums[wave.name] ?? RollOutSummary.Wave(name: wave.name, count: 0)
            sum.count += wave.count
            sum.applied += wave.applied
            sum.failed += wave.failed
            sum.seconds = max(sum.seconds, wave.seconds)
            sums[wave.name] = sum
        }
        return ([canary] + request.waves.map(\.text) + [again]).compactMap { sums.removeValue(forKey: $0) }
            + sums.values.sorted { $0.name < $1.name }
    }
}

extension MigrateRequest.Mode {
    var ofSummary: RollOutSummary.Mode {
        switch self {
        case .check: .check
        case .rehearsal: .rehearsal
        case .apply: .apply
        }
    }
}
