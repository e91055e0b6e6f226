import SQLiteSchema

/// Follows from which columns the columns of a table are filled, through all tables over which rows were copied.
extension TableLineage {
    struct Column: Sendable {
        /// The present name, folded.
        var name: String { didSet { names.insert(name) } }
        /// The first name.
        let first: String
        /// All names that the column has had.
        private(set) var names: Set<String>
        var isGenerated = false
        /// The columns whose values, or values computed from them, statements copied here.
        var sources: Set<Source> = []
        /// The columns of other tables that an UPDATE named in the value that it gave this one.
        var assigned: Set<Source> = []

        init(_ name: String, isGenerated: Bool = false, sources: Set<Source> = []) {
            self.name = name.foldedASCII
            first = name.foldedASCII
            names = [name.foldedASCII]
            self.isGenerated = isGenerated
            self.sources = sources
        }
    }

    struct Source: Hashable, Sendable {
        /// The id of the incarnation.
        var table: Int
        /// The first name of its column.
        var column: String
    }

    /// Takes the columns of tables from a database's schema, and adds tables that no statement created.
    mutating func adopt(_ catalog: Catalog) {
        for name in catalog.tableNames.sorted() {
            guard let table = catalog.table(name) else { continue }
            if self[name] == nil { add(.main(name), origin: nil, createdBy: nil) }
            memory.incarnations[.main(name)]?.lastingNames.insert(name.foldedASCII)
            guard let known = self[name], known.columns?.map(\.name) != table.columns.map(\.name.foldedASCII)
            else { continue }
            memory.incarnations[.main(name)]?.columns = table.columns.map { column in
                known.columns?.first { $0.name == column.name.foldedASCII }
                    ?? Column(known.firstName(column.name), isGenerated: column.isGenerated)
                    .renamed(to: column.name)
            }
        }
    }

