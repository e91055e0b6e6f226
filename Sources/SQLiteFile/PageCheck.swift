extension TreePage {
    /// Checks that every byte of the page has one use, as `integrity_check` does: cells and freeblocks do not
    /// overlap, and the bytes between them are counted as fragments.
    /// - Throws: ``FileDamage``.
    func checkUse() throws(FileDamage) {
        let header = Self.headerOffset(number)
        let stored = start.uint16(at: header + 5)
        let content = stored == 0 ? 65536 : stored
        guard content >= pointersEnd, content <= layout.usableSize else {
            throw FileDamage(number, .cellOutsidePage)
        }
        var uses: [(start: Int, end: Int)] = []
        uses.reserveCapacity(cellCount + 4)
        for index in 0..<cellCount {
            let cell = try cell(index)
            let payload = try entry(index).payload
            let offset = cell - start
            let end = offset + max(4, payload.start + payload.storedSize - cell)
            guard offset >= content, end <= layout.usableSize else {
                throw FileDamage(number, .cellOutsidePage)
            }
            uses.append((offset, end))
        }
        var block = start.uint16(at: header + 1)
        var least = content
        while block != 0 {
            guard block >= least, block <= layout.usableSize - 4 else { throw FileDamage(number, .freeblock) }
            let end = block + start.uint16(at: block + 2)
            guard end >= block + 4, end <= layout.usableSize else { throw FileDamage(number, .freeblock) }
            uses.append((block, end))
            // Fewer than four bytes between two freeblocks would be a fragment.
            least = end + 4
            block = start.uint16(at: block)
        }
        uses.sort { $0.start < $1.start }
        var (position, fragments) = (content, 0)
        for use in uses {
            guard use.start >= position else { throw FileDamage(number, .bytesUsedTwice) }
            fragments += use.start - position
            position = use.end
        }
        fragments += layout.usableSize - position
        guard fragments == Int(start.uint8(at: header + 7)) else { throw FileDamage(number, .fragments) }
    }
}

extension DatabaseFile {
    /// Checks the pointer map's entry for a page.
    /// - Throws: ``FileDamage`` if it is wrong; never in a database without pointer maps.
    func checkPointer(
        to page: UInt32, _ kind: PointerMapEntry.Kind, from parent: UInt32
    ) throws(FileDamage) {
        guard header.hasPointerMaps, page > 1 else { return }
        guard try pointerMapEntry(for: page) == PointerMapEntry(kind: kind, parent: parent) else {
            throw FileDamage(page, .pointerMapEntry)
        }
    }

    /// Checks that a payload's chain of overflow pages has the right length.
    /// - Parameter visit: gets each of its pages.
    /// - Throws: ``FileDamage``.
    func checkChain(
        of payload: Payload, _ visit: (_ page: UInt32) throws(FileDamage) -> Void
    ) throws(FileDamage) {
        guard payload.size > payload.localSize else { return }
        var chain = try OverflowChain(payload, in: self)
        var before: UInt32?
        while let (number, _) = try chain.readPage() {
            try checkPointer(
                to: number, before == nil ? .firstOverflow : .laterOverflow, from: before ?? payload.page)
            try visit(number)
            before = number
        }
        guard chain.hasEnded else { throw FileDamage(payload.page, .overflowGoesOn) }
    }
}
