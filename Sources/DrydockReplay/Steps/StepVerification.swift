import DatabaseEngine
import DrydockConservation
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Checks the rules for one step, from the state before it, the state after it and its statements.
package struct StepVerification: Sendable {
    package let migration: Migration
    package let declarations: [Declaration]
    package let before: DatabaseState
    package let after: DatabaseState
    package let inspector: StateInspector
    package let engine: any Engine
    /// The format of the migration; nil for a plan made by Drydock, which no tool records.
    package var format: (any MigrationFormat)?
    /// What the earlier migrations did; nil where the step is checked alone.
    package let earlierLineage: EarlierLineage
    /// Temporary tables that earlier migrations left on the connection.
    package var temporaries: Set<String> = []
    /// Full-text indexes that read another table before an earlier step, by folded name.
    var searched: [String: SearchedIndex] = [:]
    /// How objects read names in double quotes until an earlier step took the column, or the object.
    var former: [Catalog.ObjectID: QuotedReadings] = [:]
    /// Whether findings name the statement that is the cause, and what to do about it.
    package var explains = true

    package init(
        migration: Migration, declarations: [Declaration], before: DatabaseState, after: DatabaseState,
        inspector: StateInspector, engine: any Engine, format: (any MigrationFormat)? = nil,
        earlierLineage: EarlierLineage? = nil, temporaries: Set<String> = [],
        searched: [String: SearchedIndex] = [:]
    ) {
        self.migration = migration
        self.declarations = declarations
        self.before = before
        self.after = after
        self.inspector = inspector
        self.engine = engine
        self.format = format
        self.earlierLineage = earlierLineage ?? EarlierLineage([migration])
        self.temporaries = temporaries
        self.searched = searched
    }

    package struct Outcome: Sendable {
        package var findings: [StepFinding] = []
        package var declarationFindings: [Finding] = []
        package var usedDeclarations: Set<Declaration> = []
        package var notChecked: [NotChecked] = []
        var rowsCompared = 0
        var tablesUntouched = 0
        var tablesNotCompared = 0
        /// Whether the rows of a table that is gone are in one that remains.
        var hasMovedRows = false
        package var names: StepNames
        /// Temporary tables that still exist.
        package var temporaries: Set<String>
        var searched: [String: SearchedIndex] = [:]
        var former: [Catalog.ObjectID: QuotedReadings] = [:]
        /// The messages of integrity_check that findings report.
        package var damage: Set<String> = []
    }

    package func run() async throws -> Outcome {
        let lineage = earlierLineage.lineages.lineage(
            before, temporaries: temporaries, statements: migration.statements)
        let (conservation, faults) = try await conserve(lineage)
        var outcome = Outcome(
            names: StepNames(
                before: before.catalog, after: after.catalog, lineage: lineage,
                match: conservation.kept.map(\.match), moved: conservation.droppedTables),
            temporaries: lineage.state.temporaryTables)
        outcome.declarationFindings = faults
        outcome.hasMovedRows = conservation.droppedTables.contains { !$0.homes.isEmpty }
        outcome.rowsCompared = conservation.rowsCompared
        outcome.tablesUntouched = conservation.untouchedCount
        outcome.tablesNotCompared = conservation.notCompared.count + conservation.unsettled.count
        outcome.notChecked = notChecked(conservation)
        outcome.findings = limited(conservation)
        let (earlierLineage, current) = (earlierLineage, migration)
        let step = StepView(
            migration: migration, before: before, after: after, lineage: lineage, conservation: conservation,
            usesUserVersion: format?.usesUserVersion ?? false,
            creation: { earlierLineage.creation(of: $0, upTo: current) })
        var use = DeclarationUse(
            declarations, used: conservation.usedDeclarations.union(undecided(conservation)))
        for rule in ReplayRules.steps { outcome.findings += rule.check(step, &use) }
        outcome.findings += try await newFaults(outcome.names, conservation)
        outcome.former = former
        outcome.findings += try await changedReferences(&outcome)
        outcome.searched = searched
        outcome.findings += try await emptiedIndexes(&outcome.searched, outcome.names)
        let (broken, invalid) = try await invariants()
        outcome.findings += broken
        outcome.declarationFindings += invalid
        outcome.usedDeclarations = use.used
        guard explains else { return outcome }
        outcome.findings = try await CulpritSearch(
            migration: migration, before: before, engine: engine, inspector: inspector
        ).placing(outcome.findings)
        let fork = StepFork(migration: migration, before: before, engine: engine, inspector: inspector)
        outcome.findings = try await TriggerCause(fork: fork).explaining(outcome.findings)
        let cascades = CascadeAdvice(migration: migration, before: before.catalog, format: format)
        let copies = CopyAdvice(migration: migration, before: before.catalog, after: after.catalog)
        outcome.findings = try await explaining(outcome.findings).map {
            copies.explaining(cascades.explaining($0))
        }
        return outcome
    }

    // MARK: - Conservation

    /// Compares the states using the declarations that are valid, and reports the others.
    private func conserve(_ lineage: TableLineage) async throws -> (Conservation, [Finding]) {
        let names = DeclarationNames(
            before: before.catalog, after: after.catalog, lineage: lineage, migration: migration.identifier,
            declarations: declarations)
        let named = declarations.map { ($0, names.fault(of: $0)) }
        var findings = named.compactMap(\.1)
        // Conditions are evaluated on the state before the step, which does not know later names.
        let candidates = named.filter { $0.1 == nil }.map(\.0)
        let faults =
            !candidates.contains(where: \.hasCondition)
            ? candidates.map { _ in nil }
            : try await inspector.withConnection(to: before.image) { connection in
                candidates.map { names.conditionFault(of: $0, connection) }
            }
        findings += faults.compactMap { $0 }
        let sound = zip(candidates, faults).filter { $0.1 == nil }.map(\.0)
        let shared = Set((format?.sharedTables ?? []).map(\.foldedASCII))
        let (old, new) = (before.catalog.split(sharing: shared), after.catalog.split(sharing: shared))
        let history = HistoryComparison(
            before: old.history, after: new.history, shared: shared, record: migration.record,
            lineage: lineage, declarations: sound)
        let changes = after.changes
        let (earlierLineage, step, before) = (earlierLineage, migration, before)
        let provenance = { @Sendable in earlierLineage.provenance(of: step, before: before) }
        let explains = explains
        let compare: @Sendable (any Connection) throws -> (Conservation, HistoryComparison.Verdict) = {
            connection in
            let conservation = try Conservation(
                connection: connection, before: old.rest, after: new.rest, changes: changes,
                lineage: lineage, declarations: sound, provenance: provenance, explains: explains)
            // Last, since it writes.
            return (conservation, try history.verdict(connection, changes))
        }
        // SQL of the project may ask what the connection did before, or change its settings.
        var (conservation, verdict) =
            sound.contains(where: \.hasCondition) || format is CustomFormat
            ? try await inspector.withConnection(to: before.image, attaching: after.image, compare)
            : try await inspector.withSharedConnection(to: before, attaching: after, compare)
        if !verdict.isExplained { verdict.conservation = try await unrecorded(history, verdict.conservation) }
        conservation.add(verdict.conservation, sharing: shared)
        // Pages that were lost from the file while they were read would have read as zeros.
        try after.changes?.before.source.checkIntact()
        try after.changes?.after.source.checkIntact()
        findings += conservation.failedConditions.map { names.runtimeFault(of: $0, $1) }
        return (conservation, findings)
    }

    /// Returns what the migration itself did to the tables in which its tool keeps the history.
    private func unrecorded(_ history: HistoryComparison, _ found: Conservation) async throws -> Conservation
    {
        if migration.record.isEmpty {
            guard let query = format?.historyQuery,
                let old = try? await answers(to: query, in: before),
                let new = try? await answers(to: query, in: after)
            else { return found }
            return found.without(answers: Set(old.compactMap(\.first)), Set(new.compactMap(\.first)))
        }
        do {
            let image = try await RunWithoutHistory(
                migration: migration, before: before, engine: engine, inspector: inspector
            ).image()
            let (catalog, sharing) = (try await inspector.catalog(of: image), history.shared)
            return try await inspector.withConnection(to: before.image, attaching: image) {
                try history.conservation($0, after: catalog.split(sharing: sharing).history)
            }
        } catch let error as EngineError where !error.isInterrupt {
            return found
        } catch let failure as StatementFailure where !failure.error.isInterrupt {
            return found
        }
    }

    // MARK: - State rules

    /// Returns the faults of the state after the step that the state before did not have.
    private func newFaults(_ names: StepNames, _ conservation: Conservation) async throws -> [StepFinding] {
        let columns = conservation.renamedColumns
        let known = before.faults.reduce(into: [Fault.ID: Int]()) { counts, fault in
            counts[fault.id.renaming(columns: columns).renaming(names.renamed), default: 0] += fault.count
        }
        let counts = after.faultCounts()
        let orphans = try await newOrphans(counts.keys.filter { $0.hasOrphans(in: known) })
        let counted = after.faults.compactMap { fault -> StepFinding? in
            let baseline = known[fault.id] ?? 0
            guard orphans[fault.id] == nil, counts[fault.id] ?? 0 > baseline else { return nil }
            return finding(
                fault, baseline, StateRules.all.first { $0.rule == fault.id.rule }.map { ($0, baseline) })
        }
        return counted
            + orphans.flatMap { id, faults in
                let old = (counts[id] ?? 0) - faults.reduce(0) { $0 + $1.count }
                let search = NewOrphansRule(id: id, before: before.catalog, migration: migration)
                return faults.map { finding($0, old, (search, 0)) }
            }
    }

    /// - Parameters:
    ///   - baseline: how much of the fault later states may have.
    ///   - search: finds the statement since which there is more of the fault than a number.
    private func finding(_ fault: Fault, _ baseline: Int, _ search: (any StateRule, Int)?) -> StepFinding {
        let id = fault.id
        var finding = Finding(
            id.rule, fault.sentence, help: fault.help, place: .init(file: migration.path),
            table: fault.table, column: fault.column, evidence: fault.evidence)
        if id.kind == ForeignKeyRule.missingParent,
            before.catalog.table(id.names[1]) != nil || before.catalog.table(id.names[0]) == nil
        {
            // No row uses the key of a new table, or of one whose parent was dropped on purpose. A key that has followed
            // its parent's rename is another matter: the author did not see it.
            finding.severity = .warning
        }
        LegacyRename(migration)?.explain(&finding, id, before: before.catalog, after: after.catalog)
        return StepFinding(
            finding, probe: search.map { .fault($0.0, id, baseline: $0.1) },
            stands: { end, lastName in
                let names = id.names.map { lastName($0) ?? "" }
                // The column may have a different name by then.
                if id.column != nil {
                    return end.faults.contains {
                        $0.id.column != nil && $0.id.rule == id.rule && $0.id.names == names
                    }
                }
                let last = Fault.ID(rule: id.rule, kind: id.kind, names: names)
                return end.faultCounts()[last] ?? 0 > baseline
            })
    }

    /// Returns the rows that lost their parent, for keys of which the state before had orphans too; without the keys of
    /// tables whose rows cannot be distinguished.
    private func newOrphans(_ ids: [Fault.ID]) async throws -> [Fault.ID: [Fault]] {
        let ids = ids.filter { id in
            id.rule == .foreignKeyViolation && id.kind == ForeignKeyRule.violation
                && !id.names.allSatisfy { after.changes?.isWhollyUntouched(table: $0, now: $0) ?? false }
        }
        guard !ids.isEmpty else { return [:] }
        return try await withDiagnosis { diagnosis in
            try ids.reduce(into: [:]) { $0[$1] = try diagnosis.newOrphans($1) }
        }
    }

    private func withDiagnosis<Result: Sendable>(
        _ body: @escaping @Sendable (ForeignKeyDiagnosis) throws -> Result
    ) async throws -> Result {
        let (old, new, migration) = (before.catalog, after.catalog, migration)
        return try await inspector.withConnection(to: before.image, attaching: after.image) { connection in
            try body(
                ForeignKeyDiagnosis(
                    connection: connection, old: "main", new: StateInspector.laterSchema, before: old,
                    after: new, migration: migration))
        }
    }

    /// Explains why rows reference parents that do not exist, where the step shows it.
    private func explaining(_ findings: [StepFinding]) async throws -> [StepFinding] {
        guard findings.contains(where: { $0.finding.rule == .foreignKeyViolation }) else { return findings }
        return try await withDiagnosis { diagnosis in try findings.map { try diagnosis.explaining($0) } }
    }

    /// Returns the names in double quotes that were columns and are strings now, or the reverse.
    private func changedReferences(_ outcome: inout Outcome) async throws -> [StepFinding] {
        let references = QuotedReferences(
            before: before, after: after, inspector: inspector, renamed: outcome.names.renamed,
            former: former)
        let result = try await references.result()
        outcome.former = result.former
        var findings: [StepFinding] = []
        for change in result.changes {
            let damage = try await damage(of: change)
            outcome.damage.formUnion(damage.found)
            findings.append(
                change.finding(
                    migration, before: before.catalog, after: after.catalog, damage: damage))
        }
        return findings
    }

    /// Returns what the change left wrong, and was not wrong before.
    private func damage(of change: QuotedReferences.Change) async throws -> QuotedDamage {
        func damage(in state: DatabaseState, known: QuotedDamage) async throws -> QuotedDamage {
            let catalog = state.catalog
            return try await inspector.withConnection(to: state.image) { connection in
                try QuotedDamage(
                    change.object, in: StateView(connection: connection, catalog: catalog), known: known)
            }
        }
        let found = try await damage(in: after, known: QuotedDamage())
        guard !found.messages.isEmpty else { return found }
        return try await damage(in: after, known: damage(in: before, known: QuotedDamage()))
    }

    // MARK: - Search

    private func emptiedIndexes(
        _ searched: inout [String: SearchedIndex], _ names: StepNames
    ) async throws -> [StepFinding] {
        let indexes = SearchedIndexes(before: before.catalog, after: after.catalog, names: names)
        guard indexes.isNeeded(searched) else { return [] }
        let (known, migration) = (searched, migration)
        let (losses, now) = try await inspector.withSharedConnection(to: before, attaching: after) {
            var known = known
            return (try indexes.losses(&known, $0), known)
        }
        searched = now
        return losses.map { $0.finding(migration) }
    }

    // MARK: - Invariants

    /// Runs `preserves` queries on both states.
    private func invariants() async throws -> (broken: [StepFinding], invalid: [Finding]) {
        var broken: [StepFinding] = []
        var invalid: [Finding] = []
        for declaration in declarations {
            guard case .preserves(let query) = declaration.kind else { continue }
            let old: [[SQLValue]]
            guard Sandbox.isQuery(query) else {
                invalid.append(
                    Finding(
                        .invalidDeclaration, "'preserves' needs a query, and this is not one: \(query)",
                        help: "Write a SELECT that runs before and after the migration: preserves QUERY",
                        migration: migration.identifier, place: declaration.place))
                continue
            }
            do {
                old = try await answers(to: query, in: before)
            } catch let error as EngineError where !error.isInterrupt {
                invalid.append(
                    Finding(
                        .invalidDeclaration,
                        Sentence(
                            "the query to preserve does not run before the migration: \(error.sentence)"),
                        help: "It must run before and after. Write: preserves QUERY",
                        migration: migration.identifier,
                        place: declaration.place))
                continue
            }
            var finding = Finding(
                .invariantBroken, "", help: "Both results must be equal, row by row and in order: \(query)",
                place: declaration.place)
            do {
                let new = try await answers(to: query, in: after)
                guard old != new else { continue }
                finding.sentence = "a query that the migration preserves returns a different result"
                finding.evidence = Evidence(rows: Self.differences(old, new, before.catalog.encoding))
            } catch let error as EngineError where !error.isInterrupt {
                finding.sentence = "a query that the migration preserves no longer runs: \(error.sentence)"
            }
            broken.append(StepFinding(finding))
        }
        return (broken, invalid)
    }

    private func answers(to query: String, in state: DatabaseState) async throws -> [[SQLValue]] {
        try await inspector.withConnection(to: state.image) { connection in
            try connection.rows(query) { row in (0..<row.columnCount).map(row.value) }
        }
    }

    private static func differences(
        _ old: [[SQLValue]], _ new: [[SQLValue]], _ encoding: TextEncoding
    ) -> [Evidence.Row] {
        func sample(_ rows: [[SQLValue]], _ row: Int, _ column: Int) -> Evidence.Sample? {
            guard row < rows.count, column < rows[row].count else { return nil }
            return Evidence.Sample(rows[row][column], encoding: encoding)
        }
        var result: [Evidence.Row] = []
        for row in 0..<max(old.count, new.count) {
            let columns = max(row < old.count ? old[row].count : 0, row < new.count ? new[row].count : 0)
            for column in 0..<columns {
                let (a, b) = (sample(old, row, column), sample(new, row, column))
                guard a != b, result.count < Evidence.rowLimit else { continue }
                let place = Evidence.Sample(.integer(Int64(row + 1)), encoding: encoding)
                result.append(.init(key: [.init(column: "answer row", value: place)], before: a, after: b))
            }
        }
        return result
    }
}
