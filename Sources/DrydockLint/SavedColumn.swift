import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds where the values of a column are when a migration ends, whatever the column, its table and its copies were
/// renamed to in between.
///
/// A copy counts if it exists at the end: one that is dropped, also with its table, or overwritten does not count. Nor
/// does a temporary table, which goes with the connection.
struct SavedColumn {
    /// A column by the folded names that it has at the end; without a column, values computed from it are somewhere in
    /// the table.
    struct Place: Hashable {
        var table: TableName
        var column: String?
    }

    /// A folded name; a temporary table may have the same name as another.
    struct TableName: Hashable {
        var name: String
        var isTemporary = false
    }

    /// How many of the values a place has.
    enum Extent: Comparable {
        /// The values of some rows.
        case some
        /// Values computed from them.
        case changed
        case whole
    }

    private var holders: [Place: Extent]
    private var temporaries: Set<String> = []

    /// - Parameters:
    ///   - table: the table's name when the migration begins.
    ///   - column: the column's name at that time.
    init(of column: String, in table: String, _ migration: Migration) {
        holders = [Place(table: TableName(name: table.foldedASCII), column: column.foldedASCII): .whole]
        for statement in migration.statements { follow(statement) }
    }

    /// The places with what is left of the values, the largest extent first.
    var ends: [(place: Place, extent: Extent)] {
        holders.filter { !$0.key.table.isTemporary }.map { ($0.key, $0.value) }.sorted { a, b in
            (b.1, a.0.table.name, a.0.column ?? "") < (a.1, b.0.table.name, b.0.column ?? "")
        }
    }

    private mutating func follow(_ statement: SQLStatement) {
        switch statement.action.resolved(temporaries) {
        case .createTable(let name, _, let asSelect):
            if isTemporary(name) { temporaries.insert(name.folded) }
            if asSelect, let source = statement.tableSource { copy(source, statement, into: key(name), nil) }
        case .renameTable(let name, let to):
            let now = key(QualifiedName(schema: name.schema, name: to))
            if isTemporary(name), temporaries.remove(name.folded) != nil {
                temporaries.insert(to.foldedASCII)
            }
            let was = key(name)
            move { $0.table == was ? Place(table: now, column: $0.column) : $0 }
        case .renameColumn(let name, let from, let to):
            let old = Place(table: key(name), column: from.foldedASCII)
            move { $0 == old ? Place(table: old.table, column: to.foldedASCII) : $0 }
        case .dropTable(let name):
            if isTemporary(name) { temporaries.remove(name.folded) }
            empty(key(name))
        case .dropColumn(let name, let column):
            holders[Place(table: key(name), column: column.foldedASCII)] = nil
        case .delete(let name) where statement.outermost("where") == nil: empty(key(name))
        case .update(let name, _): update(key(name), statement)
        case .insert(let name, let columns, let source?): copy(source, statement, into: key(name), columns)
        default: break
        }
    }

    private func isTemporary(_ name: QualifiedName) -> Bool { name.schema?.foldedASCII == "temp" }

    private func key(_ name: QualifiedName) -> TableName {
        TableName(name: name.folded, isTemporary: isTemporary(name))
    }

    private mutating func empty(_ table: TableName) { holders = holders.filter { $0.key.table != table } }

    private mutating func move(_ moved: (Place) -> Place) {
        holders = Dictionary(holders.map { (moved($0.key), $0.value) }, uniquingKeysWith: max)
    }

    // MARK: - Copying statements

    private mutating func update(_ table: TableName, _ statement: SQLStatement) {
        // The statement reads only values from before it.
        let before = holders
        // Values that a WHERE compares may be kept in what is assigned.
        let isRead = before.keys.contains { statement.reads($0.table, $0.column, of: table) }
        for assignment in statement.assignments {
            var taken: Extent? = isRead ? .changed : nil
            if let source = assignment.source?.foldedASCII, statement.outermost("from") == nil,
                let extent = before[Place(table: table, column: source)]
            {
                taken = isOfSomeRows(statement, assignment) ? min(extent, .some) : extent
            }
            for column in assignment.columns {
                let place = Place(table: table, column: column.foldedASCII)
                // Rows that the statement leaves out keep their values.
                let kept = statement.outermost("where") == nil ? nil : before[place]
                // Two copies of some rows each may together have all of them.
                let both: Extent? = kept == .some && taken == .some ? .changed : nil
                holders[place] = [taken, kept.map { min($0, .changed) }, both].compactMap { $0 }.max()
            }
        }
    }

