/// The page that leads to each page: for the child of an interior page that page, for an overflow page the
/// b-tree page with its cell, for a root the root itself.
///
/// It shows what a change of some pages can have changed without reading any tree: a tree has different
/// entries only if one of its pages has different bytes, and the way up from each changed page leads to the
/// tree's root. If it is kept from state to state, its cost depends on what changed, not on the size of the
/// file.
public struct PageParents: Sendable, Equatable {
    /// The parents by page number; 0 for a page that is in no tree.
    private var parents: [UInt32]

    /// The bit that marks overflow pages; files with this many pages are not read.
    static let overflow: UInt32 = 1 << 31

    /// Returns a link as ``words`` has it.
    static func word(of link: Link) -> UInt32 { link.parent | (link.isOverflow ? overflow : 0) }

    /// Reads every tree.
    /// - Parameter roots: the root pages of all trees; that of the schema table, 1, may be left out.
    /// - Throws: ``FileDamage``, also if trees share a page.
    public init(_ file: DatabaseFile, roots: some Sequence<UInt32>) throws(FileDamage) {
        guard file.pageCount < Self.overflow else {
            throw FileDamage(1, .fileTooShort(pages: file.pageCount))
        }
        parents = Array(repeating: 0, count: Int(file.pageCount) + 1)
        guard file.pageCount > 0 else { return }
        for root in Set(roots).union([1]) {
            var walk = Walk(file: file)
            try walk.run(root) { _ in false }
            for link in walk.links { try adopt(link) }
        }
    }

    /// Restores the parents from ``words``.
    public init(words: [UInt32]) { parents = words }

    /// The complete state, to be stored.
    public var words: [UInt32] { parents }

    /// Returns the changed pages, and all pages that lead to one of them.
    /// - Parameter changed: the numbers of the pages whose bytes differ or that no longer exist.
    public func dirt(_ changed: some Sequence<UInt32>) -> DirtyPages {
        var dirty = DirtyPages(count: parents.count)
        for page in changed {
            var page = page
            // The pages above a dirty page are dirty already.
            while dirty.insert(page) {
                guard let parent = parent(of: page), parent != page else { break }
                page = parent
            }
        }
        return dirty
    }

    /// Returns whether a page is the root of a tree.
    public func isRoot(_ page: UInt32) -> Bool { parent(of: page) == page }

    /// Returns the page that leads to another, the page itself for a root; nil if none does.
    public func parent(of page: UInt32) -> UInt32? {
        guard Int(page) < parents.count else { return nil }
        let parent = parents[Int(page)] & ~Self.overflow
        return parent == 0 ? nil : parent
    }

    /// Returns the root of the tree that a page is in; nil for an overflow page, or one that is in no tree.
    func root(ofTreePage page: UInt32) -> UInt32? {
        guard Int(page) < parents.count, parents[Int(page)] & Self.overflow == 0 else { return nil }
        var page = page
        for _ in 0...TreeCheck.maxDepth {
            guard let parent = parent(of: page) else { return nil }
            if parent == page { return page }
            page = parent
        }
        return nil
    }

    /// The pages that are in a tree.
    public var pages: PageSet {
        var pages = PageSet(pageCount: UInt32(clamping: max(0, parents.count - 1)))
        for number in parents.indices where parents[number] != 0 { pages.insert(UInt32(number)) }
        return pages
    }

