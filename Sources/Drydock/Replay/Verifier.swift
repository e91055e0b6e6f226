import DatabaseEngine
import OverlayVFS
import SQLiteSchema
import Synchronization

/// What happens while a run goes on.
public enum VerifyEvent: Sendable {
    /// A migration is about to run on a snapshot, the so-manieth of its pending ones, counted from 1.
    case step(snapshot: String, migration: String, number: Int, of: Int)
    /// A snapshot is done; these come in the order of the report.
    case replayed(ReplaySummary, [Finding])
}

/// Replays every snapshot to the newest version and proves that nothing was lost.
public struct Verifier: Sendable {
    private let engine: any Engine
    private let other: (any Engine)?
    private let onEvent: @Sendable (VerifyEvent) -> Void

    /// - Parameter other: another engine, which must make the same of every step.
    public init(
        engine: any Engine, comparingWith other: (any Engine)? = nil,
        onEvent: @escaping @Sendable (VerifyEvent) -> Void = { _ in }
    ) {
        self.engine = engine
        self.other = other
        self.onEvent = onEvent
    }

    /// - Throws: ``RequestError`` when no report can be made, CancellationError when the task is cancelled.
    public func run(_ request: VerifyRequest) async throws -> VerifyReport {
        try await verify(snapshots(request), as: request).report
    }

    /// The same with migrations that were read already.
    package func run(_ request: VerifyRequest, _ set: MigrationSet) async throws -> VerifyReport {
        try await verify(snapshots(request), as: request, set).report
    }

    /// The same for snapshots that are at hand, with what each replay gave.
    func verify(
        _ snapshots: [Snapshot], as request: VerifyRequest, _ set: MigrationSet? = nil
    ) async throws -> (report: VerifyReport, results: [ReplayResult]) {
        let log = FaultLog()
        var (report, results) = try await Overlay.$faultLog.withValue(log) {
            try await hold(snapshots, request, set)
        }
        // That there is no room is nothing that a migration did.
        if request.isRehearsal, case .spillFailed? = log.first, let fault = log.first {
            throw RequestError("nothing was written to the database, and no report can be made. \(fault)")
        }
        // SQLite may have tried again, or gone on without what it wanted to know.
        if let fault = log.first, !report.findings.contains(where: { $0.severity == .error }) {
            report.findings.append(Finding(.snapshotUnreadable, "the outcome cannot be trusted: \(fault)"))
        }
        return (report, results)
    }

    private func hold(
        _ snapshots: [Snapshot], _ request: VerifyRequest, _ known: MigrationSet?
    ) async throws -> (VerifyReport, [ReplayResult]) {
        let start = ContinuousClock.now
        let set = if let known { known } else { try await load(request, snapshots) }
        var report = VerifyReport()
        report.isStrict = request.isStrict
        report.migrationFormat = set.format.name
        report.findings = request.findings + set.findings + nothingToVerify(set, snapshots, request)
        let lock = try lockCheck(request, &report)
        let locked = try lock.map { try lockFindings($0, request, set) } ?? []
        var results: [ReplayResult] = []
        if !set.migrations.isEmpty, !snapshots.isEmpty {
            let context = try await makeContext(request, set, lock)
            let fresh = try await FreshInstall.make(context, timeout: request.timeout)
            if let failure = fresh.failure, fresh.catalogs[context.targetCount] == nil {
                report.notChecked.append(
                    NotChecked(.schemaMismatch, reason: "a fresh install cannot be made: \(failure)"))
            }
            results = try await replay(snapshots, context, fresh, request)
            assemble(results, context, fresh.catalogs, request.proposal, into: &report)
        }
        report.add(locked: locked)
        report.seconds = (ContinuousClock.now - start).inSeconds
        return (report, results)
    }

    // MARK: - The request

