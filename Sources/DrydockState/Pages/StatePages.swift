import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// A state as its pages have it, without SQLite.
package struct StatePages: Sendable {
    /// The trees of a table.
    package struct Trees: Sendable {
        package var root: UInt32
        /// By folded name, those that constraints make included.
        package var indexes: [String: Index] = [:]
    }

    package struct Index: Sendable {
        package var root: UInt32
        package var sql: String?
    }

    package let source: ImagePages
    package let file: DatabaseFile
    let parents: PageParents
    /// By folded name; virtual tables have none, the tables that they keep their data in are here.
    package let trees: [String: Trees]

    /// - Parameter parents: what is known of an earlier reading of the same bytes.
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

    /// What leads to a page that changed, or that is gone because the file ends sooner.
    func dirt(_ changed: some Sequence<UInt32>, upTo last: UInt32) -> DirtyPages {
        let gone = last < file.pageCount ? Array((last + 1)...file.pageCount) : []
        return parents.dirt(Array(changed) + gone)
    }

    package func dirt(_ changed: some Sequence<UInt32>, upTo later: StatePages) -> DirtyPages {
        dirt(changed, upTo: later.file.pageCount)
    }

    /// A later state of the same database.
    /// - Parameter footprint: which pages differ from this one.
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

/// What the bytes of two states say.
package struct PageChanges: Sendable {
    package let before: StatePages
    package let after: StatePages
    /// Of the earlier state; nil where every page may be another, as when the page size changed.
    package let dirty: DirtyPages?

    package init(before: StatePages, after: StatePages, dirty: DirtyPages?) {
        self.before = before
        self.after = after
        self.dirty = dirty
    }

    /// Whether a tree has the entries that it had: none of its pages, overflow pages included, has another
    /// byte.
    func isUntouched(root: UInt32, now: UInt32) -> Bool {
        guard let dirty, root == now, before.parents.isRoot(root), decodesAlike else { return false }
        return !dirty.contains(root)
    }

    /// Whether a table's own tree has the entries that it had.
    func isUntouched(table: String, now: String) -> Bool {
        guard let old = before.trees[table.foldedASCII], let new = after.trees[now.foldedASCII] else {
            return false
        }
        return isUntouched(root: old.root, now: new.root)
    }

    /// Whether a table and all its indexes have the entries that they had, and the indexes are of the same.
    package func isWhollyUntouched(table: String, now: String) -> Bool {
        isUntouched(table: table, now: now) && areIndexesUntouched(of: table, now: now)
    }

    /// Whether a table has the indexes that it had, of the same, with the entries that they had.
    func areIndexesUntouched(of table: String, now: String? = nil) -> Bool {
        guard let old = before.trees[table.foldedASCII], let new = after.trees[(now ?? table).foldedASCII],
            Set(old.indexes.keys) == Set(new.indexes.keys)
        else { return false }
        return old.indexes.allSatisfy { name, index in
            guard let now = new.indexes[name] else { return false }
            return index.sql == now.sql && isUntouched(root: index.root, now: now.root)
        }
    }

    /// Whether a table has every rowid that it had.
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

    /// Whether the tables in which a virtual table keeps its data have the entries that they had.
    func isUntouched(shadowTablesOf name: String) -> Bool {
        let prefix = name.foldedASCII + "_"
        let names = Set(before.trees.keys.filter { $0.hasPrefix(prefix) })
        return !names.isEmpty && names == Set(after.trees.keys.filter { $0.hasPrefix(prefix) })
            && names.allSatisfy { isUntouched(table: $0, now: $0) }
    }

    /// The same bytes of a page mean the same.
    private var decodesAlike: Bool {
        let (old, new) = (before.file.header, after.file.header)
        return old.pageSize == new.pageSize && old.reservedBytes == new.reservedBytes
            && old.encoding == new.encoding && old.schemaFormat == new.schemaFormat
    }
}
