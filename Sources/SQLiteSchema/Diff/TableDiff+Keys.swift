extension TableDiff {
    func primaryKeyChanges() -> [TableChange] {
        let before = old.effectivePrimaryKey
        let after = new.effectivePrimaryKey
        guard before.map({ renamed($0.column) }) == after.map(\.column.foldedASCII) else {
            return [.primaryKey(from: before.map(\.column), to: after.map(\.column))] + keyDetails()
        }
        var changes: [TableChange] = []
        let aliases = (old.rowidAlias?.name, new.rowidAlias?.name)
        if aliases.0 == nil, aliases.1 == nil,
            !sameTerms(old.keyTerms, new.keyTerms)
        {
            changes.append(.primaryKeyTerms(from: sql(before, old), to: sql(after, new)))
        }
        if (aliases.0 == nil) != (aliases.1 == nil), old.isWithoutRowid == new.isWithoutRowid {
            changes.append(.rowidAlias(from: aliases.0, to: aliases.1))
        }
        return changes + keyDetails()
    }

    private func keyDetails() -> [TableChange] {
        guard let before = old.primaryKey, let after = new.primaryKey else {
            let isAutoincrement = new.primaryKey?.isAutoincrement ?? false
            let was = old.primaryKey?.isAutoincrement ?? false
            return was == isAutoincrement ? [] : [.autoincrement(isAutoincrement)]
        }
        var changes: [TableChange] = []
        let resolutions = (before.onConflict ?? .abort, after.onConflict ?? .abort)
        if resolutions.0 != resolutions.1 {
            changes.append(.primaryKeyConflict(from: resolutions.0, to: resolutions.1))
        }
        if before.isAutoincrement != after.isAutoincrement {
            changes.append(.autoincrement(after.isAutoincrement))
        }
        if before.name != after.name {
            changes.append(.constraintName(of: "PRIMARY KEY", from: before.name, to: after.name))
        }
        return changes
    }

    func uniqueChanges() -> [TableChange] {
        var left = old.effectiveUniques
        var added: [UniqueConstraint] = []
        var changes: [TableChange] = []
        for after in new.effectiveUniques {
            let columns = after.terms.map(\.column.foldedASCII)
            let candidates = left.indices.filter { left[$0].terms.map { renamed($0.column) } == columns }
            guard
                let place = candidates.first(where: { sameTerms(left[$0].terms, after.terms) })
                    ?? candidates.first(where: { !hasExactMatch(left[$0]) })
            else {
                added.append(after)
                continue
            }
            changes += self.changes(left.remove(at: place), after)
        }
        return left.map(TableChange.uniqueDropped) + added.map(TableChange.uniqueAdded) + changes
    }

    /// Returns whether the new table has exactly this constraint, so that no other one replaced it.
    private func hasExactMatch(_ before: UniqueConstraint) -> Bool {
        new.effectiveUniques.contains {
            before.terms.map { renamed($0.column) } == $0.terms.map(\.column.foldedASCII)
                && sameTerms(before.terms, $0.terms)
        }
    }

    private func changes(_ before: UniqueConstraint, _ after: UniqueConstraint) -> [TableChange] {
        let columns = after.terms.map(\.column)
        var changes: [TableChange] = []
        if !sameTerms(before.terms, after.terms) {
            let (from, to) = (old.effectiveTerms(before.terms), new.effectiveTerms(after.terms))
            changes.append(.uniqueTerms(columns: columns, from: sql(from, old), to: sql(to, new)))
        }
        let resolutions = (before.onConflict ?? .abort, after.onConflict ?? .abort)
        if resolutions.0 != resolutions.1 {
            changes.append(.uniqueConflict(columns: columns, from: resolutions.0, to: resolutions.1))
        }
        if before.name != after.name {
            changes.append(
                .constraintName(
                    of: "UNIQUE (\(SQLName.list(columns)))", from: before.name, to: after.name))
        }
        return changes
    }

    /// Returns whether terms of the same columns have the same collations and directions. If both take the
    /// collation from the column, a change of it is the column's change.
    private func sameTerms(_ before: [KeyTerm], _ after: [KeyTerm]) -> Bool {
        before.count == after.count
            && zip(before, after).allSatisfy { a, b in
                a.isDescending == b.isDescending
                    && (a.collation == nil && b.collation == nil
                        || old.collation(of: a) == new.collation(of: b))
            }
    }

    private func sql(_ terms: [KeyTerm], _ table: Table) -> [String] {
        terms.map {
            SQLName.printed($0.column) + " COLLATE " + table.collation(of: $0)
                + ($0.isDescending ? " DESC" : "")
        }
    }
}
