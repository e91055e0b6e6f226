/// A page of a tree, as ``DatabaseFile/forEachPage(ofTree:_:)`` visits it.
public struct PageVisit {
    public enum Content {
        case tree(TreePage)
        /// An overflow page and the number of payload bytes on it.
        case overflow(payload: Int)
    }

    public let number: UInt32
    /// The interior page above; for an overflow page the page with the cell; 0 for the root.
    public let parent: UInt32
    /// The number of levels below the root; 0 for the root.
    public let depth: Int
    public let content: Content
}

extension DatabaseFile {
    /// Visits all pages of a tree, its overflow pages included, each page before those below it.
    ///
    /// The size of every payload is read, but no payload. The walk stops at damage: a page of the wrong kind,
    /// leaves at different depths, more pages than the file has.
    /// - Parameter window: reads leaves and overflow pages; what is on them is then valid until the next visit of
    ///   their kind.
    /// - Throws: ``FileDamage``, and what `visit` throws.
    public func forEachPage(
        ofTree root: UInt32, through window: PageWindow? = nil, _ visit: (PageVisit) throws -> Void
    ) throws {
        try walk(root, through: window) { visited in
            try visit(visited)
            guard case .tree(let page) = visited.content else { return false }
            return try page.hasOverflow()
        }
    }

    /// Visits all pages of a tree in the same way.
    /// - Parameter visit: returns whether a page of the tree has cells with overflow pages.
    func walk(
        _ root: UInt32, through window: PageWindow?, _ visit: (PageVisit) throws -> Bool
    ) throws {
        var reader = try TreeReader(self, root: root, through: window)
        var parents: [UInt32] = [0]
        var budget = pageCount
        while reader.position != .end {
            if reader.position == .entry {
                try reader.advance()
                continue
            }
            let depth = reader.depth
            let page = try reader.pendingPage(through: window)
            let hasOverflow = try visit(
                PageVisit(number: page.number, parent: parents[depth], depth: depth, content: .tree(page)))
            if hasOverflow {
                try forEachOverflowPage(of: page, through: window) { number, payload in
                    guard budget > 0 else { throw FileDamage(number, .pageUsedTwice) }
                    budget -= 1
                    _ = try visit(
                        PageVisit(
                            number: number, parent: page.number, depth: depth + 1,
                            content: .overflow(payload: payload)))
                }
            }
            // A leaf has no pages below it, so it need not be entered.
            guard !page.kind.isLeaf else {
                try reader.leave()
                continue
            }
            parents.removeSubrange((depth + 1)...)
            parents.append(page.number)
            try reader.descend()
        }
    }

    /// Visits the overflow pages of all cells of a page.
    /// - Parameter window: reads the overflow pages.
    func forEachOverflowPage(
        of page: TreePage, through window: PageWindow? = nil,
        _ visit: (_ number: UInt32, _ payload: Int) throws -> Void
    ) throws {
        guard try page.hasOverflow() else { return }
        for index in 0..<page.cellCount {
            let payload = try page.entry(index).payload
            guard payload.size > payload.localSize else { continue }
            var chain = try OverflowChain(payload, in: self, through: window)
            while let (number, content) = try chain.readPage() { try visit(number, content.count) }
        }
    }
}
