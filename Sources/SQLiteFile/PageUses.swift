import Synchronization

/// Which page leads to each page of a file, noted by the threads that check its trees: no page may have two uses.
public final class PageUses: Sendable {
    // Allocated for as long as this object lives, and only its atomics are changed.
    private nonisolated(unsafe) let parents: UnsafeMutablePointer<Atomic<UInt32>>
    private let pageCount: UInt32

    /// Files with more pages cannot be noted.
    public static let mostPages = PageParents.overflow - 1

    /// - Parameter file: of at most ``mostPages``.
    public init(_ file: DatabaseFile) {
        pageCount = file.pageCount
        parents = .allocate(capacity: Int(pageCount) + 1)
        for page in 0...Int(pageCount) { (parents + page).initialize(to: Atomic(0)) }
    }

    deinit {
        parents.deinitialize(count: Int(pageCount) + 1)
        parents.deallocate()
    }

    /// - Throws: ``FileDamage`` if the page has been noted.
    func note(_ link: Link) throws(FileDamage) {
        guard link.page <= pageCount else { throw FileDamage(link.page, .pageOutsideFile) }
        let isFirst = parents[Int(link.page)].compareExchange(
            expected: 0, desired: PageParents.word(of: link), ordering: .relaxed
        ).exchanged
        guard isFirst else { throw FileDamage(link.page, .pageUsedTwice) }
    }

    /// What was noted, once all threads have ended.
    public var all: PageParents {
        PageParents(words: (0...Int(pageCount)).map { parents[$0].load(ordering: .relaxed) })
    }
}
