/// A check of a tree for damage, which can stop when time is up and go on from the last key.
///
/// It sees what `integrity_check` sees in one tree: pages of the wrong kind or at the wrong depth, bytes with
/// two uses, keys out of order, chains of overflow pages that are too short or too long, and wrong entries in
/// the pointer map. It does not see what only the whole file shows: pages that nothing refers to, or that two
/// trees share.
public struct TreeCheck: ~Copyable {
    /// The key of the last entry that was checked.
    public enum Place: Sendable, Hashable, Codable {
        case rowid(Int64)
        /// The record of an entry of an index, or of a row of a WITHOUT ROWID table.
        case key([UInt8])
    }

    static let maxDepth = 20

    private let file: DatabaseFile
    private let part: Subtree
    /// Whether the entries have rowids; nil where that is not known. Without an entry only the page's kind shows it.
    private let holdsRowids: Bool?
    /// The order of an index's entries; nil if only an application knows it.
    private let order: KeyOrder?
    /// The columns whose values must differ between any two entries.
    private let unique: KeyOrder?
    public private(set) var place: Place?
    /// In a table, every later entry has a higher key.
    private var fence: Int64?
    private var last: Payload?
    private var resumes: Bool
    /// Whether an entry was checked, so that each run makes progress.
    private var hasMoved = false
    /// How many levels below the root the leaves are; nil as long as none was seen.
    public private(set) var leafDepth: Int?
    private let uses: PageUses?
    private var pagesEntered: UInt32 = 0
    private var buffer = PayloadBuffer()
    private var lastBuffer = PayloadBuffer()

    /// - Parameters:
    ///   - holdsRowids: whether it is the tree of a table with rowids; nil where that is not known.
    ///   - place: where an earlier check of the tree stopped. An index without an order starts again.
    ///   - unique: see ``FileDamage/Fault/keyTwice``.
    public init(
        _ file: DatabaseFile, root: UInt32, holdsRowids: Bool? = nil, order: KeyOrder? = nil,
        unique: KeyOrder? = nil, from place: Place? = nil
    ) {
        (self.file, part, self.holdsRowids) = (file, Subtree(root), holdsRowids)
        (self.order, self.unique, self.place) = (order, unique, place)
        if case .rowid(let rowid) = place { fence = rowid }
        resumes = place != nil
        uses = nil
    }

    /// Makes the check of a part of a tree.
    /// - Parameter uses: notes each page, of which none may have been noted; nil where no one else does.
    public init(
        _ file: DatabaseFile, _ part: Subtree, holdsRowids: Bool? = nil, order: KeyOrder? = nil,
        unique: KeyOrder? = nil, uses: PageUses? = nil
    ) {
        (self.file, self.part, self.holdsRowids) = (file, part, holdsRowids)
        (self.order, self.unique) = (order, unique)
        resumes = false
        self.uses = uses
        fence = part.lower?.rowid
        last = part.lower?.payload
    }

    /// Goes on with the check.
    /// - Parameters:
    ///   - goesOn: called after each leaf; false stops the check.
    ///   - visit: called with each entry, except keys between two children of a table's page.
    /// - Returns: whether the end was reached; if not, ``place`` says where to go on.
    /// - Throws: ``FileDamage``, and what `visit` throws.
    public mutating func run(
        while goesOn: () -> Bool, _ visit: (TreeEntry) throws -> Void = { _ in }
    ) throws -> Bool {
        let page = try file.treePage(part.page)
        if let holdsRowids, page.kind.isTable != holdsRowids { throw FileDamage(part.page, .treeKind) }
        if part.depth == 0, part.page > 1 { try file.checkPointer(to: part.page, .root, from: 0) }
        let isDone = try check(page, below: part.parent, depth: part.depth, goesOn, visit)
        if !isDone, let last { place = .key(Array(try file.bytes(of: last, in: &buffer))) }
        if isDone, let upper = part.upper { try checkUpper(upper, page) }
        return isDone
    }

    /// Checks that what was seen lies below the key after it.
    private mutating func checkUpper(_ upper: TreeEntry, _ page: TreePage) throws(FileDamage) {
        if page.kind.isTable {
            guard fence.map({ $0 <= upper.rowid }) ?? true else { throw FileDamage(page.number, .keyOrder) }
        } else if let order, last != nil {
            try checkOrder(upper, order)
        }
    }

