/// A walk over a tree in key order, subtree by subtree, so that a merge of two trees can skip what both
/// share.
///
/// It never goes deeper than 20 pages, like SQLite itself, and enters no more pages than the file has: a
/// circular tree, or one in which pages are shared, is damage and not an endless loop.
struct TreeReader {
    enum Position {
        /// Before the subtree under the page `pending`, which has not been read yet.
        case subtree
        /// At the cell `index` of the leaf `page`.
        case leaf
        /// At the cell `index` of the interior page `page`, an entry of an index between two children.
        case entry
        case end
    }

    private struct Frame {
        let page: TreePage
        /// The child that is being read.
        var index = 0
    }

    private static let maxDepth = 20

    let file: DatabaseFile
    let isTable: Bool
    private(set) var position = Position.subtree
    private(set) var pending: UInt32
    private(set) var page: TreePage
    var index = 0
    /// How many cells of the leaf are read: all, or those up to the last row that is wanted.
    private(set) var count = 0
    private let last: Int64?
    /// In a table, no later row has this rowid or a lower one.
    private(set) var fence: Int64?
    private var frames: [Frame] = []
    private let root: UInt32
    private let rootHeight: Int
    private var pagesEntered: UInt32 = 0

    /// - Parameters:
    ///   - rows: which rows of a table are read; nil for all of any tree.
    ///   - window: reads the leaf from which the tree's height is known.
    init(
        _ file: DatabaseFile, root: UInt32, rows: ClosedRange<Int64>? = nil, through window: PageWindow? = nil
    ) throws(FileDamage) {
        self.file = file
        self.root = root
        last = rows?.upperBound
        pending = root
        page = try file.treePage(root)
        isTable = page.kind.isTable
        var height = 0
        var first = page
        while !first.kind.isLeaf {
            height += 1
            guard height < Self.maxDepth else { throw FileDamage(root, .treeDepth) }
            let (parent, child) = (first, try first.child(0))
            if let window {
                first = try window.treePage(child) { Self.pagesNearby(parent, 0, window.capacity) }
            } else {
                first = try file.treePage(child)
            }
        }
        rootHeight = height
        frames.reserveCapacity(height)
        if let rows { try seek(rows.lowerBound) }
    }

    /// The height of the subtree, or the page, above the leaves.
    var height: Int { rootHeight - depth }

    /// The depth of the pending subtree, or the page, below the root.
    var depth: Int { frames.count }

    /// Goes back to the start.
    mutating func restart() {
        frames.removeAll(keepingCapacity: true)
        (position, pending, fence, pagesEntered) = (.subtree, root, nil, 0)
    }

    /// Returns the page that the pending subtree begins with.
    /// - Parameter window: reads leaves; the page of a leaf is then valid until the next one is asked for.
    func pendingPage(through window: PageWindow? = nil) throws(FileDamage) -> TreePage {
        let page: TreePage
        if let window, height == 0, let parent = frames.last {
            page = try window.treePage(pending) {
                Self.pagesNearby(parent.page, parent.index, window.capacity)
            }
        } else {
            page = try file.treePage(pending)
        }
        guard page.kind.isTable == isTable else { throw FileDamage(pending, .treeKind) }
        guard page.kind.isLeaf == (height == 0) else { throw FileDamage(pending, .treeDepth) }
        return page
    }

    /// Returns the number of pages from a child to the last of the children after it, as long as each lies close
    /// behind the one before.
    private static func pagesNearby(_ page: TreePage, _ index: Int, _ capacity: UInt32) -> UInt32 {
        guard let first = try? page.child(index) else { return 1 }
        var (last, index) = (first, index + 1)
        // The walk reports a damaged cell when it comes to it.
        while index <= page.cellCount, let next = try? page.child(index),
            next > last, next - last <= PageWindow.gap, next - first < capacity
        { (last, index) = (next, index + 1) }
        return last - first + 1
    }

    /// Enters the pending subtree by one page.
    mutating func descend() throws(FileDamage) {
        guard pagesEntered < file.pageCount else { throw FileDamage(pending, .pageUsedTwice) }
        pagesEntered += 1
        let next = try pendingPage()
        if next.kind.isLeaf {
            page = next
            index = 0
            count = try wantedCells(of: next)
            position = .leaf
            // The result must matter, or the compiler drops the reads.
            if next.readAhead() == .max { frames.reserveCapacity(rootHeight) }
            if count == 0 { try leave() }
        } else {
            frames.append(Frame(page: next))
            pending = try next.child(0)
        }
    }

    private func wantedCells(of leaf: TreePage) throws(FileDamage) -> Int {
        guard let last, last < .max, leaf.cellCount > 0, try leaf.entry(leaf.cellCount - 1).rowid > last
        else {
            return leaf.cellCount
        }
        return try leaf.firstCell(notBelow: last + 1)
    }

    /// Moves past the pending subtree, or past the leaf.
    mutating func leave() throws(FileDamage) {
        while let frame = frames.last {
            if frame.index < frame.page.cellCount {
                guard isTable else {
                    (page, index, position) = (frame.page, frame.index, .entry)
                    return
                }
                let fence = try frame.page.separator(frame.index).rowid
                self.fence = fence
                if let last, fence >= last { break }
                return try enterNextChild()
            }
            frames.removeLast()
        }
        position = .end
    }

    private mutating func enterNextChild() throws(FileDamage) {
        let last = frames.count - 1
        frames[last].index += 1
        pending = try frames[last].page.child(frames[last].index)
        position = .subtree
    }

    /// Returns the entry at the position, which must be a leaf's cell or an entry between two children.
    @inline(__always) func entry() throws(FileDamage) -> TreeEntry {
        isTable ? try page.tableEntry(index) : try page.indexEntry(index)
    }

    /// Moves past the entry at the position.
    @inline(__always) mutating func advance() throws(FileDamage) {
        if position == .leaf {
            index += 1
            if index == count { try leave() }
        } else {
            try enterNextChild()
        }
    }

    /// Moves to the first row whose rowid is `rowid` or higher; the tree must be a table's.
    mutating func seek(_ rowid: Int64) throws(FileDamage) {
        restart()
        while position == .subtree {
            try descend()
            if position == .leaf {
                index = try page.firstCell(notBelow: rowid)
                if index >= count { try leave() }
                return
            }
            guard let frame = frames.last else { return }
            let child = try frame.page.firstCell(notBelow: rowid)
            frames[frames.count - 1].index = child
            pending = try frame.page.child(child)
        }
    }
}

extension TreePage {
    /// Reads from every cache line at once, which takes half the time of waiting for the first line of each
    /// cell in turn: cells are placed from the page's end to its start, which no processor prefetches.
    func readAhead() -> UInt64 {
        var sum: UInt64 = 0
        for offset in stride(from: 0, to: layout.pageSize, by: 64) { sum ^= start.uint64(at: offset) }
        return sum
    }

    /// Whether most cache lines hold a part of a cell, so that ``readAhead()`` reads little that nobody needs.
    var isDense: Bool { cellCount > layout.pageSize / 256 }

    /// Returns the first cell whose rowid is `rowid` or higher; `cellCount` if there is none.
    fileprivate func firstCell(notBelow rowid: Int64) throws(FileDamage) -> Int {
        var (low, high) = (0, cellCount)
        while low < high {
            let middle = (low + high) / 2
            if try entry(middle).rowid < rowid { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
