import DrydockFindings
import DrydockMigrations
import DrydockConservation
import DrydockState
import SQLiteSchema

/// Explains rows that were deleted, or changed, with the rows that they reference: by ON DELETE, with foreign keys on.
struct CascadeAdvice {
    let migration: Migration
    let before: Catalog
    let format: (any MigrationFormat)?

    /// Returns a finding of lost rows or changed values with its cause, where a foreign key's action is the cause.
    func explaining(_ it: StepFinding) -> StepFinding {
        guard !it.isExplained, [.rowsLost, .valuesChanged].contains(it.finding.rule),
            let culprit = it.culprit,
            let table = it.finding.table.flatMap(before.table), let taken = taken(culprit),
            taken.name.foldedASCII != table.name.foldedASCII
        else { return it }
        let lineage = TableLineage(
            before, statements: Array(migration.statements.prefix(culprit)))
        let parent = lineage[taken.name]?.origin ?? taken.name.foldedASCII
        let actions: [ForeignKey.Action] =
            it.finding.rule == .rowsLost ? [.cascade] : [.setNull, .setDefault]
        let keys = table.foreignKeys.filter { key in
            actions.contains(key.onDelete)
                && it.finding.column.map { column in
                    key.columns.contains { $0.foldedASCII == column.foldedASCII }
                } ?? true
        }
        guard let (key, between) = way(from: parent, to: keys) else { return it }
        var it = it
        let cause = "\(taken.verb) \(taken.name) in \(migration.mention(culprit))"
        it.finding.cause = cause
        let through = between.isEmpty ? "" : " (through \(listed(between)))"
        let effect =
            "\(cause) deletes what they reference\(through), and ON DELETE \(key.onDelete.rawValue) acts on them"
        it.finding.sentence += ": \(effect)"
        it.finding.add(reason: effect)
        let rename = FollowedRename(to: taken.name, in: migration, before: before)
        let advice =
            taken.isDrop
            ? (rename.map { $0.help + "\n" } ?? "")
                + ForeignKeysAdvice(migration, format).dropping(at: culprit)
            : "Leave out of the DELETE what is referenced, or give \(table.name) another parent first."
        // What follows the declaration only guesses at the cause.
        it.finding.advice = Help(advice + "\n") + it.finding.advice.throughDeclarations
        return it
    }

    /// Returns the key that rows deleted from a table act on, and the tables between them, whose rows are deleted too.
    private func way(from parent: String, to keys: [ForeignKey]) -> (key: ForeignKey, between: [String])? {
        func key(of table: String) -> ForeignKey? { keys.first { $0.parent.foldedASCII == table } }
        if let direct = key(of: parent) { return (direct, []) }
        var children: [String: [Catalog.Table]] = [:]
        for table in before.tables.values.sorted(by: { $0.name < $1.name }) {
            for key in table.foreignKeys where key.onDelete == .cascade {
                children[key.parent.foldedASCII, default: []].append(table)
            }
        }
        var ways: [(table: String, between: [String])] = [(parent, [])]
        var seen: Set = [parent]
        var next = 0
        while next < ways.count {
            let (table, between) = ways[next]
            next += 1
            for child in children[table] ?? [] where seen.insert(child.name.foldedASCII).inserted {
                let longer = between + [child.name]
                if let key = key(of: child.name.foldedASCII) { return (key, longer) }
                ways.append((child.name.foldedASCII, longer))
            }
        }
        return nil
    }

    private func taken(_ index: Int) -> (name: String, verb: String, isDrop: Bool)? {
        switch migration.statements[index].action {
        case .dropTable(let name): (name.name, "DROP TABLE", true)
        case .delete(let name): (name.name, "DELETE FROM", false)
        default: nil
        }
    }
}