    /// Whether a WHERE or a LIMIT leaves out rows that have a value to be copied, or a FROM those without a partner.
    private func isOfSomeRows(_ statement: SQLStatement, _ assignment: Assignment) -> Bool {
        if statement.outermost("limit") != nil { return true }
        guard let condition = statement.condition else { return false }
        guard let source = assignment.source?.foldedASCII, let target = assignment.columns.first?.foldedASCII
        else { return true }
        // A row without a value has nothing to lose, and one with an empty copy gets the value.
        let harmless: [[NormalizedSQL.Item]] = [
            [.word(source), .keyword("is"), .keyword("not"), .keyword("null")],
            [.word(source), .keyword("notnull")], [.word(source), .keyword("not"), .keyword("null")],
            [.word(target), .keyword("is"), .keyword("null")], [.word(target), .keyword("isnull")],
        ]
        return !harmless.contains(SQLFragment(sql: condition).items)
    }

    private mutating func copy(
        _ source: CopySource, _ statement: SQLStatement, into target: TableName, _ columns: [String]?
    ) {
        let named = Set(source.tables.map(\.foldedASCII))
        let tables =
            named.map { TableName(name: $0) }
            + named.intersection(temporaries).map { TableName(name: $0, isTemporary: true) }
        let joins = ["join", "distinct", "group", "except", "intersect"]
        let isJoined = named.count > 1 || joins.contains { statement.outermost($0) != nil }
        for (place, extent) in holders where place.table != target {
            // A condition on the column itself leaves out rows by its value; any other condition leaves out rows with
            // values.
            let isCut =
                statement.outermost("limit") != nil
                || statement.condition.map { condition in
                    place.column.map { !SQLFragment(sql: condition).names.contains($0) } ?? true
                } ?? false
            let isFiltered = isJoined || statement.condition != nil
            let copied = isCut && !isJoined ? min(extent, .some) : isFiltered ? min(extent, .changed) : extent
            let found = tables.contains(place.table) ? places(of: place, in: source, target, columns) : []
            for (there, isCopy) in found { record(there, isCopy ? copied : min(extent, .changed)) }
            // Columns that only a WHERE or an ORDER BY reads are not copied.
            let isElsewhere = !tables.contains(place.table) || source.isCompound
            if found.isEmpty, isElsewhere, statement.reads(place.table, place.column, of: nil) {
                record(Place(table: target, column: nil), min(extent, .changed))
            }
        }
    }

    /// Returns where a select list puts the values of a column, and whether unchanged.
    private func places(
        of place: Place, in source: CopySource, _ target: TableName, _ columns: [String]?
    ) -> [(Place, isCopy: Bool)] {
        source.items.enumerated().compactMap { number, item in
            let name = columns.flatMap { $0.indices.contains(number) ? $0[number].foldedASCII : nil }
            switch item {
            case .star: return (Place(table: target, column: place.column), true)
            case .column(_, let column) where column.foldedASCII == place.column:
                return (Place(table: target, column: name), true)
            case .expression(_, let names)
            where place.column.map(names.map(\.foldedASCII).contains) ?? true:
                return (Place(table: target, column: name), false)
            default: return nil
            }
        }
    }

    private mutating func record(_ place: Place, _ extent: Extent) {
        let isSecond = holders[place] == .some(.some) && extent == .some
        holders[place] = isSecond ? .changed : max(holders[place] ?? extent, extent)
    }
}

extension SQLStatement {
    /// Whether the assigned expression names a table and a column of it; any column where none is given.
    ///
    /// - Parameter target: the table that the statement changes, whose columns need no qualifier.
    fileprivate func reads(
        _ table: SavedColumn.TableName, _ column: String?, of target: SavedColumn.TableName?
    ) -> Bool {
        guard table == target || mentions(table.name) else { return false }
        guard let column else { return table != target }
        let assigned = assignments.count { $0.columns.contains { $0.foldedASCII == column } }
        return tokens.count { $0.identifier(in: source)?.foldedASCII == column } > assigned
    }
}
