import SQLiteSchema

/// What the columns of a table are filled from, through whatever tables the rows were copied.
extension TableLineage {
    struct Column: Sendable {
        /// What it is called now, folded.
        var name: String { didSet { names.insert(name) } }
        /// What it was called first.
        let first: String
        /// All that it was called.
        private(set) var names: Set<String>
        var isGenerated = false
        /// The columns whose values, or what was computed from them, statements copied here.
        var sources: Set<Source> = []

        init(_ name: String, isGenerated: Bool = false, sources: Set<Source> = []) {
            self.name = name.foldedASCII
            first = name.foldedASCII
            names = [name.foldedASCII]
            self.isGenerated = isGenerated
            self.sources = sources
        }
    }

    struct Source: Hashable, Sendable {
        /// The incarnation.
        var table: Int
        /// What its column was called first.
        var column: String
    }

    /// Takes the columns of tables from the schema of a database, and adds tables that no statement made.
    mutating func adopt(_ catalog: Catalog) {
        for name in catalog.tableNames.sorted() {
            guard let table = catalog.table(name) else { continue }
            if self[name] == nil { add(.main(name), origin: nil, createdBy: nil) }
            guard let known = self[name], known.columns?.map(\.name) != table.columns.map(\.name.foldedASCII)
            else { continue }
            memory.incarnations[.main(name)]?.columns = table.columns.map { column in
                known.columns?.first { $0.name == column.name.foldedASCII }
                    ?? Column(known.firstName(column.name), isGenerated: column.isGenerated)
                    .renamed(to: column.name)
            }
        }
    }

    /// Takes what a statement does to columns and rows, once its action was taken.
    mutating func follow(_ statement: SQLStatement, _ action: StatementAction) {
        switch action {
        case .createTable(let name, let temporary, let asSelect):
            let key = TableKey(
                schema: name.schema?.foldedASCII ?? (temporary ? "temp" : "main"), name: name.folded)
            // IF NOT EXISTS leaves a table as it is.
            guard let made = self[key], made.columns == nil, made.origin == nil else { return }
            guard asSelect else {
                memory.incarnations[key]?.columns = statement.createdColumns?.map {
                    Column($0.name, isGenerated: $0.isGenerated)
                }
                return
            }
            create(key, from: statement.selectedRows)
            insert(rowsOf: statement.selectedRows, into: key)
            fill(key, from: statement)
        case .addColumn(let name, let column):
            let added = Column(column, isGenerated: statement.addsGeneratedColumn)
            memory.incarnations[key(of: name)]?.columns?.append(added)
        case .createView(let name, let temporary):
            let schema = name.schema?.foldedASCII ?? (temporary ? "temp" : "main")
            memory.views[TableKey(schema: schema, name: name.folded)] = tables(namedBy: statement)
        case .createTrigger where statement.putsValues:
            let named = tables(namedBy: statement)
            for id in named {
                guard let key = key(of: id) else { continue }
                memory.incarnations[key]?.inserted.formUnion(named.subtracting([id]))
                memory.incarnations[key]?.fills.formUnion(named.subtracting([id]))
            }
            memory.mentions.insert(statement.mentionedNames)
        case .insert(let name, let columns, _):
            insert(statement.selectedRows, into: key(of: name), columns)
            insert(rowsOf: statement.selectedRows, into: key(of: name))
            fill(key(of: name), from: statement)
        case .update(let name, _): fill(key(of: name), from: statement)
        default: break
        }
    }

    // MARK: - Rows

    private mutating func fill(_ key: TableKey, from statement: SQLStatement) {
        memory.mentions.insert(statement.mentionedNames)
        guard let id = self[key]?.id else { return }
        let named = tables(namedBy: statement).subtracting([id])
        memory.incarnations[key]?.fills.formUnion(named)
    }

    private mutating func insert(rowsOf arms: [SelectedRows], into target: TableKey) {
        for name in arms.flatMap(\.source.tables) {
            // The statement may say which of two it means.
            for key in [key(of: QualifiedName(name: name)), .main(name)] {
                if let table = self[key] { memory.incarnations[target]?.inserted.insert(table.id) }
                if let read = memory.views[key] { memory.incarnations[target]?.inserted.formUnion(read) }
            }
        }
    }

    private func tables(namedBy statement: SQLStatement) -> Set<Int> {
        var found: Set<Int> = []
        for name in statement.mentionedNames {
            let key = key(of: QualifiedName(name: name))
            if let table = self[key] { found.insert(table.id) }
            if let read = memory.views[key] { found.formUnion(read) }
            // The statement may say which of two it means.
            if key.schema == "temp", let hidden = self[.main(name)] { found.insert(hidden.id) }
        }
        return found
    }

    private mutating func create(_ key: TableKey, from arms: [SelectedRows]) {
        var columns: [Column]?
        for arm in arms {
            guard let items = items(of: arm) else { return }
            if columns == nil {
                columns = items.enumerated().map { Column($1.name ?? "\u{0}\($0)", sources: $1.sources) }
            } else {
                for (place, item) in items.enumerated() where columns?.indices.contains(place) == true {
                    columns?[place].sources.formUnion(item.sources)
                }
            }
        }
        memory.incarnations[key]?.columns = columns
    }

    private mutating func insert(_ arms: [SelectedRows], into key: TableKey, _ names: [String]?) {
        guard let columns = self[key]?.columns else { return }
        let targets = names?.map(\.foldedASCII) ?? columns.filter { !$0.isGenerated }.map(\.name)
        for arm in arms {
            for (target, item) in zip(targets, items(of: arm) ?? []) {
                guard let place = columns.firstIndex(where: { $0.name == target }) else { continue }
                memory.incarnations[key]?.columns?[place].sources.formUnion(item.sources)
            }
        }
    }