    /// Records what a statement does to columns and rows, after its action was applied.
    mutating func follow(_ statement: SQLStatement, _ action: StatementAction) {
        switch action {
        case .createTable(let name, let temporary, let asSelect):
            let key = TableKey(
                schema: name.schema?.foldedASCII ?? (temporary ? "temp" : "main"), name: name.folded)
            // IF NOT EXISTS leaves an existing table unchanged.
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
        case .update(let name, _):
            fill(key(of: name), from: statement)
            assign(to: key(of: name), from: statement)
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

    private mutating func assign(to key: TableKey, from statement: SQLStatement) {
        guard let table = self[key], table.columns != nil else { return }
        let others = tables(namedBy: statement).subtracting([table.id]).compactMap(incarnation)
        guard !others.isEmpty else { return }
        for assignment in statement.assignments {
            let named = others.flatMap { other in assignment.names.flatMap { sources($0, other) } }
            for column in assignment.columns {
                guard let place = table.columns?.firstIndex(where: { $0.name == column.foldedASCII }) else {
                    continue
                }
                memory.incarnations[key]?.columns?[place].assigned.formUnion(named)
            }
        }
    }

    private mutating func insert(rowsOf arms: [SelectedRows], into target: TableKey) {
        for name in arms.flatMap(\.source.tables) {
            // Either of the two tables may be meant.
            for key in [key(of: QualifiedName(name: name)), .main(name)] {
                let read = (memory.views[key] ?? []).union(self[key].map { [$0.id] } ?? [])
                memory.incarnations[target]?.inserted.formUnion(read)
                memory.incarnations[target]?.copied.formUnion(read)
            }
        }
    }

    private func tables(namedBy statement: SQLStatement) -> Set<Int> {
        var found: Set<Int> = []
        for name in statement.mentionedNames {
            let key = key(of: QualifiedName(name: name))
            if let table = self[key] { found.insert(table.id) }
            if let read = memory.views[key] { found.formUnion(read) }
            // Either of the two tables may be meant.
            if key.schema == "temp", let hidden = self[.main(name)] { found.insert(hidden.id) }
        }
        return found
    }

    private mutating func create(_ key: TableKey, from arms: [SelectedRows]) {
        // The SELECT reads what was there before: a table that the new one hides may have its name.
        let made = memory.incarnations.removeValue(forKey: key)
        let columns = columns(from: arms)
        memory.incarnations[key] = made
        memory.incarnations[key]?.columns = columns
    }

    /// Returns the columns of a table that a SELECT creates; nil where they are not known.
    private func columns(from arms: [SelectedRows]) -> [Column]? {
        var columns: [Column]?
        for arm in arms {
            guard let items = items(of: arm) else { return nil }
            if columns == nil {
                columns = items.enumerated().map { Column($1.name ?? "\u{0}\($0)", sources: $1.sources) }
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
                memory.incarnations[key]?.columns?[place].sources.formUnion(item.sources)
            }
        }
    }

    /// Returns the items of a SELECT with `*` expanded; nil where that is not possible.
    private func items(of arm: SelectedRows) -> [(name: String?, sources: Set<Source>)]? {
        let tables = arm.source.tables.compactMap { name in
            self[key(of: QualifiedName(name: name))].map { (name: name.foldedASCII, table: $0) }
        }
        var result: [(name: String?, sources: Set<Source>)] = []
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
    private func sources(_ name: String, _ table: Incarnation) -> Set<Source> {
        let folded = name.foldedASCII
        guard let columns = table.columns else {
            return [Source(table: table.id, column: table.firstName(folded).foldedASCII)]
        }
        guard let column = columns.first(where: { $0.name == folded }) else { return [] }
        return column.sources.union([Source(table: table.id, column: column.first)])
    }

    // MARK: - Questions

    /// Returns a column of a table as it is now, and all columns from which it was filled.
    func sources(ofColumn name: String, in table: String) -> Set<Source> {
        self[table].map { sources(name, $0) } ?? []
    }

    /// Returns the columns of a table from before the step that a column is, or was filled from, folded and sorted.
    package func formerNames(ofColumn name: String, in table: String, from origin: String) -> [String] {
        sources(ofColumn: name, in: table)
            .filter { incarnation($0.table)?.origin == origin.foldedASCII }.map(\.column).sorted()
    }

    /// Returns the columns of other tables that UPDATEs named in the values of a column, and what these were filled from.
    func assigned(toColumn name: String, in table: String) -> Set<Source> {
        self[table]?.columns?.first { $0.name == name.foldedASCII }?.assigned ?? []
    }

    /// Returns all names that a column has had, folded.
    func names(ofColumn name: String, in table: String) -> Set<String> {
        self[table]?.columns?.first { $0.name == name.foldedASCII }?.names ?? [name.foldedASCII]
    }

    /// Whether a statement that changes rows names both tables.
    func areMentionedTogether(_ a: String, _ b: String) -> Bool {
        memory.mentions.contains { $0.contains(a.foldedASCII) && $0.contains(b.foldedASCII) }
    }

    /// Returns the present name of the table that stands where a table from before the step stood, by their names: that
    /// table was dropped, and one that the step created took its name.
    func heir(of origin: String) -> String? {
        guard let dropped = memory.retired.values.first(where: { $0.origin == origin.foldedASCII }) else {
            return nil
        }
        var (reached, open): (Set<Int>, [Int]) = ([dropped.id], [dropped.id])
        while let id = open.popLast() {
            let isRetired = memory.retired[id] != nil
            let takers = (Array(memory.incarnations.values) + memory.retired.values).filter {
                // A table that still exists under another name only gave up its name.
                $0.predecessors.contains(id) && (isRetired || suppliers(of: $0).contains(id))
                    && reached.insert($0.id).inserted
            }
            open += takers.map(\.id)
        }
        let names = memory.incarnations.filter {
            $0.key.schema == "main" && $0.value.id != dropped.id && reached.contains($0.value.id)
        }
        // The table created last.
        return names.max { $0.value.id < $1.value.id }?.key.name
    }

    /// Whether a table that the step created under an earlier table's name stands for a different one: two tables
    /// swapped their names, of which one was rebuilt or is a copy, or the name was made free for the next rebuild.
    /// - Parameter columns: those of the earlier table, folded.
    func standsForAnother(_ name: String, columns: Set<String>) -> Bool {
        let name = name.foldedASCII
        guard let made = self[name], made.origin == nil else { return false }
        let dropped = memory.retired.values.compactMap(\.origin).filter { $0 != name }
        if dropped.contains(where: { heir(of: $0) == name }) { return true }
        let suppliers = Set(suppliers(of: made).compactMap { incarnation($0)?.origin })
        guard let now = currentName(of: name) ?? heir(of: name), now != name, !suppliers.isEmpty,
            !suppliers.contains(name)
        else { return false }
        // The table took the name that the other or a third table had, or lacks columns of the other.
        return now == made.firstTableName.foldedASCII || dropped.contains(now)
            || !columns.isSubset(of: (made.columns ?? []).map(\.name))
    }

    /// Returns the tables whose rows statements inserted into a table, directly or through others.
    /// - Parameter link: what counts as inserting.
    func suppliers(
        of table: Incarnation, by link: KeyPath<Incarnation, Set<Int>> = \.inserted
    ) -> Set<Int> {
        var (reached, open): (Set<Int>, [Int]) = ([table.id], [table.id])
        while let next = open.popLast().flatMap(incarnation) {
            open += next[keyPath: link].filter { reached.insert($0).inserted }
        }
        return reached.subtracting([table.id])
    }

    /// Whether two tables changed places: what has the name of the first got rows of the second, and what has the name of
    /// the second got rows, but none of its own.
    package func areCrossed(_ name: String, _ other: String) -> Bool {
        guard let own = atStart[other]?.id, let first = self[name], let second = self[other],
            second.id != own
        else { return false }
        let suppliers = suppliers(of: second)
        return self.suppliers(of: first).contains(own) && !suppliers.isEmpty && !suppliers.contains(own)
    }

    /// Whether statements copied a column of one table to a column of another, both as they are now.
    func isCopied(_ column: String, of table: String, to other: String, of later: String) -> Bool {
        guard let own = self[table],
            let first = own.columns?.first(where: { $0.name == column.foldedASCII })?.first
        else { return false }
        return sources(ofColumn: other, in: later).contains(Source(table: own.id, column: first))
    }

    /// Returns the name that a column had in a table before the step, by names only: through ALTER, and from each table
    /// to the one that took its name. Nil where that does not lead to the table.
    func nameBefore(ofColumn column: String, in table: String, from origin: String) -> String? {
        guard let last = self[table] else { return nil }
        var seen: Set<Int> = []
        return nameBefore(column.foldedASCII, last, origin.foldedASCII, &seen)
    }

    private func nameBefore(
        _ column: String, _ table: Incarnation, _ origin: String, _ seen: inout Set<Int>
    ) -> String? {
        guard seen.insert(table.id).inserted else { return nil }
        // A renamed column left its name free for another column.
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
