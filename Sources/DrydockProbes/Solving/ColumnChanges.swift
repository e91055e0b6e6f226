import DatabaseEngine
import SQLiteSchema

/// What may be changed in a row.
struct RowFreedom: Sendable {
    /// Columns that keep their values.
    var fixed: Set<Int> = []
    /// The values that a column may have, where only those of parents will do.
    var allowed: [Int: Set<SQLValue>] = [:]
    /// The values that a key may not have, since migrations insert them.
    var taken: [Int: Set<SQLValue>] = [:]
    /// Whether values may be NULL, of another storage class, or otherwise what few would type.
    var isUnusual = false
}

/// Changes of single columns of a row, as far as a column can have a value.
struct ColumnChanges {
    let plan: TablePlan
    let freedom: RowFreedom
    /// A number that differs from row to row.
    let key: Int
    private let maker: ValueMaker
    private let index: Int

    init(_ builder: RowBuilder, _ freedom: RowFreedom) {
        (plan, self.freedom) = (builder.plan, freedom)
        (key, maker, index) = (builder.key, builder.valueMaker, builder.count)
    }

    /// Returns the places of the columns that an expression reads.
    func places(_ expression: Expression) -> [Int] {
        expression.ownColumns.sorted().compactMap { plan.places[$0] }
    }

    /// Returns the row with another value in a column; nil if the column cannot have it.
    func changed(_ row: [SQLValue], _ place: Int, _ value: SQLValue) -> [SQLValue]? {
        let column = plan.columns[place]
        guard !freedom.fixed.contains(place) else { return nil }
        let value = value.stored(as: column.affinity)
        guard value != row[place] else { return nil }
        if value.isNull {
            let mayBeNull = freedom.isUnusual || plan.mustBeNull.contains(place)
            return mayBeNull && !column.isNotNull ? replaced(row, place, value) : nil
        }
        if let allowed = freedom.allowed[place], !allowed.contains(value) { return nil }
        if let taken = freedom.taken[place], taken.contains(value) { return nil }
        // Nobody has typed a key, and SQLite begins with 1.
        if column.isRowid, !freedom.isUnusual, (value.number ?? 0) < 1 { return nil }
        if !freedom.isUnusual || column.isStrict, !fits(value, column) { return nil }
        return replaced(row, place, value)
    }

    private func replaced(_ row: [SQLValue], _ place: Int, _ value: SQLValue) -> [SQLValue] {
        var row = row
        row[place] = value
        return row
    }

    /// Whether the storage class is one that the column's type asks for.
    private func fits(_ value: SQLValue, _ column: ColumnPlan) -> Bool {
        switch (column.affinity, value) {
        case (.integer, .integer), (.real, .real), (.text, .text), (.blob, _), (.numeric, .integer),
            (.numeric, .real):
            true
        case (.numeric, .text): !column.isStrict
        case (.text, .blob), (.integer, .real), (.integer, .blob): plan.hasTypeChecks && !column.isStrict
        default: false
        }
    }

    /// Returns values that would be natural in a column.
    func natural(_ place: Int) -> [SQLValue] {
        maker.natural(plan.columns[place], .init(key: key, index: index))
    }
}
