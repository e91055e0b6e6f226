import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine

/// Finds tables whose rows were all found after each step, but not after the last one: several went to a table that does not
/// have the rows of all of them, or one has the other's name.
///
/// Runs only if the steps have no errors, since rows that a step lost would be missing here again.
struct MovesOfSteps {
    let inputs: ReplayInputs

    func check(_ replayed: ReplayedSnapshot, _ record: inout ReplayRecord) async throws {
        let (steps, inspector, context) = (record.steps, inputs.inspector, inputs.context)
        guard steps.hasMovedRows, steps.migrations.count > 1, let first = steps.migrations.first,
            !record.result.findings.contains(where: { $0.severity == .error })
        else { return }
        // As if one step had done it all.
        var whole = first
        whole.statements = steps.migrations.flatMap(\.statements)
        let (before, after) = (replayed.baseline.state, replayed.end)
        let lineage = inputs.earlierLineage.lineages.lineage(
            before, temporaries: [], statements: whole.statements)
        func report(_ table: String, _ finding: (Finding.Place?) -> Finding) {
            let index = lineage.dropStatement(ofTable: table)
            var finding = finding(index.map { Finding.Place(whole.statements[$0]) })
            finding.migration = index.flatMap { steps.migration(ofStatement: $0)?.identifier }
            record.result.findings.removeAll { Self.isMove($0, of: table) }
            record.add(finding)
        }
        let shared = Set(context.set.format.sharedTables.map(\.foldedASCII))
        let old = before.catalog.split(sharing: shared).rest
        let new = after.catalog.split(sharing: shared).rest
        let declarations = steps.migrations.flatMap(\.declarations)
        // Rows that a declaration allows to be lost would be missing.
        if !declarations.contains(where: \.kind.letsRowsGo) {
            let provenance = inputs.earlierLineage.provenance(of: whole, before: before)
            let moves: Conservation
            do {
                moves = try await inspector.withConnection(to: before.image, attaching: after.image) {
                    try Conservation(
                        movesIn: $0, before: old, after: new, lineage: lineage, declarations: declarations,
                        provenance: provenance)
                }
            } catch let error as EngineError where !error.isInterrupt && !error.isCorruption {
                let question = "whether all equal rows of several tables are still there"
                return record.notChecked(.tableDropped, .undecided("\(question): \(error.message)"))
            }
            for dropped in moves.droppedTables {
                guard let crowding = dropped.crowding else { continue }
                report(dropped.table.name) { TableDroppedRule.crowded(dropped, crowding, $0) }
            }
        }
        for (name, other, home) in lineage.crossings(among: old.tables.values.map(\.name)) {
            // A step found every row of it, and no declaration let it go.
            guard record.result.findings.contains(where: { Self.isMove($0, of: name) }),
                !isRenamed(name, to: home, &record)
            else { continue }
            report(name) { TableDroppedRule.crossed(name, other, home: home, rowCount: nil, $0) }
        }
    }

    /// Whether a finding says that a step moved a table's rows.
    private static func isMove(_ finding: Finding, of table: String) -> Bool {
        finding.rule == .tableDropped && finding.severity == .note && finding.table == table
    }

    /// Whether a migration declares that a table is renamed to another; then the declaration is needed.
    private func isRenamed(_ table: String, to other: String, _ record: inout ReplayRecord) -> Bool {
        for migration in record.steps.migrations {
            let renames = migration.declarations.filter { $0.kind.isRename(of: table, to: other) }
            guard !renames.isEmpty else { continue }
            record.result.usedDeclarations[migration.identifier, default: []].formUnion(renames)
            return true
        }
        return false
    }
}

extension ReplayedSteps {
    /// Returns the step with a statement, which is counted over all steps.
    fileprivate func migration(ofStatement index: Int) -> Migration? {
        var count = 0
        return migrations.first { migration in
            count += migration.statements.count
            return index < count
        }
    }
}

extension Declaration.Kind {
    fileprivate var letsRowsGo: Bool { if case .deletes = self { true } else { false } }
}
