import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// What to do about an ADD COLUMN that SQLite refuses (https://www.sqlite.org/lang_altertable.html#altertabaddcol).
package struct AddColumnAdvice {
    package let statement: SQLStatement
    /// The table without the column, or with it.
    package let table: Table
    package let column: Column

    package init(statement: SQLStatement, table: Table, column: Column) {
        self.statement = statement
        self.table = table
        self.column = column
    }

    private var name: String { quotedIfNeeded(column.name) }
    private var parent: String { quotedIfNeeded(table.name) }

    package var storedHelp: String {
        guard let stored = statement.first(["stored"]) else {
            return "Make it VIRTUAL, or rebuild the table."
        }
        return "Make it VIRTUAL, or rebuild the table:\n"
            + proposed(statement.applying([SQLEdit(range: stored.range, text: "VIRTUAL")]) + ";")
    }

    package var notNullHelp: String {
        // No default is the key of a parent in every database.
        if !ownKeys.isEmpty {
            return
                "Add it without NOT NULL and give each row a parent; a rebuild can make it NOT NULL after that:\n"
                + proposed(definition(nullable, ownKeys) + ";")
        }
        let zero =
            switch table.affinity(of: column) {
            case .text: "''"
            case .blob: "x''"
            default: "0"
            }
        return "Give it a default:\n" + proposed(statement.text + " DEFAULT \(zero);")
    }

    package var computedDefaultHelp: String {
        "Add it without the default and fill it:\n" + proposed(definition(nullable) + ";\n" + fill)
    }

    package var referenceHelp: String {
        "Add it without the default and fill it:\n" + proposed(definition(nullable, ownKeys) + ";\n" + fill)
    }

    package var uniqueHelp: String {
        let index = quotedIfNeeded("\(table.name)_\(column.name)")
        return "Add it without UNIQUE, fill it with different values or leave it NULL, and create an index:\n"
            + proposed(
                // A default would be the same in every row.
                definition(nullable, ownKeys, ownChecks)
                    + ";\nCREATE UNIQUE INDEX \(index) ON \(parent)(\(name));")
    }

    package let primaryKeyHelp =
        "ALTER TABLE cannot change a primary key. Rebuild the table with the new key: create it under another name, copy "
        + "the rows, drop the old table and rename the new one."

    /// The column without its default, and without NOT NULL, which no existing row would satisfy.
    private var nullable: Column {
        var column = column
        (column.defaultValue, column.notNull) = (nil, nil)
        return column
    }

    private var ownKeys: [ForeignKey] {
        table.foreignKeys.filter { $0.columns.map(\.foldedASCII) == [column.name.foldedASCII] }
    }

    private var ownChecks: [CheckConstraint] {
        table.checks.filter { $0.column?.foldedASCII == column.name.foldedASCII }
    }

    private func definition(
        _ column: Column, _ keys: [ForeignKey] = [], _ checks: [CheckConstraint] = []
    ) -> String {
        let alone = Table(name: table.name, columns: [column], checks: checks, foreignKeys: keys)
        let text = SchemaPrinter(printsSettings: false).text(column, of: alone)
        return "ALTER TABLE \(parent) ADD COLUMN \(text)"
    }

    private var fill: String {
        var value = column.defaultValue.map { "\($0)" } ?? "NULL"
        if value.hasPrefix("("), value.hasSuffix(")") { value = String(value.dropFirst().dropLast()) }
        return "UPDATE \(parent) SET \(name) = \(value);"
    }
}

/// Explains an ADD COLUMN that SQLite refuses because of the column itself, whatever the rows contain.
struct AddColumnExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        guard let statement = refused.statement, case .addColumn(let name, let word) = statement.action,
            let added = AddedColumn(name, word, statement, refused.schema)
        else { return nil }
        let advice = AddColumnAdvice(statement: statement, table: added.table, column: added.column)
        let message = refused.error.message
        let help: String? =
            switch message {
            case .cannotAddStored: advice.storedHelp
            case .cannotAddNotNull: advice.notNullHelp
            case .cannotAddComputedDefault: advice.computedDefaultHelp
            case .cannotAddReference: advice.referenceHelp
            case .cannotAddUnique: advice.uniqueHelp
            case .cannotAddPrimaryKey: advice.primaryKeyHelp
            case .duplicateColumn:
                "\(added.table.name) has it already. Leave the statement out, or choose another name."
            default: nil
            }
        return help.map { FailureExplanation(help: $0, table: added.table.name) }
    }
}
