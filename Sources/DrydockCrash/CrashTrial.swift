import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import OverlayVFS

/// The crashes of one batch of migrations: which have been tried, and what they lead to.
struct CrashTrial {
    let fixture: CrashFixture
    let recording: CrashKills.Recording
    let limit: Int
    let end: CrashEnd
    let restart: CrashRestart

    private(set) var outcome = CrashCheck.Outcome()
    private(set) var reports: CrashReports
    private var sequel: CrashSequel?
    private var digests = ImageDigests()
    /// What was wrong with the database before.
    private var knownDamage: [String]?
    /// What each state leads to.
    private var results: [ImageDigests.Digest: CrashCheck.Result] = [:]

    init(
        _ fixture: CrashFixture, _ recording: CrashKills.Recording, limit: Int, end: CrashEnd,
        restart: CrashRestart, sequel: CrashSequel?
    ) {
        (self.fixture, self.recording, self.limit) = (fixture, recording, limit)
        (self.end, self.restart, self.sequel) = (end, restart, sequel)
        let set = fixture.context.set
        let first = fixture.batch.first.flatMap { set.index(of: $0.identifier) } ?? 0
        reports = CrashReports(
            batch: fixture.batch, fixture.context,
            earlier: fixture.start.isUnsafe ? Array(set.migrations[..<first]) : [])
        // From where it began the tool comes to the end, and at the end it has nothing to do.
        results[digests.digest(fixture.before, isWhole: false)] = .same
        results[digests.digest(recording.end, isWhole: false)] = .same
    }

    private var name: String { fixture.batch.last?.identifier ?? "" }

    // MARK: - Kinds of crashes

    /// Kills the tool after each of its commits, and a second time on the next start.
    mutating func kill() async throws {
        leaveOut(recording.cuts.count, limit, "states that a kill during \(name) can leave")
        var again: [CrashCut] = []
        for cut in recording.cuts.prefix(limit) {
            let (result, next) = try await result(of: cut)
            outcome.states += 1
            try await note(result, at: cut)
            results[digests.digest(cut.image, isWhole: false)] = result
            // Where the tool starts by itself, it can be killed again.
            for second in next.dropLast() {
                again.append(
                    CrashCut(
                        image: second.image, cause: .again(second.point), point: cut.point,
                        pages: cut.pages.union(second.pages)))
            }
        }
        let new = again.filter { isNew($0.image) }
        let room = limit - outcome.states
        leaveOut(new.count, room, "states that a second kill during \(name) can leave")
        for cut in new.prefix(room) where isNew(cut.image) {
            outcome.states += 1
            try await note(remembered(cut), at: cut)
        }
    }

    /// Lets each growth of a file and each lock fail.
    mutating func fail() async throws {
        let faults = CrashFaults(fixture: fixture)
        let operations = try await faults.operations()
        let count = operations.count
        let tried = CrashFaults.tried(of: count, limit: limit)
        leaveOut(
            count, tried, "growths and locks of \(name) that can fail",
            tried < limit ? "more would take too long" : "--crash-states")
        var known: Set<FaultCase> = []
        for number in operations.chosen(tried) {
            guard var cut = try await faults.cut(number + 1) else { continue }
            outcome.faults += 1
            try await recover(&cut)
            let digest = digests.digest(cut.image, isWhole: false)
            guard known.insert(FaultCase(cause: cut.cause, point: cut.point, state: digest)).inserted else {
                continue
            }
            try await note(remembered(cut), at: cut)
        }
    }

    private struct FaultCase: Hashable {
        var cause: CrashCut.Cause
        var point: CrashPoint
        var state: ImageDigests.Digest
    }

