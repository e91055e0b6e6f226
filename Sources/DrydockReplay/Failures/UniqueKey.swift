import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// Terms with values that no two rows of a table may share: a PRIMARY KEY, a UNIQUE constraint or a unique index.
struct UniqueKey {
    /// As `index i`, or `UNIQUE (a, b)`.
    let name: String
    /// The key as SQLite's message names it.
    let label: String
    /// Each term's name in messages, its SQL, and the collation by which it is compared.
    let terms: [(name: String, expression: String, collation: String)]
    /// Which rows it covers; nil for all of them.
    let condition: SQLFragment?

    /// What two rows with the same key meet: its condition, and that no term is NULL, since NULLs are distinct
    /// (https://www.sqlite.org/nulls.html).
    var covered: String {
        ((condition.map { ["(\($0))"] } ?? []) + terms.map { "\($0.expression) IS NOT NULL" })
            .joined(separator: " AND ")
    }

    /// The terms as GROUP BY compares them.
    var group: [String] { terms.map { "\($0.expression) COLLATE \(quotedName($0.collation))" } }

    init(_ index: Index, on table: Table) {
        terms = index.terms.map { term in
            let collation = index.collation(of: term, in: table)
            switch term.value {
            case .column(let name): return (name, quotedName(name), collation)
            case .expression(let text): return ("\(text)", "(\(text))", collation)
            }
        }
        let isPlain = index.terms.allSatisfy { if case .column = $0.value { true } else { false } }
        let columns = terms.map { "\(table.name).\(table.column($0.name)?.name ?? $0.name)" }
        label = isPlain ? columns.joined(separator: ", ") : "index '\(index.name)'"
        name = "index \(index.name)"
        condition = index.condition
    }

    private init(_ kind: String, _ terms: [KeyTerm], of table: Table) {
        let names = terms.map { table.column($0.column)?.name ?? $0.column }
        label = names.map { "\(table.name).\($0)" }.joined(separator: ", ")
        name = "\(kind) (\(names.joined(separator: ", ")))"
        self.terms = terms.map { ($0.column, quotedName($0.column), table.collation(of: $0)) }
        condition = nil
    }

    static func all(of table: Table, in schema: Schema) -> [UniqueKey] {
        table.uniques.map { UniqueKey("UNIQUE", $0.terms, of: table) }
            + (table.primaryKey.map { [UniqueKey("PRIMARY KEY", $0.terms, of: table)] } ?? [])
            + schema.indexes(on: table.name).filter(\.isUnique).map { UniqueKey($0, on: table) }
    }
}
