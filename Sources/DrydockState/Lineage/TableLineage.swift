import SQLiteSchema

/// A table's name and its schema, both folded.
package struct TableKey: Hashable, Sendable {
    package var schema: String
    package var name: String

    static func main(_ name: String) -> TableKey { TableKey(schema: "main", name: name.foldedASCII) }
}

/// Follows what a migration's statements do to the names of tables and columns, so that a table after the step is
/// compared with the table that it came from.
///
/// Temporary tables are followed too, since rows may be copied through them; SQLite first looks for a name without a
/// schema among them (https://www.sqlite.org/lang_naming.html).
package struct TableLineage: Sendable {
    /// A table as created by one CREATE statement.
    package struct Incarnation: Sendable {
        /// Unchanged by renames.
        package let id: Int
        /// The table's name before the step; nil when the step created it.
        package var origin: String?
        /// The columns that an ALTER renamed, from the present name to the first name.
        var renamedColumns: [String: String] = [:]
        /// What copying statements filled: from a column of this table to the column, before the step, of the copied
        /// table.
        package var copies: [Copy] = []
        /// The index of the statement that created the table.
        package var createdBy: Int?
        /// The table's first name, as it was written: `sqlite_sequence` tells `Owner` from `owner`.
        package var firstTableName: String
        /// The names in the database that it had when a migration began or ended.
        var lastingNames: Set<String> = []
        /// The tables whose names this table took when they were dropped or renamed, in that order.
        var predecessors: [Int] = []
        /// Those of ``predecessors`` that gave up the name in the same migration.
        var replaced: Set<Int> = []
        /// The table's columns in order; nil where they are not known.
        var columns: [Column]?
        /// The tables from which statements inserted rows.
        var inserted: Set<Int> = []
        /// Those of ``inserted`` whose rows a statement of a migration selected, without what triggers may write.
        var copied: Set<Int> = []
        /// All tables named by the statements that inserted or changed its rows.
        var fills: Set<Int> = []

        package func firstName(_ column: String) -> String { renamedColumns[column.foldedASCII] ?? column }
    }

    /// `INSERT INTO this (columns) SELECT items FROM origin`.
    package struct Copy: Sendable {
        package var origin: String
        package var statement: Int
        package var columns: [String]?
        package var items: [Item]

        package init(origin: String, statement: Int, columns: [String]? = nil, items: [Item]) {
            self.origin = origin
            self.statement = statement
            self.columns = columns
            self.items = items
        }

        package enum Item: Sendable, Equatable {
            /// A column, by its name before the step.
            case column(String)
            /// All columns, in order.
            case star
            case expression
        }
    }

    /// The state that ROLLBACK TO restores.
    package struct Memory: Sendable {
        var incarnations: [TableKey: Incarnation] = [:]
        /// Tables that were dropped.
        var retired: [Int: Incarnation] = [:]
        /// The names of temporary tables.
        package var temporaryTables: Set<String> = []
        /// Whether there are tables of attached databases.
        var hasAttachedTables = false
        /// The table that last had each name.
        var holders: [TableKey: Int] = [:]
        /// The tables that views read, by the view's name.
        var views: [TableKey: Set<Int>] = [:]
        /// Indexes and triggers of the temporary schema, with their tables.
        var temporaryObjects: [Catalog.ObjectID: String] = [:]
        var droppedObjects: [Catalog.ObjectID: Int] = [:]
        var droppedOrigins: [String: Int] = [:]
        var droppedColumns: [[String]: Int] = [:]
        /// The names in each statement that changes rows.
        var mentions: Set<Set<String>> = []
    }

    package var memory = Memory()
    private var savepoints: [(name: String, memory: Memory)] = []
    private var beginning: Memory?
    /// The state before the first statement.
    private var initial: Memory?
    private var nextID = 0
    /// The statements' actions with every name resolved.
    package private(set) var actions: [StatementAction] = []

    /// Returns the statement that dropped an object by name, where none created it again.
    package func dropStatement(of id: Catalog.ObjectID) -> Int? { memory.droppedObjects[id] }

    /// Returns the statement that dropped a table from before the step, whatever its name was by then.
    package func dropStatement(ofTable origin: String) -> Int? { memory.droppedOrigins[origin.foldedASCII] }

    /// Returns the ALTER that dropped a column of a table from before the step.
    package func dropStatement(ofColumn column: String, in origin: String) -> Int? {
        memory.droppedColumns[[origin.foldedASCII, column.foldedASCII]]
    }

    package init(tables: some Sequence<String>) {
        // Sorted, so that the same tables get the same ids; as an array, since what is generic sorts slowly.
        for name in [String](tables).sorted() { add(.main(name), origin: name, createdBy: nil) }
    }

    package init(_ catalog: Catalog) {
        self.init(tables: catalog.tableNames.map { catalog.table($0)?.name ?? $0 })
        adopt(catalog)
    }

    /// Creates the lineage after every statement of a migration.
    /// - Parameter temporaries: temporary tables that earlier migrations left on the connection.
    package init(_ catalog: Catalog, temporaries: Set<String> = [], statements: [SQLStatement]) {
        self.init(catalog)
        for name in temporaries.sorted() {
            add(TableKey(schema: "temp", name: name), origin: nil, createdBy: nil)
        }
        (beginning, initial) = (memory, memory)
        for (index, statement) in statements.enumerated() { apply(statement, at: index) }
    }

    /// Applies a statement: its action, the rows that it copies and the names in it.
    package mutating func apply(_ statement: SQLStatement, at index: Int) {
        let action = statement.action.resolved(temporaries)
        actions.append(action)
        apply(action, at: index)
        follow(statement, action)
    }

    /// Applies only an action.
    package mutating func apply(_ action: StatementAction, at index: Int) {
        switch action.resolved(temporaries) {
        case .createTable(let name, _, _), .createVirtualTable(let name, _):
            let key = key(ofNew: name)
            guard memory.incarnations[key] == nil else { return }
            add(key, name.name, origin: nil, createdBy: index)
        case .dropTable(let name): drop(name, at: index)
        case .dropIndex(let name): drop(.index, name, at: index)
        case .dropTrigger(let name): drop(.trigger, name, at: index)
        case .dropView(let name):
            memory.views[key(of: name)] = nil
            drop(.view, name, at: index)
        case .createIndex(let name, let table):
            let isTemporary = name.schema?.foldedASCII == "temp" || name.schema == nil && isTemporary(table)
            note(.init(.index, name.name), isTemporary, on: table)
        case .createTrigger(let name, let table, let temporary):
            let isTemporary = temporary || name.schema?.foldedASCII == "temp" || isTemporary(table)
            note(.init(.trigger, name.name), isTemporary, on: table)
        case .createView(let name, let temporary):
            note(.init(.view, name.name), temporary || !name.isMain, on: name.name)
        case .dropColumn(let name, let column): drop(column, of: name, at: index)
        case .renameTable(let name, let to): rename(name, to: to)
        case .renameColumn(let name, let from, let to): renameColumn(of: name, from: from, to: to)
        case .insert(let name, let columns, let copy?):
            noteCopy(into: key(of: name), columns: columns, from: copy, at: index)
        case .begin, .commit, .rollback, .savepoint, .release, .rollbackTo: applyTransaction(action)
        default: break
        }
    }

    private mutating func applyTransaction(_ action: StatementAction) {
        switch action {
        case .begin: beginning = memory
        case .commit: (beginning, savepoints) = (nil, [])
        case .rollback:
            // Without BEGIN, the outermost savepoint began the transaction.
            if let start = beginning ?? savepoints.first?.memory { memory = start }
            (beginning, savepoints) = (nil, [])
        case .savepoint(let name): savepoints.append((name.foldedASCII, memory))
        case .release(let name):
            if let last = savepoints.lastIndex(where: { $0.name == name.foldedASCII }) {
                savepoints.removeSubrange(last...)
            }
        case .rollbackTo(let name):
            if let last = savepoints.lastIndex(where: { $0.name == name.foldedASCII }) {
                memory = savepoints[last].memory
                savepoints.removeSubrange((last + 1)...)
            }
        default: break
        }
    }

    // MARK: - Tables

    /// - Parameter name: the name as it is written; nil where that is `origin`, or where it does not matter.
    mutating func add(_ key: TableKey, _ name: String? = nil, origin: String?, createdBy: Int?) {
        let made = Incarnation(
            id: nextID, origin: origin?.foldedASCII, createdBy: createdBy,
            firstTableName: name ?? origin ?? key.name)
        nextID += 1
        seat(made, at: key)
    }

    /// Gives a name to a table. A table that the step created takes the place of the name's former holder.
    private mutating func seat(_ table: Incarnation, at key: TableKey) {
        var table = table
        if let last = memory.holders[key], last != table.id, table.origin == nil {
            table.predecessors.append(last)
            if let now = name(of: last), incarnation(last)?.lastingNames.contains(now) == false {
                table.replaced.insert(last)
            }
        }
        memory.holders[key] = table.id
        memory.incarnations[key] = table
        switch key.schema {
        case "main": break
        case "temp": memory.temporaryTables.insert(key.name)
        default: memory.hasAttachedTables = true
        }
    }

    private mutating func drop(_ name: QualifiedName, at index: Int) {
        let key = key(of: name)
        guard let table = memory.incarnations.removeValue(forKey: key) else { return }
        memory.retired[table.id] = table
        if key.schema == "temp" {
            memory.temporaryTables.remove(key.name)
            memory.temporaryObjects = memory.temporaryObjects.filter { $0.value != key.name }
        }
        if let origin = table.origin { memory.droppedOrigins[origin] = index }
    }

    private mutating func rename(_ name: QualifiedName, to: String) {
        let key = key(of: name)
        guard let table = memory.incarnations.removeValue(forKey: key) else { return }
        if key.schema == "temp" { memory.temporaryTables.remove(key.name) }
        seat(table, at: TableKey(schema: key.schema, name: to.foldedASCII))
    }

    private mutating func renameColumn(of name: QualifiedName, from: String, to: String) {
        let key = key(of: name)
        guard var table = memory.incarnations[key] else { return }
        if let first = table.renamedColumns.removeValue(forKey: from.foldedASCII) {
            table.renamedColumns[to.foldedASCII] = first
        } else if !table.renamedColumns.values.contains(from.foldedASCII) {
            // Otherwise the column was added under a name that another one had left.
            table.renamedColumns[to.foldedASCII] = from.foldedASCII
        }
        if let place = table.columns?.firstIndex(where: { $0.name == from.foldedASCII }) {
            table.columns?[place].name = to.foldedASCII
        }
        memory.incarnations[key] = table
    }

    private mutating func drop(_ column: String, of name: QualifiedName, at index: Int) {
        let key = key(of: name)
        guard let table = memory.incarnations[key] else { return }
        memory.incarnations[key]?.columns?.removeAll { $0.name == column.foldedASCII }
        guard let origin = table.origin else { return }
        memory.droppedColumns[[origin, table.firstName(column).foldedASCII]] = index
    }

    private mutating func noteCopy(
        into target: TableKey, columns: [String]?, from copy: CopySource, at index: Int
    ) {
        guard let made = memory.incarnations[target], made.origin == nil else { return }
        for table in copy.tables {
            guard let source = memory.incarnations[key(of: QualifiedName(name: table))],
                let origin = source.origin
            else { continue }
            let items = copy.items.map { item -> Copy.Item in
                switch item {
                case .column(let qualifier, let name):
                    let isOther =
                        copy.tables.count > 1
                        && qualifier.map { $0.foldedASCII != table.foldedASCII } ?? false
                    return isOther ? .expression : .column(source.firstName(name).foldedASCII)
                case .star: return copy.tables.count == 1 ? .star : .expression
                case .expression: return .expression
                }
            }
            memory.incarnations[target]?.copies.append(
                Copy(origin: origin, statement: index, columns: columns, items: items))
        }
    }

    // MARK: - Other objects

    private func isTemporary(_ table: String) -> Bool {
        key(of: QualifiedName(name: table)).schema == "temp"
    }

    private mutating func note(_ id: Catalog.ObjectID, _ isTemporary: Bool, on table: String) {
        if isTemporary {
            memory.temporaryObjects[id] = table.foldedASCII
        } else {
            memory.droppedObjects[id] = nil
        }
    }

    private mutating func drop(_ kind: Catalog.Object.Kind, _ name: QualifiedName, at index: Int) {
        let id = Catalog.ObjectID(kind, name.name)
        if name.schema?.foldedASCII != "main", memory.temporaryObjects.removeValue(forKey: id) != nil {
            return
        }
        if name.isMain { memory.droppedObjects[id] = index }
    }

    // MARK: - Names

    /// The lineage before the first statement.
    var atStart: TableLineage {
        var start = self
        start.memory = initial ?? memory
        return start
    }

    /// The folded names of temporary tables and views, which hide those of the database.
    var temporaries: Set<String> {
        memory.temporaryObjects.keys.reduce(into: memory.temporaryTables) { names, id in
            if id.kind == .view { names.insert(id.name) }
        }
    }

    private func key(ofNew name: QualifiedName) -> TableKey {
        TableKey(schema: name.schema?.foldedASCII ?? "main", name: name.folded)
    }

    /// Returns the table that a name refers to.
    package func key(of name: QualifiedName) -> TableKey {
        if let schema = name.schema { return TableKey(schema: schema.foldedASCII, name: name.folded) }
        for schema in ["temp", "main"] {
            let key = TableKey(schema: schema, name: name.folded)
            if memory.incarnations[key] != nil || memory.views[key] != nil { return key }
        }
        guard memory.hasAttachedTables else { return .main(name.name) }
        let attached = memory.incarnations.keys.filter { $0.name == name.folded }
        return attached.min { $0.schema < $1.schema } ?? .main(name.name)
    }

    /// Returns the present name of the table that was `origin`; nil when it was dropped.
    package func currentName(of origin: String) -> String? {
        let origin = origin.foldedASCII
        // Most tables keep their name.
        if memory.incarnations[.main(origin)]?.origin == origin { return TableKey.main(origin).name }
        return memory.incarnations.first { $0.value.origin == origin }?.key.name
    }

    /// Returns the present name of an incarnation in the database.
    package func name(of id: Int) -> String? {
        key(of: id).flatMap { $0.schema == "main" ? $0.name : nil }
    }

    package func key(of id: Int) -> TableKey? { memory.incarnations.first { $0.value.id == id }?.key }

    package subscript(name: String) -> Incarnation? { memory.incarnations[.main(name)] }

    package subscript(key: TableKey) -> Incarnation? { memory.incarnations[key] }

    /// Returns a table, dropped or not.
    func incarnation(_ id: Int) -> Incarnation? {
        memory.retired[id] ?? memory.incarnations.values.first { $0.id == id }
    }
}

extension QualifiedName {
    package var isMain: Bool { schema == nil || schema?.foldedASCII == "main" }
    package var folded: String { name.foldedASCII }
}
