/// A foreign key with the columns on both sides, for a parent that is a table of the schema.
package struct ParentLink: Sendable, Hashable {
    /// The names of the tables as they are defined.
    package var child: String
    package var parent: String
    /// The columns of the child, each with the parent's column that it refers to.
    package var columns: [String]
    package var parentColumns: [String]
}

extension Schema {
    /// Returns the foreign keys of a table whose parent exists and has a column for each of theirs.
    package func parentLinks(of table: String) -> [ParentLink] {
        guard let child = self.table(table) else { return [] }
        return child.foreignKeys.compactMap { key in
            guard let parent = self.table(key.parent), let columns = parentColumns(of: key),
                columns.count == key.columns.count, !columns.isEmpty,
                columns.allSatisfy({ parent.column($0) != nil })
            else { return nil }
            return ParentLink(
                child: child.name, parent: parent.name, columns: key.columns, parentColumns: columns)
        }
    }

    /// Returns whether SQLite finds the parent's row by an index, as it does if the columns are unique
    /// (https://www.sqlite.org/foreignkeys.html#fk_indexes).
    package func isUnique(_ link: ParentLink) -> Bool {
        guard let parent = table(link.parent) else { return false }
        let wanted = Set(link.parentColumns.map(\.foldedASCII))
        func fits(_ columns: [String]) -> Bool {
            columns.count == link.parentColumns.count && Set(columns.map(\.foldedASCII)) == wanted
        }
        if let key = parent.primaryKey, fits(key.terms.map(\.column)) { return true }
        if parent.uniques.contains(where: { fits($0.terms.map(\.column)) }) { return true }
        return indexes(on: parent.name).contains { index in
            let columns = index.terms.compactMap { term in
                if case .column(let name) = term.value { name } else { String?.none }
            }
            return index.isUnique && index.condition == nil && columns.count == index.terms.count
                && fits(columns)
        }
    }
}
