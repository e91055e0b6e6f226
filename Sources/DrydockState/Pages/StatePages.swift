import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// A state as read from its pages, without SQLite.
package struct StatePages: Sendable {
    /// The trees of a table.
    package struct Trees: Sendable {
        package var root: UInt32
        /// Indexes by folded name, including those of constraints.
        package var indexes: [String: Index] = [:]
    }

    package struct Index: Sendable {
        package var root: UInt32
        package var sql: String?
    }

    package let source: ImagePages
    package let file: DatabaseFile
    let parents: PageParents
    /// Trees by folded name; virtual tables have none, but the tables with their data are included.
    package let trees: [String: Trees]

    /// - Parameter parents: those of an earlier reading of the same bytes.
    /// - Throws: ``FileDamage``.
    init(_ image: Image, parents: PageParents? = nil) throws(FileDamage) {
        try self.init(image) { file, roots throws(FileDamage) in
            if let parents { parents } else { try PageParents(file, roots: roots) }
        }
    }

    private init(
        _ image: Image, parents: (DatabaseFile, [UInt32]) throws(FileDamage) -> PageParents
    ) throws(FileDamage) {
        source = ImagePages(image)
        file = try DatabaseFile(source)
        let schema = try file.schema()
        var trees: [String: Trees] = [:]
        for entry in schema where entry.type == "table" && entry.rootPage != 0 {
            trees[entry.name.foldedASCII] = Trees(root: entry.rootPage)
        }
        for entry in schema where entry.type == "index" {
            let index = Index(root: entry.rootPage, sql: entry.sql)
            trees[entry.tableName.foldedASCII]?.indexes[entry.name.foldedASCII] = index
        }
        self.trees = trees
        self.parents = try parents(file, schema.map(\.rootPage).filter { $0 != 0 })
    }

    /// Returns the pages that lead to a changed page, or to one that is gone because the file is shorter.
    func dirt(_ changed: some Sequence<UInt32>, upTo last: UInt32) -> DirtyPages {
        let gone = last < file.pageCount ? Array((last + 1)...file.pageCount) : []
        return parents.dirt(Array(changed) + gone)
    }

    package func dirt(_ changed: some Sequence<UInt32>, upTo later: StatePages) -> DirtyPages {
        dirt(changed, upTo: later.file.pageCount)
    }

    /// Returns the pages and changes of a later state of the same database.
    /// - Parameter footprint: the pages that differ from this state.
    /// - Throws: ``FileDamage``.
    func next(_ image: Image, _ footprint: Footprint) throws(FileDamage) -> (StatePages, PageChanges) {
        guard footprint.pageSize == file.header.pageSize else {
            let pages = try StatePages(image)
            return (pages, PageChanges(before: self, after: pages, dirty: nil))
        }
        let dirty = dirt(footprint.pages, upTo: UInt32(clamping: image.byteCount / footprint.pageSize))
        let pages = try StatePages(image) { after, roots throws(FileDamage) in
            try parents.updated(from: file, to: after, dirty: dirty, roots: roots)
        }
        return (pages, PageChanges(before: self, after: pages, dirty: dirty))
    }
}

/// The changes between two states, as read from their pages.
package struct PageChanges: Sendable {
    package let before: StatePages
    package let after: StatePages
    /// The dirty pages of the earlier state; nil where every page may differ, as when the page size changed.
    package let dirty: DirtyPages?

    package init(before: StatePages, after: StatePages, dirty: DirtyPages?) {
        self.before = before
        self.after = after
        self.dirty = dirty
    }

    /// Whether a tree's entries are unchanged: none of its pages, overflow pages included, has a different byte.
    func isUntouched(root: UInt32, now: UInt32) -> Bool {
        guard let dirty, root == now, before.parents.isRoot(root), decodesAlike else { return false }
        return !dirty.contains(root)
    }

    /// Whether the entries of a table's own tree are unchanged.
    package func isUntouched(table: String, now: String) -> Bool {
        guard let old = before.trees[table.foldedASCII], let new = after.trees[now.foldedASCII] else {
            return false
        }
        return isUntouched(root: old.root, now: new.root)
    }

    /// Whether the entries of a table and all its indexes are unchanged, and the index definitions too.
    package func isWhollyUntouched(table: String, now: String) -> Bool {
        isUntouched(table: table, now: now) && areIndexesUntouched(of: table, now: now)
    }

    /// Whether a table has the same indexes, with the same definitions and entries.
    func areIndexesUntouched(of table: String, now: String? = nil) -> Bool {
        guard let old = before.trees[table.foldedASCII], let new = after.trees[(now ?? table).foldedASCII],
            old.indexes.count == new.indexes.count
        else { return false }
        return old.indexes.allSatisfy { name, index in
            guard let now = new.indexes[name] else { return false }
            return index.sql == now.sql && isUntouched(root: index.root, now: now.root)
        }
    }

    /// Whether a table still has every rowid.
    func keepsRowids(of table: String) -> Bool {
        guard let old = before.trees[table.foldedASCII], let new = after.trees[table.foldedASCII],
            var trees = try? TreePair(before.file, root: old.root, after.file, root: new.root)
        else { return false }
        trees.dirty = dirty
        struct Gone: Error {}
        do {
            _ = try trees.merge(countsSkippedRows: false) { if case .onlyLeft = $0 { throw Gone() } }
            return true
        } catch {
            return false
        }
    }

    /// Whether the entries of the tables with a virtual table's data are unchanged.
    package func isUntouched(shadowTablesOf name: String) -> Bool {
        let prefix = name.foldedASCII + "_"
        let names = Set(before.trees.keys.filter { $0.hasPrefix(prefix) })
        return !names.isEmpty && names == Set(after.trees.keys.filter { $0.hasPrefix(prefix) })
            && names.allSatisfy { isUntouched(table: $0, now: $0) }
    }

    /// Whether both states have the same schema, object by object and page by page.
    package var keepsSchema: Bool {
        guard decodesAlike, dirty != nil, let old = try? before.file.schema(),
            let new = try? after.file.schema()
        else { return false }
        return old == new
    }

    /// Whether the same bytes of a page have the same meaning in both states.
    var decodesAlike: Bool {
        let (old, new) = (before.file.header, after.file.header)
        return old.pageSize == new.pageSize && old.reservedBytes == new.reservedBytes
            && old.encoding == new.encoding && old.schemaFormat == new.schemaFormat
    }
}