    /// Returns the parents in a later state of the file.
    ///
    /// A page that was in a tree and is not dirty is unchanged, as is everything under it. So only dirty
    /// pages are read, and those that were in no tree: new pages, and free pages that are used again, whose
    /// bytes may be the same. Pages under a clean page that no longer has a parent are removed, except those
    /// that have a different parent now.
    /// - Parameters:
    ///   - dirty: the result of ``dirt(_:)`` for every page whose bytes differ between the two states.
    ///   - roots: the root pages in the later state.
    /// - Throws: ``FileDamage``, also if trees share a page.
    public func updated(
        from before: DatabaseFile, to after: DatabaseFile, dirty: DirtyPages, roots: some Sequence<UInt32>
    ) throws(FileDamage) -> PageParents {
        guard after.pageCount < Self.overflow else {
            throw FileDamage(1, .fileTooShort(pages: after.pageCount))
        }
        let roots = Set(roots).union([1])
        var walk = Walk(file: after)
        for root in roots where !(isRoot(root) && !dirty.contains(root)) {
            try walk.run(root) { link in isSame(link) && !dirty.contains(link.page) }
        }
        let kept = Set(walk.links.map(\.page)).union(roots)
        var result = self
        let gone = parents.indices.lazy.map(UInt32.init).filter { isRoot($0) && !roots.contains($0) }
        for page in dirty.pages + gone {
            try result.forget(page, before) { kept.contains($0) && !dirty.contains($0) }
        }
        let count = Int(after.pageCount) + 1
        result.parents.removeLast(max(0, result.parents.count - count))
        result.parents += Array(repeating: 0, count: count - result.parents.count)
        for link in walk.links { try result.adopt(link) }
        return result
    }

    /// Returns whether a page is of the same kind as before: a tree page or an overflow page.
    private func isSame(_ link: Link) -> Bool {
        parent(of: link.page) != nil && (parents[Int(link.page)] & Self.overflow != 0) == link.isOverflow
    }

    private mutating func adopt(_ link: Link) throws(FileDamage) {
        guard Int(link.page) < parents.count else { throw FileDamage(link.page, .pageOutsideFile) }
        guard parents[Int(link.page)] == 0 else { throw FileDamage(link.page, .pageUsedTwice) }
        parents[Int(link.page)] = Self.word(of: link)
    }

    /// Removes the parents of a page and of the pages under it, except those that are kept.
    private mutating func forget(
        _ page: UInt32, _ file: DatabaseFile, isKept: (UInt32) -> Bool
    ) throws(FileDamage) {
        var open = [page]
        while let page = open.popLast() {
            guard parent(of: page) != nil else { continue }
            let isOverflow = parents[Int(page)] & Self.overflow != 0
            parents[Int(page)] = 0
            guard !isOverflow else { continue }
            try file.forEachLink(of: page) { link in
                if !isKept(link.page) {
                    open.append(link.page)
                } else if parent(of: link.page) == page {
                    // The page is added again under its new parent.
                    parents[Int(link.page)] = 0
                }
            }
        }
    }
}

/// A page, and the page that leads to it.
struct Link {
    var page: UInt32
    var parent: UInt32
    var isOverflow: Bool
}

/// Collects the links under a root, without known subtrees.
private struct Walk {
    let file: DatabaseFile
    private(set) var links: [Link] = []

    init(file: DatabaseFile) { self.file = file }

    mutating func run(_ root: UInt32, isKnown: (Link) -> Bool) throws(FileDamage) {
        links.append(Link(page: root, parent: root, isOverflow: false))
        var open = [root]
        while let page = open.popLast() {
            // A circular tree has more links than the file has pages.
            guard links.count <= Int(file.pageCount) else { throw FileDamage(page, .pageUsedTwice) }
            try file.forEachLink(of: page) { link in
                links.append(link)
                if !link.isOverflow, !isKnown(link) { open.append(link.page) }
            }
        }
    }
}

extension DatabaseFile {
    /// Calls a closure with every page that a b-tree page leads to: its children, and the overflow pages of
    /// its cells.
    func forEachLink(of number: UInt32, _ body: (Link) -> Void) throws(FileDamage) {
        let page = try treePage(number)
        if !page.kind.isLeaf {
            for index in 0...page.cellCount {
                body(Link(page: try page.child(index), parent: number, isOverflow: false))
            }
        }
        guard try page.hasOverflow() else { return }
        for index in 0..<page.cellCount {
            var chain = try OverflowChain(try page.entry(index).payload, in: self)
            while let (overflow, _) = try chain.readPage() {
                body(Link(page: overflow, parent: number, isOverflow: true))
            }
        }
    }
}
