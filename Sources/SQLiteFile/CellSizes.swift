/// The sizes of a cell's parts, in bytes.
struct CellSizes {
    /// All before the payload.
    let header: Int
    /// The payload, overflow included.
    let payload: Int
    /// The part of the payload that is on the page.
    let local: Int
}

extension TreePage {
    /// Returns the sizes of a cell that has a payload, which is faster than to read the cell's entry.
    /// - Parameters:
    ///   - index: from 0 to below `cellCount`.
    ///   - isTable: whether the page is one of a table's tree.
    /// - Throws: ``FileDamage``.
    @inline(__always) func cellSizes(_ index: Int, isTable: Bool) throws(FileDamage) -> CellSizes {
        let offset = cellOffset(index)
        // A child's number and two varints of nine bytes end before the page does.
        guard offset >= pointersEnd, offset <= layout.usableSize - 22 else {
            return try entrySizes(index, isTable: isTable)
        }
        var header = kind.isLeaf ? 0 : 4
        var size = Int(start.uint8(at: offset + header))
        header += 1
        if size >= 0x80 {
            let second = Int(start.uint8(at: offset + header))
            guard second < 0x80 else { return try entrySizes(index, isTable: isTable) }
            size = (size & 0x7f) << 7 | second
            header += 1
        }
        if isTable {
            // The rowid ends with the first byte whose high bit is clear, or with the ninth.
            let bits = ~start.uint64(at: offset + header) & 0x8080_8080_8080_8080
            header += bits.leadingZeroBitCount / 8 + 1
        }
        let maxLocal = isTable ? layout.maxTableLocal : layout.maxIndexLocal
        guard size <= maxLocal, offset + header + size <= layout.usableSize else {
            return try entrySizes(index, isTable: isTable)
        }
        return CellSizes(header: header, payload: size, local: size)
    }

    private func entrySizes(_ index: Int, isTable: Bool) throws(FileDamage) -> CellSizes {
        let payload = isTable ? try tableEntry(index).payload : try indexEntry(index).payload
        return CellSizes(
            header: payload.start - (try cell(index)), payload: payload.size, local: payload.localSize)
    }
}
