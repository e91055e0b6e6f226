import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import DatabaseEngine

/// Finds the tables whose rows went, in different steps, to a table that does not have those of all of them, or that has
/// another one's name: after each step every row of the one that was dropped there had a place.
///
/// Rows that went for another reason would be found as well, so that this is asked only where none did.
struct MovesOfSteps {
    let inputs: ReplayInputs

    func check(_ replayed: ReplayedSnapshot, _ record: inout ReplayRecord) async throws {
        let (steps, inspector, context) = (record.steps, inputs.inspector, inputs.context)
        guard steps.hasMovedRows, steps.migrations.count > 1, let first = steps.migrations.first,
            !record.result.findings.contains(where: { $0.severity == .error })
        else { return }
        let declarations = steps.migrations.flatMap(\.declarations)
        guard !declarations.contains(where: \.kind.letsRowsGo) else { return }
        // As if one step had done it all.
        var whole = first
        whole.statements = steps.migrations.flatMap(\.statements)
        let (before, after) = (replayed.baseline.state, replayed.end)
        let lineage = inputs.chronicle.lineages.lineage(
            before, temporaries: [], statements: whole.statements)
        let provenance = inputs.chronicle.provenance(of: whole, before: before)
        let shared = Set(context.set.format.sharedTables.map(\.foldedASCII))
        let old = before.catalog.split(sharing: shared).rest
        let new = after.catalog.split(sharing: shared).rest
        let moves: Conservation
        do {
            moves = try await inspector.withConnection(to: before.image, attaching: after.image) {
                try Conservation(
                    movesIn: $0, before: old, after: new, lineage: lineage, declarations: declarations,
                    provenance: provenance)
            }
        } catch let error as EngineError where !error.isInterrupt && !error.isCorruption {
            let question = "whether equal rows of several tables are all there"
            return record.notChecked(.tableDropped, .undecided("\(question): \(error.message)"))
        }
        let crowded = moves.droppedTables.compactMap { dropped in
            dropped.crowding.map { crowding in
                (dropped.table.name, { TableDroppedRule.crowded(dropped, crowding, $0) })
            }
        }
        let crossings = lineage.crossings(among: old.tables.values.map(\.name))
        let crossed = crossings.filter { crossing in
            for migration in steps.migrations {
                let renames = migration.declarations.filter {
                    $0.kind.isRename(of: crossing.name, to: crossing.home)
                }
                record.result.usedDeclarations[migration.identifier, default: []].formUnion(renames)
                if !renames.isEmpty { return false }
            }
            return true
        }.map { crossing in
            (
                crossing.name,
                {
                    TableDroppedRule.crossed(
                        crossing.name, crossing.other, home: crossing.home, rowCount: nil, $0)
                }
            )
        }
        for (name, finding) in crowded + crossed as [(String, (Finding.Place?) -> Finding)] {
            let index = lineage.dropStatement(ofTable: name)
            var finding = finding(index.map { Finding.Place(whole.statements[$0]) })
            finding.migration = index.flatMap { steps.migration(ofStatement: $0)?.identifier }
            // The step found every row.
            record.result.findings.removeAll {
                $0.rule == .tableDropped && $0.severity == .note && $0.table == finding.table
            }
            record.add(finding)
        }
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
