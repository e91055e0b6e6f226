/// The walk of ``TreePair/merge(countsSkippedRows:_:)``: two readers, each before a subtree or at an entry.
///
/// Subtrees are entered together, those of the same height side by side, so that both readers reach a shared
/// page at once. If one side is at a row and the other before a subtree, rows at or below the fence cannot be
/// in the subtree: an insertion that split a leaf does not make the walk read the leaves after it.
struct TreeMerge: ~Copyable {
    typealias Report = (EntryDifference) throws -> Void

    private var left: TreeReader
    private var right: TreeReader
    private let difference: PageDifference?
    private let dirty: DirtyPages?
    private let everyRow: Bool
    private let order: KeyOrder
    private let countsSkippedRows: Bool
    private var leftBuffer = PayloadBuffer()
    private var rightBuffer = PayloadBuffer()
    private(set) var counts = MergeCounts()

    init(_ pair: TreePair, _ left: TreeReader, _ right: TreeReader, countsSkippedRows: Bool, everyRow: Bool) {
        self.left = left
        self.right = right
        difference = pair.difference
        dirty = pair.dirty
        self.everyRow = everyRow
        order = pair.order
        self.countsSkippedRows = countsSkippedRows
    }

    mutating func run(_ report: Report) throws {
        while true {
            switch (left.position, right.position) {
            case (.end, .end): return
            case (.subtree, .subtree): try meet()
            case (.subtree, .end): try left.descend()
            case (.end, .subtree): try right.descend()
            case (.subtree, _):
                if let fence = left.fence, try right.entry().rowid <= fence {
                    try reportRight(report)
                } else {
                    try left.descend()
                }
            case (_, .subtree):
                if let fence = right.fence, try left.entry().rowid <= fence {
                    try reportLeft(report)
                } else {
                    try right.descend()
                }
            case (_, .end): try reportLeft(report)
            case (.end, _): try reportRight(report)
            default:
                if left.isTable { try mergeRows(report) } else { try mergeKeys(report) }
            }
        }
    }

    private mutating func reportLeft(_ report: Report) throws {
        counts.onlyLeft += 1
        try report(.onlyLeft(left.entry()))
        try left.advance()
    }

    private mutating func reportRight(_ report: Report) throws {
        counts.onlyRight += 1
        try report(.onlyRight(right.entry()))
        try right.advance()
    }

    /// Compares two leaves of a table, row by row until one ends.
    private mutating func mergeRows(_ report: Report) throws {
        let (leftPage, rightPage) = (left.page, right.page)
        var (i, j, equal) = (left.index, right.index, 0)
        while i < left.count, j < right.count {
            let a = try leftPage.tableEntry(i)
            let b = try rightPage.tableEntry(j)
            if a.rowid == b.rowid {
                if try !everyRow && isEqual(a.payload, b.payload) {
                    equal += 1
                } else {
                    counts.changed += 1
                    try report(.changed(a, b))
                }
                i += 1
                j += 1
            } else if a.rowid < b.rowid {
                counts.onlyLeft += 1
                try report(.onlyLeft(a))
                i += 1
            } else {
                counts.onlyRight += 1
                try report(.onlyRight(b))
                j += 1
            }
        }
        counts.equal += equal
        left.index = i
        right.index = j
        if i == left.count { try left.leave() }
        if j == right.count { try right.leave() }
    }

    /// Compares two leaves of an index as far as their entries are the same, then one entry by its key.
    private mutating func mergeKeys(_ report: Report) throws {
        guard left.position == .leaf, right.position == .leaf else { return try mergeEntry(report) }
        let (leftPage, rightPage) = (left.page, right.page)
        let count = min(leftPage.cellCount - left.index, rightPage.cellCount - right.index)
        var equal = 0
        while equal < count {
            let a = try leftPage.indexEntry(left.index + equal)
            let b = try rightPage.indexEntry(right.index + equal)
            guard try !everyRow && isEqual(a.payload, b.payload) else { break }
            equal += 1
        }
        counts.equal += equal
        left.index += equal
        right.index += equal
        if left.index == leftPage.cellCount { try left.leave() }
        if right.index == rightPage.cellCount { try right.leave() }
        if equal < count { try mergeEntry(report) }
    }

    /// Compares one entry of an index on each side. Keys are compared only if their bytes differ.
    private mutating func mergeEntry(_ report: Report) throws {
        let (a, b) = (try left.entry(), try right.entry())
        if try !everyRow && isEqual(a.payload, b.payload) {
            counts.equal += 1
        } else {
            let key = try left.file.bytes(of: a.payload, in: &leftBuffer)
            let otherKey = try right.file.bytes(of: b.payload, in: &rightBuffer)
            let comparison = try order.compare(key, otherKey, page: a.payload.page)
            if comparison < 0 { return try reportLeft(report) }
            if comparison > 0 { return try reportRight(report) }
            counts.changed += 1
            try report(.changed(a, b))
        }
        try left.advance()
        try right.advance()
    }

    @inline(__always) private func isEqual(_ a: Payload, _ b: Payload) throws(FileDamage) -> Bool {
        guard a.size == b.size else { return false }
        if a.localSize == a.size, b.localSize == b.size { return a.start.isEqual(to: b.start, count: a.size) }
        return try left.file.isEqual(a, to: b, in: right.file)
    }

    /// Both sides are before a subtree: skips what they share, or enters the higher one, or both.
    private mutating func meet() throws {
        if left.height > right.height { return try left.descend() }
        if right.height > left.height { return try right.descend() }
        if everyRow {
            try left.descend()
            try right.descend()
        } else if try isShared() {
            try skip()
        } else if try left.height == 0 && isEqualLeaf() {
            // It was read, if not row by row.
            if !countsSkippedRows { counts.equal += try left.pendingPage().cellCount }
            try skip()
        } else {
            try left.descend()
            try right.descend()
        }
    }

    /// Returns whether the subtrees are a leaf, or an interior page over leaves, that both trees share.
    private func isShared() throws -> Bool {
        if let dirty { return left.pending == right.pending && !dirty.contains(left.pending) }
        guard let difference, left.pending == right.pending, left.height <= 1,
            !difference.pages.contains(left.pending)
        else { return false }
        if left.height == 0 {
            return try !difference.mayHideOverflow
                || !difference.touchesOverflow(of: left.pendingPage(), in: left.file)
        }
        return try !difference.mayHideOverflow && !difference.touchesChildren(of: left.pendingPage())
    }

    /// Returns whether two leaves have the same bytes and no overflow pages.
    private func isEqualLeaf() throws(FileDamage) -> Bool {
        let (a, b) = (try left.pendingPage(), try right.pendingPage())
        guard a.layout == b.layout, a.number != 1, b.number != 1,
            a.start.isEqual(to: b.start, count: a.layout.usableSize)
        else { return false }
        return try !a.hasOverflow()
    }

    private mutating func skip() throws(FileDamage) {
        let page = left.height > 0 || countsSkippedRows ? try left.pendingPage() : nil
        if let page, left.height > 0 {
            counts.skippedLeaves += page.cellCount + 1
            if countsSkippedRows {
                if !left.isTable { counts.equal += page.cellCount }
                for index in 0...page.cellCount {
                    counts.equal += try left.file.treePage(page.child(index)).cellCount
                }
            }
        } else {
            counts.skippedLeaves += 1
            counts.equal += page?.cellCount ?? 0
        }
        try left.leave()
        try right.leave()
    }
}
