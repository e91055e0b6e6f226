import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// An index as SQLite keeps it, including those of constraints
/// (https://www.sqlite.org/pragma.html#pragma_index_xinfo).
struct TableIndex: Sendable {
    /// A condition that must be false for every row.
    struct Test {
        var object: String?
        var kind: String
        var condition: String
        /// What the condition needs in addition to the row's columns.
        var extra: [String] = []
    }

    struct Term: Sendable {
        /// Nil for an expression.
        var column: String?
        var collation: String
        var isDescending: Bool
        /// The name, or the expression, as SQL.
        var sql: String?
    }

    var name: String
    var root: UInt32?
    var isUnique: Bool
    /// The terms of the definition, without the rowid after them.
    var terms: [Term]
    /// The condition of a partial index.
    var condition: String?
    var isPartial: Bool
    /// The order of the entries; nil if an application's collation decides.
    var order: KeyOrder?
    var unique: KeyOrder?

    static func all(of table: Catalog.Table, _ view: HealthView) throws -> [TableIndex] {
        let list = try view.connection.rows("PRAGMA main.index_list(\(quotedName(table.name)))") { row in
            (
                name: row.string(1), isUnique: row.integer(2) != 0, origin: row.string(3),
                isPartial: row.integer(4) != 0
            )
        }
        return try list.compactMap { entry in
            // The key of a WITHOUT ROWID table is the table.
            if entry.origin == "pk", table.kind == .withoutRowid { return nil }
            return try TableIndex(entry.name, isUnique: entry.isUnique, isPartial: entry.isPartial, view)
        }.sorted { $0.name < $1.name }
    }

    /// Creates an index of a table that a virtual table keeps: only its pages can be checked.
    init(ofUnknown entry: SchemaEntry) {
        (name, root, isUnique, terms, isPartial) = (entry.name, entry.rootPage, false, [], false)
    }

    private init(_ name: String, isUnique: Bool, isPartial: Bool, _ view: HealthView) throws {
        let model = view.schema.indexes[name.foldedASCII]
        (self.name, self.isUnique, self.isPartial) = (name, isUnique, isPartial)
        root =
            view.facts.entries.first { $0.type == "index" && $0.name == name && $0.rootPage != 0 }?.rootPage
        condition = model?.condition.map { "\($0)" }
        var keys: [(column: KeyColumn?, isNamed: Bool)] = []
        var terms: [Term] = []
        try view.connection.forEachRow("PRAGMA main.index_xinfo(\(quotedName(name)))") { row in
            let (place, column) = (Int(row.integer(0)), row.optionalString(2))
            let (collation, isDescending) = (row.string(4), row.integer(3) != 0)
            let isNamed = row.integer(5) != 0
            keys.append((KeyColumn(named: collation, isDescending: isDescending), isNamed))
            guard isNamed else { return }
            var sql = column.map(quotedName)
            if column == nil, let model, model.terms.indices.contains(place),
                case .expression(let expression) = model.terms[place].value
            {
                sql = "(\(expression))"
            }
            terms.append(Term(column: column, collation: collation, isDescending: isDescending, sql: sql))
        }
        self.terms = terms
        let all = keys.compactMap(\.column)
        order = all.count == keys.count ? KeyOrder(all, in: view.file) : nil
        let named = keys.filter(\.isNamed).compactMap(\.column)
        unique =
            isUnique && named.count == keys.count(where: \.isNamed) ? KeyOrder(named, in: view.file) : nil
    }

    /// Returns the test that a row is missing from the index; nil if its definition is not understood.
    func missing(from table: Catalog.Table) -> Test? {
        guard let rowid = table.rowidName, terms.allSatisfy({ $0.sql != nil }),
            isPartial == (condition != nil)
        else { return nil }
        var (extra, equal): ([String], [String]) = ([], [])
        for (number, term) in terms.enumerated() {
            // In the inner query the names refer to the entry.
            let alias = quotedName("drydock \(name) \(number)")
            extra.append("\(term.sql ?? "") AS \(alias)")
            equal.append("\(term.sql ?? "") COLLATE \(quotedName(term.collation)) IS \"row\".\(alias)")
        }
        equal.append("entry.\(rowid) = \"row\".\(RowidBatches.rowid)")
        if let condition { equal.insert("(\(condition))", at: 0) }
        let exists = """
            NOT EXISTS (SELECT 1 FROM main.\(quotedName(table.name)) AS entry INDEXED BY \(quotedName(name)) \
            WHERE \(equal.joined(separator: " AND ")))
            """
        let isMissing = condition.map { "coalesce((\($0)), 0) AND \(exists)" } ?? exists
        return Test(object: name, kind: "rows", condition: isMissing, extra: extra)
    }

    /// Returns whether an entry has the values of its row, as far as both store them.
    func agrees(
        _ entry: [Field], _ rowid: Int64, _ row: [Field], _ layout: RecordLayout, _ file: DatabaseFile
    ) -> Bool {
        for (field, term) in zip(entry, terms) {
            guard let name = term.column, let column = layout.column(name) else { continue }
            switch column.source {
            case .rowid: if field.integer != rowid { return false }
            case .value(let place):
                guard row.indices.contains(place) else { continue }
                if !field.isSame(as: row[place], in: file) { return false }
            }
        }
        return true
    }
}
