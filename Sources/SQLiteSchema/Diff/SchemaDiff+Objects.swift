extension SchemaDiff {
    func indexChanges() -> [SchemaChange] {
        compare(
            old.indexes, new.indexes, added: SchemaChange.indexAdded, dropped: SchemaChange.indexDropped
        ) { before, after in
            respelling(.index, before.name, after.name)
                + changes(before, after).map { .index(after.name, table: after.table, $0) }
        }
    }

    private func changes(_ before: Index, _ after: Index) -> [IndexChange] {
        var changes: [IndexChange] = []
        if hints.table(before.table) != after.table.foldedASCII {
            changes.append(.table(from: before.table, to: after.table))
        }
        if before.isUnique != after.isUnique { changes.append(.unique(after.isUnique)) }
        changes += termChanges(before, after)
        if !same(before.condition, after.condition, on: before.table) {
            changes.append(.condition(from: before.condition, to: after.condition))
        }
        return changes
    }

    private func termChanges(_ before: Index, _ after: Index) -> [IndexChange] {
        var changes: [IndexChange] = []
        guard before.terms.count == after.terms.count else { return [terms(before, after)] }
        let (oldTable, newTable) = (old.table(before.table), new.table(after.table))
        for (place, (a, b)) in zip(before.terms, after.terms).enumerated() {
            switch (a.value, b.value) {
            case (.column(let from), .column(let to)):
                guard hints.column(from, of: before.table) == to.foldedASCII else {
                    return [terms(before, after)]
                }
            case (.expression(let from), .expression(let to)):
                if !same(from, to, on: before.table) {
                    changes.append(.expression(position: place + 1, from: from, to: to))
                }
            default: return [terms(before, after)]
            }
            let from = before.collation(of: a, in: oldTable)
            let to = after.collation(of: b, in: newTable)
            // A collation that both terms inherit is a change of the column.
            if from != to, a.collation != nil || b.collation != nil {
                changes.append(.collation(position: place + 1, from: from, to: to))
            }
            if a.isDescending != b.isDescending {
                changes.append(.direction(position: place + 1, isDescending: b.isDescending))
            }
        }
        return changes
    }

    private func terms(_ before: Index, _ after: Index) -> IndexChange {
        .terms(from: before.terms.map(\.description), to: after.terms.map(\.description))
    }

    func viewChanges() -> [SchemaChange] {
        compare(old.views, new.views, added: SchemaChange.viewAdded, dropped: SchemaChange.viewDropped) {
            before, after in
            var changes: [ViewChange] = []
            if before.columns?.map(\.foldedASCII) != after.columns?.map(\.foldedASCII) {
                changes.append(.columns(from: before.columns, to: after.columns))
            }
            if !same(before.query, after.query) {
                changes.append(.query(from: before.query, to: after.query))
            }
            let names = (before.columnNames, after.columnNames)
            if changes.isEmpty, names.0 != names.1, names.0.map(\.foldedASCII) == names.1.map(\.foldedASCII) {
                changes.append(.respelled(from: names.0, to: names.1))
            }
            return respelling(.view, before.name, after.name) + changes.map { .view(after.name, $0) }
        }
    }

    func triggerChanges() -> [SchemaChange] {
        compare(
            old.triggers, new.triggers, added: SchemaChange.triggerAdded,
            dropped: SchemaChange.triggerDropped
        ) { before, after in
            respelling(.trigger, before.name, after.name)
                + changes(before, after).map { .trigger(after.name, table: after.table, $0) }
        }
    }

    private func changes(_ before: Trigger, _ after: Trigger) -> [TriggerChange] {
        var changes: [TriggerChange] = []
        if hints.table(before.table) != after.table.foldedASCII {
            changes.append(.table(from: before.table, to: after.table))
        }
        if before.timing != after.timing {
            changes.append(.timing(from: before.timing, to: after.timing))
        }
        if !sameEvent(before, after) { changes.append(.event(from: before.event, to: after.event)) }
        if !same(before.condition, after.condition, on: before.table) {
            changes.append(.condition(from: before.condition, to: after.condition))
        }
        let isSameBody =
            before.body.count == after.body.count
            && zip(before.body, after.body).allSatisfy { same($0, $1, on: before.table) }
        if !isSameBody { changes.append(.body(from: before.body, to: after.body)) }
        return changes
    }

    /// Compares the events. The order of the columns after UPDATE OF has no meaning.
    private func sameEvent(_ before: Trigger, _ after: Trigger) -> Bool {
        switch (before.event, after.event) {
        case (.update(let a), .update(let b)):
            Set(a.map { hints.column($0, of: before.table) }) == Set(b.map(\.foldedASCII))
        case (let a, let b): a == b
        }
    }

    func virtualTableChanges() -> [SchemaChange] {
        compare(
            old.virtualTables, new.virtualTables, added: SchemaChange.virtualTableAdded,
            dropped: SchemaChange.virtualTableDropped
        ) { before, after in
            var changes: [VirtualTableChange] = []
            if !before.module.isSameName(as: after.module) {
                changes.append(.module(from: before.module, to: after.module))
            }
            if before.arguments != after.arguments {
                changes.append(.arguments(from: before.arguments, to: after.arguments))
            }
            return respelling(.virtualTable, before.name, after.name)
                + changes.map { .virtualTable(after.name, $0) }
        }
    }
}

