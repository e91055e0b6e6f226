import DrydockState
import SQLiteSchema

/// Follows from which columns the columns of a table are filled, through all tables over which rows were copied.
extension LineageState {
    /// Records what a statement does to columns and rows, after its action was applied.
    mutating func follow(_ statement: SQLStatement, _ action: StatementAction) {
        switch action {
        case .createTable(let name, let temporary, let asSelect):
            let key = TableKey(
                schema: name.schema?.foldedASCII ?? (temporary ? "temp" : "main"), name: name.folded)
            // IF NOT EXISTS leaves an existing table unchanged.
            guard let made = self[key], made.columns == nil, made.origin == nil else { return }
            guard asSelect else {
                trackedTables[key]?.columns = statement.createdColumns?.map {
                    TrackedTable.Column($0.name, isGenerated: $0.isGenerated)
                }
                return
            }
            create(key, from: statement.selectedRows)
            insert(rowsOf: statement.selectedRows, into: key)
            fill(key, from: statement)
        case .addColumn(let name, let column):
            let added = TrackedTable.Column(column, isGenerated: statement.addsGeneratedColumn)
            trackedTables[key(of: name)]?.columns?.append(added)
        case .createView(let name, let temporary):
            let schema = name.schema?.foldedASCII ?? (temporary ? "temp" : "main")
            views[TableKey(schema: schema, name: name.folded)] = tables(namedBy: statement)
        case .createTrigger where statement.putsValues:
            let named = tables(namedBy: statement)
            for id in named {
                guard let key = key(of: id) else { continue }
                trackedTables[key]?.inserted.formUnion(named.subtracting([id]))
                trackedTables[key]?.fills.formUnion(named.subtracting([id]))
            }
            values.insert(PlacedValue(value: anyValue(of: statement), targets: named, sources: named))
        case .insert(let name, let columns, _):
            insert(statement.selectedRows, into: key(of: name), columns)
            insert(rowsOf: statement.selectedRows, into: key(of: name))
            fill(key(of: name), from: statement)
        case .update(let name, _):
            fill(key(of: name), from: statement)
            assign(to: key(of: name), from: statement)
        default: break
        }
    }

    // MARK: - Rows

    private mutating func fill(_ key: TableKey, from statement: SQLStatement) {
        guard let id = self[key]?.id else { return }
        let named = tables(namedBy: statement).subtracting([id])
        trackedTables[key]?.fills.formUnion(named)
        let selected = statement.selectedRows.flatMap(\.source.tables).flatMap(tables(named:))
        let isUpdate = if case .update = statement.action { true } else { false }
        let sources = named.union(isUpdate ? [id] : selected)
        for value in values(of: statement, in: key) ?? [anyValue(of: statement)] {
            values.insert(PlacedValue(value: value, targets: [id], sources: sources))
        }
    }

    /// Returns the values that a statement gives to a table; nil where any name may decide them.
    private func values(of statement: SQLStatement, in key: TableKey) -> [GivenValue]? {
        let columns = self[key]?.columns?.filter { !$0.isGenerated } ?? []
        return statement.givenValues?.map { value in
            var value = value
            if value.columns.isEmpty {
                value.columns = Set(columns.dropFirst(value.place).prefix(1).map(\.name))
            }
            return value
        }
    }

    /// Returns what is known where each name of a statement may decide the value of each.
    private func anyValue(of statement: SQLStatement) -> GivenValue {
        let names = statement.mentionedNames
        return GivenValue(columns: names, names: [], conditions: names)
    }

    private mutating func assign(to key: TableKey, from statement: SQLStatement) {
        guard let table = self[key], table.columns != nil else { return }
        let others = tables(namedBy: statement).subtracting([table.id]).compactMap(trackedTable)
        guard !others.isEmpty else { return }
        for assignment in statement.assignments {
            let named = others.flatMap { other in assignment.names.flatMap { sources($0, other) } }
            for column in assignment.columns {
                guard let place = table.columns?.firstIndex(where: { $0.name == column.foldedASCII }) else {
                    continue
                }
                trackedTables[key]?.columns?[place].assigned.formUnion(named)
            }
        }
    }

