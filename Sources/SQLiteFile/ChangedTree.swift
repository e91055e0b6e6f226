/// A check of what differs between two states of a tree, the earlier of which is whole: the later is then whole too.
///
/// It sees what ``TreeCheck`` sees, except entries of the pointer map for pages that are unchanged. Pages that two trees
/// share are seen when the ``PageParents`` are updated.
public struct ChangedTree {
    private let (before, after): (DatabaseFile, DatabaseFile)
    private let parents: PageParents
    private let dirty: DirtyPages
    private let root: UInt32
    private let holdsRowids: Bool?
    private let order: KeyOrder?
    private let unique: KeyOrder?
    private let uses: PageUses?
    private var leafDepth: Int?

    /// - Parameters:
    ///   - parents: those of the earlier state.
    ///   - dirty: the pages of the earlier state that have changed or lead to one that has.
    ///   - holdsRowids: see ``TreeCheck``, as for `order`, `unique` and `uses`.
    public init(
        _ before: DatabaseFile, _ after: DatabaseFile, root: UInt32, _ parents: PageParents,
        _ dirty: DirtyPages, holdsRowids: Bool? = nil, order: KeyOrder? = nil, unique: KeyOrder? = nil,
        uses: PageUses?
    ) {
        (self.before, self.after, self.root, self.holdsRowids) = (before, after, root, holdsRowids)
        (self.parents, self.dirty, self.order, self.unique) = (parents, dirty, order, unique)
        self.uses = uses
    }

    /// - Throws: ``FileDamage``.
    public mutating func check() throws {
        try check(Subtree(root), isFenced: false)
    }

    /// - Parameter isFenced: whether the keys on both sides are the same as before.
    private mutating func check(_ part: Subtree, isFenced: Bool) throws {
        guard part.depth < TreeCheck.maxDepth else { throw FileDamage(part.page, .treeDepth) }
        if isUnchanged(part.page) { return try checkEdges(of: part, isFenced: isFenced) }
        let page = try after.treePage(part.page)
        try checkPage(part, isLeaf: page.kind.isLeaf)
        guard !page.kind.isLeaf else { return try note(part.depth, page.number) }
        let fences = try Fences(page, of: before)
        var lower = part.lower
        for index in 0...page.cellCount {
            let upper = index < page.cellCount ? try page.entry(index) : part.upper
            let child = Subtree(try page.child(index), below: part, lower, upper)
            try check(child, isFenced: fences.isSame(around: index, of: page))
            lower = upper
        }
    }

    /// Whether a page and all below it are as they were, in the same tree.
    private func isUnchanged(_ page: UInt32) -> Bool {
        !dirty.contains(page) && parents.root(ofTreePage: page) == root
    }

    private mutating func checkPage(_ part: Subtree, isLeaf: Bool) throws {
        var part = part
        part.isOnePage = !isLeaf
        var check = TreeCheck(
            after, part, holdsRowids: holdsRowids, order: order, unique: unique, uses: uses)
        _ = try check.run(while: { true })
    }

    /// Checks that an unchanged subtree is at its depth, and that its first and last key lie between those around it.
    private mutating func checkEdges(of part: Subtree, isFenced: Bool) throws {
        var first = try leaf(below: part) { _ in 0 }
        try note(first.depth, first.page)
        guard !isFenced else { return }
        var last = try leaf(below: part) { $0.cellCount }
        (first.lower, last.upper) = (part.lower, part.upper)
        if first.page == last.page { last.lower = part.lower }
        for part in first.page == last.page ? [last] : [first, last] {
            var check = TreeCheck(after, part, holdsRowids: holdsRowids, order: order, unique: unique)
            _ = try check.run(while: { true })
        }
    }

    private func leaf(
        below part: Subtree, _ choose: (TreePage) -> Int
    ) throws(FileDamage) -> Subtree {
        var (leaf, page) = (part, try after.treePage(part.page))
        (leaf.lower, leaf.upper) = (nil, nil)
        while !page.kind.isLeaf {
            guard leaf.depth < TreeCheck.maxDepth else { throw FileDamage(page.number, .treeDepth) }
            leaf = Subtree(try page.child(choose(page)), below: leaf, nil, nil)
            page = try after.treePage(leaf.page)
        }
        return leaf
    }

    private mutating func note(_ depth: Int, _ page: UInt32) throws(FileDamage) {
        guard leafDepth.map({ $0 == depth }) ?? true else { throw FileDamage(page, .treeDepth) }
        leafDepth = depth
    }
}

/// The keys of an interior page in its earlier state.
private struct Fences {
    private let page: TreePage?
    private var places: [UInt32: Int] = [:]

    init(_ later: TreePage, of before: DatabaseFile) throws(FileDamage) {
        guard later.number <= before.pageCount, let page = try? before.treePage(later.number),
            page.kind == later.kind
        else {
            page = nil
            return
        }
        self.page = page
        for index in 0...page.cellCount {
            if let child = try? page.child(index) { places[child] = index }
        }
    }

    /// Returns whether a child was there before, between the same keys.
    func isSame(around index: Int, of later: TreePage) throws(FileDamage) -> Bool {
        guard let page, index > 0, index < later.cellCount, let old = places[try later.child(index)], old > 0,
            old < page.cellCount
        else { return false }
        let isLowerSame = try Self.areSame(page.entry(old - 1), later.entry(index - 1))
        let isUpperSame = try Self.areSame(page.entry(old), later.entry(index))
        return isLowerSame && isUpperSame
    }

    private static func areSame(_ one: TreeEntry, _ other: TreeEntry) -> Bool {
        one.rowid == other.rowid && one.payload.size == other.payload.size
            && one.payload.overflowPage == 0 && other.payload.overflowPage == 0
            && one.payload.local.elementsEqual(other.payload.local)
    }
}