extension SchemaDiff {
    /// Returns whether an index of the old schema and one of the new differ at most in their names.
    public func isSame(_ before: Index, _ after: Index) -> Bool { changes(before, after).isEmpty }

    /// Returns whether a trigger of the old schema and one of the new differ at most in their names.
    public func isSame(_ before: Trigger, _ after: Trigger) -> Bool { changes(before, after).isEmpty }

    /// Returns how an index of the old schema and one of the new differ, besides their names.
    public func differences(_ before: Index, _ after: Index) -> [IndexChange] { changes(before, after) }

    /// Returns how a trigger of the old schema and one of the new differ, besides their names.
    public func differences(_ before: Trigger, _ after: Trigger) -> [TriggerChange] {
        changes(before, after)
    }

    /// Returns whether a UNIQUE constraint of a table enforces the same as a unique index did.
    public func isSame(_ index: Index, _ unique: UniqueConstraint, of table: Table) -> Bool {
        index.isUnique && index.terms.count == unique.terms.count && begins(unique.terms, like: index, table)
    }

    /// Returns whether a table's PRIMARY KEY or a UNIQUE constraint replaces an index: its own index begins
    /// with the same columns, and has no others if the old index was unique.
    public func isReplaced(_ index: Index, byKeyOf table: Table) -> Bool {
        let keys = [table.effectivePrimaryKey] + table.uniques.map(\.terms)
        return keys.contains { terms in
            begins(terms, like: index, table) && (!index.isUnique || terms.count == index.terms.count)
        }
    }

    /// Returns whether a key begins with the terms of an index, in the same order of sorting or the reverse.
    /// False for a partial index, unless it only leaves out NULL.
    private func begins(_ terms: [KeyTerm], like index: Index, _ table: Table) -> Bool {
        guard index.uniqueCondition == nil, terms.count >= index.terms.count,
            hints.table(index.table) == table.name.foldedASCII
        else { return false }
        let turned = zip(index.terms, terms).map { $0.isDescending != $1.isDescending }
        return Set(turned).count <= 1
            && zip(index.terms, terms).allSatisfy { term, key in
                guard case .column(let name) = term.value else { return false }
                return hints.column(name, of: index.table) == key.column.foldedASCII
                    && index.collation(of: term, in: old.table(index.table)) == table.collation(of: key)
            }
    }
}

extension Index.Term: CustomStringConvertible {
    /// The term as SQL, without its collation and direction.
    public var description: String {
        switch value {
        case .column(let name): SQLName.printed(name)
        case .expression(let expression): expression.description
        }
    }
}
