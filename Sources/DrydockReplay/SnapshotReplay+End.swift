import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteSchema

/// Checks that are made once, after the last pending migration.
extension SnapshotReplay {
    /// Compares the results of a batch with those of a second engine, where one is requested.
    mutating func compareEngines(
        _ batch: [Migration], from before: DatabaseState, _ first: BatchRun.Outcome,
        at moment: EngineComparison.Moment?
    ) async throws {
        guard let other = context.other, let moment else { return }
        let outcome = try await EngineComparison(
            context: context, other: other, watchdog: watchdog, moment: moment
        )
        .run(batch, from: before.image, first)
        if let missing = outcome.notChecked { notChecked(missing.rule, missing.cause) }
        guard let finding = outcome.finding else { return }
        add(finding)
        handOver([finding], of: .init(batch, from: before, steps.temporaries), by: .engines)
    }

    mutating func checkIntegrity(of replayed: ReplayedSnapshot) async throws {
        guard !result.summary.steps.isEmpty else { return }
        let baseline = replayed.baseline.integrity
        let touched = touchedTables(from: replayed.baseline.state, to: replayed.end, steps.changedPages)
        result.summary.tablesChecked = touched?.count
        let check = try await integrity(of: touched, since: replayed.baseline.state, at: replayed.end)
        // What a table's own expressions kept from being checked is reported for the table as well.
        for reason in check.notChecked where !baseline.notChecked.contains(reason) {
            notChecked(.integrityFailure, .refused(reason))
        }
        result.summary.integrityUnchecked = check.notChecked.count
        let known = Set(
            baseline.brokenConstraints.map {
                IntegrityCheck.renaming($0) { steps.names.lastName(of: $0, after: 0) }
            })
        let messages = (check.damage + check.brokenConstraints.filter { !known.contains($0.foldedASCII) })
            .filter { !steps.damage.contains($0) }
        guard let first = messages.first else { return }
        add(
            Finding(
                .integrityFailure, "after the replay integrity_check finds: \(first)",
                help:
                    "A migration did this: look for writable_schema, a constraint that existing rows break, or a "
                    + "collation or function that sorts otherwise here than in the app.",
                migration: result.summary.to,
                evidence: Evidence(rowCount: nil, details: Array(messages.prefix(Evidence.detailLimit)))))
    }

    /// Checks tables, or the whole database. What was found to be whole at a checkpoint and has not changed since, still
    /// is.
    /// - Parameter base: the state since which the tables may have changed.
    private func integrity(
        of tables: [String]?, since base: DatabaseState, at end: DatabaseState
    ) async throws -> IntegrityCheck {
        guard let tables, let resumed else { return try await check(tables, at: end) }
        let whole: Set<String>
        if let known = resumed.checkpoint.whole {
            whole = known
        } else {
            whole = try await wholeTables(at: resumed, since: base)
        }
        guard let touched = touchedTables(from: resumed.checkpoint.state, to: end, resumed.changedPages)
        else {
            return try await check(tables, at: end)
        }
        let changed = Set(touched)
        return try await check(tables.filter { changed.contains($0) || !whole.contains($0) }, at: end)
    }

    /// Returns the tables that the steps before a checkpoint changed, if all of them are whole there, and keeps that for the
    /// next run.
    private func wholeTables(
        at resumed: Resumption, since base: DatabaseState
    ) async throws -> Set<String> {
        let (state, steps) = (resumed.checkpoint.state, resumed.checkpoint.steps)
        guard let tables = touchedTables(from: base, to: state, steps.changedPages) else { return [] }
        let found = try await check(tables, at: state)
        let isWhole = found.damage.isEmpty && found.brokenConstraints.isEmpty && found.notChecked.isEmpty
        let whole = isWhole ? Set(tables) : []
        resumed.keep(whole: whole)
        return whole
    }

    private func check(_ tables: [String]?, at state: DatabaseState) async throws -> IntegrityCheck {
        let (catalog, file) = (state.catalog, state.pages?.file)
        return try await inspector.withSharedConnection(to: state) { connection in
            try tables.map { try IntegrityCheck(connection, catalog: catalog, tables: $0, file: file) }
                ?? IntegrityCheck(connection, catalog: catalog, file: file)
        }
    }

    /// Returns the names of the tables with pages or definitions that differ between two states, including those of
    /// virtual tables and tools; nil where that is not known, or everything is to be checked.
    private func touchedTables(
        from base: DatabaseState, to end: DatabaseState, _ changedPages: Set<UInt32>?
    ) -> [String]? {
        guard !context.isFullCheck, let changedPages, let basePages = base.pages, let pages = end.pages else {
            return nil
        }
        let changes = PageChanges(
            before: basePages, after: pages, dirty: basePages.dirt(changedPages, upTo: pages))
        return pages.trees.keys.filter { name in
            guard changes.isWhollyUntouched(table: name, now: name) else { return true }
            guard let table = end.catalog.table(name) else { return false }
            return base.catalog.table(name).map { !table.demandsNoMore(than: $0) } ?? true
        }.sorted()
    }

    mutating func checkSchema(of replayed: ReplayedSnapshot) {
        let plan = replayed.plan
        if let code = result.stoppedAtCode, plan.unknown.isEmpty {
            // The reached state can be compared with the schema of its own version.
            guard let count = context.set.index(of: code), let expected = fresh.catalogs[count] else {
                return
            }
            return addMismatches(of: replayed, expected, count)
        }
        guard replayed.isWhole else {
            // Where there is no fresh install, the report says so once.
            guard fresh.failure == nil else { return }
            return notChecked(.schemaMismatch, .notReplayed(snapshot: snapshot.path))
        }
        guard plan.unknown.isEmpty else {
            return notChecked(
                .schemaMismatch,
                .unknownMigrations(snapshot: snapshot.path, home: context.set.format.home))
        }
        guard let expected = fresh.catalogs[plan.finalCount] else {
            if context.command != nil, fresh.failure == nil {
                notChecked(.schemaMismatch, .undecided("no new database has just these migrations"))
            }
            return
        }
        addMismatches(of: replayed, expected, plan.finalCount)
    }

