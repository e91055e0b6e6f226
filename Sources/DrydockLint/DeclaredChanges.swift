import DrydockMigrations
import DrydockState
import SQLiteSchema

/// What the declarations of a migration allow to be deleted, rewritten or renamed.
struct DeclaredChanges {
    private let declarations: [Declaration]

    init(of migration: Migration) { declarations = migration.declarations }

    func contains(_ isIt: (Declaration.Kind) -> Bool) -> Bool { declarations.contains { isIt($0.kind) } }

    /// Whether rows of a table may be deleted.
    /// - Parameter names: the folded names of the table.
    func deletes(from names: [String]) -> Bool {
        contains { kind in
            if case .deletes(let table, _) = kind { names.contains(table.foldedASCII) } else { false }
        }
    }

    /// Whether a column may be dropped, or has a new name.
    /// - Parameter columns: its names.
    /// - Parameter tables: the folded names of the table.
    func drops(_ columns: [String], of tables: [String]) -> Bool {
        let columns = columns.map(\.foldedASCII)
        return contains { kind in
            switch kind {
            case .dropsColumn(let table, let column), .renamesColumn(let table, let column, _):
                tables.contains(table.foldedASCII) && columns.contains(column.foldedASCII)
            default: false
            }
        }
    }

    /// Whether values of a column may be rewritten.
    /// - Parameter tables: the folded names of the table.
    func rewrites(_ column: String, of tables: [String]) -> Bool {
        contains { kind in
            guard case .rewrites(let table, let name) = kind, tables.contains(table.foldedASCII) else {
                return false
            }
            return name.map { $0.foldedASCII == column.foldedASCII } ?? true
        }
    }
}
