// "At any point in time, every page in the main database has a single use which is one of the following:
// - The lock-byte page
// - A freelist page: a freelist trunk page, a freelist leaf page
// - A b-tree page: a table b-tree interior page, a table b-tree leaf page, an index b-tree interior page,
//   an index b-tree leaf page
// - A payload overflow page
// - A pointer map page"
// https://www.sqlite.org/fileformat2.html#pages

/// The use of each page of a database.
public struct PageCensus: Sendable {
    public enum Use: UInt8, CaseIterable, Sendable {
        /// Nothing refers to the page; SQLite's `integrity_check` says "Page N is never used".
        case unused
        case interior
        case leaf
        case overflow
        case freelistTrunk
        case freelistLeaf
        case pointerMap
        case lockByte
    }

    public struct Owner: Equatable, Sendable {
        public let use: Use
        /// The root page of the tree that the page belongs to; 0 if it belongs to none.
        public let root: UInt32
    }

    private var owners: [Owner]

    /// Reads all trees of a database, the sizes of their payloads, and the freelist.
    /// - Parameter roots: the root pages of the trees; if nil, those in the schema table and the schema
    ///   table's own.
    /// - Throws: ``FileDamage``; a page that is used twice is damage.
    public init(_ file: DatabaseFile, roots: [UInt32]? = nil) throws {
        owners = Array(repeating: Owner(use: .unused, root: 0), count: Int(file.pageCount) + 1)
        guard file.pageCount > 0 else { return }
        if file.lockBytePage <= file.pageCount { try note(file.lockBytePage, .lockByte) }
        if file.header.hasPointerMaps {
            for page in 2..<max(2, UInt64(file.pageCount) + 1) where file.isPointerMap(UInt32(page)) {
                try note(UInt32(page), .pointerMap)
            }
        }
        for root in try roots ?? [1] + file.schema().map(\.rootPage) where root != 0 {
            try noteTree(root, of: file)
        }
        try file.forEachFreePage { page, isTrunk in try note(page, isTrunk ? .freelistTrunk : .freelistLeaf) }
    }

    private mutating func noteTree(_ root: UInt32, of file: DatabaseFile) throws {
        try file.forEachPage(ofTree: root) { visit in
            switch visit.content {
            case .tree(let page): try note(page.number, page.kind.isLeaf ? .leaf : .interior, root)
            case .overflow: try note(visit.number, .overflow, root)
            }
        }
    }

    private mutating func note(_ page: UInt32, _ use: Use, _ root: UInt32 = 0) throws(FileDamage) {
        guard owners[Int(page)].use == .unused else { throw FileDamage(page, .pageUsedTwice) }
        owners[Int(page)] = Owner(use: use, root: root)
    }

    /// Returns the owner of a page.
    /// - Parameter page: from 1 to the number of pages; any other is unused.
    public subscript(page: UInt32) -> Owner {
        page > 0 && page < owners.count ? owners[Int(page)] : Owner(use: .unused, root: 0)
    }

    public var pageCount: UInt32 { UInt32(owners.count - 1) }

    /// Returns how many pages have a use.
    public func count(_ use: Use) -> Int { owners.dropFirst().count { $0.use == use } }

    /// Returns the pages of a tree, ascending.
    public func pages(ofTree root: UInt32) -> [UInt32] {
        owners.indices.filter { $0 > 0 && owners[$0].root == root }.map(UInt32.init)
    }
}
