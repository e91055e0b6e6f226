import DrydockFindings
import DrydockState
import SQLiteSchema

/// A foreign key with the columns that it references.
package struct ResolvedKey {
    let child: Catalog.Table
    let parent: Catalog.Table
    let columns: [String]
    let parentColumns: [String]

    init?(_ key: ForeignKey, _ child: Catalog.Table, _ parent: Catalog.Table) {
        (self.child, self.parent, columns) = (child, parent, key.columns)
        parentColumns = key.parentColumns ?? parent.primaryKey.map(\.name)
        guard columns.count == parentColumns.count else { return nil }
    }

    var childName: String { quotedIfNeeded(child.name) }
    var parentName: String { quotedIfNeeded(parent.name) }

    /// Returns a query of the child's rows, as `c`, that reference no parent.
    func orphans(in schema: String) -> String {
        "SELECT 1 FROM \(schema).\(quotedName(child.name)) AS c WHERE \(isOrphan("c", in: schema))"
    }

    /// Returns the condition that a row of the child references no parent.
    ///
    /// The plus sign takes the affinity of the child's column away: SQLite compares with that of the parent's
    /// (https://www.sqlite.org/foreignkeys.html#fk_basics).
    func isOrphan(_ alias: String, in schema: String) -> String {
        let filled = columns.map { "\(alias).\(quotedName($0)) IS NOT NULL" }
        let same = zip(parentColumns, columns).map { "p.\(quotedName($0)) = +\(alias).\(quotedName($1))" }
        return "\(filled.joined(separator: " AND ")) AND NOT EXISTS (SELECT 1 FROM "
            + "\(schema).\(quotedName(parent.name)) AS p WHERE \(same.joined(separator: " AND ")))"
    }

    func equation(child: String, parent: String) -> String {
        zip(columns, parentColumns).map { "\(child).\(quotedIfNeeded($0)) = \(parent).\(quotedIfNeeded($1))" }
            .joined(separator: " AND ")
    }
}
