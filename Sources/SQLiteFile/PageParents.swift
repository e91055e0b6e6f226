/// Which page leads to each page: for the child of an interior page that page, for an overflow page the
/// b-tree page with its cell, for a root itself.
///
/// It answers what a change of some pages can have changed without reading any tree: a tree shows other
/// entries only where one of its pages has other bytes, and the way up from each changed page names the tree.
/// Kept from state to state it costs what changed, not what is there.
public struct PageParents: Sendable, Equatable {
    /// By page number; 0 for a page that is in no tree.
    private var parents: [UInt32]

    /// Marks overflow pages among the parents; files with so many pages are not read.
    private static let overflow: UInt32 = 1 << 31

    /// Reads every tree.
    /// - Parameter roots: the root pages of all trees; that of the schema table, 1, may be left out.
    /// - Throws: ``FileDamage``, also where trees share a page.
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

    /// Restores what ``words`` gave.
    public init(words: [UInt32]) { parents = words }

    /// Everything that there is to keep.
    public var words: [UInt32] { parents }

    /// The changed pages that are in a tree, and all that lead to one.
    ///
    /// - Parameter changed: the numbers of pages whose bytes differ, or that are gone.
    public func dirt(_ changed: some Sequence<UInt32>) -> DirtyPages {
        var dirty = DirtyPages(count: parents.count)
        for page in changed {
            var page = page
            // A page that is dirty already has led up already.
            while dirty.insert(page) {
                guard let parent = parent(of: page), parent != page else { break }
                page = parent
            }
        }
        return dirty
    }

    /// Whether a page is the root of a tree.
    public func isRoot(_ page: UInt32) -> Bool { parent(of: page) == page }

    /// The page that leads to another, for a root itself; nil where none does.
    public func parent(of page: UInt32) -> UInt32? {
        guard Int(page) < parents.count else { return nil }
        let parent = parents[Int(page)] & ~Self.overflow
        return parent == 0 ? nil : parent
    }

    /// The same for a later state of the file.
    ///
    /// A page that was in a tree and is not dirty has the bytes that it had, as has all that is under it. So
    /// only dirty pages are read, and those that were in no tree: new ones, and free ones that came into use,
    /// whose bytes may have stayed what they were. What was under a clean page that nothing leads to any more
    /// is forgotten, but for what something else leads to now.
    /// - Parameters:
    ///   - dirty: of ``dirt(_:)``, with every page whose bytes differ between the two.
    ///   - roots: of the later state.
    /// - Throws: ``FileDamage``, also where trees share a page.
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

    /// Whether a page plays the part that it played.
    private func isSame(_ link: Link) -> Bool {
        parent(of: link.page) != nil && (parents[Int(link.page)] & Self.overflow != 0) == link.isOverflow
    }

    private mutating func adopt(_ link: Link) throws(FileDamage) {
        guard Int(link.page) < parents.count else { throw FileDamage(link.page, .pageOutsideFile) }
        guard parents[Int(link.page)] == 0 else { throw FileDamage(link.page, .pageUsedTwice) }
        parents[Int(link.page)] = link.parent | (link.isOverflow ? Self.overflow : 0)
    }

    /// Forgets who leads to a page and to those under it, as far as these are not kept.
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
                    // It is entered anew, under what leads to it now.
                    parents[Int(link.page)] = 0
                }
            }
        }
    }
}

/// A page, and the one that leads to it.
struct Link {
    var page: UInt32
    var parent: UInt32
    var isOverflow: Bool
}

/// Collects the links under a root, subtrees that are known left out.
private struct Walk {
    let file: DatabaseFile
    private(set) var links: [Link] = []

    init(file: DatabaseFile) { self.file = file }

    mutating func run(_ root: UInt32, isKnown: (Link) -> Bool) throws(FileDamage) {
        links.append(Link(page: root, parent: root, isOverflow: false))
        var open = [root]
        while let page = open.popLast() {
            // A tree that runs in a circle has more links than the file has pages.
            guard links.count <= Int(file.pageCount) else { throw FileDamage(page, .pageUsedTwice) }
            try file.forEachLink(of: page) { link in
                links.append(link)
                if !link.isOverflow, !isKnown(link) { open.append(link.page) }
            }
        }
    }
}

extension DatabaseFile {
    /// What a b-tree page leads to: its children, and the overflow pages of its cells.
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
