/// What refers to the pages of a file: each page must have exactly one use.
public struct PageAccount: Sendable {
    private var pages: PageSet

    /// - Parameter parents: those of all trees.
    public init(_ parents: PageParents) { pages = parents.pages }

    /// Checks what belongs to no tree: the freelist, the pointer maps, and the header's numbers.
    /// - Parameter roots: the root pages of all trees.
    /// - Throws: ``FileDamage``, also for a page that nothing refers to.
    public mutating func finish(_ file: DatabaseFile, roots: [UInt32]) throws {
        guard file.pageCount > 0 else { return }
        try file.forEachFreePage { page, _ in
            try note(page)
            try file.checkPointer(to: page, .free, from: 0)
        }
        if file.lockBytePage <= file.pageCount { try note(file.lockBytePage) }
        let (stored, last) = (file.header.largestRootPage, roots.max() ?? 1)
        if file.header.hasPointerMaps {
            for page in 2..<max(2, UInt64(file.pageCount) + 1) where file.isPointerMap(UInt32(page)) {
                try note(UInt32(page))
            }
            guard stored == last else { throw FileDamage(1, .largestRoot(stored: stored)) }
        } else if file.header.isIncrementalVacuum {
            throw FileDamage(1, .largestRoot(stored: stored))
        }
        let missing = pages.firstMissing
        guard missing > file.pageCount else { throw FileDamage(missing, .pageUnused) }
    }

    private mutating func note(_ page: UInt32) throws(FileDamage) {
        guard pages.insert(page) else { throw FileDamage(page, .pageUsedTwice) }
    }
}