    /// Adds the differences from a fresh install of a number of migrations. The effects of code are not in the fresh install
    /// made here.
    private mutating func addMismatches(of replayed: ReplayedSnapshot, _ fresh: Catalog, _ count: Int) {
        let code = replayed.plan.code
        let own = ownMismatches(of: replayed.baseline)
        let end = replayed.end
        let findings = context.mismatches.value(end.facts, .init(count: count, countsShared: false)) {
            SchemaMismatch.findings(migrated: end.catalog, fresh: fresh, context.set.format)
        }
        let idle =
            findings.isEmpty
            ? [] : IdleCreation.all(in: steps.migrations, from: replayed.baseline.state.catalog)
        for var finding in findings {
            let isOwn = own.contains(finding.message)
            if let creation = idle.last(where: {
                !$0.isSame && $0.table.foldedASCII == finding.table?.foldedASCII
            }) {
                finding.message += "; \(creation.cause)"
                finding.advice = Help(creation.help + "\n") + finding.advice
                finding.migration = creation.migration.identifier
                finding.place = .init(creation.migration.statements[creation.index])
            }
            if isOwn {
                finding.severity = min(finding.severity, .warning)
                finding.tags.append(.preExisting)
            }
            if !code.isEmpty {
                finding.severity = min(finding.severity, .warning)
                finding.advice =
                    "The fresh install was made without the migrations that are no SQL (\(code.joined(separator: ", "))): "
                    + "if they do this, all is well. If not: " + finding.advice
            }
            add(finding)
        }
    }

    /// Differences that a live database already has before its migration: an index that a person created by hand is not
    /// a reason to leave the database at an old version.
    private func ownMismatches(of baseline: BaselinedSnapshot) -> Set<String> {
        guard context.isRehearsal, let from = result.summary.from,
            let index = context.set.index(of: from), let expected = fresh.catalogs[index + 1]
        else { return [] }
        let start = baseline.state
        let findings = context.mismatches.value(start.facts, .init(count: index + 1, countsShared: true)) {
            SchemaMismatch.findings(migrated: start.catalog, fresh: expected)
        }
        return Set(findings.map(\.message))
    }

    /// Opens the final state once more with the same migrations, as an app's next launch does.
    mutating func checkIdempotence(at end: DatabaseState) async throws {
        guard context.set.policy.isRunByEngine else { return try await checkPending(at: end) }
        let overlay = try Overlay(end.image)
        let migrations = context.targets.filter { $0.fault == nil }.map { MigrationRun($0).engineMigration }
        var failure: String?
        var ran: [String] = []
        do {
            ran = try await context.engine.use(overlay, settings: context.settings(watchdog)) { database in
                let ran = try await database.migrate(migrations)
                try await database.withConnection { try $0.checkpoint() }
                return ran.map(\.identifier)
            }
        } catch {
            if watchdog.isTripped { throw error }
            failure = (error as? StatementFailure)?.error.message ?? String(describing: error)
        }
        let footprint = overlay.freeze().footprint
        guard failure != nil || !ran.isEmpty || !footprint.isEmpty else { return }
        let what =
            !ran.isEmpty
            ? "\(ran.joined(separator: ", ")) would run again"
            : failure ?? "\(counted(footprint.pages.count, "page")) would change"
        add(
            Finding(
                .notIdempotent, "opened again with the same migrations: \(what)",
                help: "A migration must not touch \(context.set.format.historyTable ?? "the history").",
                migration: result.summary.to, place: historyStatement.map { .init($0) }))
    }

    /// Another tool runs nothing when nothing is pending: its history is read once more.
    private mutating func checkPending(at end: DatabaseState) async throws {
        let set = context.set
        if let command = context.command, command.format.history == nil {
            return notChecked(
                .notIdempotent,
                .undecided("nothing says what '\(command.format.command.command)' has applied"))
        }
        let history = try await inspector.withConnection(to: end.image) {
            try set.history($0)
        }
        let applied = history ?? AppliedHistory([])
        let pending = ReplayPlan(history: applied, set: set, targetCount: context.targetCount).pending
        guard !pending.isEmpty, !result.summary.steps.isEmpty else { return }
        let names = pending.map { set.migrations[$0].identifier }
        let isUnrecorded =
            set.format is CustomFormat && pending.allSatisfy { set.migrations[$0].record.isEmpty }
        add(
            Finding(
                .notIdempotent,
                "opened again with the same migrations: \(names.joined(separator: ", ")) would run again"
                    + (isUnrecorded ? ", since nothing records them" : ""),
                help: isUnrecorded
                    ? "Say how the app records a migration: 'record' under 'custom: history:' in drydock.yml, with "
                        + "':version' for its identifier."
                    : "A migration must not touch \(set.format.historyTable ?? "PRAGMA user_version").",
                migration: result.summary.to,
                place: isUnrecorded ? nil : historyStatement.map { .init($0) }))
    }

    /// The last statement of a replayed migration that names the history table.
    private var historyStatement: SQLStatement? {
        let table = (context.set.format.historyTable ?? "user_version").foldedASCII
        let replayed = context.targets.filter { result.triedMigrations.contains($0.identifier) }
        return replayed.flatMap(\.statements).last { statement in
            statement.tokens.contains { $0.name(in: statement.source)?.foldedASCII == table }
        }
    }
}
