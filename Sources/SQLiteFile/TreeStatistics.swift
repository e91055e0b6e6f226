/// The use that a tree makes of its pages: the figures that `sqlite3_analyzer` has in the columns of
/// `space_used`, and some that it does not have.
///
/// Each figure is that of the `dbstat` virtual table, summed (https://www.sqlite.org/dbstat.html,
/// tool/spaceanal.tcl). All sizes are in bytes.
public struct TreeStatistics: Equatable, Sendable {
    /// Cells of all b-tree pages (`nentry`); for a table this includes the keys of its interior pages.
    public internal(set) var cellCount = 0
    /// Cells of leaves (`leaf_entries`).
    public internal(set) var leafCellCount = 0
    /// Levels of b-tree pages, 1 if the root is a leaf (`depth`).
    public internal(set) var depth = 0
    /// Stored bytes, record headers included (`payload`).
    public internal(set) var payload = 0
    /// The part of ``payload`` on overflow pages (`ovfl_payload`).
    public internal(set) var overflowPayload = 0
    /// Cells that have overflow pages (`ovfl_cnt`).
    public internal(set) var overflowCellCount = 0
    /// The largest payload of a cell (`mx_payload`).
    public internal(set) var largestPayload = 0
    /// `int_pages`
    public internal(set) var interiorPages = 0
    /// `leaf_pages`
    public internal(set) var leafPages = 0
    /// `ovfl_pages`
    public internal(set) var overflowPages = 0
    /// `int_unused`
    public internal(set) var interiorUnused = 0
    /// `leaf_unused`
    public internal(set) var leafUnused = 0
    /// `ovfl_unused`
    public internal(set) var overflowUnused = 0
    /// Leaves that do not directly follow the tree's page before them in the file (`gap_cnt`).
    public internal(set) var gapCount = 0
    /// Leaves that do not directly follow, in the file, the leaf before them in the order of the keys: the
    /// seeks of a scan. 0 for a tree that was written in order.
    public internal(set) var scatteredLeaves = 0
    /// The number of payloads by size: index `n` counts those of `2^(n-1)` to below `2^n` bytes, index 0
    /// empty ones.
    public internal(set) var payloadSizes = Array(repeating: 0, count: 33)

    /// An estimate of the pages, of the requested size, that the tree would need if they were full, as VACUUM
    /// leaves them.
    public internal(set) var packedPages = 0

    public var pages: Int { interiorPages + leafPages + overflowPages }
    public var unused: Int { interiorUnused + leafUnused + overflowUnused }

    /// Rows of a table, entries of an index or of a WITHOUT ROWID table.
    public internal(set) var rowCount = 0

    init() {}

    /// Reads every page of a tree, its overflow pages included, and the size of every payload.
    /// - Throws: ``FileDamage``.
    public init(_ file: DatabaseFile, root: UInt32) throws {
        try self.init(TreePart.parts(of: root, in: file).map { try $0.read(file) }[...])
    }

    /// Adds up the parts of a tree, in their order.
    /// - Throws: ``FileDamage`` if they do not make one tree.
    public init(_ parts: ArraySlice<TreePart.Reading>) throws(FileDamage) {
        guard let first = parts.first else {
            self.init()
            return
        }
        if parts.count == 1 {
            self = first.figures
        } else {
            self.init()
            try add(parts)
        }
        gapCount = try PageOrder.gaps(in: parts)
        let leaves = parts.reduce(0) { $0 + $1.leavesWhenPacked }
        packedPages =
            parts.reduce(0) { $0 + $1.overflowWhenPacked }
            + Packing.pages(
                leaves: max(1, leaves), room: first.roomWhenPacked, isTable: first.kind.isTable)
    }

    private mutating func add(_ parts: ArraySlice<TreePart.Reading>) throws(FileDamage) {
        var lastLeaf: UInt32?
        for part in parts {
            try add(part.figures, part)
            if let lastLeaf, let first = part.firstLeaf, first != lastLeaf &+ 1 { scatteredLeaves += 1 }
            lastLeaf = part.lastLeaf ?? lastLeaf
        }
    }

    private mutating func add(_ other: TreeStatistics, _ part: TreePart.Reading) throws(FileDamage) {
        guard depth == 0 || other.depth == depth || other.leafPages == 0 || leafPages == 0 else {
            throw FileDamage(part.root, .treeDepth)
        }
        cellCount += other.cellCount
        leafCellCount += other.leafCellCount
        depth = max(depth, other.depth)
        payload += other.payload
        overflowPayload += other.overflowPayload
        overflowCellCount += other.overflowCellCount
        largestPayload = max(largestPayload, other.largestPayload)
        interiorPages += other.interiorPages
        leafPages += other.leafPages
        overflowPages += other.overflowPages
        interiorUnused += other.interiorUnused
        leafUnused += other.leafUnused
        overflowUnused += other.overflowUnused
        scatteredLeaves += other.scatteredLeaves
        rowCount += other.rowCount
        for index in payloadSizes.indices { payloadSizes[index] += other.payloadSizes[index] }
    }

    /// Returns whether a cell of the page has overflow pages.
    mutating func count(_ page: TreePage, _ packing: inout Packing) throws(FileDamage) -> Bool {
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
        guard page.kind != .tableInterior else { return false }
        rowCount += page.cellCount
        // The result must matter, or the compiler drops the reads.
        if page.isDense, page.readAhead() == .max { payloadSizes.reserveCapacity(33) }
        return try page.kind.isTable
            ? countCells(of: page, isTable: true, &packing) : countCells(of: page, isTable: false, &packing)
    }

    @inline(__always) private mutating func countCells(
        of page: TreePage, isTable: Bool, _ packing: inout Packing
    ) throws(FileDamage) -> Bool {
        var (stored, overflowing, largest) = (0, 0, largestPayload)
        var packed = packing
        try payloadSizes.withUnsafeMutableBufferPointer { (sizes) throws(FileDamage) in
            for index in 0..<page.cellCount {
                let cell = try page.cellSizes(index, isTable: isTable)
                stored += cell.local
                if cell.payload > cell.local { overflowing += 1 }
                packed.add(cell, isTable: isTable)
                largest = max(largest, cell.payload)
                sizes[min(32, Int.bitWidth - cell.payload.leadingZeroBitCount)] += 1
            }
        }
        packing = packed
        payload += stored
        overflowCellCount += overflowing
        largestPayload = largest
        return overflowing > 0
    }

    mutating func countOverflow(_ bytes: Int, room: Int) {
        overflowPages += 1
        overflowPayload += bytes
        payload += bytes
        overflowUnused += room - bytes
    }
}
