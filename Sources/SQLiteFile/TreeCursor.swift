/// A cursor over the entries of a tree in key order: the rows of a table by rowid; the keys of an index, or
/// the rows of a WITHOUT ROWID table, in the index's order.
public struct TreeCursor {
    private var reader: TreeReader

    /// - Parameter root: the root page, as in ``SchemaEntry``; 1 for the schema table itself.
    /// - Throws: ``FileDamage`` if that page is not the root of a tree.
    public init(_ file: DatabaseFile, root: UInt32) throws(FileDamage) {
        reader = try TreeReader(file, root: root)
    }

    /// Creates a cursor over a part of a tree of a table.
    /// - Returns: nil if the part has no rows: it is a page above others.
    /// - Throws: ``FileDamage``.
    public init?(_ file: DatabaseFile, _ part: Subtree) throws(FileDamage) {
        guard !part.isOnePage else { return nil }
        reader = try TreeReader(file, root: part.page)
    }

    /// Whether the tree is that of a table with rowids.
    public var isTable: Bool { reader.isTable }

    /// Returns the next entry; nil after the last.
    /// - Throws: ``FileDamage``.
    public mutating func next() throws(FileDamage) -> TreeEntry? {
        while true {
            switch reader.position {
            case .subtree: try reader.descend()
            case .end: return nil
            case .leaf, .entry:
                let entry = try reader.entry()
                try reader.advance()
                return entry
            }
        }
    }

    /// Makes ``next()`` continue with the first row whose rowid is `rowid` or higher.
    ///
    /// In the tree of an index, whose keys are not rowids, the cursor goes back to the first entry.
    public mutating func seek(to rowid: Int64) throws(FileDamage) {
        if reader.isTable { try reader.seek(rowid) } else { reader.restart() }
    }
}
