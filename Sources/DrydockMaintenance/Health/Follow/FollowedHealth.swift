import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import Foundation
import SQLiteSchema

/// What a watcher remembers of its database between two looks.
struct FollowedHealth {
    private let engine: any Engine
    private let request: HealthRequest
    private let path: String
    private let baseline: HealthBaseline

    private var mark: FileMark
    private var lookedAt = ContinuousClock.now
    private var last: HealthUpdate?
    /// Whether something has changed since the last check.
    private var isStale = true
    private var checkIsDue = ContinuousClock.now
    private var sizeAtStart: Int?
    /// Bytes by table.
    private var tablesAtStart: [String: Int]?
    /// The findings of the last check, by what they are about.
    private var findings: [FindingKey: Finding] = [:]

    private let share: Int
    private static let historyLimit = 100
    private static let tableLimit = 50

    /// - Throws: ``RequestError``.
    init(_ engine: any Engine, _ request: HealthRequest, share: Int) throws {
        let request = try request.withIdentifiers()
        let paths = try DatabaseNames.resolve(request.databases)
        guard let path = paths.first, paths.count == 1 else {
            throw RequestError(
                .settingInvalid, "\(paths.count) databases are named, and only one can be followed at a time")
        }
        (self.engine, self.request, self.path, self.share) = (engine, request, path, share)
        baseline = try request.baseline.map { try HealthBaseline.load($0) } ?? .none
        mark = FileMark(path)
    }

    /// - Returns: Nil if nothing has changed.
    mutating func look() async -> HealthUpdate? {
        let (new, time, start) = (FileMark(path), Date().timeIntervalSince1970, ContinuousClock.now)
        var events: [HealthUpdate.Event] = []
        if let kind = Self.fate(from: mark.identity, to: new.identity) {
            events.append(.init(kind: kind, time: time))
            (checkIsDue, sizeAtStart, tablesAtStart) = (start, nil, new.identity == nil ? tablesAtStart : nil)
        }
        let hasChanged = new != mark
        let rate = rate(to: new, start - lookedAt)
        isStale = isStale || hasChanged
        let isDue = isStale && start >= checkIsDue
        // A rate that falls to zero is seen once more.
        guard last == nil || hasChanged || isDue || last?.commitsPerSecond ?? 0 > 0 && rate == 0 else {
            lookedAt = start
            return nil
        }
        (mark, lookedAt) = (new, start)
        var update = last ?? HealthUpdate(path: path, time: time, report: Report([]), exists: true)
        update.time = time
        if isDue { await check(&update, &events) }
        show(new, rate, in: &update)
        update.events = events
        update.history = (update.history + events).suffix(Self.historyLimit)
        last = update
        return update
    }

    private static func fate(
        from old: FileMark.Identity?, to new: FileMark.Identity?
    ) -> HealthUpdate.Event.Kind? {
        if old == new { return nil }
        if new == nil { return .removed }
        return old == nil ? .returned : .replaced
    }

    private func rate(to new: FileMark, _ time: Duration) -> Double? {
        guard last != nil, let old = mark.commits, new.identity == mark.identity, time > .zero else {
            return nil
        }
        return new.commits?.since(old).map { Double($0) / time.inSeconds }
    }

    // MARK: - Checks

    private mutating func check(
        _ update: inout HealthUpdate, _ events: inout [HealthUpdate.Event]
    ) async {
        isStale = false
        let start = ContinuousClock.now
        let run = HealthRun(
            path: path, request: request, schemas: SchemaCache(),
            connections: ConnectionPool(engine: engine, settings: request.connectionSettings, limit: 0))
        let checked = baseline.withoutKnown(await run.run())
        let seconds = (ContinuousClock.now - start).inSeconds
        checkIsDue = ContinuousClock.now + .seconds(seconds * Double(share - 1))
        update.report = Report([checked])
        update.report.seconds = seconds
        update.checkedAt = Date().timeIntervalSince1970
        if case .health(var health) = update.report.body {
            health.finishedAt = update.checkedAt
            update.report.body = .health(health)
        }
        note(update.report.findings, at: update.checkedAt, &events)
        if checked.checked.contains(.objectSize) {
            note(checked.trees, in: &update)
        } else {
            (update.tables, update.tableCount) = ([], 0)
        }
    }

    private mutating func note(
        _ all: [Finding], at time: Double, _ events: inout [HealthUpdate.Event]
    ) {
        let current = Dictionary(
            all.filter { $0.severity > .note }.map { (FindingKey($0), $0) },
            uniquingKeysWith: { first, _ in first })
        let gone = findings.filter { current[$0.key] == nil }.values
        let new = current.filter { findings[$0.key] == nil }.values
        for finding in gone.sorted(by: Self.order) { events.append(.init(kind: .gone(finding), time: time)) }
        for finding in new.sorted(by: Self.order) { events.append(.init(kind: .new(finding), time: time)) }
        findings = current
    }

    private static func order(_ a: Finding, _ b: Finding) -> Bool {
        (b.severity, a.rule.rawValue, a.message) < (a.severity, b.rule.rawValue, b.message)
    }

    private mutating func note(_ trees: [CheckedDatabase.Tree], in update: inout HealthUpdate) {
        let sizes = Dictionary(trees.map { ($0.table, $0.bytes) }, uniquingKeysWith: +)
        let start = tablesAtStart ?? sizes
        tablesAtStart = start
        // A table that was dropped has shrunk to nothing.
        let tables = Set(sizes.keys).union(start.keys).map { name in
            HealthUpdate.Table(
                name: name, bytes: sizes[name] ?? 0, growth: (sizes[name] ?? 0) - (start[name] ?? 0))
        }
        update.tableCount = sizes.count
        update.tables = Array(
            tables.sorted {
                ($1.growth.magnitude, $1.bytes, $0.name) < ($0.growth.magnitude, $0.bytes, $1.name)
            }.prefix(Self.tableLimit))
    }

    // MARK: - Figures

    private mutating func show(_ mark: FileMark, _ rate: Double?, in update: inout HealthUpdate) {
        let state = mark.state
        update.exists = mark.identity != nil
        if !update.exists { (update.tables, update.tableCount) = ([], 0) }
        update.size = state.size ?? 0
        if update.exists, sizeAtStart == nil { sizeAtStart = update.size }
        update.growth = update.exists ? update.size - (sizeAtStart ?? update.size) : 0
        update.logSize = state.isLogged || (state.logSize ?? 0) > 0 ? state.logSize ?? 0 : nil
        update.frames = state.index?.frames
        update.framesNotMoved = state.index.map { max(0, $0.frames - $0.moved) }
        update.oldestReader = state.index.flatMap { index in
            index.readers.min { $0.frame < $1.frame }.map {
                .init(process: $0.process, framesBehind: index.frames - $0.frame)
            }
        }
        update.writer = state.writer
        update.commitsPerSecond = rate
    }
}

/// What a finding is about: the same one of two reports has the same key, whatever its figures are.
private struct FindingKey: Hashable {
    private let rule: Rule
    private let severity: Finding.Severity
    private let table, column, object: String?
    private let tags: [Finding.Tag]

    init(_ finding: Finding) {
        (rule, severity, tags) = (finding.rule, finding.severity, finding.tags)
        (table, column, object) = (finding.table, finding.column, finding.object)
    }
}
