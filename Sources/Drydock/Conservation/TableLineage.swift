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

        func firstName(_ column: String) -> String { renamedColumns[column.foldedASCII] ?? column }
    }

    /// `INSERT INTO this (columns) SELECT items FROM origin`.
    struct Copy: Sendable {
        var origin: String
        var statement: Int
        var columns: [String]?
        /// For each item, the column before the step, or nil for an expression or `*`.
        var items: [String?]
    }

    /// By folded name, as the step ends.
    private(set) var incarnations: [String: Incarnation] = [:]
    /// What a statement dropped by name.
    private(set) var droppedObjects: [Catalog.ObjectID: Int] = [:]
    private var nextID = 0

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
            incarnations[name.folded] = nil
            droppedObjects[.init(.table, name.name)] = index
        case .dropIndex(let name): droppedObjects[.init(.index, name.name)] = index
        case .dropTrigger(let name): droppedObjects[.init(.trigger, name.name)] = index
        case .dropView(let name): droppedObjects[.init(.view, name.name)] = index
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
        incarnations[name] = Incarnation(id: nextID, origin: origin, createdBy: createdBy)
        nextID += 1
    }

    private mutating func noteCopy(
        into target: String, columns: [String]?, from copy: CopySource, at index: Int
    ) {
        guard incarnations[target]?.origin == nil else { return }
        for table in copy.tables {
            guard let source = incarnations[table.foldedASCII], let origin = source.origin else { continue }
            let items = copy.items.map { item -> String? in
                guard case .column(let qualifier, let name) = item else { return nil }
                if copy.tables.count > 1, let qualifier, qualifier.foldedASCII != table.foldedASCII {
                    return nil
                }
                return source.firstName(name).foldedASCII
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
