import DrydockMigrations
import SQLiteSchema

/// A record of what the statements so far have created, filled and emptied.
struct LintRecord: Sendable {
    /// What a statement can create.
    enum Object: Hashable, Sendable {
        case table(String)
        case index(String)
        case view(String)
        case trigger(String)
        /// A column that ALTER added.
        case column(String, of: String)

        /// Names compare as SQLite compares them.
        fileprivate var folded: Object {
            switch self {
            case .table(let name): .table(name.foldedASCII)
            case .index(let name): .index(name.foldedASCII)
            case .view(let name): .view(name.foldedASCII)
            case .trigger(let name): .trigger(name.foldedASCII)
            case .column(let name, let table): .column(name.foldedASCII, of: table.foldedASCII)
            }
        }
    }

    /// The statement that created an object.
    struct Origin: Sendable {
        var migration: Migration
        var statement: SQLStatement
        /// Whether the migration is among those that are linted.
        var isLinted: Bool
    }

    /// Rows that were copied into another table, which is still there; tables by the folded names that they have now.
    struct Copy: Sendable {
        var source, target: String
        var origin: Origin
    }

    private var origins: [Object: Origin] = [:]
    private(set) var copies: [Copy] = []
    /// Tables, by folded name, that may have rows in a user's database.
    var occupied: Set<String> = []
    /// The statements that have deleted rows of a table, in any migration, by its folded name at the time.
    private(set) var deletes: [String: [SQLStatement]] = [:]

    /// The statement that created an object, under the name that the object has now.
    subscript(object: Object) -> Origin? { origins[object.folded] }

    /// Returns the statements that created tables, by their folded names.
    func creations(of tables: [String]) -> [String: SQLStatement] {
        tables.reduce(into: [:]) { $0[$1.foldedASCII] = self[.table($1)]?.statement }
    }

    /// Records what a statement does.
    mutating func note(_ action: StatementAction, by origin: Origin) {
        switch action {
        case .createTable(let name, _, let asSelect):
            if name.isMain {
                set(.table(name.name), origin)
                forgetColumns(of: name.folded, movedTo: nil)
            }
            guard asSelect else { return }
            if name.isMain, let copied = origin.statement.tableSource?.tables {
                note(copyOf: copied.map(\.foldedASCII), to: name, origin)
            }
            let sources = occupied.filter { origin.statement.mentions($0) && $0 != name.folded }
            if !sources.isEmpty { occupied.insert(name.folded) }
        case .createIndex(let name, _): set(.index(name.name), origin)
        case .createView(let name, _): set(.view(name.name), origin)
        case .createTrigger(let name, _, _): set(.trigger(name.name), origin)
        case .insert(let name, _, let copy?):
            // Rows that were copied to a temporary table may be copied back.
            let sources = copy.tables.map(\.foldedASCII)
            if sources.contains(where: occupied.contains) { occupied.insert(name.folded) }
            if name.isMain { note(copyOf: sources, to: name, origin) }
        case .addColumn(let name, let column) where name.isMain:
            set(.column(column, of: name.name), origin)
        case .delete(let name) where name.isMain:
            deletes[name.folded, default: []].append(origin.statement)
            copies.removeAll { $0.target == name.folded }
        case .dropTable(let name) where name.isMain:
            occupied.remove(name.folded)
            forgetColumns(of: name.folded, movedTo: nil)
            copies.removeAll { $0.source == name.folded || $0.target == name.folded }
        case .renameTable(let name, let to) where name.isMain:
            let new = to.foldedASCII
            if occupied.remove(name.folded) != nil { occupied.insert(new) }
            forgetColumns(of: name.folded, movedTo: new)
            for index in copies.indices {
                if copies[index].source == name.folded { copies[index].source = new }
                if copies[index].target == name.folded { copies[index].target = new }
            }
            origins[.table(new)] = origins.removeValue(forKey: .table(name.folded))
        default: break
        }
    }

    private mutating func note(copyOf sources: [String], to target: QualifiedName, _ origin: Origin) {
        copies += sources.filter { $0 != target.folded }.map {
            Copy(source: $0, target: target.folded, origin: origin)
        }
    }

    private mutating func set(_ object: Object, _ origin: Origin) { origins[object.folded] = origin }

    /// Removes what is known of the columns that ALTER added to a table, or moves it to the table's new name.
    private mutating func forgetColumns(of table: String, movedTo new: String?) {
        for object in origins.keys {
            guard case .column(let column, table) = object else { continue }
            let origin = origins.removeValue(forKey: object)
            if let new { origins[.column(column, of: new)] = origin }
        }
    }
}
