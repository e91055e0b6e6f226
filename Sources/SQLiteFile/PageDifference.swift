/// The pages that differ between two states of a database, so that shared pages need not be read.
///
/// A subtree is skipped unread only if none of its pages differs. Two things ensure that.
///
/// 1. The walk reaches a page from both sides under the same number, and the page does not differ. Then it
///    refers to the same children and the same overflow pages, and the same holds for those of its children
///    that do not differ either. That is checked page by page, down to the leaves' numbers; a leaf that does
///    not differ is not read.
/// 2. Overflow pages are the exception: an UPDATE can write them in place while the leaf stays the same. So
///    every differing page must be known not to be an overflow page of a page that does not differ, in either
///    state. That is known of
///    - page 1, the lock-byte page, pointer maps and free pages: they hold no payload;
///    - a page that begins as a b-tree page does: an overflow page begins with the number of the next one,
///      and a file that has no page 0x02000000 cannot have one that begins with the byte 2 or a higher one;
///    - an overflow page of a differing b-tree page, since it has only one owner.
///    If it is known of all, leaves that do not differ are equal, overflow included. If one page is left over,
///    ``mayHideOverflow`` is true, and no leaf is skipped before the pages of its chains are checked too.
///
/// This assumes files in which no page has two uses; ``PageCensus`` checks that, and so does
/// `integrity_check`.
public struct PageDifference: Sendable {
    /// The pages that differ, or that exist on one side only.
    public let pages: PageSet
    /// Whether an overflow page may have changed under a page that did not.
    public let mayHideOverflow: Bool
    /// Whether the two have the same page size and reserved bytes; otherwise all pages differ.
    let isAligned: Bool

    /// - Parameters:
    ///   - changed: the numbers of the pages that may differ. If a differing page is left out, all results are
    ///     wrong. Pages that exist on one side only need not be included.
    /// - Throws: ``FileDamage`` if the freelist is damaged.
    public init(
        _ left: DatabaseFile, _ right: DatabaseFile, changed: some Sequence<UInt32>
    ) throws {
        let (shared, all) = (min(left.pageCount, right.pageCount), max(left.pageCount, right.pageCount))
        var pages = PageSet(pageCount: all)
        for page in changed { pages.insert(page) }
        if shared < all { for page in (shared + 1)...all { pages.insert(page) } }
        self.pages = pages
        isAligned = left.layout == right.layout
        guard isAligned else {
            mayHideOverflow = true
            return
        }
        let isHidden = try Self.mayHideOverflow(pages, in: left)
        mayHideOverflow = try isHidden || Self.mayHideOverflow(pages, in: right)
    }

    /// Compares all pages, first by identity and otherwise by their bytes.
    /// - Throws: ``FileDamage`` if a page cannot be read or the freelist is damaged.
    public init(comparing left: DatabaseFile, _ right: DatabaseFile) throws {
        let last = min(left.pageCount, right.pageCount)
        let changed = last == 0 ? [] : try Self.changedPages(left, right, in: 1...last)
        try self.init(left, right, changed: changed)
    }

    /// Returns the pages of a range that both files have and that differ. Several ranges can be compared at
    /// once.
    /// - Throws: ``FileDamage`` if a page cannot be read.
    public static func changedPages(
        _ left: DatabaseFile, _ right: DatabaseFile, in range: ClosedRange<UInt32>
    ) throws(FileDamage) -> [UInt32] {
        let isAligned = left.layout == right.layout
        let size = left.layout.pageSize
        var changed: [UInt32] = []
        for page in range.clamped(to: 1...max(1, min(left.pageCount, right.pageCount))) {
            if page == left.lockBytePage { continue }
            guard isAligned else {
                changed.append(page)
                continue
            }
            let identity = left.source.identity(ofPage: page)
            if identity != nil, identity == right.source.identity(ofPage: page) { continue }
            if try !left.page(page).isEqual(to: right.page(page), count: size) { changed.append(page) }
        }
        return changed
    }

    /// Returns whether any of the pages may be an overflow page of a page that is not among them.
    private static func mayHideOverflow(_ pages: PageSet, in file: DatabaseFile) throws -> Bool {
        var suspects = PageSet(pageCount: file.pageCount)
        for page in pages.pages where page > 1 && page <= file.pageCount {
            if page != file.lockBytePage, !file.isPointerMap(page) { suspects.insert(page) }
        }
        guard !suspects.isEmpty else { return false }
        try file.forEachFreePage { page, _ in suspects.remove(page) }
        var treePages: [TreePage] = pages.contains(1) ? [try file.treePage(1)] : []
        for number in suspects.pages {
            let byte = try file.page(number).uint8(at: 0)
            guard UInt32(byte) << 24 > file.pageCount, let page = try? file.treePage(number) else { continue }
            suspects.remove(number)
            treePages.append(page)
        }
        guard !suspects.isEmpty else { return false }
        // A damaged chain explains no page.
        for page in treePages {
            try? file.forEachOverflowPage(of: page) { number, _ in suspects.remove(number) }
        }
        return !suspects.isEmpty
    }

    /// Returns whether an overflow page of `page`, which does not differ itself, differs.
    func touchesOverflow(of page: TreePage, in file: DatabaseFile) throws -> Bool {
        var isTouched = false
        try file.forEachOverflowPage(of: page) { number, _ in
            if pages.contains(number) { isTouched = true }
        }
        return isTouched
    }

    /// Returns whether a child of `page`, an interior page over leaves that does not differ itself, differs.
    func touchesChildren(of page: TreePage) throws(FileDamage) -> Bool {
        for index in 0...page.cellCount {
            if pages.contains(try page.child(index)) { return true }
        }
        return false
    }
}
