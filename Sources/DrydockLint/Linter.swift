import DrydockFindings
import DrydockMigrations
import DrydockState
import DrydockReplay
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Reads migrations against the schema before each of them, and checks every lint rule.
public struct Linter: Sendable {
    let engine: any Engine

    public init(engine: any Engine) { self.engine = engine }

    /// - Throws: ``RequestError`` when no report can be made, CancellationError when the task is cancelled.
    public func run(_ request: LintRequest) async throws -> LintOutcome {
        try await run(request, edited: [:])
    }

    /// - Parameters:
    ///   - edited: the content that rewrites would give to files, or that an editor shows, by path.
    ///   - memory: what is kept from an earlier run of the same request, and for the next one.
    package func run(
        _ request: LintRequest, edited: [String: [UInt8]], cache: LintCache? = nil
    ) async throws -> LintOutcome {
        let start = ContinuousClock.now
        let choice = try FormatChoice(request.migrations, edited: edited, cache: cache?.files ?? FileCache())
        let readings = try await readings(choice, request)
        var outcome = try await run(request, readings, edited: edited, cache: cache)
        outcome.report.seconds = (ContinuousClock.now - start).inSeconds
        return outcome
    }

    /// Lints migrations that were already read.
    func run(
        _ request: LintRequest, _ known: MigrationSet, edited: [String: [UInt8]] = [:],
        cache: LintCache? = nil
    ) async throws -> LintOutcome {
        let start = ContinuousClock.now
        var set = known
        try set.declare(request.migrations.declarations)
        let selection = try selection(request, set)
        var report = Report(.lint(LintSummary(migrations: 0, statements: 0)))
        report.migrationFormat = set.format.name
        report.isStrict = request.isStrict
        let faults = set.migrations.filter(\.isFaultyWhenPending).compactMap(\.fault)
        report.findings =
            request.findings
            + (set.findings + faults).filter { finding in
                finding.migration.map(selection.contains) ?? true
            }
        var rewrites: (made: [FileRewrite], kept: [KeptFile]) = ([], [])
        var unlinted: [String] = []
        var record: LintRecord?
        if set.migrations.isEmpty {
            report.findings.append(Self.nothing(request))
        } else {
            let run = LintRun(
                request: request, set: set, selection: selection,
                isOneSet: request.since != nil || request.followsLock)
            let result = try await lint(run, request, cache, edited: Set(edited.keys))
            (unlinted, record) = (result.unlinted, result.record)
            try engine.checkTime()
            rewrites = result.sink.rewrites(
                of: set.migrations, locked: request.locked ?? [], edited: edited)
            report.findings +=
                result.sink.findingsWithEdits(of: rewrites.made) + Self.idleness(of: result, request)
            report.notChecked = result.sink.notChecked
            report.body = .lint(result.linted)
        }
        report.seconds = (ContinuousClock.now - start).inSeconds
        let places = report.findings.indices
        for index in places {
            let isReleased = report.findings[index].migration.map { request.locked?.contains($0) ?? false }
            if isReleased == true { report.findings[index].declareInConfiguration() }
        }
        return LintOutcome(
            report: report, rewrites: rewrites.made, kept: rewrites.kept, migrations: set.migrations,
            unlinted: unlinted,
            creations: record?.creations(of: report.findings.compactMap(\.table)) ?? [:])
    }

    private func lint(
        _ run: LintRun, _ request: LintRequest, _ cache: LintCache?, edited: Set<String>
    ) async throws -> LintRun {
        let settings = settings(run.set, request)
        let start = cache?.checkpoint(for: run)
        let overlay = try await overlay(run.set, settings, from: start)
        return try await engine.use(overlay, settings: settings) { database in
            try await database.withConnection { connection in
                var run = start.map { LintRun($0.run, set: run.set, selection: run.selection) } ?? run
                try run.lint(on: connection, from: start) { number, run, replay in
                    cache?.note(number, run, replay, overlay, edited: edited)
                }
                return run
            }
        }
    }

    /// The settings of the connection on which migrations are linted.
    func settings(_ set: MigrationSet, _ request: LintRequest) -> ConnectionSettings {
        var settings = ConnectionSettings()
        settings.foreignKeys = set.policy.isRunByEngine ? false : set.policy.foreignKeys
        settings.doubleQuotedStrings = set.policy.doubleQuotedStrings
        settings.functions = request.migrations.functions
        settings.collations = request.migrations.collations
        settings.standIns = set.standIns
        settings.setup = ["PRAGMA secure_delete = OFF", "PRAGMA synchronous = OFF"]
        return settings
    }

    /// Returns the database before the first migration, or where an earlier walk was.
    func overlay(
        _ set: MigrationSet, _ settings: ConnectionSettings, from start: LintCheckpoint?
    ) async throws -> Overlay {
        if let start { return try Overlay(start.image) }
        do {
            return try await DatabaseMaker(engine: engine, settings: settings).base(set.base)
        } catch let fault as SnapshotFault {
            throw RequestError(.databaseUnreadable, "the base cannot be read: \(fault.sentence.text)")
        }
    }

    // MARK: - The request

    /// Returns the identifiers of the migrations to be linted.
    func selection(_ request: LintRequest, _ set: MigrationSet) throws -> Set<String> {
        var migrations = set.migrations[...]
        if let since = request.since {
            guard let index = set.index(of: since) else {
                let nearest = nearestName(to: since, in: set.migrations.map(\.identifier))
                throw RequestError(
                    .notFound,
                    "there is no migration '\(since)' in \(set.folder)"
                        + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
            }
            migrations = set.migrations[(index + 1)...]
        }
        if request.onlyNew, request.locked == nil {
            throw RequestError(
                .notFound,
                "there is no lock of these migrations that says which are new; 'drydock lock' writes it, or "
                    + "--since VERSION names the last released one"
            )
        }
        let selection = Set(migrations.map(\.identifier))
        return request.followsLock ? selection.subtracting(request.locked ?? []) : selection
    }

    /// Returns the findings where something was left out: everything is released, or the schema could not be built.
    private static func idleness(of run: LintRun, _ request: LintRequest) -> [Finding] {
        if run.selection.isEmpty {
            let (what, help) =
                request.since.map { ("there is no migration after \($0)", "") }
                ?? ("every migration is locked", "--all lints them nevertheless.")
            return [
                Finding(
                    .nothingVerified, .note, what, help: help,
                    place: .init(file: request.migrations.folder))
            ]
        }
        guard let reason = run.obstacle, !run.sink.findings.contains(where: { $0.severity == .error })
        else { return [] }
        let what =
            run.linted.statements == 0
            ? "no migration was linted" : "not every migration was linted"
        return [
            Finding(
                .nothingVerified, "\(what): \(reason)",
                help:
                    "Rules check a statement against the schema that it runs on, and that schema is not known.",
                place: .init(file: request.migrations.folder))
        ]
    }

    private static func nothing(_ request: LintRequest) -> Finding {
        Finding(
            .nothingVerified, "there is no migration in \(request.migrations.folder)",
            help:
                "A migration is a file NAME.sql, such as v1_create_accounts.sql, or what another tool has. "
                + "--migrations names another folder.", place: .init(file: request.migrations.folder))
    }
}