    /// - Returns: false if the time is up.
    private mutating func check(
        _ page: TreePage, below parent: UInt32, depth: Int, _ goesOn: () -> Bool,
        _ visit: (TreeEntry) throws -> Void
    ) throws -> Bool {
        guard depth < Self.maxDepth else { throw FileDamage(page.number, .treeDepth) }
        guard pagesEntered < file.pageCount else { throw FileDamage(page.number, .pageUsedTwice) }
        pagesEntered += 1
        try uses?.note(Link(page: page.number, parent: parent, isOverflow: false))
        try page.checkUse()
        if page.kind.isLeaf {
            guard (leafDepth ?? depth) == depth else { throw FileDamage(page.number, .treeDepth) }
            leafDepth = depth
        }
        for index in try firstCell(of: page)..<page.cellCount {
            if !page.kind.isLeaf, try !checkChild(index, of: page, depth, goesOn, visit) { return false }
            try check(page.entry(index), on: page, visit)
        }
        if page.kind.isLeaf {
            // Nothing was checked before this leaf's last entry.
            resumes = false
            return !hasMoved || goesOn()
        }
        return try checkChild(page.cellCount, of: page, depth, goesOn, visit)
    }

    private mutating func checkChild(
        _ index: Int, of page: TreePage, _ depth: Int, _ goesOn: () -> Bool,
        _ visit: (TreeEntry) throws -> Void
    ) throws -> Bool {
        let number = try page.child(index)
        try file.checkPointer(to: number, .treePage, from: page.number)
        let child = try file.treePage(number)
        guard child.kind.isTable == page.kind.isTable else { throw FileDamage(number, .treeKind) }
        if part.isOnePage { return true }
        return try check(child, below: page.number, depth: depth + 1, goesOn, visit)
    }

    private mutating func check(
        _ entry: TreeEntry, on page: TreePage, _ visit: (TreeEntry) throws -> Void
    ) throws {
        if page.kind.isTable {
            // A key between two children may equal that of the row before it.
            let isInOrder = fence.map { entry.rowid > $0 || !page.kind.isLeaf && entry.rowid == $0 } ?? true
            guard isInOrder else { throw FileDamage(page.number, .keyOrder) }
            fence = entry.rowid
            guard page.kind.isLeaf else { return }
            place = .rowid(entry.rowid)
        } else if let order {
            if last != nil || place != nil { try checkOrder(entry, order) }
            last = entry.payload
            place = nil
        }
        hasMoved = true
        try file.checkChain(of: entry.payload) { overflow throws(FileDamage) in
            try uses?.note(Link(page: overflow, parent: page.number, isOverflow: true))
        }
        try visit(entry)
    }

    private mutating func checkOrder(_ entry: TreeEntry, _ order: KeyOrder) throws(FileDamage) {
        let page = entry.payload.page
        let bytes = try file.bytes(of: entry.payload, in: &buffer)
        var (isAfter, isSame) = (true, false)
        if let last {
            let before = try file.bytes(of: last, in: &lastBuffer)
            isAfter = try order.compare(before, bytes, page: page) < 0
            if let unique, try unique.compare(before, bytes, page: page) == 0 {
                isSame = try !hasNull(bytes, unique, page)
            }
        } else if case .key(let before) = place {
            isAfter = try Self.compare(before, bytes, order, page) < 0
            if let unique, try Self.compare(before, bytes, unique, page) == 0 {
                isSame = try !hasNull(bytes, unique, page)
            }
        }
        guard isAfter else { throw FileDamage(page, .keyOrder) }
        guard !isSame else { throw FileDamage(page, .keyTwice) }
    }

    private static func compare(
        _ key: [UInt8], _ bytes: UnsafeRawBufferPointer, _ order: KeyOrder, _ page: UInt32
    ) throws(FileDamage) -> Int {
        let outcome = key.withUnsafeBytes { key -> Result<Int, FileDamage> in
            do throws(FileDamage) {
                return .success(try order.compare(key, bytes, page: page))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Returns whether a key column is NULL. "NULL values are distinct", so any number of entries may have
    /// them.
    private func hasNull(
        _ bytes: UnsafeRawBufferPointer, _ order: KeyOrder, _ page: UInt32
    ) throws(FileDamage) -> Bool {
        var reader = try RecordReader(bytes, page: page)
        for _ in order.columns {
            if try reader.next()?.storageClass == .null { return true }
        }
        return false
    }

    /// Returns the first cell of a page after `place`.
    private mutating func firstCell(of page: TreePage) throws(FileDamage) -> Int {
        guard resumes, let place else { return 0 }
        for index in 0..<page.cellCount {
            let entry = try page.entry(index)
            switch place {
            case .rowid(let rowid): if entry.rowid > rowid { return index }
            case .key(let key):
                guard let order else { return 0 }
                let bytes = try file.bytes(of: entry.payload, in: &buffer)
                if try Self.compare(key, bytes, order, page.number) < 0 { return index }
            }
        }
        return page.cellCount
    }
}
