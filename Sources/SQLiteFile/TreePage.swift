// Offset  Size  Description
//  0       1    The one-byte flag at offset 0 indicating the b-tree page type.
//               A value of 2 (0x02) means the page is an interior index b-tree page.
//               A value of 5 (0x05) means the page is an interior table b-tree page.
//               A value of 10 (0x0a) means the page is a leaf index b-tree page.
//               A value of 13 (0x0d) means the page is a leaf table b-tree page.
//               Any other value for the b-tree page type is an error.
//  1       2    The start of the first freeblock on the page, or zero if there are no freeblocks.
//  3       2    The number of cells on the page.
//  5       2    The start of the cell content area. A zero value for this integer is interpreted as 65536.
//  7       1    The number of fragmented free bytes within the cell content area.
//  8       4    The right-most pointer. This value appears in the header of interior b-tree pages only.
// https://www.sqlite.org/fileformat2.html#b_tree_pages

/// A page of a b-tree.
public struct TreePage {
    public enum Kind: UInt8, Sendable {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13

        public var isLeaf: Bool { self == .tableLeaf || self == .indexLeaf }
        public var isTable: Bool { self == .tableLeaf || self == .tableInterior }
    }

    public let number: UInt32
    public let kind: Kind
    /// The number of cells; an interior page has one more child.
    public let cellCount: Int
    let start: UnsafeRawPointer
    let layout: PageLayout
    /// Where the cell pointer array begins.
    private let pointers: Int

    /// - Parameter start: the page's bytes.
    init(_ start: UnsafeRawPointer, _ number: UInt32, _ layout: PageLayout) throws(FileDamage) {
        let header = Self.headerOffset(number)
        let byte = start.uint8(at: header)
        guard let kind = Kind(rawValue: byte) else { throw FileDamage(number, .pageKind(byte)) }
        self.start = start
        self.number = number
        self.layout = layout
        self.kind = kind
        cellCount = start.uint16(at: header + 3)
        pointers = header + (kind.isLeaf ? 8 : 12)
        guard pointers + 2 * cellCount <= layout.usableSize else { throw FileDamage(number, .cellCount) }
    }

    /// "The 100-byte database file header is found only on page 1."
    static func headerOffset(_ number: UInt32) -> Int { number == 1 ? FileHeader.size : 0 }

    /// Where the cell content ends and the reserved region begins.
    @inline(__always) var end: UnsafeRawPointer { start + layout.usableSize }

    /// Where the cell pointer array ends.
    @inline(__always) var pointersEnd: Int { pointers + 2 * cellCount }

    /// Returns where a cell starts, or would in a page that is damaged.
    @inline(__always) func cellOffset(_ index: Int) -> Int { start.uint16(at: pointers + 2 * index) }

    /// Returns the start of a cell, which has at least four bytes.
    @inline(__always) func cell(_ index: Int) throws(FileDamage) -> UnsafeRawPointer {
        let offset = cellOffset(index)
        guard offset >= pointersEnd, offset <= layout.usableSize - 4 else {
            throw FileDamage(number, .cellOutsidePage)
        }
        return start + offset
    }

    /// Returns a child of an interior page.
    /// - Parameter index: from 0 to `cellCount`, which stands for the right-most pointer.
    /// - Throws: ``FileDamage``.
    public func child(_ index: Int) throws(FileDamage) -> UInt32 {
        precondition(!kind.isLeaf && index >= 0 && index <= cellCount)
        return index == cellCount ? start.uint32(at: pointers - 4) : try cell(index).uint32(at: 0)
    }

    /// Returns the number of bytes that no cell uses: "the size of the unallocated region plus the total size
    /// of all freeblocks plus the number of fragmented free bytes."
    /// - Throws: ``FileDamage`` if the chain of freeblocks is not in order of increasing offset.
    public func unusedBytes() throws(FileDamage) -> Int {
        let header = Self.headerOffset(number)
        let content = start.uint16(at: header + 5)
        var unused = (content == 0 ? 65536 : content) - pointers - 2 * cellCount
        unused += Int(start.uint8(at: header + 7))
        var block = start.uint16(at: header + 1)
        var least = pointers + 2 * cellCount
        while block != 0 {
            guard block >= least, block <= layout.usableSize - 4 else { throw FileDamage(number, .freeblock) }
            unused += start.uint16(at: block + 2)
            least = block + 4
            block = start.uint16(at: block)
        }
        return unused
    }
}
