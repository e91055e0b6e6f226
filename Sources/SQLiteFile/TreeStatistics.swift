/// The use that a tree makes of its pages: the figures that `sqlite3_analyzer` has in the columns of
/// `space_used`, and some that it does not have.
///
/// Each figure is that of the `dbstat` virtual table, summed (https://www.sqlite.org/dbstat.html,
/// tool/spaceanal.tcl). All sizes are in bytes.
public struct TreeStatistics: Equatable, Sendable {
    /// Cells of all b-tree pages (`nentry`); for a table this includes the keys of its interior pages.
    public fileprivate(set) var cellCount = 0
    /// Cells of leaves (`leaf_entries`).
    public fileprivate(set) var leafCellCount = 0
    /// Levels of b-tree pages, 1 if the root is a leaf (`depth`).
    public fileprivate(set) var depth = 0
    /// Stored bytes, record headers included (`payload`).
    public fileprivate(set) var payload = 0
    /// The part of ``payload`` on overflow pages (`ovfl_payload`).
    public fileprivate(set) var overflowPayload = 0
    /// Cells that have overflow pages (`ovfl_cnt`).
    public fileprivate(set) var overflowCellCount = 0
    /// The largest payload of a cell (`mx_payload`).
    public fileprivate(set) var largestPayload = 0
    /// `int_pages`
    public fileprivate(set) var interiorPages = 0
    /// `leaf_pages`
    public fileprivate(set) var leafPages = 0
    /// `ovfl_pages`
    public fileprivate(set) var overflowPages = 0
    /// `int_unused`
    public fileprivate(set) var interiorUnused = 0
    /// `leaf_unused`
    public fileprivate(set) var leafUnused = 0
    /// `ovfl_unused`
    public fileprivate(set) var overflowUnused = 0
    /// Leaves that do not directly follow the tree's page before them in the file (`gap_cnt`).
    public fileprivate(set) var gapCount = 0
    /// Leaves that do not directly follow, in the file, the leaf before them in the order of the keys: the
    /// seeks of a scan. 0 for a tree that was written in order.
    public fileprivate(set) var scatteredLeaves = 0
    /// The number of payloads by size: index `n` counts those of `2^(n-1)` to below `2^n` bytes, index 0
    /// empty ones.
    public fileprivate(set) var payloadSizes = Array(repeating: 0, count: 33)

    /// An estimate of the pages, of the requested size, that the tree would need if they were full, as VACUUM
    /// leaves them.
    public fileprivate(set) var packedPages = 0

    public var pages: Int { interiorPages + leafPages + overflowPages }
    public var unused: Int { interiorUnused + leafUnused + overflowUnused }

    /// Rows of a table, entries of an index or of a WITHOUT ROWID table.
    public fileprivate(set) var rowCount = 0

    fileprivate init() {}

    /// Reads every page of a tree, its overflow pages included, and the size of every payload.
    /// - Throws: ``FileDamage``.
    public init(_ file: DatabaseFile, root: UInt32) throws {
        try self.init(TreePart.parts(of: root, in: file).map { try $0.read(file) })
    }