    /// Reads the migrations; the snapshots are asked for their history where the folder alone does not say
    /// whose it is.
    private func load(_ request: VerifyRequest, _ snapshots: [Snapshot]) async throws -> MigrationSet {
        let choice = try FormatChoice(
            folder: request.migrationsFolder, named: request.migrationFormat, options: request.format)
        let watchdog = Watchdog(timeout: request.timeout)
        var settings = ConnectionSettings()
        settings.functions = request.functions
        settings.collations = request.collations
        settings.interrupt = { watchdog.isTripped }
        let histories = try await choice.histories(
            of: snapshots, SnapshotOpener(engine: engine, settings: settings))
        var lint = LintRequest(migrationsFolder: request.migrationsFolder, format: request.format)
        (lint.functions, lint.collations) = (request.functions, request.collations)
        return try await Linter(engine: BoundedEngine(engine) { watchdog.isTripped }).settle(
            choice, try choice.readings(histories), lint)
    }

    private func snapshots(_ request: VerifyRequest) throws -> [Snapshot] {
        guard !request.snapshots.isEmpty else {
            return try SnapshotFolder.snapshots(in: request.snapshotsFolder)
        }
        var found: [Snapshot] = []
        for path in request.snapshots {
            if FolderListing.isFolder(path) {
                found += try SnapshotFolder.snapshots(in: path)
            } else {
                guard FolderListing.exists(path) else { throw RequestError("there is no snapshot '\(path)'") }
                found.append(Snapshot(path: path))
            }
        }
        var seen: Set<Snapshot> = []
        return found.filter { seen.insert($0).inserted }
    }

    func nothingToVerify(_ set: MigrationSet, _ snapshots: [Snapshot], _ request: VerifyRequest)
        -> [Finding]
    {
        var findings: [Finding] = []
        if set.migrations.isEmpty {
            findings.append(
                Finding(
                    .nothingVerified, "there is no migration in \(request.migrationsFolder)",
                    help:
                        "A migration is a file NAME.sql, such as v1_create_accounts.sql, or what another tool has. "
                        + "--migrations names another folder.",
                    place: .init(file: request.migrationsFolder)))
        }
        if snapshots.isEmpty {
            findings.append(
                Finding(
                    .nothingVerified, "there is no snapshot in \(request.snapshotsFolder)",
                    help:
                        "A snapshot is a database as a released version left it. Copy one there; --snapshots names "
                        + "another folder.", place: .init(file: request.snapshotsFolder)))
        }
        return findings
    }