    /// The items of a SELECT, `*` written out; nil where it cannot be.
    private func items(of arm: SelectedRows) -> [(name: String?, sources: Set<Source>)]? {
        let tables = arm.source.tables.compactMap { name in
            self[key(of: QualifiedName(name: name))].map { (name: name.foldedASCII, table: $0) }
        }
        var result: [(name: String?, sources: Set<Source>)] = []
        for (item, name) in zip(arm.source.items, arm.names) {
            switch item {
            case .column(let qualifier, let column):
                // An alias is not known here: then every table with such a column may be meant.
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

    /// A column and all that it was filled from.
    private func sources(_ name: String, _ table: Incarnation) -> Set<Source> {
        let folded = name.foldedASCII
        guard let columns = table.columns else {
            return [Source(table: table.id, column: table.firstName(folded).foldedASCII)]
        }
        guard let column = columns.first(where: { $0.name == folded }) else { return [] }
        return column.sources.union([Source(table: table.id, column: column.first)])
    }

    // MARK: - Questions

    /// A column of a table as it is now, and all that it was filled from.
    func sources(ofColumn name: String, in table: String) -> Set<Source> {
        self[table].map { sources(name, $0) } ?? []
    }

    /// All that a column was called, folded.
    func names(ofColumn name: String, in table: String) -> Set<String> {
        self[table]?.columns?.first { $0.name == name.foldedASCII }?.names ?? [name.foldedASCII]
    }

    /// Whether a statement that changes rows names both.
    func areMentionedTogether(_ a: String, _ b: String) -> Bool {
        memory.mentions.contains { $0.contains(a.foldedASCII) && $0.contains(b.foldedASCII) }
    }

    /// The table in the database that now stands where one of before the step stood, by the names that they had: the
    /// table was dropped, and another that the step made took its name.
    func heir(of origin: String) -> String? {
        guard let dropped = memory.retired.values.first(where: { $0.origin == origin.foldedASCII }) else {
            return nil
        }
        var (reached, open): (Set<Int>, [Int]) = ([dropped.id], [dropped.id])
        while let id = open.popLast() {
            let isRetired = memory.retired[id] != nil
            let takers = (Array(memory.incarnations.values) + memory.retired.values).filter {
                // One that lives on under another name left only its name.
                $0.predecessors.contains(id) && (isRetired || suppliers(of: $0).contains(id))
                    && reached.insert($0.id).inserted
            }
            open += takers.map(\.id)
        }
        let names = memory.incarnations.filter {
            $0.key.schema == "main" && $0.value.id != dropped.id && reached.contains($0.value.id)
        }
        // The last that was made.
        return names.max { $0.value.id < $1.value.id }?.key.name
    }

    /// Whether a table that the step made, and that has the name of one of before, stands there for another one: two
    /// tables swapped their names, of which one was rebuilt or is a copy, or the name was free for the next rebuild.
    /// - Parameter columns: those of the table of before, folded.
    func standsForAnother(_ name: String, columns: Set<String>) -> Bool {
        let name = name.foldedASCII
        guard let made = self[name], made.origin == nil else { return false }
        let dropped = memory.retired.values.compactMap(\.origin).filter { $0 != name }
        if dropped.contains(where: { heir(of: $0) == name }) { return true }
        let suppliers = Set(suppliers(of: made).compactMap { incarnation($0)?.origin })
        guard let now = currentName(of: name) ?? heir(of: name), now != name, !suppliers.isEmpty,
            !suppliers.contains(name)
        else { return false }
        // It took the place that the other left, or one that a third had, or it has not what the other had.
        return now == made.firstTableName || dropped.contains(now)
            || !columns.isSubset(of: (made.columns ?? []).map(\.name))
    }

    /// The tables whose rows statements inserted into a table, through whatever others.
    private func suppliers(of table: Incarnation) -> Set<Int> {
        var (reached, open): (Set<Int>, [Int]) = ([table.id], [table.id])
        while let next = open.popLast().flatMap(incarnation) {
            open += next.inserted.filter { reached.insert($0).inserted }
        }
        return reached.subtracting([table.id])
    }

    /// Whether statements copied a column of one table to another's, as both are now.
    func isCopied(_ column: String, of table: String, to other: String, of later: String) -> Bool {
        guard let own = self[table],
            let first = own.columns?.first(where: { $0.name == column.foldedASCII })?.first
        else { return false }
        return sources(ofColumn: other, in: later).contains(Source(table: own.id, column: first))
    }

    /// What a column of a table was called before the step in the table of that moment, going by names alone: through
    /// ALTER, and from each table to the one that took its name. Nil where that does not lead there.
    func nameBefore(ofColumn column: String, in table: String, from origin: String) -> String? {
        guard let last = self[table] else { return nil }
        var seen: Set<Int> = []
        return nameBefore(column.foldedASCII, last, origin.foldedASCII, &seen)
    }

    private func nameBefore(
        _ column: String, _ table: Incarnation, _ origin: String, _ seen: inout Set<Int>
    ) -> String? {
        guard seen.insert(table.id).inserted else { return nil }
        // A column that was renamed has left its name to whichever comes next.
        if table.renamedColumns[column] == nil, table.renamedColumns.values.contains(column) { return nil }
        let first = table.firstName(column).foldedASCII
        if table.origin == origin { return first }
        for id in table.predecessors {
            guard let previous = incarnation(id) else { continue }
            if let name = nameBefore(first, previous, origin, &seen) { return name }
        }
        return nil
    }
}

extension TableLineage.Column {
    fileprivate func renamed(to name: String) -> TableLineage.Column {
        var column = self
        column.name = name.foldedASCII
        return column
    }
}
