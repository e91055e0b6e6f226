// Datatype         Table Leaf  Table Interior  Index Leaf  Index Interior  Description
//                  (0x0d)      (0x05)          (0x0a)      (0x02)
// 4-byte integer               x                           x               Page number of left child
// varint           x                           x           x               Number of bytes of payload
// varint           x           x                                           Rowid
// byte array       x                           x           x               Payload
// 4-byte integer   x                           x           x               Page number of first overflow page
// https://www.sqlite.org/fileformat2.html#b_tree_pages

/// The contents of a cell: a row of a table, an entry of an index, or the key between two children.
public struct TreeEntry {
    /// The key in the tree of a table; 0 in the tree of an index.
    public let rowid: Int64
    public let payload: Payload
}

/// A record in place: the part on the b-tree page, and the chain of overflow pages with the rest.
public struct Payload {
    /// The b-tree page.
    public let page: UInt32
    /// The size in bytes, overflow included.
    public let size: Int
    let start: UnsafeRawPointer
    let localSize: Int
    /// The first overflow page; 0 if all of the payload is local.
    public let overflowPage: UInt32

    /// The number of bytes on the b-tree page from ``start`` on, the number of the first overflow page
    /// included.
    var storedSize: Int { localSize + (overflowPage == 0 ? 0 : 4) }

    /// The part on the b-tree page.
    public var local: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: localSize) }
}

extension TreePage {
    /// Returns the entry in a cell. On an interior page of a table it has a key and no payload.
    /// - Parameter index: from 0 to below `cellCount`.
    /// - Throws: ``FileDamage``.
    public func entry(_ index: Int) throws(FileDamage) -> TreeEntry {
        precondition(index >= 0 && index < cellCount)
        return switch kind {
        case .tableLeaf: try tableEntry(index)
        case .tableInterior: try separator(index)
        case .indexLeaf, .indexInterior: try indexEntry(index)
        }
    }

    @inline(__always) func tableEntry(_ index: Int) throws(FileDamage) -> TreeEntry {
        var position = try cell(index)
        guard let size = position.readVarint(before: end), let rowid = position.readVarint(before: end) else {
            throw FileDamage(number, .cellOutsidePage)
        }
        let payload = try payload(size, at: position, maxLocal: layout.maxTableLocal)
        return TreeEntry(rowid: Int64(bitPattern: rowid), payload: payload)
    }

    @inline(__always) func indexEntry(_ index: Int) throws(FileDamage) -> TreeEntry {
        var position = try cell(index) + (kind.isLeaf ? 0 : 4)
        guard let size = position.readVarint(before: end) else { throw FileDamage(number, .cellOutsidePage) }
        return TreeEntry(rowid: 0, payload: try payload(size, at: position, maxLocal: layout.maxIndexLocal))
    }

    /// Returns the key of an interior cell: "For any key X, pointers to the left of a X refer to b-tree pages
    /// on which all keys are less than or equal to X."
    func separator(_ index: Int) throws(FileDamage) -> TreeEntry {
        var position = try cell(index) + 4
        guard let rowid = position.readVarint(before: end) else { throw FileDamage(number, .cellOutsidePage) }
        let none = Payload(page: number, size: 0, start: position, localSize: 0, overflowPage: 0)
        return TreeEntry(rowid: Int64(bitPattern: rowid), payload: none)
    }

    @inline(__always) private func payload(
        _ size: UInt64, at position: UnsafeRawPointer, maxLocal: Int
    ) throws(FileDamage) -> Payload {
        guard size <= UInt64(maxLocal) else {
            return try overflowing(size, at: position, maxLocal: maxLocal)
        }
        let count = Int(truncatingIfNeeded: size)
        guard count <= end - position else { throw FileDamage(number, .cellOutsidePage) }
        return Payload(page: number, size: count, start: position, localSize: count, overflowPage: 0)
    }

    private func overflowing(
        _ size: UInt64, at position: UnsafeRawPointer, maxLocal: Int
    ) throws(FileDamage) -> Payload {
        guard let size = Int32(exactly: size) else { throw FileDamage(number, .payloadTooLarge) }
        let local = layout.localSize(of: Int(size), maxLocal: maxLocal)
        guard local + 4 <= end - position else { throw FileDamage(number, .cellOutsidePage) }
        return Payload(
            page: number, size: Int(size), start: position, localSize: local,
            overflowPage: position.uint32(at: local))
    }

    /// Returns whether any cell has overflow pages.
    func hasOverflow() throws(FileDamage) -> Bool {
        guard kind != .tableInterior else { return false }
        let maxLocal = UInt64(kind.isTable ? layout.maxTableLocal : layout.maxIndexLocal)
        for index in 0..<cellCount {
            var position = try cell(index) + (kind.isLeaf ? 0 : 4)
            guard let size = position.readVarint(before: end) else {
                throw FileDamage(number, .cellOutsidePage)
            }
            if size > maxLocal { return true }
        }
        return false
    }
}
