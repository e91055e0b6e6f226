/// A part of a tree that is read in one go: all of it, its root page, or everything below a child of the
/// root. A large tree has many such parts, so that all cores can read it.
public struct TreePart: Sendable {
    /// The figures that a part adds to those of its tree.
    public struct Reading: Sendable {
        let root: UInt32
        let kind: TreePage.Kind
        /// The usable size of a page, in bytes.
        let room: Int
        /// The usable size of a page after VACUUM, in bytes.
        let roomWhenPacked: Int
        var figures = TreeStatistics()
        /// Page numbers, doubled, plus 1 for leaves.
        var layout: [UInt64] = []
        var firstLeaf: UInt32?
        var lastLeaf: UInt32?
        var leavesWhenPacked = 0
        var overflowWhenPacked = 0
    }

    private enum Extent { case tree, rootPage, subtree(kind: TreePage.Kind) }

    private let root: UInt32
    private let extent: Extent

    /// Returns the parts in the order of the tree.
    /// - Throws: ``FileDamage``.
    public static func parts(of root: UInt32, in file: DatabaseFile) throws(FileDamage) -> [TreePart] {
        let page = try file.treePage(root)
        guard !page.kind.isLeaf, try !file.treePage(page.child(0)).kind.isLeaf else {
            return [TreePart(root: root, extent: .tree)]
        }
        var parts = [TreePart(root: root, extent: .rootPage)]
        for index in 0...page.cellCount {
            parts.append(TreePart(root: try page.child(index), extent: .subtree(kind: page.kind)))
        }
        return parts
    }

    /// Reads the part's pages.
    /// - Parameters:
    ///   - pageSize: the size in bytes of the pages that ``TreeStatistics/packedPages`` counts; nil for the
    ///     file's own.
    ///   - window: reads what is read once; nil to use the source's own bytes.
    /// - Throws: ``FileDamage``.
    public func read(
        _ file: DatabaseFile, packedInto pageSize: Int? = nil, through window: PageWindow? = nil
    ) throws -> Reading {
        let page = try file.treePage(root)
        let (header, layout) = (file.header, file.layout)
        let target =
            pageSize.map { PageLayout(pageSize: $0, usableSize: $0 - header.reservedBytes) } ?? layout
        var reading = Reading(
            root: root, kind: page.kind, room: layout.usableSize, roomWhenPacked: target.usableSize)
        var packing = Packing(layout: target)
        switch extent {
        case .rootPage:
            if try reading.add(page, &packing) {
                try file.forEachOverflowPage(of: page, through: window) { reading.addOverflow($0, $1) }
            }
            reading.figures.depth = 1
            reading.overflowWhenPacked = packing.overflowPages
            return reading
        case .tree: break
        case .subtree(let kind):
            if page.kind.isTable != kind.isTable { throw FileDamage(root, .treeKind) }
            reading.figures.depth = 1
        }
        let above = reading.figures.depth
        try file.walk(root, through: window) { visit in
            switch visit.content {
            case .overflow(let bytes):
                reading.addOverflow(visit.number, bytes)
                return false
            case .tree(let page):
                reading.figures.depth = max(reading.figures.depth, above + visit.depth + 1)
                return try reading.add(page, &packing)
            }
        }
        (reading.leavesWhenPacked, reading.overflowWhenPacked) = (packing.leaves, packing.overflowPages)
        return reading
    }
}

extension TreePart.Reading {
    /// Returns whether a cell of the page has overflow pages.
    mutating func add(_ page: TreePage, _ packing: inout Packing) throws(FileDamage) -> Bool {
        let hasOverflow = try figures.count(page, &packing)
        layout.append(UInt64(page.number) << 1 | (page.kind.isLeaf ? 1 : 0))
        guard page.kind.isLeaf else { return hasOverflow }
        if let lastLeaf, page.number != lastLeaf &+ 1 { figures.scatteredLeaves += 1 }
        firstLeaf = firstLeaf ?? page.number
        lastLeaf = page.number
        return hasOverflow
    }

    fileprivate mutating func addOverflow(_ number: UInt32, _ bytes: Int) {
        figures.countOverflow(bytes, room: room - 4)
        layout.append(UInt64(number) << 1)
    }
}
