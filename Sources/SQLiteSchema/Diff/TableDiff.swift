/// The differences between two forms of one table. This file compares its columns and options; extensions
/// compare the rest.
struct TableDiff {
    let schemas: SchemaDiff
    let old: Table
    let new: Table

    func changes() -> [TableChange] {
        columnChanges() + orderChanges() + primaryKeyChanges() + uniqueChanges() + checkChanges()
            + foreignKeyChanges() + optionChanges()
    }

    /// Returns the new folded name of a column of the old table.
    func renamed(_ column: String) -> String { schemas.hints.column(column, of: old.name) }

    private func optionChanges() -> [TableChange] {
        (old.isWithoutRowid == new.isWithoutRowid ? [] : [.withoutRowid(new.isWithoutRowid)])
            + (old.isStrict == new.isStrict ? [] : [.strict(new.isStrict)])
    }

    private func columnChanges() -> [TableChange] {
        var changes: [TableChange] = []
        var before: [String: Column] = [:]
        for column in old.columns { before[renamed(column.name)] = column }
        let names = Set(new.columns.map(\.name.foldedASCII))
        for column in old.columns where !names.contains(renamed(column.name)) {
            changes.append(.columnDropped(column))
        }
        for column in new.columns {
            guard let earlier = before[column.name.foldedASCII] else {
                changes.append(.columnAdded(column))
                continue
            }
            if earlier.name.foldedASCII != column.name.foldedASCII {
                changes.append(.columnRenamed(from: earlier.name, to: column.name))
            } else if earlier.name != column.name {
                changes.append(.columnRespelled(from: earlier.name, to: column.name))
            }
            changes += self.changes(earlier, column).map { .column(column.name, $0) }
        }
        return changes
    }

    /// Compares the kept columns in their old order, followed by the added ones, with the new table's order.
    private func orderChanges() -> [TableChange] {
        let wanted = new.columns.map(\.name.foldedASCII)
        let known = Set(wanted)
        let left = old.columns.map { renamed($0.name) }.filter(known.contains)
        let kept = Set(left)
        let order = left + wanted.filter { !kept.contains($0) }
        guard order != wanted else { return [] }
        let spelt = order.map { new.column($0)?.name ?? $0 }
        return [.columnOrder(from: spelt, to: new.columns.map(\.name))]
    }

    private func changes(_ before: Column, _ after: Column) -> [ColumnChange] {
        var changes: [ColumnChange] = []
        if before.declaredType.foldedASCII != after.declaredType.foldedASCII {
            let (from, to) = (before.declaredType, after.declaredType)
            changes.append(
                old.affinity(of: before) == new.affinity(of: after)
                    ? .declaredType(from: from, to: to) : .affinity(from: from, to: to))
        }
        changes += notNullChanges(before, after)
        let collations = (before.collation ?? "BINARY", after.collation ?? "BINARY")
        if !collations.0.isSameName(as: collations.1) {
            changes.append(.collation(from: collations.0, to: collations.1))
        }
        if !DefaultValue.sameMeaning(before.defaultValue, after.defaultValue) {
            changes.append(.defaultValue(from: before.defaultValue, to: after.defaultValue))
        }
        guard let from = before.generated, let to = after.generated else {
            if before.generated != after.generated {
                changes.append(.generated(from: before.generated, to: after.generated))
            }
            return changes
        }
        if !schemas.same(from.expression, to.expression, on: old.name) {
            changes.append(.generatedExpression(from: from.expression, to: to.expression))
        }
        if from.isStored != to.isStored { changes.append(.generatedStorage(isStored: to.isStored)) }
        return changes
    }

    private func notNullChanges(_ before: Column, _ after: Column) -> [ColumnChange] {
        guard let from = before.notNull, let to = after.notNull else {
            // A NOT NULL that WITHOUT ROWID or STRICT implies changes with that option.
            let isWrittenInOne = (before.notNull != nil) != (after.notNull != nil)
            let isNotNull = new.isNotNull(after)
            return isWrittenInOne && old.isNotNull(before) != isNotNull ? [.notNull(isNotNull)] : []
        }
        var changes: [ColumnChange] = []
        let resolutions = (from.onConflict ?? .abort, to.onConflict ?? .abort)
        if resolutions.0 != resolutions.1 {
            changes.append(.notNullConflict(from: resolutions.0, to: resolutions.1))
        }
        if from.name != to.name { changes.append(.notNullName(from: from.name, to: to.name)) }
        return changes
    }
}
