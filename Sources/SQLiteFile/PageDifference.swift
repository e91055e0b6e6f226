/// Which pages differ between two states of a database, so that what they share need not be read.
///
/// A subtree is left out unread only when none of its pages differs, and for that the following must hold.
///
/// 1. The walk comes to a page from both sides under one number, and the page does not differ. Then it
///    refers to the same children and the same overflow pages, and what holds for it holds for those of
///    its children that do not differ either. That is checked page by page, down to the leaves' numbers;
///    a leaf that does not differ is not read.
/// 2. Overflow pages are the hole in that: an UPDATE can write them in place, and the leaf stays as it was.
///    So every differing page must be known not to be an overflow page that hangs on an undiffering page,
///    in either state. It is known of
///    - page 1, the lock-byte page, pointer maps and free pages: no payload is there;
///    - a page that begins as a b-tree page does: an overflow page begins with the number of the next one,
///      and a file that has no page 0x02000000 cannot have one that begins with the byte 2 or a higher one;
///    - an overflow page that hangs on a differing b-tree page, since it has but one owner.
///    If it is known of all, leaves that do not differ are equal, overflow and all. If one is left over,
///    ``mayHideOverflow`` is true, and no leaf is left out before the pages of its chains were held
///    against the set as well.
///
/// It rests on files in which no page has two uses; ``PageCensus`` tells, and so does `integrity_check`.
public struct PageDifference: Sendable {
    /// The pages that differ, or that one side does not have.
    public let pages: PageSet
    /// Whether an overflow page may have changed under a page that did not.
    public let mayHideOverflow: Bool
    /// Whether the two have the same page size and reserved bytes; else all pages differ.
    let isAligned: Bool

    /// - Parameters:
    ///   - changed: the numbers of the pages that may differ: whoever leaves one out that does breaks every
    ///     promise made here. Pages that one side does not have need not be named.
    /// - Throws: ``FileDamage`` when the freelist is damaged.
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

    /// Compares all pages, by identity first and else by their bytes.
    public init(comparing left: DatabaseFile, _ right: DatabaseFile) throws {
        let last = min(left.pageCount, right.pageCount)
        let changed = last == 0 ? [] : try Self.changedPages(left, right, in: 1...last)
        try self.init(left, right, changed: changed)
    }

    /// The pages of a range that both files have and that differ; several ranges can be compared at once.
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

    /// Whether any of the pages may be an overflow page that hangs on none of them.
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
        // What cannot be followed explains nothing.
        for page in treePages {
            try? file.forEachOverflowPage(of: page) { number, _ in suspects.remove(number) }
        }
        return !suspects.isEmpty
    }

    /// Whether an overflow page of the page, which does not differ itself, does.
    func touchesOverflow(of page: TreePage, in file: DatabaseFile) throws -> Bool {
        var isTouched = false
        try file.forEachOverflowPage(of: page) { number, _ in
            if pages.contains(number) { isTouched = true }
        }
        return isTouched
    }

    /// Whether anything below an interior page over leaves, which does not differ itself, does.
    func touchesChildren(of page: TreePage) throws(FileDamage) -> Bool {
        for index in 0...page.cellCount {
            if pages.contains(try page.child(index)) { return true }
        }
        return false
    }
}
