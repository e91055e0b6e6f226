/// The size of a tree and the order of its leaves in the file, read from its interior pages and some of its
/// leaves.
///
/// The interior pages name every leaf, in the order of the keys. The numbers of rows and overflow pages are
/// only on the leaves; if there are many leaves, evenly spaced ones stand for the rest.
public struct TreeOutline: Sendable, Equatable {
    public private(set) var leafPages = 0
    public private(set) var interiorPages = 0
    /// Leaves that do not directly follow, in the file, the leaf before them in the order of the keys.
    public private(set) var scatteredLeaves = 0
    /// Rows of a table, entries of an index; an estimate unless ``isExact``.
    public private(set) var rowCount = 0
    /// An estimate unless ``isExact``.
    public private(set) var overflowPages = 0
    /// Whether every leaf was read.
    public private(set) var isExact = true

    public var pages: Int { leafPages + interiorPages + overflowPages }

    /// - Parameter sampleSize: how many leaves are read at most.
    /// - Throws: ``FileDamage``.
    public init(_ file: DatabaseFile, root: UInt32, sampleSize: Int = 512) throws(FileDamage) {
        var (height, first) = (0, try file.treePage(root))
        while !first.kind.isLeaf {
            height += 1
            guard height < 20 else { throw FileDamage(root, .treeDepth) }
            first = try file.treePage(try first.child(0))
        }
        var leaves: [UInt32] = []
        try collect(root, height, file, &leaves)
        leafPages = leaves.count
        for (before, leaf) in zip(leaves, leaves.dropFirst()) where leaf != before &+ 1 {
            scatteredLeaves += 1
        }
        try sample(leaves, sampleSize, file)
    }

    private mutating func collect(
        _ number: UInt32, _ height: Int, _ file: DatabaseFile, _ leaves: inout [UInt32]
    ) throws(FileDamage) {
        guard leafPages + interiorPages + leaves.count <= Int(file.pageCount) else {
            throw FileDamage(number, .pageUsedTwice)
        }
        guard height > 0 else { return leaves.append(number) }
        let page = try file.treePage(number)
        guard !page.kind.isLeaf else { throw FileDamage(number, .treeDepth) }
        interiorPages += 1
        if !page.kind.isTable { try count(page, file) }
        for index in 0...page.cellCount { try collect(try page.child(index), height - 1, file, &leaves) }
    }

    private mutating func sample(
        _ leaves: [UInt32], _ size: Int, _ file: DatabaseFile
    ) throws(FileDamage) {
        let count = min(leaves.count, max(1, size))
        isExact = count == leaves.count
        var some = TreeOutline()
        for index in 0..<count {
            let page = try file.treePage(leaves[index * leaves.count / count])
            guard page.kind.isLeaf else { throw FileDamage(page.number, .treeDepth) }
            try some.count(page, file)
        }
        rowCount += some.rowCount * leaves.count / max(1, count)
        overflowPages += some.overflowPages * leaves.count / max(1, count)
    }

    private init() {}

    private mutating func count(_ page: TreePage, _ file: DatabaseFile) throws(FileDamage) {
        rowCount += page.cellCount
        guard try page.hasOverflow() else { return }
        let room = file.layout.overflowSize
        for index in 0..<page.cellCount {
            let payload = try page.entry(index).payload
            overflowPages += (payload.size - payload.localSize + room - 1) / room
        }
    }
}
