import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// `autoincrement-reset`: the next id that an AUTOINCREMENT table would assign was assigned before
/// (https://www.sqlite.org/autoinc.html). A rebuild that ignores `sqlite_sequence` causes this, and so does a copy into
/// a table that then takes its place.
struct AutoincrementRule: StepRule {
    func check(_ step: StepView, _ declarations: inout DeclarationUse) -> [StepFinding] {
        let successors = Dictionary(grouping: step.conservation.successors, by: \.before.name).sorted {
            $0.key < $1.key
        }
        let findings =
            step.conservation.kept.compactMap { reset($0.match, in: step) }
            + successors.compactMap { disinheritance($0.value, in: step) }
        guard !findings.isEmpty else { return [] }
        let isDeclared = declarations.covers {
            if case .rewrites("sqlite_sequence", _) = $0 { true } else { false }
        }
        return isDeclared ? [] : findings
    }

    // MARK: - The same table

    private func reset(_ match: TableMatch, in step: StepView) -> StepFinding? {
        let (name, now) = (match.before.name, match.after.name)
        guard let (before, after) = fall(from: match.before, to: match.after, in: step) else { return nil }
        let isGivenOut = match.after.model?.rowidAlias != nil || match.after.model == nil
        return StepFinding(
            Finding(
                .autoincrementReset,
                isGivenOut
                    ? "the next id of \(name) falls from \(before + 1) to \(after + 1): "
                        + "ids of deleted rows would be reused"
                    : "\(name) no longer generates ids, since its key is not INTEGER PRIMARY KEY: the next one was "
                        + "\(before + 1)",
                help: help(match, step), place: place(match, step), table: name),
            stands: { end, lastName in
                guard let last = lastName(now), end.catalog.tables[last] != nil else { return false }
                return (end.highestIDs[last] ?? 0) < before
            })
    }

    /// Returns the highest ids that two tables ever assigned, if the later one may assign one again.
    private func fall(
        from old: Catalog.Table, to new: Catalog.Table, in step: StepView
    ) -> (before: Int64, after: Int64)? {
        guard old.isAutoincrement, let before = step.before.highestIDs[old.name.foldedASCII],
            let after = step.after.highestIDs[new.name.foldedASCII], after < before
        else { return nil }
        return (before, after)
    }

    private static let permission: Help =
        "If ids may be reused, declare it:\n\(declaration: "rewrites sqlite_sequence")"
    private static let missing: Help =
        "The table is no longer AUTOINCREMENT. Declare it AUTOINCREMENT again, and copy its row of sqlite_sequence.\n"

    private func help(_ match: TableMatch, _ step: StepView) -> Help {
        guard match.after.isAutoincrement else { return Self.missing + Self.permission }
        guard let trackedTable = step.lineage[match.after.name], trackedTable.createdBy != nil else {
            return "Leave the table's row in sqlite_sequence unchanged.\n" + Self.permission
        }
        // Renamed away first, the old table has another name by then.
        let old = step.actions.compactMap { _, action -> String? in
            guard case .renameTable(let old, let to) = action else { return nil }
            return old.folded == match.before.name.foldedASCII ? to : nil
        }.first
        return """
            After the rows are copied and before the old table is dropped, copy its highest id:
            \(proposed(taking(old ?? match.before.name, to: trackedTable.firstTableName)))
            \(Self.permission)
            """
    }

    private func taking(_ old: String, to new: String) -> String {
        let (old, new) = (quotedText(old), quotedText(new))
        return """
            DELETE FROM sqlite_sequence WHERE name = \(new);
            INSERT INTO sqlite_sequence(name, seq) SELECT \(new), seq FROM sqlite_sequence WHERE name = \(old);
            """
    }

    /// Returns the statement that created the table again, or the last that changed the marks.
    private func place(_ match: TableMatch, _ step: StepView) -> Finding.Place? {
        let maker = step.statement(at: step.lineage[match.after.name]?.createdBy)
        let toucher = step.migration.statements.last { statement in
            statement.tokens.contains { $0.name(in: statement.source)?.foldedASCII == "sqlite_sequence" }
        }
        return (maker ?? toucher).map { .init($0) }
    }

    // MARK: - Another table

    /// Returns the finding for a mark that none of the tables with a table's rows has inherited.
    private func disinheritance(_ successors: [Successor], in step: StepView) -> StepFinding? {
        let falls = successors.filter(\.keepsKey).compactMap { successor in
            fall(from: successor.before, to: successor.after, in: step).map {
                (successor: successor, fall: $0)
            }
        }
        guard let (successor, fall) = falls.first, falls.count == successors.count else { return nil }
        let (old, new) = (successor.before.name, successor.after.name)
        let statement =
            successor.cause != .renamed
            ? step.statement(at: step.lineage.dropStatement(ofTable: old))
            : step.lastStatement { $0.reaches(new) }
        return StepFinding(
            Finding(
                .autoincrementReset, successors.contains { !$0.isMerged } ? .error : .warning,
                "the next id of \(old) was \(fall.before + 1), and \(new), which has its rows now, continues at "
                    + "\(fall.after + 1): ids of deleted rows would be reused",
                help: help(successor, step), place: statement.map { .init($0) }, table: new),
            stands: { end, lastName in
                let left = successors.compactMap { $0.lastName(in: end, lastName) }
                return !left.isEmpty && left.allSatisfy { (end.highestIDs[$0] ?? 0) < fall.before }
            }, isForgottenOnceFixed: true)
    }

    private func help(_ successor: Successor, _ step: StepView) -> Help {
        guard successor.after.isAutoincrement else { return Self.missing + Self.permission }
        let made = step.lineage[successor.after.name]
        let new = made.map(\.firstTableName)
        let moment =
            successor.cause != .renamed ? "before the old table is dropped" : "once the rows are copied"
        return """
            Copy its highest id \(moment):
            \(proposed(taking(successor.before.name, to: new ?? successor.after.name)))
            \(Self.permission)
            """
    }
}

extension Successor {
    /// Whether the ids of both tables are the same numbers.
    fileprivate var keepsKey: Bool {
        after.primaryKey.allSatisfy { key in
            columns.contains { $0.after.name == key.name && $0.before.keyPosition > 0 }
        }
    }
}
