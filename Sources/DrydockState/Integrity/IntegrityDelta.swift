import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// A look at what differs between two states of a database with one schema, of which the earlier one is whole: it proves
/// that the later is whole too, or leaves the verdict to SQLite.
///
/// By induction it sees what ``IntegrityScan`` sees of all pages: changed pages are checked by themselves and against
/// those around them, and the rows that came and went must be the same in a table and in each of its indexes.
struct IntegrityDelta {
    /// The tables that only SQLite can judge, sorted.
    private(set) var others: [String] = []

    private let changes: PageChanges
    private let dirty: DirtyPages
    private let key = RowHash.Key()

    /// - Parameter connection: shows the later state.
    /// - Returns: nil if the whole file must be looked at: something may be wrong, or the pointer maps of an auto-vacuum
    ///   database are to be checked as well.
    /// - Throws: ``EngineError``, also if the connection is interrupted.
    init?(_ changes: PageChanges, _ catalog: Catalog, _ connection: any Connection) throws {
        guard let dirty = changes.dirty, !changes.after.file.header.hasPointerMaps else { return nil }
        // What is unchanged may lead to a page that the file no longer has.
        guard changes.after.file.pageCount >= changes.before.file.pageCount else { return nil }
        (self.changes, self.dirty) = (changes, dirty)
        let file = changes.after.file
        do {
            let trees = try IntegrityScan.trees(file, catalog, connection)
            try checkPages(trees)
            var others: Set<String> = []
            for (table, own) in Dictionary(grouping: trees, by: \.table) {
                guard let table, own.contains(where: { isChanged($0.root) }) else { continue }
                try connection.checkInterrupt()
                if try !isWhole(own, connection) { others.insert(table) }
            }
            if SQLiteLibrary.checksVirtualTables {
                let virtual = catalog.tables.values.filter { $0.module != nil }.map(\.name)
                others.formUnion(virtual.filter { !changes.isUntouched(shadowTablesOf: $0) })
            }
            self.others = others.sorted()
        } catch is FileDamage {
            return nil
        }
    }

    private func isChanged(_ root: UInt32) -> Bool { !changes.isUntouched(root: root, now: root) }

    /// Checks the changed pages of all trees, and that each page of the file has one use.
    private func checkPages(_ trees: [ScannedTree]) throws {
        let file = changes.after.file
        let uses = PageUses(file)
        for tree in trees where isChanged(tree.root) {
            let (order, unique) = tree.content.orders
            var check = ChangedTree(
                changes.before.file, file, root: tree.root, changes.before.parents, dirty,
                holdsRowids: tree.holdsRowids, order: order, unique: unique, uses: uses)
            try check.check()
        }
        var account = PageAccount(changes.after.parents)
        try account.finish(file, roots: trees.map(\.root))
    }

    /// Returns whether the rows that came and went are the same in a table and in each of its indexes, and break no
    /// constraint; false where SQLite has to look at it.
    private func isWhole(_ trees: [ScannedTree], _ connection: any Connection) throws -> Bool {
        let plans = trees.compactMap { tree in
            if case .rows(let plan) = tree.content { (plan: plan, root: tree.root) } else { nil }
        }
        guard let (plan, root) = plans.first else {
            return trees.allSatisfy { if case .pages = $0.content { true } else { false } }
        }
        guard let rows = try changedRows(plan, root) else { return false }
        for case .entries(let index, let number) in trees.map(\.content) {
            var (gone, come) = (rows.gone[number], rows.come[number])
            // Each row that came has an entry that came, and each that went one that went.
            let entries = try changedEntries(index)
            gone.add(entries.come)
            come.add(entries.gone)
            guard gone == come else { return false }
        }
        guard let checks = plan.checks else { return true }
        return try !IntegrityScan.isBroken(checks.sql(rows: rows.rowids), connection)
    }

    /// What the rows that went and came demand of each index.
    private struct ChangedRows {
        var gone: [RowSum]
        var come: [RowSum]
        /// Those that came.
        var rowids: [Int64] = []
    }

    /// - Returns: nil if SQLite has to look at a row.
    private func changedRows(_ plan: ScannedTable, _ root: UInt32) throws -> ChangedRows? {
        var rows = ChangedRows(
            gone: plan.indexes.map { _ in RowSum() }, come: plan.indexes.map { _ in RowSum() })
        guard isChanged(root) else { return rows }
        var isDoubtful = false
        try merge(root, plan.order) { entry, isOld, fields, encoding in
            if isOld {
                if !plan.read(entry.rowid, fields, encoding, key, &rows.gone) { isDoubtful = true }
            } else {
                rows.rowids.append(entry.rowid)
                if !plan.read(entry.rowid, fields, encoding, key, &rows.come) { isDoubtful = true }
            }
        }
        return isDoubtful ? nil : rows
    }

    private func changedEntries(
        _ index: ScannedTable.ScannedIndex
    ) throws -> (gone: RowSum, come: RowSum) {
        var (gone, come) = (RowSum(), RowSum())
        guard isChanged(index.root) else { return (gone, come) }
        try merge(index.root, index.order) { entry, isOld, fields, _ in
            guard fields.count == index.columnCount else {
                throw FileDamage(entry.payload.page, .recordLength)
            }
            var hash = RowHash(key)
            for field in fields { hash.add(field) }
            if isOld { gone.add(hash) } else { come.add(hash) }
        }
        return (gone, come)
    }

    /// Passes each entry that only one state of a tree has to a closure.
    private func merge(
        _ root: UInt32, _ order: KeyOrder?,
        _ body: (_ entry: TreeEntry, _ isOld: Bool, _ fields: [Field], _ encoding: TextEncoding) throws ->
            Void
    ) throws {
        let (before, after) = (changes.before.file, changes.after.file)
        guard var pair = try TreePair(before, root: root, after, root: root, order: order) else {
            throw FileDamage(root, .treeKind)
        }
        pair.dirty = dirty
        var buffer = PayloadBuffer()
        var fields: [Field] = []
        func read(_ entry: TreeEntry?, _ file: DatabaseFile, isOld: Bool) throws {
            guard let entry else { return }
            try RecordReader.read(
                try file.bytes(of: entry.payload, in: &buffer), page: entry.payload.page, into: &fields)
            try body(entry, isOld, fields, file.header.encoding)
        }
        _ = try pair.merge(countsSkippedRows: false) { difference in
            let (old, new) = difference.entries
            try read(old, before, isOld: true)
            try read(new, after, isOld: false)
        }
    }
}

extension ScannedTree.Content {
    /// How the entries are sorted, and which columns differ between any two.
    fileprivate var orders: (order: KeyOrder?, unique: KeyOrder?) {
        switch self {
        case .pages, .unknown: (nil, nil)
        case .rows(let table): (table.order, nil)
        case .entries(let index, _): (index.order, index.unique)
        }
    }
}