    /// Adds up the parts of a tree, in their order.
    /// - Throws: ``FileDamage`` if they do not make one tree.
    public init(_ parts: [TreePart.Reading]) throws(FileDamage) {
        self.init()
        var (lastLeaf, pagesWhenPacked, chained): (UInt32?, Int, Int) = (nil, 0, 0)
        for part in parts {
            try add(part.figures, part)
            if let lastLeaf, let first = part.firstLeaf, first != lastLeaf &+ 1 { scatteredLeaves += 1 }
            lastLeaf = part.lastLeaf ?? lastLeaf
            pagesWhenPacked += part.leavesWhenPacked
            chained += part.overflowWhenPacked
        }
        try countGaps(parts.flatMap(\.layout))
        guard let kind = parts.first?.kind else { return }
        packedPages =
            chained
            + Packing.pages(
                leaves: max(1, pagesWhenPacked), room: parts[0].roomWhenPacked, isTable: kind.isTable)
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

    fileprivate mutating func count(_ page: TreePage, _ packing: inout Packing) throws(FileDamage) {
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
        // The result must matter, or the compiler drops the reads.
        if page.isDense, page.readAhead() == .max { payloadSizes.reserveCapacity(33) }
        if page.kind.isTable {
            for index in 0..<page.cellCount {
                let cell = try page.tableEntry(index).payload
                count(cell, headerSize: cell.start - (try page.cell(index)), isTable: true, &packing)
            }
        } else {
            for index in 0..<page.cellCount {
                let cell = try page.indexEntry(index).payload
                count(cell, headerSize: cell.start - (try page.cell(index)), isTable: false, &packing)
            }
        }
    }

    @inline(__always) private mutating func count(
        _ cell: Payload, headerSize: Int, isTable: Bool, _ packing: inout Packing
    ) {
        payload += cell.localSize
        if cell.size > cell.localSize { overflowCellCount += 1 }
        packing.add(cell, headerSize: headerSize, isTable: isTable)
        largestPayload = max(largestPayload, cell.size)
        payloadSizes[min(32, Int.bitWidth - cell.size.leadingZeroBitCount)] += 1
    }

    fileprivate mutating func countOverflow(_ bytes: Int, room: Int) {
        overflowPages += 1
        overflowPayload += bytes
        payload += bytes
        overflowUnused += room - bytes
    }

    /// - Parameter layout: page numbers, doubled, plus 1 for leaves.
    private mutating func countGaps(_ layout: [UInt64]) throws(FileDamage) {
        let layout = layout.sorted()
        for (before, page) in zip(layout, layout.dropFirst()) {
            if page >> 1 == before >> 1 { throw FileDamage(UInt32(page >> 1), .pageUsedTwice) }
            if page & 1 == 1, page >> 1 != before >> 1 + 1 { gapCount += 1 }
        }
    }
}

/// A part of a tree that is read in one go: all of it, its root page, or everything below a child of the
/// root. A large tree has many such parts, so that all cores can read it.
public struct TreePart: Sendable {
    /// The figures that a part adds to those of its tree.
    public struct Reading: Sendable {
        fileprivate let root: UInt32
        fileprivate let kind: TreePage.Kind
        /// The usable size of a page, in bytes.
        fileprivate let room: Int
        /// The usable size of a page after VACUUM, in bytes.
        fileprivate let roomWhenPacked: Int
        fileprivate var figures = TreeStatistics()
        /// Page numbers, doubled, plus 1 for leaves.
        fileprivate var layout: [UInt64] = []
        fileprivate var firstLeaf: UInt32?
        fileprivate var lastLeaf: UInt32?
        fileprivate var leavesWhenPacked = 0
        fileprivate var overflowWhenPacked = 0
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
    /// - Parameter pageSize: the size in bytes of the pages that ``TreeStatistics/packedPages`` counts; nil
    ///   for the file's own.
    /// - Throws: ``FileDamage``.
    public func read(_ file: DatabaseFile, packedInto pageSize: Int? = nil) throws -> Reading {
        let page = try file.treePage(root)
        let (header, layout) = (file.header, file.layout)
        let target =
            pageSize.map { PageLayout(pageSize: $0, usableSize: $0 - header.reservedBytes) } ?? layout
        var reading = Reading(
            root: root, kind: page.kind, room: layout.usableSize, roomWhenPacked: target.usableSize)
        var packing = Packing(layout: target)
        switch extent {
        case .rootPage:
            try reading.add(page, &packing)
            reading.figures.depth = 1
            try file.forEachOverflowPage(of: page) { reading.addOverflow($0, $1) }
            reading.overflowWhenPacked = packing.overflowPages
            return reading
        case .tree: break
        case .subtree(let kind):
            if page.kind.isTable != kind.isTable { throw FileDamage(root, .treeKind) }
            reading.figures.depth = 1
        }
        let above = reading.figures.depth
        try file.forEachPage(ofTree: root) { visit in
            switch visit.content {
            case .overflow(let bytes): reading.addOverflow(visit.number, bytes)
            case .tree(let page):
                try reading.add(page, &packing)
                reading.figures.depth = max(reading.figures.depth, above + visit.depth + 1)
            }
        }
        (reading.leavesWhenPacked, reading.overflowWhenPacked) = (packing.leaves, packing.overflowPages)
        return reading
    }
}

extension TreePart.Reading {
    fileprivate mutating func add(_ page: TreePage, _ packing: inout Packing) throws(FileDamage) {
        try figures.count(page, &packing)
        layout.append(UInt64(page.number) << 1 | (page.kind.isLeaf ? 1 : 0))
        guard page.kind.isLeaf else { return }
        if let lastLeaf, page.number != lastLeaf &+ 1 { figures.scatteredLeaves += 1 }
        firstLeaf = firstLeaf ?? page.number
        lastLeaf = page.number
    }

    fileprivate mutating func addOverflow(_ number: UInt32, _ bytes: Int) {
        figures.countOverflow(bytes, room: room - 4)
        layout.append(UInt64(number) << 1)
    }
}

/// A simulation of VACUUM that fills pages with cells, one after the other.
private struct Packing {
    let layout: PageLayout
    private(set) var leaves = 1
    private(set) var overflowPages = 0
    private var used = 8

    init(layout: PageLayout) { self.layout = layout }

    /// - Parameter headerSize: the size of the part of a cell before its payload, in bytes.
    @inline(__always) mutating func add(_ payload: Payload, headerSize: Int, isTable: Bool) {
        let maxLocal = isTable ? layout.maxTableLocal : layout.maxIndexLocal
        var size = payload.size
        if size > maxLocal {
            let local = layout.localSize(of: size, maxLocal: maxLocal)
            overflowPages += (size - local + layout.overflowSize - 1) / layout.overflowSize
            size = local + 4
        }
        // Two bytes are in the cell pointer array.
        size = max(4, headerSize + size) + 2
        if used + size > layout.usableSize {
            leaves += 1
            used = 8
        }
        used += size
    }

    /// Returns the number of b-tree pages with so many leaves, the leaves included. A child costs an interior
    /// page of a table its number, a rowid of some bytes, and the pointer; in an index an entry that a leaf
    /// would otherwise have.
    static func pages(leaves: Int, room: Int, isTable: Bool) -> Int {
        var (total, level) = (leaves, leaves)
        let fanout = max(2, (room - 12) / (isTable ? 11 : 40))
        while level > 1 {
            level = (level + fanout - 1) / fanout
            total += level
        }
        return total
    }
}
