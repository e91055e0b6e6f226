import SQLiteSchema

/// Follows what a migration's statements do to the names of tables and columns, so that a table after the
/// step is held against the one it came from.
struct TableLineage: Sendable {
    /// A table as one CREATE made it.
    struct Incarnation: Sendable {
        /// Stays the same through every rename.
        let id: Int
        /// The table that it was before the step; nil when the step created it.
        var origin: String?
        /// Columns that an ALTER renamed: what a column is called now to what it was called first.
        var renamedColumns: [String: String] = [:]
        /// What copying statements filled: a column of this table to the column, before the step, of a
        /// table that was copied from.
        var copies: [Copy] = []
        /// The statement that created it.
        var createdBy: Int?
        /// The name it was given first.
        var firstTableName: String

        func firstName(_ column: String) -> String { renamedColumns[column.foldedASCII] ?? column }
    }

    /// `INSERT INTO this (columns) SELECT items FROM origin`.
    struct Copy: Sendable {
        var origin: String
        var statement: Int
        var columns: [String]?
        var items: [Item]

        enum Item: Sendable, Equatable {
            /// By its name before the step.
            case column(String)
            /// Every column, in order.
            case star
            case expression
        }
    }

    /// What ROLLBACK TO brings back.
    private struct Memory: Sendable {
        var incarnations: [String: Incarnation] = [:]
        var droppedObjects: [Catalog.ObjectID: Int] = [:]
        var droppedOrigins: [String: Int] = [:]
        var droppedColumns: [[String]: Int] = [:]
    }

    private var memory = Memory()
    private var savepoints: [(name: String, memory: Memory)] = []
    private var nextID = 0

    /// Tables by folded name, as the step ends.
    private var incarnations: [String: Incarnation] {
        get { memory.incarnations }
        set { memory.incarnations = newValue }
    }

    /// What a statement dropped by name, and none made again.
    func dropStatement(of id: Catalog.ObjectID) -> Int? { memory.droppedObjects[id] }

    /// The statement that dropped a table of before the step, whatever it was called by then.
    func dropStatement(ofTable origin: String) -> Int? { memory.droppedOrigins[origin.foldedASCII] }

    /// The ALTER that dropped a column of a table of before the step.
    func dropStatement(ofColumn column: String, in origin: String) -> Int? {
        memory.droppedColumns[[origin.foldedASCII, column.foldedASCII]]
    }

    init(tables: some Sequence<String>) {
        // Sorted, so that the same tables get the same ids.
        for name in tables.sorted() {
            add(name.foldedASCII, origin: name.foldedASCII, createdBy: nil)
        }
    }

    /// The state after every statement of a migration.
    init(tables: some Sequence<String>, statements: [SQLStatement]) {
        self.init(tables: tables)
        for (index, statement) in statements.enumerated() { apply(statement.action, at: index) }
    }

    mutating func apply(_ action: StatementAction, at index: Int) {
        switch action {
        case .createTable(let name, temporary: false, _):
            guard name.isMain, incarnations[name.folded] == nil else { return }
            add(name.folded, origin: nil, createdBy: index)
        case .createVirtualTable(let name, _):
            guard name.isMain, incarnations[name.folded] == nil else { return }
            add(name.folded, origin: nil, createdBy: index)
        case .dropTable(let name) where name.isMain:
            if let origin = incarnations.removeValue(forKey: name.folded)?.origin {
                memory.droppedOrigins[origin] = index
            }
        case .dropIndex(let name): memory.droppedObjects[.init(.index, name.name)] = index
        case .dropTrigger(let name): memory.droppedObjects[.init(.trigger, name.name)] = index
        case .dropView(let name): memory.droppedObjects[.init(.view, name.name)] = index
        case .createIndex(let name, _): memory.droppedObjects[.init(.index, name.name)] = nil
        case .createTrigger(let name, _, _): memory.droppedObjects[.init(.trigger, name.name)] = nil
        case .createView(let name, _): memory.droppedObjects[.init(.view, name.name)] = nil
        case .dropColumn(let name, let column) where name.isMain:
            guard let table = incarnations[name.folded], let origin = table.origin else { return }
            memory.droppedColumns[[origin, table.firstName(column).foldedASCII]] = index
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
        case .renameTable(let name, let to) where name.isMain:
            incarnations[to.foldedASCII] = incarnations.removeValue(forKey: name.folded)
        case .renameColumn(let name, let from, let to) where name.isMain:
            guard var table = incarnations[name.folded] else { return }
            let first = table.renamedColumns.removeValue(forKey: from.foldedASCII) ?? from.foldedASCII
            table.renamedColumns[to.foldedASCII] = first
            incarnations[name.folded] = table
        case .insert(let name, let columns, let copy?) where name.isMain:
            noteCopy(into: name.folded, columns: columns, from: copy, at: index)
        default: break
        }
    }

    private mutating func add(_ name: String, origin: String?, createdBy: Int?) {
        incarnations[name] = Incarnation(
            id: nextID, origin: origin, createdBy: createdBy, firstTableName: name)
        nextID += 1
    }

    private mutating func noteCopy(
        into target: String, columns: [String]?, from copy: CopySource, at index: Int
    ) {
        guard incarnations[target]?.origin == nil else { return }
        for table in copy.tables {
            guard let source = incarnations[table.foldedASCII], let origin = source.origin else { continue }
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
            incarnations[target]?.copies.append(
                Copy(origin: origin, statement: index, columns: columns, items: items))
        }
    }

    /// The name that the table which was `origin` has now; nil when it was dropped.
    func currentName(of origin: String) -> String? {
        incarnations.first { $0.value.origin == origin.foldedASCII }?.key
    }

    /// The name that an incarnation has now.
    func name(of id: Int) -> String? { incarnations.first { $0.value.id == id }?.key }

    subscript(name: String) -> Incarnation? { incarnations[name.foldedASCII] }
}

extension QualifiedName {
    var isMain: Bool { schema == nil || schema?.foldedASCII == "main" }
    var folded: String { name.foldedASCII }
}
