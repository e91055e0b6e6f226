// "Let U be the usable size of a database page, the total page size less the reserved space at the end of
// each page. And let P be the payload size.
// - X is U-35 for table btree leaf pages or ((U-12)*64/255)-23 for index pages.
// - M is always ((U-12)*32/255)-23.
// - Let K be M+((P-M)%(U-4)).
// - If P<=X then all P bytes of payload are stored directly on the btree page without overflow.
// - If P>X and K<=X then the first K bytes of P are stored on the btree page and the remaining P-K bytes
//   are stored on overflow pages.
// - If P>X and K>X then the first M bytes of P are stored on the btree page and the remaining P-M bytes are
//   stored on overflow pages."
// https://www.sqlite.org/fileformat2.html#b_tree_pages

/// The sizes that follow from the page size and the reserved bytes.
struct PageLayout: Equatable, Sendable {
    let pageSize: Int
    let usableSize: Int
    /// The largest payload that fits wholly on a leaf of a table (X).
    let maxTableLocal: Int
    /// The largest payload that fits wholly on a page of an index (X).
    let maxIndexLocal: Int
    /// The least part of a larger payload that stays on the page (M).
    let minLocal: Int

    init(_ header: FileHeader) {
        self.init(pageSize: header.pageSize, usableSize: header.usableSize)
    }

    init(pageSize: Int, usableSize: Int) {
        self.pageSize = pageSize
        self.usableSize = usableSize
        maxTableLocal = usableSize - 35
        maxIndexLocal = (usableSize - 12) * 64 / 255 - 23
        minLocal = (usableSize - 12) * 32 / 255 - 23
    }

    /// Returns how many bytes of a payload that is larger than `maxLocal` (X) are on the page.
    func localSize(of size: Int, maxLocal: Int) -> Int {
        let surplus = minLocal + (size - minLocal) % (usableSize - 4)
        return surplus <= maxLocal ? surplus : minLocal
    }

    /// The payload on an overflow page, in bytes.
    var overflowSize: Int { usableSize - 4 }
}
