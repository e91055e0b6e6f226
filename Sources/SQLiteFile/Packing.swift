/// A simulation of VACUUM that fills pages with cells, one after the other.
struct Packing {
    let layout: PageLayout
    private(set) var leaves = 1
    private(set) var overflowPages = 0
    private var used = 8

    init(layout: PageLayout) { self.layout = layout }

    @inline(__always) mutating func add(_ cell: CellSizes, isTable: Bool) {
        let maxLocal = isTable ? layout.maxTableLocal : layout.maxIndexLocal
        var size = cell.payload
        if size > maxLocal {
            let local = layout.localSize(of: size, maxLocal: maxLocal)
            overflowPages += (size - local + layout.overflowSize - 1) / layout.overflowSize
            size = local + 4
        }
        // Two bytes are in the cell pointer array.
        size = max(4, cell.header + size) + 2
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
