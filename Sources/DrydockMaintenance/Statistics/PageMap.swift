import SQLiteFile

/// The use of each page of a file, in the order of the file.
public struct PageMap: Sendable {
    public struct Page: Sendable, Equatable {
        public var use = PageCensus.Use.unused
        /// The place of the page's table or index in ``DatabaseStatistics/objects``; nil if it belongs to none.
        public var object: Int?
        /// The place of the page in the order of the keys, from 0 to 1.
        public var order = 0.0
        /// The part of the page that holds nothing, from 0 to 1.
        public var empty = 0.0
    }

    public private(set) var pages: [Page]

    /// - Parameter roots: the roots of the objects, in their order.
    /// - Throws: `FileDamage`.
    init(_ file: DatabaseFile, roots: [UInt32]) throws {
        pages = Array(repeating: Page(), count: Int(file.pageCount))
        let window = PageWindow(file)
        for (object, root) in roots.enumerated() { try note(object, root, of: file, through: window) }
        if file.lockBytePage <= file.pageCount { note(file.lockBytePage) { $0.use = .lockByte } }
        if file.header.hasPointerMaps {
            for page in 2..<max(2, UInt64(file.pageCount) + 1) where file.isPointerMap(UInt32(page)) {
                note(UInt32(page)) { $0.use = .pointerMap }
            }
        }
        try file.forEachFreePage { number, isTrunk in
            note(number) { ($0.use, $0.empty) = (isTrunk ? .freelistTrunk : .freelistLeaf, 1) }
        }
    }

    private mutating func note(
        _ object: Int, _ root: UInt32, of file: DatabaseFile, through window: PageWindow
    ) throws {
        let size = Double(file.header.pageSize)
        var order: [UInt32] = []
        try file.forEachPage(ofTree: root, through: window) { visit in
            let (use, empty): (PageCensus.Use, Double)
            switch visit.content {
            case .tree(let page):
                (use, empty) = (page.kind.isLeaf ? .leaf : .interior, Double(try page.unusedBytes()) / size)
            case .overflow(let payload): (use, empty) = (.overflow, 1 - Double(payload) / size)
            }
            order.append(visit.number)
            note(visit.number) { ($0.use, $0.object, $0.empty) = (use, object, min(1, max(0, empty))) }
        }
        let last = Double(max(1, order.count - 1))
        for (index, number) in order.enumerated() { note(number) { $0.order = Double(index) / last } }
    }

    private mutating func note(_ number: UInt32, _ change: (inout Page) -> Void) {
        guard number > 0, number <= pages.count else { return }
        change(&pages[Int(number) - 1])
    }
}
