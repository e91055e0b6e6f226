/// How a tree uses its pages: what `sqlite3_analyzer` has in the columns of `space_used`, under their
/// meaning, and what it leaves out.
///
/// Each figure is that of the `dbstat` virtual table, summed (https://www.sqlite.org/dbstat.html,
/// tool/spaceanal.tcl). All sizes are in bytes.
public struct TreeStatistics: Equatable, Sendable {
    /// Cells of all b-tree pages (`nentry`): of a table the keys of its interior pages too.
    public private(set) var cellCount = 0
    /// Cells of leaves (`leaf_entries`).
    public private(set) var leafCellCount = 0
    /// Levels of b-tree pages, 1 where the root is a leaf (`depth`).
    public private(set) var depth = 0
    /// What is stored, record headers included (`payload`).
    public private(set) var payload = 0
    /// What of it lies on overflow pages (`ovfl_payload`).
    public private(set) var overflowPayload = 0
    /// Cells that have overflow pages (`ovfl_cnt`).
    public private(set) var overflowCellCount = 0
    /// The largest payload of a cell (`mx_payload`).
    public private(set) var largestPayload = 0
    /// `int_pages`
    public private(set) var interiorPages = 0
    /// `leaf_pages`
    public private(set) var leafPages = 0
    /// `ovfl_pages`
    public private(set) var overflowPages = 0
    /// `int_unused`
    public private(set) var interiorUnused = 0
    /// `leaf_unused`
    public private(set) var leafUnused = 0
    /// `ovfl_unused`
    public private(set) var overflowUnused = 0
    /// Leaves that are not right behind the tree's page before them in the file (`gap_cnt`).
    public private(set) var gapCount = 0
    /// Leaves that are not right behind the leaf that comes before them in the order of the keys: what a scan
    /// has to seek for. 0 for a tree that was written in order.
    public private(set) var scatteredLeaves = 0
    /// How many payloads there are by size: at index `n` those of `2^(n-1)` to below `2^n` bytes; empty ones
    /// at 0.
    public private(set) var payloadSizes = Array(repeating: 0, count: 33)

    /// About how many pages the tree would need were they full, as VACUUM leaves them.
    public private(set) var packedPages = 0

    public var pages: Int { interiorPages + leafPages + overflowPages }
    public var unused: Int { interiorUnused + leafUnused + overflowUnused }

    /// Rows of a table, entries of an index or of a WITHOUT ROWID table.
    public private(set) var rowCount = 0

    /// Reads every page of a tree, its overflow pages included, and the size of every payload.
    /// - Throws: ``FileDamage``.
    public init(_ file: DatabaseFile, root: UInt32) throws {
        var layout: [UInt64] = []
        var lastLeaf: UInt32?
        var packing = Packing(room: file.header.usableSize)
        try file.forEachPage(ofTree: root) { visit in
            var isLeaf = false
            switch visit.content {
            case .overflow(let bytes):
                overflowPages += 1
                overflowPayload += bytes
                payload += bytes
                overflowUnused += file.header.usableSize - 4 - bytes
            case .tree(let page):
                isLeaf = page.kind.isLeaf
                try count(page, &packing)
                depth = max(depth, visit.depth + 1)
                if isLeaf {
                    if let lastLeaf, page.number != lastLeaf &+ 1 { scatteredLeaves += 1 }
                    lastLeaf = page.number
                }
            }
            layout.append(UInt64(visit.number) << 1 | (isLeaf ? 1 : 0))
        }
        countGaps(&layout)
        packedPages = overflowPages + packing.pages(isTable: try file.treePage(root).kind.isTable)
    }

    private mutating func count(_ page: TreePage, _ packing: inout Packing) throws(FileDamage) {
        cellCount += page.cellCount
        let unused = try page.unusedBytes()
        if page.kind.isLeaf {
            leafPages += 1
            leafCellCount += page.cellCount
            leafUnused += unused
        } else {
            interiorPages += 1
            interiorUnused += unused
        }
        guard page.kind != .tableInterior else { return }
        rowCount += page.cellCount
        for index in 0..<page.cellCount {
            let cell = try page.entry(index).payload
            payload += cell.localSize
            if cell.size > cell.localSize { overflowCellCount += 1 }
            packing.add(cell.start + cell.storedSize - (try page.cell(index)))
            largestPayload = max(largestPayload, cell.size)
            payloadSizes[min(32, Int.bitWidth - cell.size.leadingZeroBitCount)] += 1
        }
    }

    /// - Parameter layout: numbers of pages, doubled, plus 1 for leaves.
    private mutating func countGaps(_ layout: inout [UInt64]) {
        layout.sort()
        for (before, page) in zip(layout, layout.dropFirst())
        where page & 1 == 1 && page >> 1 != before >> 1 + 1 {
            gapCount += 1
        }
    }
}

/// Fills pages with cells, one behind the other.
private struct Packing {
    /// Of a page, in bytes.
    let room: Int
    private var leaves = 1
    private var used = 8

    init(room: Int) { self.room = room }

    /// - Parameter size: of a cell, without its two bytes in the cell pointer array.
    mutating func add(_ size: Int) {
        let size = max(4, size) + 2
        if used + size > room {
            leaves += 1
            used = 8
        }
        used += size
    }

    /// All b-tree pages above and of the leaves. A child costs an interior page of a table its number, a
    /// rowid of some bytes, and the pointer; in an index an entry that a leaf would have otherwise.
    func pages(isTable: Bool) -> Int {
        var (total, level) = (leaves, leaves)
        let fanout = max(2, (room - 12) / (isTable ? 11 : 40))
        while level > 1 {
            level = (level + fanout - 1) / fanout
            total += level
        }
        return total
    }
}
