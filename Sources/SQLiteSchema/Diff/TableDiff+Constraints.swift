extension TableDiff {
    func checkChanges() -> [TableChange] {
        var left = old.checks
        var open: [CheckConstraint] = []
        var names: [TableChange] = []
        // The same expression with the same name is not a change; with a different name it is a new name.
        for after in new.checks {
            let same = left.indices.filter {
                schemas.same(left[$0].expression, after.expression, on: old.name)
            }
            guard let place = same.first(where: { left[$0].name == after.name }) ?? same.first else {
                open.append(after)
                continue
            }
            let before = left.remove(at: place)
            if before.name != after.name {
                names.append(
                    .constraintName(
                        of: "CHECK (\(after.expression))", from: before.name, to: after.name))
            }
        }
        var changes: [TableChange] = []
        var added: [TableChange] = []
        for after in open {
            guard let name = after.name,
                let place = left.firstIndex(where: { $0.name?.isSameName(as: name) ?? false })
            else {
                added.append(.checkAdded(after))
                continue
            }
            changes.append(
                .checkExpression(name: name, from: left.remove(at: place).expression, to: after.expression))
        }
        return left.map(TableChange.checkDropped) + added + changes + names
    }

    func foreignKeyChanges() -> [TableChange] {
        var left = Self.distinct(old.foreignKeys)
        var open: [ForeignKey] = []
        var names: [TableChange] = []
        for after in Self.distinct(new.foreignKeys) {
            let same = left.indices.filter {
                sameColumns(left[$0], after) && changes(left[$0], after).isEmpty
            }
            guard let place = same.first(where: { left[$0].name == after.name }) ?? same.first else {
                open.append(after)
                continue
            }
            names += nameChange(left.remove(at: place), after)
        }
        var details: [TableChange] = []
        var added: [TableChange] = []
        for after in open {
            let candidates = left.indices.filter { sameColumns(left[$0], after) }
            let sameParent = candidates.first {
                schemas.hints.table(left[$0].parent) == after.parent.foldedASCII
            }
            guard let place = sameParent ?? candidates.first else {
                added.append(.foreignKeyAdded(after))
                continue
            }
            let before = left.remove(at: place)
            details += changes(before, after).map { .foreignKey(columns: after.columns, $0) }
            details += nameChange(before, after)
        }
        return left.map(TableChange.foreignKeyDropped) + added + details + names
    }

    /// Returns the keys without duplicates.
    private static func distinct(_ keys: [ForeignKey]) -> [ForeignKey] {
        var seen: Set<ForeignKey> = []
        return keys.filter { key in
            var key = key
            key.isOfColumn = false
            return seen.insert(key).inserted
        }
    }

    /// Returns whether both are keys of the same columns. Their order does not matter if it is known which
    /// column of the parent each references.
    private func sameColumns(_ before: ForeignKey, _ after: ForeignKey) -> Bool {
        let (from, to) = (before.columns.map(renamed), after.columns.map(\.foldedASCII))
        if from == to { return true }
        return from.sorted() == to.sorted() && Set(from).count == from.count
            && schemas.old.parentColumns(of: before)?.count == from.count
            && schemas.new.parentColumns(of: after)?.count == to.count
    }

    /// Returns whether the columns of a key, in any order, reference the same columns of the parent.
    private func sameParents(_ before: ForeignKey, _ after: ForeignKey) -> Bool {
        let from = schemas.old.parentColumns(of: before)?.map { schemas.hints.column($0, of: before.parent) }
        let to = schemas.new.parentColumns(of: after)?.map(\.foldedASCII)
        guard let from, let to, from.count == before.columns.count, to.count == after.columns.count else {
            return from == to
        }
        func sorted(_ columns: [String], _ parents: [String]) -> [[String]] {
            zip(columns, parents).map { [$0, $1] }.sorted { $0[0] < $1[0] }
        }
        return sorted(before.columns.map(renamed), from) == sorted(after.columns.map(\.foldedASCII), to)
    }

    private func nameChange(_ before: ForeignKey, _ after: ForeignKey) -> [TableChange] {
        guard before.name != after.name else { return [] }
        let constraint = "FOREIGN KEY (\(SQLName.list(after.columns)))"
        return [.constraintName(of: constraint, from: before.name, to: after.name)]
    }

    private func changes(_ before: ForeignKey, _ after: ForeignKey) -> [ForeignKeyChange] {
        var changes: [ForeignKeyChange] = []
        if schemas.hints.table(before.parent) != after.parent.foldedASCII {
            changes.append(.parent(from: before.parent, to: after.parent))
        }
        // If both reference the parent's primary key, a change of that key is a change of the parent.
        let isReordered = before.columns.map(renamed) != after.columns.map(\.foldedASCII)
        if before.parentColumns != nil || after.parentColumns != nil || isReordered,
            !sameParents(before, after)
        {
            let from = schemas.old.parentColumns(of: before)
            changes.append(.parentColumns(from: from, to: schemas.new.parentColumns(of: after)))
        }
        if before.onDelete != after.onDelete {
            changes.append(.onDelete(from: before.onDelete, to: after.onDelete))
        }
        if before.onUpdate != after.onUpdate {
            changes.append(.onUpdate(from: before.onUpdate, to: after.onUpdate))
        }
        if (before.match?.foldedASCII ?? "simple") != (after.match?.foldedASCII ?? "simple") {
            changes.append(.match(from: before.match, to: after.match))
        }
        if before.isDeferred != after.isDeferred { changes.append(.deferred(after.isDeferred)) }
        return changes
    }
}
