/// The comparison of a table's constraints with those that it has later, perhaps under another name.
///
/// Only what the later table accepts and the earlier one refused counts, or an action of a foreign key that is gone: not
/// how a constraint is written, and not one that another index, key or CHECK enforces. A constraint of a column that is
/// gone is not lost, nor a reference to a table that is gone.
public struct ConstraintComparison: Sendable {
    let old: Table
    let new: Table
    let before: Schema
    let after: Schema
    /// The new names of the columns that are still there, by folded name.
    let columns: [String: String]
    /// The names that other tables have now, by folded name: those that a foreign key may use.
    let tables: [String: [String]]
    /// The new names of their columns, by folded name of the table and the column.
    let tableColumns: [String: [String: String]]
    /// What the later table's CHECKs demand.
    let newParts: [CheckPart]

    /// - Parameters:
    ///   - before: a schema with the parents of the earlier table's foreign keys.
    ///   - after: a schema with the later table's indexes and the parents of the foreign keys of both tables.
    ///   - columns: the new names of the columns that are still there, by folded name.
    ///   - tables: the names that other tables have now, by folded name, where they differ.
    ///   - tableColumns: the new names of their columns, by folded name of the table and the column, where they differ.
    public init(
        from old: Table, in before: Schema, to new: Table, in after: Schema, columns: [String: String],
        tables: [String: [String]] = [:], tableColumns: [String: [String: String]] = [:]
    ) {
        (self.old, self.before, self.new, self.after) = (old, before, new, after)
        (self.columns, self.tables, self.tableColumns) = (columns, tables, tableColumns)
        newParts = new.checks.flatMap { CheckPart.parts(of: Self.items(of: $0.expression, in: new)) }
    }

    /// The constraints that are lost.
    public var losses: [LostConstraint] { old.constraints.compactMap(loss) }

    private func loss(of constraint: TableConstraint) -> LostConstraint? {
        guard constraint.columns.allSatisfy({ new($0) != nil }) else { return nil }
        switch constraint {
        case .primaryKey(let key): return keyLoss(constraint, key.terms)
        case .unique(let unique): return keyLoss(constraint, unique.terms)
        case .check(let check): return checkLoss(check)
        case .notNull(let column):
            return new(column).map(refusesNull) ?? true ? nil : lost(constraint)
        case .collate(let column, let was):
            guard let now = new(column).map({ $0.collation ?? "BINARY" }), !now.isSameName(as: was) else {
                return nil
            }
            return lost(
                constraint, now: now.isSameName(as: "BINARY") ? nil : "COLLATE \(SQLName.printed(now))")
        case .foreignKey(let key): return referenceLoss(key)
        case .strict: return new.isStrict ? nil : lost(constraint)
        }
    }

    func lost(_ constraint: TableConstraint, now: String? = nil, isLongerList: Bool = false) -> LostConstraint
    {
        LostConstraint(
            constraint: constraint,
            wanted: constraint.renamed(columns: columns) { parentNames($0).first ?? $0 },
            now: now,
            isLongerList: isLongerList)
    }

    /// Returns the later form of a column of the earlier table; nil where it is gone.
    func new(_ column: String) -> Column? { columns[column.foldedASCII].flatMap(new.column) }

    /// Returns the names that a table which the earlier one references may have now, the likeliest first.
    func parentNames(_ parent: String) -> [String] {
        parent.isSameName(as: old.name) ? [new.name] : tables[parent.foldedASCII] ?? [parent]
    }

    /// Whether the later table refuses NULL in one of its columns.
    func refusesNull(_ column: Column) -> Bool {
        new.isNotNull(column) || new.rowidAlias?.name == column.name
            || newParts.contains { part in
                if part.filledColumn == column.name.foldedASCII { return true }
                guard let types = part.types, types.column == column.name.foldedASCII else { return false }
                return !types.types.contains("'null'")
            }
    }

    /// Returns a condition's tokens with new names, and without the table before a column.
    static func items(
        of condition: SQLFragment, in table: Table, renaming names: [String: String] = [:]
    ) -> [NormalizedSQL.Item] {
        var items = condition.items
        let name = NormalizedSQL.Item.word(table.name.foldedASCII)
        for place in items.indices.reversed()
        where items[place] == name && place + 1 < items.count && items[place + 1] == .symbol(".") {
            items.removeSubrange(place...(place + 1))
        }
        return NormalizedSQL(items: items).renamingIdentifiers(names).items
    }
}
