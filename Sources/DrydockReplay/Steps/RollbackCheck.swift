import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS
import SQLiteSchema

/// `rollback-failed` and `rollback-mismatch`: undoes a migration on a fork of the state after it, and runs it again.
///
/// The schema after the way back must be that of before, and the second run of the migration must have the same result
/// as the first. Both ways together are checked like one step: whatever a step may not do, they may not do either,
/// except where the migration itself did it or declares it. Where it is not known how the tool removes its record of a
/// migration, the record stays unchanged both times. What the migration added is a note where the way back deletes it,
/// because that is its purpose.
struct RollbackCheck {
    let context: ReplayContext
    let migration: Migration
    let before: DatabaseState
    let after: DatabaseState
    let watchdog: Watchdog
    /// What the rules reported of the migration itself.
    var known: [Finding] = []

    private static let lossRules: Set<Rule> = [.rowsLost, .valuesChanged, .tableDropped, .columnDropped]

    /// The rules about the schema: the comparison with the schema of before reports what they would.
    private static let schemaRules: Set<Rule> = [.objectLost, .referenceMoved]

    package struct Outcome {
        var findings: [Finding] = []
        /// Why there was nothing to check, or what could not be checked.
        var notChecked: [NotChecked] = []

        init(findings: [Finding] = [], missing: NotChecked.Reason? = nil) {
            self.findings = findings
            notChecked = missing.map { [NotChecked(.rollbackMismatch, $0)] } ?? []
        }
    }

    func run() async throws -> Outcome {
        guard let down = migration.down else {
            return Outcome(missing: .noWayBack(migration: migration.identifier))
        }
        guard !down.statements.isEmpty else {
            return Outcome(
                missing: .emptyWayBack(migration: migration.identifier, file: down.path))
        }
        let undone: Image
        do {
            undone = try await fork(of: after.image) { try $0.undo(migration, down) }
        } catch let refusal as Refusal {
            return Outcome(findings: [failure(refusal, "cannot be undone", down.statements, down.path)])
        }
        let inspector = context.inspector(watchdog)
        let state = try await inspector.inspect(undone, earlier: after)
        var outcome = Outcome()
        outcome.findings += differences(state, before, "undone, \(migration.identifier) leaves", down.path)
        outcome.notChecked += state.notChecked
        let both = try await verifyBothWays(to: state, down, inspector)
        let lost = findings(of: both.findings.map(\.finding), down)
        outcome.notChecked += both.notChecked
        outcome.findings += lost
        outcome.findings += try await damage(to: state, down, inspector)
        outcome.findings += try await losses(to: state, down, inspector, besides: lost)
        do {
            let again = try await redone(from: undone)
            let last = try await inspector.inspect(again, earlier: state)
            outcome.findings += differences(
                last, after, "run again after it was undone, \(migration.identifier) leaves", migration.path)
        } catch let refusal as Refusal {
            outcome.findings.append(
                failure(
                    refusal, "cannot be run again after it was undone", migration.statements, migration.path)
            )
        }
        return outcome
    }

    // MARK: - Both ways

    private struct Refusal: Error {
        let failure: BatchFailure
        let obstacle: WriteObstacle
    }

    /// Runs an operation on a fork as the tool would, and freezes the result.
    /// - Throws: ``Refusal`` if a statement fails.
    private func fork(
        of image: Image, _ body: @escaping @Sendable (ToolRun) throws -> Void
    ) async throws -> Image {
        let overlay = try Overlay(image)
        var settings = context.settings(watchdog)
        // GRDB's migrator turns foreign keys off while a migration runs.
        settings.foreignKeys = migration.isDeferred ? false : migration.foreignKeys
        let set = context.set
        do {
            try await context.engine.use(overlay, settings: settings) { database in
                try await database.withConnection { connection in
                    try body(ToolRun(connection: connection, set: set))
                    try connection.checkpoint()
                }
            }
        } catch let failure as BatchFailure {
            throw Refusal(failure: failure, obstacle: WriteObstacle(overlay))
        }
        return overlay.freeze().image
    }

    private func redone(from image: Image) async throws -> Image {
        var step = migration
        // Where it is not known how the tool removes a migration's record, that of the first run still exists.
        if step.unrecord.isEmpty { step.record = [] }
        // A shared transaction now contains only this migration.
        if step.transaction == .all { step.transaction = .each }
        return try await fork(of: image) { [step] in try $0.run([step]) { _ in } }
    }

    // MARK: - Findings

    private func failure(
        _ refusal: Refusal, _ what: String, _ statements: [SQLStatement], _ path: String
    ) -> Finding {
        let error = refusal.failure.error
        let cause = error as? StatementFailure
        let finding = Finding(
            .rollbackFailed, Sentence("\(migration.identifier) \(what): \(Sentence(of: error))"),
            help: "Correct the way back, or leave it out.", migration: migration.identifier,
            place: cause.map { .init(statements[$0.index], offset: $0.error.offset) } ?? .init(file: path))
        return refusal.obstacle.explaining(finding, error)
    }

