// "The freelist is organized as a linked list of freelist trunk pages with each trunk page containing page
// numbers for zero or more freelist leaf pages. [...] The first integer on a freelist trunk page is the page
// number of the next freelist trunk page in the list or zero if this is the last freelist trunk page. The
// second integer on a freelist trunk page is the number of leaf page pointers to follow. Call the second
// integer on a freelist trunk page L. If L is greater than zero then integers with array indexes between 2
// and L+1 inclusive contain page numbers for freelist leaf pages."
// https://www.sqlite.org/fileformat2.html#the_freelist

extension DatabaseFile {
    /// Visits every free page: each trunk, and then its leaves, which are not read.
    /// - Throws: ``FileDamage``, also if the header's count differs from the list; and what `visit` throws.
    public func forEachFreePage(_ visit: (_ page: UInt32, _ isTrunk: Bool) throws -> Void) throws {
        var next = header.firstFreelistTrunk
        var rest = header.freelistCount
        func take(_ page: UInt32, _ isTrunk: Bool) throws {
            guard rest > 0 else { throw FileDamage(1, .freelistCount(stored: header.freelistCount)) }
            guard page >= 1, page <= pageCount else { throw FileDamage(page, .pageOutsideFile) }
            rest -= 1
            try visit(page, isTrunk)
        }
        while next != 0 {
            let trunk = next
            try take(trunk, true)
            let start = try page(trunk)
            next = start.uint32(at: 0)
            let count = start.uint32(at: 4)
            guard count <= layout.usableSize / 4 - 2 else { throw FileDamage(trunk, .freelistTrunk) }
            for index in 0..<Int(count) { try take(start.uint32(at: 8 + 4 * index), false) }
        }
        guard rest == 0 else { throw FileDamage(1, .freelistCount(stored: header.freelistCount)) }
    }

    /// Returns what is wrong with the freelist, or with the pointer map's entries for its pages; nil if
    /// nothing is. Its leaves are not read.
    public func freelistDamage() -> FileDamage? {
        var seen: Set<UInt32> = []
        do {
            try forEachFreePage { page, _ in
                guard page > 1, seen.insert(page).inserted else { throw FileDamage(page, .pageUsedTwice) }
                try checkPointer(to: page, .free, from: 0)
            }
            return nil
        } catch {
            return error as? FileDamage
        }
    }
}