    func makeContext(
        _ request: VerifyRequest, _ set: MigrationSet, _ lock: LockCheck?
    ) async throws -> ReplayContext {
        var targetCount = set.migrations.count
        if let upTo = request.upTo {
            guard let index = set.index(of: upTo) else {
                let nearest = nearestName(to: upTo, in: set.migrations.map(\.identifier))
                throw RequestError(
                    "there is no migration '\(upTo)' in \(set.folder)"
                        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
            }
            targetCount = index + 1
        }
        var declarations = Dictionary(
            set.migrations.map { ($0.identifier, $0.declarations) }, uniquingKeysWith: { first, _ in first })
        for (name, more) in request.declarations {
            guard let index = set.index(of: name) else {
                let nearest = nearestName(to: name, in: set.migrations.map(\.identifier))
                throw RequestError(
                    "drydock.yml declares for '\(name)', which is not a migration in \(set.folder)"
                        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
            }
            declarations[set.migrations[index].identifier, default: []] += more
        }
        var set = set
        for index in set.migrations.indices {
            set.migrations[index].declarations = declarations[set.migrations[index].identifier] ?? []
        }
        return ReplayContext(
            engine: engine, other: other, set: set, targetCount: targetCount, declarations: declarations,
            functions: request.functions, collations: request.collations,
            checksRollback: request.checksRollback,
            baselines: try await baselines(request, set, lock), lock: lock,
            isFullCheck: request.isFullCheck, readsPages: request.readsPages, isRehearsal: request.isRehearsal
        )
    }

    private func baselines(
        _ request: VerifyRequest, _ set: MigrationSet, _ lock: LockCheck?
    ) async throws -> BaselineStore? {
        guard request.cacheFolder != nil || lock != nil else { return nil }
        let key = try await BaselineKey(
            engine, set, functions: request.functions, collations: request.collations)
        return BaselineStore(folder: request.cacheFolder, key: key)
    }

    // MARK: - Replays

    /// Replays as many snapshots at once as there are jobs; results are in the order of the snapshots.
    private func replay(
        _ snapshots: [Snapshot], _ context: ReplayContext, _ fresh: FreshInstall, _ request: VerifyRequest
    ) async throws -> [ReplayResult] {
        try await withThrowingTaskGroup(of: (Int, ReplayResult).self) { group in
            var results = [ReplayResult?](repeating: nil, count: snapshots.count)
            var (next, told) = (0, 0)
            let names = SnapshotNames(snapshots.map(\.path))
            func start() {
                guard next < snapshots.count else { return }
                let (index, snapshot) = (next, snapshots[next])
                next += 1
                group.addTask {
                    var result = try await replay(snapshot, context, fresh, request.timeout)
                    result.summary.name = names.name(of: snapshot.path)
                    return (index, result)
                }
            }
            for _ in 0..<min(max(1, request.jobs), snapshots.count) { start() }
            while let (index, result) = try await group.next() {
                results[index] = result
                start()
                while told < results.count, let done = results[told] {
                    onEvent(.replayed(done.summary, done.findings))
                    told += 1
                }
            }
            return results.compactMap { $0 }
        }
    }

    private func replay(
        _ snapshot: Snapshot, _ context: ReplayContext, _ fresh: FreshInstall, _ timeout: Duration?
    ) async throws -> ReplayResult {
        let watchdog = Watchdog(timeout: timeout)
        let place = ReplayPlace()
        let noting: @Sendable (VerifyEvent) -> Void = { [onEvent] event in
            if case .step(_, let migration, _, _) = event { place.set(migration) }
            onEvent(event)
        }
        return try await withTaskCancellationHandler {
            let result = try await Patience(watchdog: watchdog).result {
                var replay = SnapshotReplay(
                    context: context, snapshot: snapshot, fresh: fresh, watchdog: watchdog, onEvent: noting)
                try await replay.run()
                return replay.result
            }
            if let result { return result }
            var left = ReplayResult(summary: ReplaySummary(snapshot: snapshot.path))
            left.findings = [SnapshotReplay.overdue(snapshot, at: place.migration)]
            return left
        } onCancel: {
            watchdog.cancel()
        }
    }

    // MARK: - The report

    private func assemble(
        _ results: [ReplayResult], _ context: ReplayContext, _ catalogs: [Int: Catalog],
        _ proposal: (@Sendable (String, String) -> String)?, into report: inout VerifyReport
    ) {
        report.replays = results.map(\.summary)
        let tried = results.reduce(into: Set<String>()) { $0.formUnion($1.triedMigrations) }
        for migration in context.targets where tried.contains(migration.identifier) {
            let index = context.set.index(of: migration.identifier) ?? 0
            let schema = catalogs[index]?.schema
            let weight = PragmaWeight(
                migration: migration, before: schema, found: results.flatMap(\.findings))
            report.findings += StaticChecks.findings(for: migration, of: context.set.format, before: schema)
                .map(weight.weighed)
        }
        report.findings += CodeGaps(context: context, results: results).findings()
        report.findings += unique(results.flatMap(\.migrationFindings))
        // One database needs what it needs, and is at the newest version when it is.
        if !context.isRehearsal { report.findings += unusedDeclarations(results, context) }
        report.findings += results.flatMap(\.findings)
        leaveOutIgnored(context, tried, &report)
        report.notChecked += results.flatMap(\.notChecked)
        if !context.isRehearsal, results.allSatisfy(\.isUpToDate) {
            report.findings.append(
                Finding(
                    .nothingVerified, .warning,
                    "nothing was pending: every snapshot has applied every migration",
                    help: "Add snapshots of older releases: they are what your users upgrade from."))
        }
        let applied = results.reduce(into: Set<String>()) { $0.formUnion($1.applied) }
        for index in report.findings.indices {
            let isReleased = report.findings[index].migration.map(applied.contains) ?? false
            report.findings[index].placeDeclaration(isReleased: isReleased, proposal)
        }
    }

    /// Takes out what `ignore` names; one that names nothing which was found is unused.
    private func leaveOutIgnored(_ context: ReplayContext, _ tried: Set<String>, _ report: inout VerifyReport)
    {
        let migrations = Dictionary(
            context.targets.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        var used: Set<Declaration> = []
        report.findings.removeAll { finding in
            guard finding.severity != .note, Rule.ignorableInReplay.contains(finding.rule),
                let migration = finding.migration.flatMap({ migrations[$0] }),
                let declaration = migration.ignore(of: finding.rule, at: finding.place)
            else { return false }
            used.insert(declaration)
            return true
        }
        for migration in context.targets where tried.contains(migration.identifier) {
            for declaration in migration.declarations where !used.contains(declaration) {
                // Lint says so of its own.
                guard case .ignores(let rule, _) = declaration.kind, !Rule.ofLint.contains(rule) else {
                    continue
                }
                report.findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "nothing here breaks \(rule.rawValue)",
                        help: "Remove '\(declaration.text)'.", migration: migration.identifier,
                        place: declaration.place))
            }
        }
    }

    /// Every replay of a migration says the same of its declarations: once is enough.
    private func unique(_ findings: [Finding]) -> [Finding] {
        var seen: Set<String> = []
        return findings.filter {
            seen.insert("\($0.place?.file ?? "") \($0.place?.line ?? 0) \($0.message)").inserted
        }
    }

    private func unusedDeclarations(_ results: [ReplayResult], _ context: ReplayContext) -> [Finding] {
        let invalid = Set(results.flatMap(\.migrationFindings).compactMap(\.place))
        var findings: [Finding] = []
        for migration in context.targets {
            let uses = results.compactMap { $0.usedDeclarations[migration.identifier] }
            guard !uses.isEmpty else { continue }
            for declaration in context.declarations[migration.identifier] ?? []
            where declaration.canBeUnused && !invalid.contains(declaration.place)
                && !uses.contains(where: { $0.contains(declaration) })
            {
                findings.append(
                    Finding(
                        .unusedDeclaration, .warning, "no snapshot needs '\(declaration.text)'",
                        help: "Remove it, or add a snapshot whose rows need it.",
                        migration: migration.identifier,
                        place: declaration.place))
            }
        }
        return findings
    }
}

/// The migration that a replay is at.
private final class ReplayPlace: Sendable {
    private let current = Mutex<String?>(nil)

