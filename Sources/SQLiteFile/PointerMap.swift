// "In a database with ptrmap pages, the first ptrmap page is page 2. A ptrmap page consists of an array of
// 5-byte entries. Let J be the number of 5-byte entries that will fit in the usable space of a page. (In
// other words, J=U/5.) The first ptrmap page will contain back pointer information for pages 3 through J+2,
// inclusive. The second pointer map page will be on page J+3. [...] If the byte-lock page happens to fall on
// the same page number as a ptrmap page, then the ptrmap is moved to the following page for that one case."
//
// "Each 5-byte ptrmap entry consists of one byte of "page type" information followed by a 4-byte big-endian
// page number. Five page types are recognized:
// 1. A b-tree root page. The page number should be zero.
// 2. A freelist page. The page number should be zero.
// 3. The first page of a cell payload overflow chain. The page number is the b-tree page that contains the
//    cell whose content has overflowed.
// 4. A page in an overflow chain other than the first page. The page number is the prior page of the
//    overflow chain.
// 5. A non-root b-tree page. The page number is the parent b-tree page."
// https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages

/// An entry that an auto-vacuum database keeps for a page: its kind, and the page that refers to it.
public struct PointerMapEntry: Equatable, Sendable {
    public enum Kind: UInt8, Sendable {
        case root = 1
        case free = 2
        case firstOverflow = 3
        case laterOverflow = 4
        case treePage = 5
    }

    public let kind: Kind
    /// 0 for roots and free pages.
    public let parent: UInt32
}

extension DatabaseFile {
    /// Returns the pointer map page with a page's entry; nil in a database without pointer maps, and for page
    /// 1.
    public func pointerMapPage(for page: UInt32) -> UInt32? {
        guard header.hasPointerMaps, page >= 2 else { return nil }
        let stride = UInt32(layout.usableSize / 5 + 1)
        let map = (page - 2) / stride * stride + 2
        return map == lockBytePage ? map + 1 : map
    }

    public func isPointerMap(_ page: UInt32) -> Bool { pointerMapPage(for: page) == page }

    /// Returns the pointer map's entry for a page; nil if it has none: for page 1, its own pages and the
    /// lock-byte page, and in a database without pointer maps.
    /// - Throws: ``FileDamage`` if the entry is outside the page or its kind does not exist.
    public func pointerMapEntry(for number: UInt32) throws(FileDamage) -> PointerMapEntry? {
        guard let map = pointerMapPage(for: number), number > map, number != lockBytePage else { return nil }
        let start = try page(map)
        let offset = 5 * Int(number - map - 1)
        guard offset <= layout.usableSize - 5 else { throw FileDamage(number, .pageOutsideFile) }
        let byte = start.uint8(at: offset)
        guard let kind = PointerMapEntry.Kind(rawValue: byte) else {
            throw FileDamage(map, .pointerMap(byte))
        }
        return PointerMapEntry(kind: kind, parent: start.uint32(at: offset + 1))
    }
}
