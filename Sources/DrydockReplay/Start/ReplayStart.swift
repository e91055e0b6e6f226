import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// Opens a database that is to be replayed, and finds out what is pending and what is already wrong with it.
package struct ReplayStart {
    package let inputs: ReplayInputs

    package init(inputs: ReplayInputs) {
        self.inputs = inputs
    }

    private var context: ReplayContext { inputs.context }
    private var snapshot: Snapshot { inputs.snapshot }

    /// Returns the finding for a snapshot that lacks commits which its app made; nil where nothing shows that.
    func logDamage() -> Finding? {
        // A log beside a compressed file is none of its own.
        guard snapshot.kind == .database, CompressedFile(snapshot.file) == nil,
            let damage = SnapshotFile.logDamage(beside: snapshot.file)
        else { return nil }
        return Finding(
            .integrityFailure, .warning, of: snapshot.path,
            "may lack commits of its app: \(damage)",
            help: """
                Only the rows that SQLite reads were checked. Take a new copy of the database together with its -wal, \
                while no program has it open.
                """, tags: [.preExisting])
    }

    package func open(_ overlay: Overlay) async throws -> any OpenDatabase {
        do {
            var settings = context.settings(inputs.watchdog)
            settings.random = inputs.random
            return try await context.engine.openWhole(overlay, settings: settings)
        } catch let error as EngineError where !error.isInterrupt {
            throw SnapshotFault(
                snapshot.path, "cannot be opened: \(error.message)",
                help: error.isCorruption
                    ? "Its header or schema is damaged. Replace it with a good copy." : "")
        }
    }

    // MARK: - The plan

    /// Reads from the database which migrations are pending; nil when that is not recorded, or its tool would run none.
    package func makePlan(_ database: any OpenDatabase, _ record: inout ReplayRecord) async throws
        -> ReplayPlan?
    {
        let set = context.set
        // Without a history, a snapshot is taken for the state that, by the project's settings, existed before the
        // first migration.
        let history =
            try await database.withConnection { try set.history($0) }
            ?? set.base.map { _ in AppliedHistory([]) }
        guard let history else {
            record.add(ReplayPlan.unknownVersion(of: snapshot, set))
            return nil
        }
        let plan = ReplayPlan(history: history, set: set, targetCount: context.targetCount)
        record.result.summary.start = try await database.withConnection { try plan.start(on: $0) }
        record.result.summary.from = plan.from
        record.result.summary.to = plan.from
        record.result.isUpToDate = plan.pending.isEmpty
        record.result.applied = Set(history.identifiers)
        for finding in plan.findings(for: snapshot) { record.add(finding) }
        return plan.isRefused ? nil : plan
    }

    /// Whether the snapshot has what a fresh install lacks: see ``InstallFailure/expectedName``.
    func hasExpectedName(_ database: any OpenDatabase) async throws -> Bool {
        guard let name = inputs.fresh.failure?.expectedName else { return false }
        return try await database.withConnection { connection in
            let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = ?1 COLLATE NOCASE"
            return try connection.firstRow(sql, [SQLValue(name)], { _ in }) != nil
        }
    }

    // MARK: - The baseline

    /// Determines the snapshot's own faults, before anything is replayed; nil when it is too damaged to continue.
    /// - Parameter later: the state that is replayed; nil where it is that of the snapshot's file.
    package func takeBaseline(
        of opened: OpenedSnapshot, _ later: LaterState?, _ record: inout ReplayRecord
    ) async throws -> BaselinedSnapshot? {
        let start = try await inspect(opened, later, &record)
        let (state, check) = (start.state, start.integrity)
        for reason in check.notChecked { record.notChecked(.integrityFailure, .refused(reason)) }
        for reason in state.notChecked { record.notChecked(reason.rule, reason.cause) }
        guard check.damage.isEmpty else {
            record.add(
                Finding(
                    .integrityFailure, of: snapshot.path, "is damaged: \(check.damage[0])",
                    help:
                        "It was not replayed: no verdict on a damaged file would mean anything. Recover it with "
                        + "sqlite3's .recover, or take another copy.",
                    tags: [.preExisting],
                    evidence: Evidence(details: Array(check.damage.dropFirst().prefix(Evidence.detailLimit))))
            )
            return nil
        }
        if !check.brokenConstraints.isEmpty {
            let messages = check.brokenConstraints
            record.add(
                Finding(
                    .integrityFailure, .note,
                    "the snapshot has rows that break its own constraints: \(messages[0])",
                    tags: [.preExisting],
                    evidence: Evidence(details: Array(messages.prefix(Evidence.detailLimit)))))
        }
        for fault in state.faults {
            record.add(
                Finding(
                    fault.id.rule, .note, Sentence("\(fault.sentence), in the snapshot as it is"),
                    table: fault.table, column: fault.column, tags: [.preExisting],
                    evidence: fault.evidence))
        }
        return start
    }

    /// Returns the state before any migration with all its faults, which may be known already.
    private func inspect(
        _ opened: OpenedSnapshot, _ later: LaterState?, _ record: inout ReplayRecord
    ) async throws -> BaselinedSnapshot {
        let (inspector, recogniser) = (inputs.inspector, ContentRecogniser(inputs: inputs))
        if let later { return try await later.baseline(inspector) }
        let (image, known) = (opened.image, opened.recognition)
        if let known, let baseline = known.baseline {
            let state = try await inspector.inspect(image, earlier: nil, baseline: baseline)
            record.result.summary.baseline = known.isByStat ? .knownByStat : .knownByContent
            let hash = try recogniser.hash(of: known)
            if known.isFromLock { keep(Baseline(state, baseline.integrity), hash, known) }
            return BaselinedSnapshot(state: state, integrity: baseline.integrity, content: hash)
        }
        let (state, check) = try await inspector.inspectWhole(image, hashing: known?.hashing)
        var baselined = BaselinedSnapshot(state: state, integrity: check)
        if let known {
            let hash = try recogniser.hash(of: known)
            baselined.content = hash
            keep(Baseline(state, check), hash, known)
        }
        return baselined
    }

    private func keep(_ baseline: Baseline?, _ hash: ContentHash, _ known: Recognition) {
        guard let baseline else { return }
        context.baselines?.save(baseline, for: hash, known.mark)
    }
}