    /// Cuts the power between any two writes.
    mutating func cutPower() async throws {
        let writes = CrashPowerCuts(fixture: fixture)
        let log = try await writes.record()
        if log.isCutShort {
            outcome.notChecked.append(
                NotChecked(.crashStuck, .undecided("\(name) writes more than is recorded for power cuts")))
        }
        let room = min(limit, max(64, Self.pageLimit / max(1, fixture.pages.count)))
        let wanted = log.states.chosen(room)
        leaveOut(
            log.states.cuts.count, wanted.count, "states that a power cut during \(name) can leave",
            room < limit ? "more would take too long" : "--crash-states")
        outcome.powerCuts += wanted.count
        try await writes.forEach(log, of: wanted) { state in
            var cut = state
            try await recover(&cut)
            guard cut.damage != nil || isNew(cut.image) else { return }
            try await note(remembered(cut), at: cut)
        }
    }

    /// How many pages the states of power cuts may have to recover, together.
    private static let pageLimit = 2_000_000

    /// Opens the database of a state, so that SQLite recovers it, and checks it if it is a new one.
    private mutating func recover(_ cut: inout CrashCut) async throws {
        let recovery = CrashRecovery(context: fixture.context, watchdog: fixture.watchdog)
        do {
            let (image, pages) = try await recovery.recover(cut.image)
            cut.image = image
            cut.pages.formUnion(pages)
            guard isNew(image) else { return }
            let known =
                if let knownDamage { knownDamage } else { try await recovery.damage(of: fixture.before) }
            knownDamage = known
            cut.damage = try await recovery.damage(of: image).first { !known.contains($0) }
        } catch let error as EngineError where !fixture.watchdog.isTripped {
            cut.damage = error.message
        }
    }

    private mutating func leaveOut(
        _ count: Int, _ tried: Int, _ what: String, _ why: String = "--crash-states"
    ) {
        guard count > tried else { return }
        outcome.notChecked.append(
            NotChecked(
                .crashStuck, .undecided("tried \(max(0, tried)) of the \(count) \(what) (\(why))")))
    }

    // MARK: - What a state leads to

    private mutating func note(_ result: CrashCheck.Result, at cut: CrashCut) async throws {
        reports.note(result, at: cut)
        guard case .differs(_, let image) = result, let failure = try await sequel?.failure(on: image) else {
            return
        }
        reports.note(.stuck(failure), at: cut)
    }

    private mutating func isNew(_ image: Image) -> Bool {
        results[digests.digest(image, isWhole: false)] == nil
    }

    /// Returns what a state leads to, which is found out once.
    private mutating func remembered(_ cut: CrashCut) async throws -> CrashCheck.Result {
        if let damage = cut.damage { return .damaged(damage) }
        let digest = digests.digest(cut.image, isWhole: false)
        if let known = results[digest] { return known }
        let (result, _) = try await result(of: cut)
        results[digest] = result
        return result
    }

    /// - Returns: also the states that commits left on the way to the end.
    private func result(of cut: CrashCut) async throws -> (CrashCheck.Result, [CrashCut]) {
        let ending = try await restart.runToTheEnd(on: cut.image)
        let result = try await self.result(of: ending, after: cut)
        if case .reached(_, _, let cuts) = ending { return (result, result.isSame ? cuts : []) }
        guard case .refused = ending, let mark = cut.point.migration.unfinishedMark else {
            return (result, [])
        }
        var first: CrashCheck.Result?
        for way in mark.waysOut {
            let ending = try await restart.run(on: cut.image, after: way.statements)
            let result = try await self.result(of: ending, after: cut)
            if result.isSame { return (.needsPerson(command: way.command), []) }
            first = first ?? result.after(way.command)
        }
        return (first ?? result, [])
    }

    private func result(of ending: CrashRestart.Ending, after cut: CrashCut) async throws -> CrashCheck.Result
    {
        if case .failed(let failure, let left) = ending {
            let loss = CrashLoss(inspector: end.inspector, before: fixture.before)
            let tables = try await loss.tables(lostFrom: cut.image, to: left)
            if !tables.isEmpty { return .destroys(tables, failure) }
        }
        return try await end.result(of: ending, cut.pages)
    }
}
