import DrydockState
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
    package var state = LineageState()
    private var savepoints: [(name: String, state: LineageState)] = []
    private var beginning: LineageState?
    /// The state before the first statement.
    private var initial: LineageState?
    private var nextID = 0
    /// The statements' actions with every name resolved.
    package private(set) var actions: [StatementAction] = []

    /// Returns the statement that dropped an object by name, where none created it again.
    package func dropStatement(of id: Catalog.ObjectID) -> Int? { state.droppedObjects[id] }

    /// Returns the statement that dropped a table from before the step, whatever its name was by then.
    package func dropStatement(ofTable origin: String) -> Int? { state.droppedOrigins[origin.foldedASCII] }

    /// Returns the ALTER that dropped a column of a table from before the step.
    package func dropStatement(ofColumn column: String, in origin: String) -> Int? {
        state.droppedColumns[[origin.foldedASCII, column.foldedASCII]]
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
        (beginning, initial) = (state, state)
        for (index, statement) in statements.enumerated() { apply(statement, at: index) }
    }

    /// Applies a statement: its action, the rows that it copies and the names in it.
    package mutating func apply(_ statement: SQLStatement, at index: Int) {
        let action = statement.action.resolved(state.temporaries)
        actions.append(action)
        apply(action, at: index)
        state.follow(statement, action)
    }

    /// Applies only an action.
    package mutating func apply(_ action: StatementAction, at index: Int) {
        switch action.resolved(state.temporaries) {
        case .createTable(let name, _, _), .createVirtualTable(let name, _):
            let key = key(ofNew: name)
            guard state.trackedTables[key] == nil else { return }
            add(key, name.name, origin: nil, createdBy: index)
        case .dropTable(let name): drop(name, at: index)
        case .dropIndex(let name): drop(.index, name, at: index)
        case .dropTrigger(let name): drop(.trigger, name, at: index)
        case .dropView(let name):
            state.views[key(of: name)] = nil
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
        case .begin: beginning = state
        case .commit: (beginning, savepoints) = (nil, [])
        case .rollback:
            // Without BEGIN, the outermost savepoint began the transaction.
            if let start = beginning ?? savepoints.first?.state { state = start }
            (beginning, savepoints) = (nil, [])
        case .savepoint(let name): savepoints.append((name.foldedASCII, state))
        case .release(let name):
            if let last = savepoints.lastIndex(where: { $0.name == name.foldedASCII }) {
                savepoints.removeSubrange(last...)
            }
        case .rollbackTo(let name):
            if let last = savepoints.lastIndex(where: { $0.name == name.foldedASCII }) {
                state = savepoints[last].state
                savepoints.removeSubrange((last + 1)...)
            }
        default: break
        }
    }

    // MARK: - Tables

    /// - Parameter name: the name as it is written; nil where that is `origin`, or where it does not matter.
    mutating func add(_ key: TableKey, _ name: String? = nil, origin: String?, createdBy: Int?) {
        let made = TrackedTable(
            id: nextID, origin: origin?.foldedASCII, createdBy: createdBy,
            firstTableName: name ?? origin ?? key.name)
        nextID += 1
        seat(made, at: key)
    }

    /// Gives a name to a table. A table that the step created takes the place of the name's former holder.
    private mutating func seat(_ table: TrackedTable, at key: TableKey) {
        var table = table
        if let last = state.holders[key], last != table.id, table.origin == nil {
            table.predecessors.append(last)
            if let now = name(of: last), trackedTable(last)?.lastingNames.contains(now) == false {
                table.replaced.insert(last)
            }
        }
        state.holders[key] = table.id
        state.trackedTables[key] = table
        switch key.schema {
        case "main": break
        case "temp": state.temporaryTables.insert(key.name)
        default: state.hasAttachedTables = true
        }
    }

    /// Takes the columns of tables from a database's schema, and adds tables that no statement created.
    mutating func adopt(_ catalog: Catalog) {
        for name in catalog.tableNames.sorted() {
            guard let table = catalog.table(name) else { continue }
            if self[name] == nil { add(.main(name), origin: nil, createdBy: nil) }
            state.trackedTables[.main(name)]?.lastingNames.insert(name.foldedASCII)
            guard let known = self[name], known.columns?.map(\.name) != table.columns.map(\.name.foldedASCII)
            else { continue }
            state.trackedTables[.main(name)]?.columns = table.columns.map { column in
                known.columns?.first { $0.name == column.name.foldedASCII }
                    ?? TrackedTable.Column(known.firstName(column.name), isGenerated: column.isGenerated)
                    .renamed(to: column.name)
            }
        }
    }

    private mutating func drop(_ name: QualifiedName, at index: Int) {
        let key = key(of: name)
        guard let table = state.trackedTables.removeValue(forKey: key) else { return }
        state.retired[table.id] = table
        if key.schema == "temp" {
            state.temporaryTables.remove(key.name)
            state.temporaryObjects = state.temporaryObjects.filter { $0.value != key.name }
        }
        if let origin = table.origin { state.droppedOrigins[origin] = index }
    }

    private mutating func rename(_ name: QualifiedName, to: String) {
        let key = key(of: name)
        guard let table = state.trackedTables.removeValue(forKey: key) else { return }
        if key.schema == "temp" { state.temporaryTables.remove(key.name) }
        seat(table, at: TableKey(schema: key.schema, name: to.foldedASCII))
    }

    private mutating func renameColumn(of name: QualifiedName, from: String, to: String) {
        let key = key(of: name)
        guard var table = state.trackedTables[key] else { return }
        if let first = table.renamedColumns.removeValue(forKey: from.foldedASCII) {
            table.renamedColumns[to.foldedASCII] = first
        } else if !table.renamedColumns.values.contains(from.foldedASCII) {
            // Otherwise the column was added under a name that another one had left.
            table.renamedColumns[to.foldedASCII] = from.foldedASCII
        }
        if let place = table.columns?.firstIndex(where: { $0.name == from.foldedASCII }) {
            table.columns?[place].name = to.foldedASCII
        }
        state.trackedTables[key] = table
    }

    private mutating func drop(_ column: String, of name: QualifiedName, at index: Int) {
        let key = key(of: name)
        guard let table = state.trackedTables[key] else { return }
        state.trackedTables[key]?.columns?.removeAll { $0.name == column.foldedASCII }
        guard let origin = table.origin else { return }
        state.droppedColumns[[origin, table.firstName(column).foldedASCII]] = index
    }

    private mutating func noteCopy(
        into target: TableKey, columns: [String]?, from copy: CopySource, at index: Int
    ) {
        guard let made = state.trackedTables[target], made.origin == nil else { return }
        for table in copy.tables {
            guard let source = state.trackedTables[key(of: QualifiedName(name: table))],
                let origin = source.origin
            else { continue }
            let items = copy.items.map { item -> TrackedTable.Copy.Item in
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
            state.trackedTables[target]?.copies.append(
                TrackedTable.Copy(origin: origin, statement: index, columns: columns, items: items))
        }
    }

    // MARK: - Other objects

    private func isTemporary(_ table: String) -> Bool {
        key(of: QualifiedName(name: table)).schema == "temp"
    }

    private mutating func note(_ id: Catalog.ObjectID, _ isTemporary: Bool, on table: String) {
        if isTemporary {
            state.temporaryObjects[id] = table.foldedASCII
        } else {
            state.droppedObjects[id] = nil
        }
    }

    private mutating func drop(_ kind: Catalog.Object.Kind, _ name: QualifiedName, at index: Int) {
        let id = Catalog.ObjectID(kind, name.name)
        if name.schema?.foldedASCII != "main", state.temporaryObjects.removeValue(forKey: id) != nil {
            return
        }
        if name.isMain { state.droppedObjects[id] = index }
    }

    // MARK: - Names

    /// The lineage before the first statement.
    var atStart: TableLineage {
        var start = self
        start.state = initial ?? state
        return start
    }

    /// Where the columns came from.
    package var columns: ColumnLineage { ColumnLineage(state: state) }

    private func key(ofNew name: QualifiedName) -> TableKey {
        TableKey(schema: name.schema?.foldedASCII ?? "main", name: name.folded)
    }

    /// Returns the table that a name refers to.
    package func key(of name: QualifiedName) -> TableKey { state.key(of: name) }

    package func key(of id: Int) -> TableKey? { state.key(of: id) }

    /// Returns the present name of the table that was `origin`; nil when it was dropped.
    package func currentName(of origin: String) -> String? { state.currentName(of: origin) }

    /// Returns the present name of a tracked table in the database.
    package func name(of id: Int) -> String? { state.name(of: id) }

    package subscript(name: String) -> TrackedTable? { state[name] }

    package subscript(key: TableKey) -> TrackedTable? { state[key] }

    /// Returns a table, dropped or not.
    func trackedTable(_ id: Int) -> TrackedTable? { state.trackedTable(id) }
}

extension QualifiedName {
    package var isMain: Bool { schema == nil || schema?.foldedASCII == "main" }
    package var folded: String { name.foldedASCII }
}

extension TrackedTable.Column {
    fileprivate func renamed(to name: String) -> TrackedTable.Column {
        var column = self
        column.name = name.foldedASCII
        return column
    }
}
