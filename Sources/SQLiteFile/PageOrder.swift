/// The pages of a tree in the order of the file.
struct PageOrder {
    /// A bit for each page from the first to the last.
    private var used: [UInt64]
    private var leaves: [UInt64]
    private let first: UInt64
    private var lowestTwice: UInt64?

    /// Returns the number of leaves that do not directly follow the tree's page before them.
    /// - Throws: ``FileDamage`` if a page is there twice.
    static func gaps(in parts: ArraySlice<TreePart.Reading>) throws(FileDamage) -> Int {
        var (lowest, highest, count) = (UInt64.max, UInt64(0), 0)
        for part in parts {
            count += part.layout.count
            for page in part.layout { (lowest, highest) = (min(lowest, page >> 1), max(highest, page >> 1)) }
        }
        guard count > 0 else { return 0 }
        if count == 1 { return 0 }
        // Words of bits that are all zeros cost more than a sort.
        guard highest - lowest < 256 * UInt64(count) else { return try sortedGaps(parts.flatMap(\.layout)) }
        var order = PageOrder(from: lowest, to: highest)
        for part in parts { for page in part.layout { order.note(page) } }
        if let page = order.lowestTwice { throw FileDamage(UInt32(page), .pageUsedTwice) }
        return order.gaps
    }

    private init(from first: UInt64, to last: UInt64) {
        self.first = first
        used = Array(repeating: 0, count: Int((last - first) / 64 + 1))
        leaves = used
    }

    private mutating func note(_ page: UInt64) {
        let place = page >> 1 - first
        let (word, bit) = (Int(place / 64), UInt64(1) << (place % 64))
        if used[word] & bit != 0 { lowestTwice = min(lowestTwice ?? .max, page >> 1) }
        used[word] |= bit
        if page & 1 == 1 { leaves[word] |= bit }
    }

    private var gaps: Int {
        var (gaps, carry) = (0, UInt64(0))
        for (used, leaves) in zip(used, leaves) {
            gaps += (leaves & ~(used << 1 | carry)).nonzeroBitCount
            carry = used >> 63
        }
        // No page is before the first.
        return gaps - Int(leaves[0] & 1)
    }

    private static func sortedGaps(_ pages: [UInt64]) throws(FileDamage) -> Int {
        var gaps = 0
        let pages = pages.sorted()
        for (before, page) in zip(pages, pages.dropFirst()) {
            if page >> 1 == before >> 1 { throw FileDamage(UInt32(page >> 1), .pageUsedTwice) }
            if page & 1 == 1, page >> 1 != before >> 1 + 1 { gaps += 1 }
        }
        return gaps
    }
}
