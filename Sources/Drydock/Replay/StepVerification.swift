import DatabaseEngine
import SQLiteSchema

/// Holds the rules over one step: the state before it, the state after it, and what its statements say.
struct StepVerification: Sendable {
    let migration: Migration
    let declarations: [Declaration]
    let before: DatabaseState
    let after: DatabaseState
    let inspector: StateInspector
    let engine: any Engine

    struct Outcome: Sendable {
        var findings: [StepFinding] = []
        var declarationFindings: [Finding] = []
        var usedDeclarations: Set<Declaration> = []
        var notChecked: [NotChecked] = []
        var rowsCompared = 0
    }

    func run() async throws -> Outcome {
        let lineage = TableLineage(tables: before.catalog.tables.keys, statements: migration.statements)
        let (conservation, faults) = try await conserve(lineage)
        var outcome = Outcome()
        outcome.declarationFindings = faults
        outcome.rowsCompared = conservation.rowsCompared
        outcome.notChecked = conservation.notCompared.map { table, reason in
            NotChecked(.rowsLost, reason: "table \(table) cannot be read: \(reason)")
        }
        let step = StepView(
            migration: migration, before: before, after: after, lineage: lineage, conservation: conservation)
        var use = DeclarationUse(declarations, used: conservation.usedDeclarations)
        noteRewrites(conservation, &use)
        for rule in ReplayRules.steps { outcome.findings += rule.check(step, &use) }
        outcome.findings += newFaults(conservation)
        let (broken, invalid) = try await invariants()
        outcome.findings += broken
        outcome.declarationFindings += invalid
        outcome.findings = try await CulpritSearch(
            migration: migration, before: before, engine: engine, inspector: inspector
        ).placing(outcome.findings)
        outcome.usedDeclarations = use.used
        return outcome
    }

    // MARK: - Conservation

    /// Compares the states with the declarations that make sense, and names those that do not.
    private func conserve(_ lineage: TableLineage) async throws -> (Conservation, [Finding]) {
        let names = DeclarationNames(
            before: before.catalog, after: after.catalog, migration: migration.identifier)
        let named = declarations.map { ($0, names.fault(of: $0)) }
        let (beforeCatalog, afterCatalog) = (before.catalog, after.catalog)
        return try await inspector.withConnection(to: before.image, attaching: after.image) { connection in
            var findings = named.compactMap(\.1)
            let sound = named.filter { $0.1 == nil }.map(\.0).filter { declaration in
                guard let fault = names.conditionFault(of: declaration, connection) else { return true }
                findings.append(fault)
                return false
            }
            let conservation = try Conservation(
                connection: connection, before: beforeCatalog, after: afterCatalog, lineage: lineage,
                declarations: sound)
            return (conservation, findings)
        }
    }

    /// A column that a declaration lets be rewritten is not compared, so its need is not known: where the
    /// table has rows it is taken as needed.
    private func noteRewrites(_ conservation: Conservation, _ use: inout DeclarationUse) {
        for kept in conservation.kept where kept.difference.rowsCompared > 0 {
            _ = use.covers {
                if case .rewrites(let table, _) = $0 { kept.match.isCalled(table) } else { false }
            }
        }
    }

    // MARK: - State rules

    /// What the state after the step has and the one before it had not.
    private func newFaults(_ conservation: Conservation) -> [StepFinding] {
        var renamed: [String: String] = [:]
        for kept in conservation.kept
        where kept.match.before.name.foldedASCII != kept.match.after.name.foldedASCII {
            renamed[kept.match.before.name.foldedASCII] = kept.match.after.name.foldedASCII
        }
        let known = before.faultCounts(renaming: renamed)
        let counts = after.faultCounts()
        return after.faults.compactMap { fault in
            let baseline = known[fault.id] ?? 0
            guard counts[fault.id] ?? 0 > baseline else { return nil }
            let id = fault.id
            return StepFinding(
                Finding(
                    id.rule, fault.message, help: fault.help, place: .init(file: migration.path),
                    table: fault.table,
                    evidence: fault.evidence),
                probe: ReplayRules.states.first { $0.rule == id.rule }.map {
                    .fault($0, id, baseline: baseline)
                },
                stands: { end in end.faultCounts()[id] ?? 0 > baseline })
        }
    }

    // MARK: - Invariants

    /// `preserves` queries, asked of both states.
    private func invariants() async throws -> (broken: [StepFinding], invalid: [Finding]) {
        var broken: [StepFinding] = []
        var invalid: [Finding] = []
        for declaration in declarations {
            guard case .preserves(let query) = declaration.kind else { continue }
            let old: [[SQLValue]]
            do {
                old = try await answers(to: query, in: before)
            } catch let error as EngineError where !error.isInterrupt {
                invalid.append(
                    Finding(
                        .invalidDeclaration,
                        "the query to preserve does not run before the migration: \(error.message)",
                        help: "It must run before and after. Write: preserves QUERY",
                        migration: migration.identifier,
                        place: declaration.place))
                continue
            }
            var finding = Finding(
                .invariantBroken, "", help: "Both answers must be equal, row by row and in order: \(query)",
                place: declaration.place)
            do {
                let new = try await answers(to: query, in: after)
                guard old != new else { continue }
                finding.message = "a query that the migration preserves answers differently"
                finding.evidence = Evidence(rows: Self.differences(old, new, before.catalog.encoding))
            } catch let error as EngineError where !error.isInterrupt {
                finding.message = "a query that the migration preserves no longer runs: \(error.message)"
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