    private mutating func insert(rowsOf arms: [SelectedRows], into target: TableKey) {
        let read = Set(arms.flatMap(\.source.tables).flatMap(tables(named:)))
        trackedTables[target]?.inserted.formUnion(read)
        trackedTables[target]?.copied.formUnion(read)
    }

    private func tables(namedBy statement: SQLStatement) -> Set<Int> {
        Set(statement.mentionedNames.flatMap(tables(named:)))
    }

    /// Returns the table with a name, or the tables that the view with the name reads.
    private func tables(named name: String) -> Set<Int> {
        // Either of the two tables may be meant where a temporary one hides the other.
        [key(of: QualifiedName(name: name)), .main(name)].reduce(into: []) { found, key in
            found.formUnion(views[key] ?? [])
            if let table = self[key] { found.insert(table.id) }
        }
    }

    private mutating func create(_ key: TableKey, from arms: [SelectedRows]) {
        // The SELECT reads what was there before: a table that the new one hides may have its name.
        let made = trackedTables.removeValue(forKey: key)
        let columns = columns(from: arms)
        trackedTables[key] = made
        trackedTables[key]?.columns = columns
    }

    /// Returns the columns of a table that a SELECT creates; nil where they are not known.
    private func columns(from arms: [SelectedRows]) -> [TrackedTable.Column]? {
        var columns: [TrackedTable.Column]?
        for arm in arms {
            guard let items = items(of: arm) else { return nil }
            if columns == nil {
                columns = items.enumerated().map {
                    TrackedTable.Column($1.name ?? "\u{0}\($0)", sources: $1.sources)
                }
            } else {
                for (place, item) in items.enumerated() where columns?.indices.contains(place) == true {
                    columns?[place].sources.formUnion(item.sources)
                }
            }
        }
        return columns
    }

    private mutating func insert(_ arms: [SelectedRows], into key: TableKey, _ names: [String]?) {
        guard let columns = self[key]?.columns else { return }
        let targets = names?.map(\.foldedASCII) ?? columns.filter { !$0.isGenerated }.map(\.name)
        for arm in arms {
            for (target, item) in zip(targets, items(of: arm) ?? []) {
                guard let place = columns.firstIndex(where: { $0.name == target }) else { continue }
                trackedTables[key]?.columns?[place].sources.formUnion(item.sources)
            }
        }
    }

    /// Returns the items of a SELECT with `*` expanded; nil where that is not possible.
    private func items(of arm: SelectedRows) -> [(name: String?, sources: Set<TrackedTable.Source>)]? {
        let tables = arm.source.tables.compactMap { name in
            self[key(of: QualifiedName(name: name))].map { (name: name.foldedASCII, table: $0) }
        }
        var result: [(name: String?, sources: Set<TrackedTable.Source>)] = []
        for (item, name) in zip(arm.source.items, arm.names) {
            switch item {
            case .column(let qualifier, let column):
                // An alias cannot be resolved here: then any table with such a column may be meant.
                let named = tables.filter { $0.name == qualifier?.foldedASCII }
                let found = (named.isEmpty ? tables : named).map { sources(column, $0.table) }
                result.append((name, found.reduce(into: []) { $0.formUnion($1) }))
            case .star(let qualifier):
                let named = tables.filter { qualifier == nil || $0.name == qualifier?.foldedASCII }
                for (_, table) in named.isEmpty && tables.count == 1 ? tables : named {
                    guard let columns = table.columns else { return nil }
                    for column in columns { result.append((column.name, sources(column.name, table))) }
                }
                if named.isEmpty, tables.count != 1 { return nil }
            case .expression(_, let columns):
                let found = tables.flatMap { table in columns.map { sources($0, table.table) } }
                result.append((name, found.reduce(into: []) { $0.formUnion($1) }))
            }
        }
        return result
    }

    /// Returns a column and all columns from which it was filled.
    func sources(_ name: String, _ table: TrackedTable) -> Set<TrackedTable.Source> {
        let folded = name.foldedASCII
        guard let columns = table.columns else {
            return [TrackedTable.Source(table: table.id, column: table.firstName(folded).foldedASCII)]
        }
        guard let column = columns.first(where: { $0.name == folded }) else { return [] }
        return column.sources.union([TrackedTable.Source(table: table.id, column: column.first)])
    }
}