    private func differences(
        _ state: DatabaseState, _ wanted: DatabaseState, _ what: String, _ path: String
    ) -> [Finding] {
        SchemaDiff(from: wanted.catalog.schema, to: state.catalog.schema).changes().map { change in
            Finding(
                .rollbackMismatch, change.isQuiet ? .warning : .error,
                "\(what) a different schema: \(change)",
                help:
                    "The way back must lead to the schema before the migration, and running the migration again to the schema after it.",
                migration: migration.identifier, place: .init(file: path), table: change.table)
        }
    }

    // MARK: - Both ways as one step

    /// Checks the state after the way back against the state before the migration.
    private func verifyBothWays(
        to state: DatabaseState, _ down: Migration.Down, _ inspector: StateInspector
    ) async throws -> StepVerification.Outcome {
        var step = migration
        step.path = down.path
        step.statements += down.statements
        // A record that the tool removes again is not there; another one still is.
        step.record += migration.unrecord
        return try await StepVerification(
            migration: step, declarations: migration.declarations, before: before, after: state,
            inspector: inspector, engine: context.engine, format: context.set.format
        ).run()
    }

    /// Returns those findings about both ways that are not about the migration alone.
    private func findings(of found: [Finding], _ down: Migration.Down) -> [Finding] {
        let shared = Set(context.set.format.sharedTables.map(\.foldedASCII))
        return found.filter { finding in
            guard finding.severity > .note, !Self.schemaRules.contains(finding.rule) else { return false }
            if let table = finding.table?.foldedASCII {
                guard before.catalog.tables[table] != nil, !shared.contains(table) else { return false }
            }
            return !isLetGo(finding) && !isOfMigration(finding)
        }.map { finding in
            var finding = self.finding(of: finding, down)
            if Self.lossRules.contains(finding.rule) {
                finding.advice =
                    "It existed before \(migration.identifier). Let the way back delete only what the migration added, and "
                    + "copy back what it moved."
            }
            return finding
        }
    }

    /// Whether the migration itself did as much, and was reported for it.
    private func isOfMigration(_ finding: Finding) -> Bool {
        known.contains { old in
            guard old.isLoss(of: finding) else { return false }
            if Self.lossRules.contains(old.rule) || old.message == finding.message { return true }
            guard let before = old.evidence?.rowCount, let now = finding.evidence?.rowCount else {
                return false
            }
            return now <= before
        }
    }

    /// Returns what `integrity_check` finds after the way back and did not find before the migration.
    private func damage(
        to state: DatabaseState, _ down: Migration.Down, _ inspector: StateInspector
    ) async throws -> [Finding] {
        func problems(_ state: DatabaseState) async throws -> [String] {
            let catalog = state.catalog
            let check = try await inspector.withConnection(to: state.image) {
                try IntegrityCheck($0, catalog: catalog)
            }
            return check.damage + check.brokenConstraints
        }
        let now = try await problems(state)
        guard !now.isEmpty else { return [] }
        let (old, own) = (Set(try await problems(before)), Set(try await problems(after)))
        let messages = now.filter { !old.contains($0) && !own.contains($0) }
        guard let first = messages.first else { return [] }
        return [
            Finding(
                .integrityFailure,
                "undoing \(migration.identifier): integrity_check finds what it did not find before: \(first)",
                help: "Correct the way back, or leave it out.", migration: migration.identifier,
                place: .init(file: down.path),
                evidence: Evidence(rowCount: nil, details: Array(messages.prefix(Evidence.detailLimit))))
        ]
    }

    /// Whether the migration itself lets the table or column go, as declared.
    private func isLetGo(_ finding: Finding) -> Bool {
        migration.declarations.contains { declaration in
            switch declaration.kind {
            case .dropsTable(let table): table.foldedASCII == finding.table?.foldedASCII
            case .dropsColumn(let table, let column):
                table.foldedASCII == finding.table?.foldedASCII
                    && column.foldedASCII == finding.column?.foldedASCII
            default: false
            }
        }
    }

    /// Returns the other things that the way back deletes, as notes.
    private func losses(
        to state: DatabaseState, _ down: Migration.Down, _ inspector: StateInspector, besides lost: [Finding]
    ) async throws -> [Finding] {
        var step = migration
        step.path = down.path
        step.statements = down.statements
        step.record = migration.unrecord
        let outcome = try await StepVerification(
            migration: step, declarations: [], before: after, after: state, inspector: inspector,
            engine: context.engine, format: context.set.format
        ).run()
        return outcome.findings.map(\.finding).filter { finding in
            Self.lossRules.contains(finding.rule) && !lost.contains { $0.isLoss(of: finding) }
        }.map { finding in
            var finding = self.finding(of: finding, down)
            finding.severity = .note
            finding.advice = ""
            return finding
        }
    }

    private func finding(of finding: Finding, _ down: Migration.Down) -> Finding {
        var finding = finding
        finding.sentence = "undoing \(migration.identifier): \(finding.sentence)"
        finding.migration = migration.identifier
        finding.place = finding.place ?? .init(file: down.path)
        return finding
    }
}

extension Finding {
    /// Whether both are about the same rows or values.
    fileprivate func isLoss(of other: Finding) -> Bool {
        rule == other.rule && table?.foldedASCII == other.table?.foldedASCII
            && column?.foldedASCII == other.column?.foldedASCII
    }
}
