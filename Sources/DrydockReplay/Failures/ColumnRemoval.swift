import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// The uses of a column, and the schema without it.
struct ColumnRemoval {
    let column: String
    let table: Table
    /// Parts of the table's own definition that use the column; ALTER TABLE cannot change any of them.
    private(set) var users: [String] = []
    private(set) var isPrimaryKey = false
    /// The generated columns among the users, and those that depend on them.
    private(set) var generated: [String] = []
    private(set) var indexes: [Dependent] = []
    /// Views and triggers that name the column, and those that depend on them. They are found by name only: which
    /// table's column is meant, only SQLite knows.
    private(set) var dependents: [Dependent] = []
    /// What to do about foreign keys of other tables that reference the column.
    private(set) var references: [String] = []
    /// The schema without the column and all of these.
    private(set) var wanted: Schema

    init(_ column: String, from table: Table, in schema: Schema) {
        (self.column, self.table, wanted) = (column, table, schema)
        let gone = findUsers()
        let printer = SchemaPrinter(printsSettings: false)
        for index in schema.indexes(on: table.name) where !gone.isDisjoint(with: index.names) {
            indexes.append(Dependent(kind: "index", name: index.name, sql: printer.text(index)))
            wanted.indexes[index.name.foldedASCII] = nil
        }
        findDependents(gone, printer)
        for child in schema.tables.values.sorted(by: { $0.name < $1.name }) {
            for key in child.foreignKeys where key.parent.foldedASCII == table.name.foldedASCII {
                guard let columns = schema.parentColumns(of: key),
                    columns.contains(where: { $0.foldedASCII == column.foldedASCII })
                else { continue }
                references.append(
                    "Rebuild \(child.name) first without FOREIGN KEY (\(key.columns.joined(separator: ", "))), which references \(column)."
                )
            }
        }
    }

    /// - Returns: the columns to be removed, folded.
    private mutating func findUsers() -> Set<String> {
        var gone: Set<String> = [column.foldedASCII]
        var isMore = true
        while isMore {
            isMore = false
            for other in table.columns where !gone.contains(other.name.foldedASCII) {
                guard let names = other.generated?.expression.names, !gone.isDisjoint(with: names) else {
                    continue
                }
                gone.insert(other.name.foldedASCII)
                if names.contains(column.foldedASCII) { users.append("generated column \(other.name)") }
                generated.append(other.name)
                isMore = true
            }
        }
        func uses(_ columns: [String]) -> Bool { columns.contains { gone.contains($0.foldedASCII) } }
        if let key = table.primaryKey, uses(key.terms.map(\.column)) {
            isPrimaryKey = true
            users.append("PRIMARY KEY (\(key.terms.map(\.column).joined(separator: ", ")))")
        }
        for check in table.checks where !gone.isDisjoint(with: check.expression.names) {
            users.append("CHECK (\(check.expression))")
        }
        for key in table.foreignKeys where uses(key.columns) {
            users.append("FOREIGN KEY (\(key.columns.joined(separator: ", ")))")
        }
        for unique in table.uniques where uses(unique.terms.map(\.column)) {
            users.append("UNIQUE (\(unique.terms.map(\.column).joined(separator: ", ")))")
        }
        var without = table
        without.columns.removeAll { gone.contains($0.name.foldedASCII) }
        without.checks.removeAll { !gone.isDisjoint(with: $0.expression.names) }
        without.foreignKeys.removeAll { uses($0.columns) }
        without.uniques.removeAll { uses($0.terms.map(\.column)) }
        wanted.tables[table.name.foldedASCII] = without
        return gone
    }

    private mutating func findDependents(_ gone: Set<String>, _ printer: SchemaPrinter) {
        var broken: Set<String> = []
        var isMore = true
        while isMore {
            isMore = false
            for view in wanted.views.values.sorted(by: { $0.name < $1.name }) {
                let names = view.query.names
                let isDirect = names.contains(table.name.foldedASCII) && !gone.isDisjoint(with: names)
                guard isDirect || !broken.isDisjoint(with: names) else { continue }
                broken.insert(view.name.foldedASCII)
                wanted.views[view.name.foldedASCII] = nil
                dependents.append(Dependent(kind: "view", name: view.name, sql: printer.text(view)))
                isMore = true
            }
        }
        for trigger in wanted.triggers.values.sorted(by: { $0.name < $1.name }) {
            let tables = trigger.names.union([trigger.table.foldedASCII])
            var columns = trigger.names
            if case .update(let named) = trigger.event { columns.formUnion(named.map(\.foldedASCII)) }
            let isDirect = tables.contains(table.name.foldedASCII) && !gone.isDisjoint(with: columns)
            guard isDirect || !broken.isDisjoint(with: tables) else { continue }
            wanted.triggers[trigger.name.foldedASCII] = nil
            dependents.append(Dependent(kind: "trigger", name: trigger.name, sql: printer.text(trigger)))
        }
    }
}
