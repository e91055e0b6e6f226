import TestTools
import Testing

@testable import SQLiteFile

/// What is read through a window is what the pages themselves have, damage included.
@Suite struct PageWindowTests {
    @Test(arguments: seeds(15, of: 40, soak: 3_000)) func figuresAreThoseOfThePages(seed: Int) throws {
        let folder = Folder()
        var random = SeededGenerator(seed: seed)
        let (made, main, log) = try WriteAheadLogTests.make(seed, folder)
        let whole = try DatabaseFile(main, log: log)
        let roots = try [1] + whole.schema().map(\.rootPage)
        for round in 0..<10 {
            var (bytes, logBytes) = (main, log)
            // The first round is that of an undamaged database.
            for _ in 0..<(3 * round) {
                bytes[random.int(100...(bytes.count - 1))] = UInt8(random.int(0...255))
            }
            if round > 5 { bytes.removeLast(random.int(0...(bytes.count / 4))) }
            if round == 3 { logBytes = [] }
            guard let plain = try? DatabaseFile(bytes, log: logBytes) else { continue }
            let size = random.pick([0, 1500, 4096, 20_000, 300_000])
            for root in roots where root != 0 && root <= plain.pageCount {
                let reads = Reads(failing: random.pick([nil, nil, 0, 2]))
                let read = try DatabaseFile(bytes, log: logBytes, through: reads)
                let window = PageWindow(read, size: size)
                let ours = Result { try read.figures(root, window) }
                let theirs = Result { try plain.figures(root, nil) }
                let context = Comment(rawValue: "seed \(seed) \(made.path) round \(round) root \(root)")
                switch (ours, theirs) {
                case (.success(let left), .success(let right)): #expect(left == right, context)
                case (.failure(let left as FileDamage), .failure(let right as FileDamage)):
                    #expect(left == right, context)
                default: Issue.record("\(context): \(ours) and \(theirs)")
                }
            }
        }
    }

    @Test func pagesInARowTakeOneRead() throws {
        let folder = Folder()
        let database = try Database(folder.file("order.db"))
        let numbers = "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 30000)"
        try database.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE blobs(x);
            \(numbers) INSERT INTO t SELECT n, zeroblob(100) FROM s;
            INSERT INTO blobs VALUES (zeroblob(3000000)), (zeroblob(3000000))
            """)
        let reads = Reads()
        let file = try DatabaseFile(try contents(folder.file("order.db")), log: [], through: reads)
        let leaves = try file.figures(file.root("t"), PageWindow(file)).leafPages
        #expect(leaves > 700 && reads.count < leaves / 30 && reads.bytes < (leaves + 60) * 4096)
        let before = reads.count
        let overflow = try file.figures(file.root("blobs"), PageWindow(file)).overflowPages
        // The first reads are short, until it shows that the chain is in order.
        #expect(overflow > 1400 && reads.count - before < 40)
    }

    @Test(arguments: [512, 4096, 65536]) func theLockBytePageIsNeverShown(pageSize: Int) throws {
        let number = UInt32(0x4000_0000 / pageSize + 1)
        let pages = CopiedPages(pageSize: pageSize, pageCount: number + 2)
        let file = try DatabaseFile(pages)
        let window = PageWindow(file, size: 8 * pageSize)
        _ = try window.treePage(number - 2) { 5 }
        for page in number - 4..<number { _ = try window.overflowPage(page) }
        #expect(pages.copied.contains(number))
        #expect(throws: FileDamage(number, .pageOutsideFile)) { try window.overflowPage(number) }
        #expect(throws: FileDamage(number, .pageOutsideFile)) { try window.treePage(number) { 5 } }
        for page in [0, number + 3, UInt32.max] {
            #expect(throws: FileDamage(page, .pageOutsideFile)) { try window.overflowPage(page) }
            #expect(throws: FileDamage(page, .pageOutsideFile)) { try window.treePage(page) { 5 } }
        }
        #expect(pages.copied.allSatisfy { $0 >= 1 && $0 <= number + 2 })
    }
}

/// Counts the reads of a file in memory, of which some fail.
private final class Reads: @unchecked Sendable {
    private(set) var count = 0
    private(set) var bytes = 0
    private let failing: Int?

    init(failing: Int? = nil) { self.failing = failing }

    func read(_ file: UnsafeRawBufferPointer, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Bool
    {
        count += 1
        bytes += buffer.count
        guard count != failing.map({ $0 + 1 }) else { return false }
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: file[offset..<(offset + buffer.count)]))
        return true
    }
}

/// Empty leaves, which can be copied.
private final class CopiedPages: PageSource, @unchecked Sendable {
    let pageSize: Int
    let pageCount: UInt32
    private let sparse: SparsePages
    private(set) var copied: Set<UInt32> = []

    init(pageSize: Int, pageCount: UInt32) {
        (self.pageSize, self.pageCount) = (pageSize, pageCount)
        sparse = SparsePages(pageSize: pageSize, pageCount: pageCount)
    }

    func page(_ number: UInt32) -> UnsafeRawBufferPointer { sparse.page(number) }
    func identity(ofPage number: UInt32) -> UInt? { nil }

    func copyPages(from first: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = buffer.count / pageSize
        buffer.initializeMemory(as: UInt8.self, repeating: 0)
        for index in 0..<count {
            buffer[index * pageSize] = 13
            copied.insert(first + UInt32(index))
        }
        return count
    }
}

extension DatabaseFile {
    fileprivate convenience init(_ main: [UInt8], log: [UInt8], through reads: Reads) throws {
        let (main, log) = (Memory(main), Memory(log))
        let file = UnsafeRawBufferPointer(main.bytes)
        try self.init(
            try LoggedPages(
                database: file, log: UnsafeRawBufferPointer(log.bytes), owner: [main, log],
                read: { reads.read(UnsafeRawBufferPointer(main.bytes), $0, $1) }))
    }

    fileprivate func figures(_ root: UInt32, _ window: PageWindow?) throws -> TreeStatistics {
        try TreeStatistics(TreePart.parts(of: root, in: self).map { try $0.read(self, through: window) }[...])
    }
}
