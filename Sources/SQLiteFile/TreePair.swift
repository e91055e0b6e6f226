/// A difference that a merge found at one key.
public enum EntryDifference {
    case onlyLeft(TreeEntry)
    case onlyRight(TreeEntry)
    /// The same key with different bytes.
    case changed(TreeEntry, TreeEntry)

    /// The entry on each side; nil where there is none.
    public var entries: (left: TreeEntry?, right: TreeEntry?) {
        switch self {
        case .onlyLeft(let entry): (entry, nil)
        case .onlyRight(let entry): (nil, entry)
        case .changed(let left, let right): (left, right)
        }
    }
}

/// The numbers of rows that a merge found.
public struct MergeCounts: Equatable, Sendable {
    /// Rows whose bytes are the same on both sides.
    public var equal = 0
    public var onlyLeft = 0
    public var onlyRight = 0
    public var changed = 0
    /// Leaves that are the same on both sides and were not read row by row. Their rows are included in
    /// ``equal`` unless `countsSkippedRows` is false.
    public var skippedLeaves = 0

    public var left: Int { equal + changed + onlyLeft }
    public var right: Int { equal + changed + onlyRight }
}

/// Two trees that hold the rows of one table, or the entries of one index, in two states.
public struct TreePair {
    public let left: DatabaseFile
    public let leftRoot: UInt32
    public let right: DatabaseFile
    public let rightRoot: UInt32
    let difference: PageDifference?
    let order: KeyOrder
    /// The pages of the left file under which anything differs, if ``PageParents`` were kept. Subtrees under
    /// other pages are skipped unread at any height.
    public var dirty: DirtyPages?

    /// - Parameters:
    ///   - difference: the pages that differ between the two files; nil if that is not known.
    ///   - order: for the trees of indexes and WITHOUT ROWID tables, how their keys sort on both sides; if nil,
    ///     by the bytes of all columns. A wrong order may report false differences, and hides none.
    /// - Returns: nil if the trees cannot be compared: texts in two encodings, or a tree of rowids and one of
    ///   keys.
    /// - Throws: ``FileDamage`` if a root page is not the root of a tree.
    public init?(
        _ left: DatabaseFile, root leftRoot: UInt32, _ right: DatabaseFile, root rightRoot: UInt32,
        difference: PageDifference? = nil, order: KeyOrder? = nil
    ) throws(FileDamage) {
        guard left.header.encoding == right.header.encoding,
            try left.treePage(leftRoot).kind.isTable == right.treePage(rightRoot).kind.isTable
        else { return nil }
        self.left = left
        self.leftRoot = leftRoot
        self.right = right
        self.rightRoot = rightRoot
        self.order = order ?? KeyOrder(allColumnsIn: left)
        self.difference = left.layout == right.layout ? difference : nil
    }

    /// Returns whether the pages prove that both trees hold the same: they have the same root, and none of
    /// its pages differs.
    ///
    /// The interior pages are read, and leaves only if ``PageDifference/mayHideOverflow``. Rows with the same
    /// bytes need not have the same values: that depends on the table's definition.
    public func isUntouched() throws -> Bool {
        guard let difference, leftRoot == rightRoot, !difference.pages.contains(leftRoot) else {
            return false
        }
        if difference.pages.isEmpty { return true }
        var reader = try TreeReader(left, root: leftRoot)
        while reader.position != .end {
            switch reader.position {
            case .subtree:
                if difference.pages.contains(reader.pending) { return false }
                if difference.mayHideOverflow {
                    if try difference.touchesOverflow(of: reader.pendingPage(), in: left) { return false }
                } else if reader.height == 0 {
                    try reader.leave()
                    continue
                }
                try reader.descend()
            case .leaf: try reader.leave()
            case .entry: try reader.advance()
            case .end: break
            }
        }
        return true
    }

    /// Divides all rowids into ranges with about as many rows of the left table each, which can be merged at the same
    /// time. Each ends where a leaf of that table does.
    /// - Returns: one range for a small table; none for the tree of an index.
    /// - Throws: ``FileDamage``.
    public func rowRanges(atLeast count: Int) throws(FileDamage) -> [ClosedRange<Int64>] {
        guard try left.treePage(leftRoot).kind.isTable else { return [] }
        var ranges: [ClosedRange<Int64>] = []
        var first = Int64.min
        for part in try Subtree.parts(of: leftRoot, in: left, atLeast: count) where !part.isOnePage {
            // In a damaged tree the keys between its parts need not be in order.
            guard let last = part.upper?.rowid, first <= last, last < .max else { continue }
            ranges.append(first...last)
            first = last + 1
        }
        return ranges + [first...Int64.max]
    }

    /// Walks both trees in the order of their keys and reports each difference.
    ///
    /// The reported entries may be used as long as the files live.
    /// - Parameters:
    ///   - countsSkippedRows: whether rows on leaves that both trees share are counted, which reads the leaves' headers.
    ///   - everyRow: whether rows with the same bytes are reported as changed too, if the same bytes can mean
    ///     different values on each side; nothing is skipped then.
    ///   - rows: which rows are looked at, for tables; nil for all. See ``rowRanges(atLeast:)``.
    /// - Throws: ``FileDamage``, and what `report` throws.
    public func merge(
        countsSkippedRows: Bool = true, everyRow: Bool = false, rows: ClosedRange<Int64>? = nil,
        _ report: (EntryDifference) throws -> Void
    ) throws -> MergeCounts {
        let left = try TreeReader(left, root: leftRoot, rows: rows)
        let right = try TreeReader(right, root: rightRoot, rows: rows)
        var merge = TreeMerge(self, left, right, countsSkippedRows: countsSkippedRows, everyRow: everyRow)
        try merge.run(report)
        return merge.counts
    }
}
