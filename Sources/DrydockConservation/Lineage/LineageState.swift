import DrydockState
import SQLiteSchema

/// The tables at one moment of a migration, and where their columns and rows came from: what ROLLBACK TO restores.
package struct LineageState: Sendable {
    var trackedTables: [TableKey: TrackedTable] = [:]
    /// Tables that were dropped.
    var retired: [Int: TrackedTable] = [:]
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
    /// The values that statements gave, with the names that decide them.
    var values: Set<PlacedValue> = []

    // MARK: - Names

    /// The folded names of temporary tables and views, which hide those of the database.
    var temporaries: Set<String> {
        temporaryObjects.keys.reduce(into: temporaryTables) { names, id in
            if id.kind == .view { names.insert(id.name) }
        }
    }

    /// Returns the table that a name refers to.
    package func key(of name: QualifiedName) -> TableKey {
        if let schema = name.schema { return TableKey(schema: schema.foldedASCII, name: name.folded) }
        for schema in ["temp", "main"] {
            let key = TableKey(schema: schema, name: name.folded)
            if trackedTables[key] != nil || views[key] != nil { return key }
        }
        guard hasAttachedTables else { return .main(name.name) }
        let attached = trackedTables.keys.filter { $0.name == name.folded }
        return attached.min { $0.schema < $1.schema } ?? .main(name.name)
    }

    /// Returns the present name of the table that was `origin`; nil when it was dropped.
    package func currentName(of origin: String) -> String? {
        let origin = origin.foldedASCII
        // Most tables keep their name.
        if trackedTables[.main(origin)]?.origin == origin { return TableKey.main(origin).name }
        return trackedTables.first { $0.value.origin == origin }?.key.name
    }

    /// Returns the present name of a tracked table in the database.
    package func name(of id: Int) -> String? {
        key(of: id).flatMap { $0.schema == "main" ? $0.name : nil }
    }

    package func key(of id: Int) -> TableKey? { trackedTables.first { $0.value.id == id }?.key }

    package subscript(name: String) -> TrackedTable? { trackedTables[.main(name)] }

    package subscript(key: TableKey) -> TrackedTable? { trackedTables[key] }

    /// Returns a table, dropped or not.
    func trackedTable(_ id: Int) -> TrackedTable? {
        retired[id] ?? trackedTables.values.first { $0.id == id }
    }
}

/// A value that a statement gave to columns of some tables.
struct PlacedValue: Sendable, Hashable {
    var value: GivenValue
    /// The tables that may have got it, and those that it may be made of.
    var targets: Set<Int>
    var sources: Set<Int>
}