    var migration: String? { current.withLock { $0 } }

    func set(_ migration: String) { current.withLock { $0 = migration } }
}

extension Finding {
    /// Writes the proposed declaration in the form that the migration can take. Most tools checksum a
    /// released migration, comments included, so for one that a snapshot has applied it is drydock.yml.
    mutating func placeDeclaration(isReleased: Bool, _ proposal: ((String, String) -> String)? = nil) {
        help = help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasPrefix(declarationMarker) else { return String(line) }
            let words = line.dropFirst(declarationMarker.count)
            if let proposal, let migration { return proposal(String(words), migration) }
            guard isReleased, let migration else { return "  -- drydock: \(words)" }
            return """
                  # drydock.yml, since \(migration) is released
                  declarations:
                    \(yamlScalar(migration)):
                      - \(yamlScalar(String(words)))
                """
        }.joined(separator: "\n")
    }
}

/// A text as a YAML scalar: plain where that reads back, else in single quotes
/// (https://yaml.org/spec/1.2.2/#733-plain-style).
private func yamlScalar(_ text: String) -> String {
    let isPlain =
        text.first?.isLetter == true && !text.contains(": ") && !text.contains(" #") && !text.hasSuffix(":")
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 } && !text.hasSuffix(" ")
    return isPlain ? text : "'" + text.replacing("'", with: "''") + "'"
}
