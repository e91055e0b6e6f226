import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// A `CREATE ... IF NOT EXISTS` that did nothing, since something else had the name: what follows, or the next version of
/// the app, finds the other one.
struct IdleCreation {
    let migration: Migration
    let index: Int
    let kind: Catalog.Object.Kind
    let name: String
    /// The table that it is on, or the table itself.
    let table: String
    /// The columns that the table does not have.
    let missing: [String]
    /// Whether what was there has the same definition.
    let isSame: Bool

    var cause: String {
        let words = "CREATE \(kind.rawValue.uppercased()) IF NOT EXISTS \(quotedIfNeeded(name))"
        let without = "without \(listed(missing.map(quotedIfNeeded)))"
        let there = isSame ? "" : ", " + (missing.isEmpty ? "with a different definition" : without)
        return "\(words) in \(migration.mention(index)) did nothing, since \(name) already existed\(there)"
    }

    var help: String {
        guard kind == .table else {
            return
                "Drop the \(kind.rawValue) \(quotedIfNeeded(name)) before it is created, so that every database gets the new one."
        }
        if isSame {
            return "See what \(quotedIfNeeded(name)) already has, and copy only what is missing."
        }
        return missing.isEmpty
            ? "Rebuild \(quotedIfNeeded(name)) with the new definition, rows included; CREATE TABLE IF NOT EXISTS does not change an existing table."
            : "Add \(listed(missing.map(quotedIfNeeded))) with ALTER TABLE \(quotedIfNeeded(name)) ADD COLUMN; CREATE TABLE IF NOT EXISTS does not change an existing table."
    }

    /// Returns those among the statements of migrations that began with a schema, in order.
    static func all(in migrations: [Migration], from catalog: Catalog) -> [IdleCreation] {
        var names = Names(catalog)
        return migrations.flatMap { migration in
            migration.statements.enumerated().compactMap { index, statement in
                names.run(statement).map {
                    IdleCreation(
                        migration: migration, index: index, kind: $0.kind, name: $0.name, table: $0.table,
                        missing: $0.missing, isSame: $0.isSame)
                }
            }
        }
    }

    /// What has which name, followed from statement to statement.
    private struct Names {
        private struct Thing {
            var name: String
            var table: String
            var text: NormalizedSQL
            /// Folded.
            var columns: [String] = []
        }

        private var things: [Catalog.ObjectID: Thing] = [:]

        init(_ catalog: Catalog) {
            for table in catalog.tables.values {
                things[.init(.table, table.name)] = Thing(
                    name: table.name, table: table.name, text: table.sql,
                    columns: table.columns.map(\.name.foldedASCII))
            }
            for (id, object) in catalog.objects {
                things[id] = Thing(name: object.name, table: object.tableName, text: object.sql)
            }
        }

        /// - Returns: what a statement would have created, if something else has its name.
        mutating func run(
            _ statement: SQLStatement
        ) -> (kind: Catalog.Object.Kind, name: String, table: String, missing: [String], isSame: Bool)? {
            switch statement.action {
            case .createTable(let name, false, _) where name.isMain:
                return create(.table, name.name, on: name.name, statement)
            case .createIndex(let name, let table): return create(.index, name.name, on: table, statement)
            case .createTrigger(let name, let table, false):
                return create(.trigger, name.name, on: table, statement)
            case .createView(let name, false): return create(.view, name.name, on: name.name, statement)
            case .dropTable(let name):
                things = things.filter { $0.value.table.foldedASCII != name.folded }
            case .dropIndex(let name): things[.init(.index, name.name)] = nil
            case .dropTrigger(let name): things[.init(.trigger, name.name)] = nil
            case .dropView(let name): things[.init(.view, name.name)] = nil
            case .addColumn(let table, let column):
                things[.init(.table, table.name)]?.columns.append(column.foldedASCII)
            case .dropColumn(let table, let column):
                things[.init(.table, table.name)]?.columns.removeAll { $0 == column.foldedASCII }
            case .renameColumn(let table, let old, let new):
                let id = Catalog.ObjectID(.table, table.name)
                things[id]?.columns.removeAll { $0 == old.foldedASCII }
                things[id]?.columns.append(new.foldedASCII)
            case .renameTable(let old, let new): rename(old.folded, to: new)
            default: break
            }
            return nil
        }

        private mutating func create(
            _ kind: Catalog.Object.Kind, _ name: String, on table: String, _ statement: SQLStatement
        ) -> (kind: Catalog.Object.Kind, name: String, table: String, missing: [String], isSame: Bool)? {
            let id = Catalog.ObjectID(kind, name)
            let columns = statement.createdColumns?.map(\.name) ?? []
            let text = NormalizedSQL(sql: statement.text)
            guard let there = things[id] else {
                things[id] = Thing(
                    name: name, table: table, text: text, columns: columns.map(\.foldedASCII))
                return nil
            }
            guard statement.first(["if", "not", "exists"]) != nil else { return nil }
            let missing = columns.filter { !there.columns.contains($0.foldedASCII) }
            // A table that ALTER TABLE has changed since has another text, and perhaps the same meaning.
            let isSame = there.text == text || kind == .table && missing.isEmpty
            return (kind, there.name, there.table, missing, isSame)
        }

        private mutating func rename(_ old: String, to new: String) {
            for (id, thing) in things where thing.table.foldedASCII == old && id.kind != .view {
                var moved = thing
                moved.table = new
                things[id] = nil
                if id.kind == .table { moved.name = new }
                things[id.kind == .table ? .init(.table, new) : id] = moved
            }
        }
    }
}
