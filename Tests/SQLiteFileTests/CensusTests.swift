import TestTools
import Testing

@testable import SQLiteFile

/// The use of each page is the one that SQLite reports.
@Suite struct CensusTests {
    @Test(arguments: seeds(15, of: 30, soak: 2_000)) func everyPageHasItsOwner(seed: Int) throws {
        let folder = Folder()
        var made = try RandomDatabase(seed: seed, in: folder)
        try made.edit(30)
        try made.database.execute("pragma wal_checkpoint(truncate)")
        let file = try DatabaseFile(path: made.path)
        let census = try PageCensus(file)
        let freeCount = census.count(.freelistLeaf) + census.count(.freelistTrunk)
        #expect(try freeCount == made.database.integer("pragma freelist_count"), "seed \(seed)")
        #expect(try Int(census.pageCount) == made.database.integer("pragma page_count"), "seed \(seed)")
        #expect(census.count(.unused) == 0, "seed \(seed)")
        #expect((census.count(.pointerMap) > 0) == (file.header.hasPointerMaps && file.pageCount > 1))
        try compareWithDbstat(made, file, census, seed)
        try checkPointerMaps(file, census, seed)
    }

    /// Compares the kinds of pages and, page by page, cells, payload and unused bytes.
    private func compareWithDbstat(
        _ made: RandomDatabase, _ file: DatabaseFile, _ census: PageCensus, _ seed: Int
    ) throws {
        guard
            let theirs = try? made.database.rows(
                "select name, pageno, pagetype, ncell, payload, unused, mx_payload from dbstat order by pageno"
            )
        else { return }
        let roots = Dictionary(
            uniqueKeysWithValues: [("sqlite_schema", 1)] + (try file.schema()).map { ($0.name, $0.rootPage) })
        var ours: [String] = []
        for (name, root) in roots where root != 0 {
            try file.forEachPage(ofTree: root) { visit in
                ours.append("\(name) \(visit.number) \(try visit.figures(file))")
            }
            #expect(census[root].root == root)
        }
        let expected = theirs.map { row in
            row.map { made.text($0) }.joined(separator: " ")
        }
        let (a, b) = (ours.sorted(), expected.sorted())
        #expect(a == b, "seed \(seed) \(mismatch(a, b))")
        for row in theirs {
            let owner = census[UInt32(made.text(row[1])) ?? 0]
            #expect(
                "\(owner.use)" == made.text(row[2]).replacing("internal", with: "interior"), "seed \(seed)")
            #expect(owner.root == roots[made.text(row[0])], "seed \(seed)")
        }
    }

    private func checkPointerMaps(_ file: DatabaseFile, _ census: PageCensus, _ seed: Int) throws {
        guard file.header.hasPointerMaps else { return }
        var expected: [UInt32: PointerMapEntry] = [:]
        for root in try file.schema().map(\.rootPage) where root != 0 {
            var previous = (page: UInt32(0), cells: UInt32(0), next: UInt32(0))
            try file.forEachPage(ofTree: root) { visit in
                switch visit.content {
                case .tree:
                    let kind = visit.parent == 0 ? PointerMapEntry.Kind.root : .treePage
                    expected[visit.number] = PointerMapEntry(kind: kind, parent: visit.parent)
                    previous = (0, 0, 0)
                case .overflow:
                    let follows = previous.next == visit.number && previous.cells == visit.parent
                    expected[visit.number] = PointerMapEntry(
                        kind: follows ? .laterOverflow : .firstOverflow,
                        parent: follows ? previous.page : visit.parent)
                    previous = (visit.number, visit.parent, try file.page(visit.number).uint32(at: 0))
                }
            }
        }
        for page in 2..<max(2, file.pageCount + 1) where census[page].root != 1 {
            switch census[page].use {
            case .pointerMap: #expect(try file.pointerMapEntry(for: page) == nil)
            case .freelistLeaf, .freelistTrunk:
                #expect(try file.pointerMapEntry(for: page)?.kind == .free, "seed \(seed) \(page)")
            default:
                #expect(try file.pointerMapEntry(for: page) == expected[page], "seed \(seed) \(page)")
            }
        }
    }

    /// Reads page 1 of a file that is large enough to have a lock-byte page.
    @Test(arguments: [(512, 2_097_153), (4096, 262_145), (65536, 16385)])
    func lockBytePageHasNoOwner(pageSize: Int, number: Int) throws {
        let source = SparsePages(pageSize: pageSize, pageCount: UInt32(number) + 2)
        let file = try DatabaseFile(source)
        #expect(file.lockBytePage == UInt32(number))
        #expect(throws: FileDamage(UInt32(number), .pageOutsideFile)) {
            try file.treePage(UInt32(number))
        }
        guard pageSize == 65536 else { return }
        let census = try PageCensus(file)
        #expect(census[UInt32(number)].use == .lockByte)
        #expect(census.count(.unused) == number)
    }

    @Test func pointerMapYieldsToTheLockBytePage() throws {
        // 262,145 - 2 is not a multiple of 820, but with pages of 1024 bytes 1,048,577 - 2 is one of 205.
        let file = try DatabaseFile(SparsePages(pageSize: 1024, pageCount: 10, largestRoot: 1))
        let stride: UInt32 = 1024 / 5 + 1
        #expect(file.pointerMapPage(for: 2) == 2 && file.pointerMapPage(for: 1) == nil)
        #expect(file.pointerMapPage(for: 2 + stride - 1) == 2 && file.isPointerMap(2 + stride))
        #expect((file.lockBytePage - 2) % stride == 0)
        #expect(file.pointerMapPage(for: file.lockBytePage + 5) == file.lockBytePage + 1)
        #expect(!file.isPointerMap(file.lockBytePage) && file.isPointerMap(file.lockBytePage + 1))
    }

    @Test func aPageUsedTwiceIsDamage() throws {
        let folder = Folder()
        let database = try Database(folder.file("twice.db"))
        try database.execute("create table a(x); create table b(x)")
        let file = try DatabaseFile(path: folder.file("twice.db"))
        let root = try file.root("a")
        #expect(throws: FileDamage(root, .pageUsedTwice)) { try PageCensus(file, roots: [1, root, root]) }
    }
}

extension PageVisit {
    /// Returns the figures as dbstat prints them: type, cells, payload, unused bytes, largest payload.
    fileprivate func figures(_ file: DatabaseFile) throws -> String {
        switch content {
        case .overflow(let payload):
            return "overflow 0 \(payload) \(file.header.usableSize - 4 - payload) 0"
        case .tree(let page):
            var (sum, largest) = (0, 0)
            for index in 0..<page.cellCount where page.kind != .tableInterior {
                let payload = try page.entry(index).payload
                sum += payload.local.count
                largest = max(largest, payload.size)
            }
            let kind = page.kind.isLeaf ? "leaf" : "internal"
            return "\(kind) \(page.cellCount) \(sum) \(try page.unusedBytes()) \(largest)"
        }
    }
}

extension RandomDatabase {
    fileprivate func text(_ value: StoredValue) -> String {
        switch value {
        case .integer(let integer): return "\(integer)"
        case .text(let bytes):
            guard encoding != "UTF-8" else { return String(decoding: bytes, as: UTF8.self) }
            return String(decoding: bytes.filter { $0 != 0 }, as: UTF8.self)
        default: return "\(value)"
        }
    }
}

/// A database without tables; every page but the first is zeros.
final class SparsePages: PageSource {
    let pageSize: Int
    let pageCount: UInt32
    private let first: Memory
    private let other: Memory

    init(pageSize: Int, pageCount: UInt32, largestRoot: UInt8 = 0) {
        self.pageSize = pageSize
        self.pageCount = pageCount
        var bytes = [UInt8](repeating: 0, count: pageSize)
        bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
        bytes[16] = UInt8(pageSize == 65536 ? 0 : pageSize >> 8)
        bytes[17] = UInt8(pageSize == 65536 ? 1 : 0)
        bytes.replaceSubrange(18..<24, with: [1, 1, 0, 64, 32, 32])
        bytes[55] = largestRoot
        bytes[100] = 13
        first = Memory(bytes)
        other = Memory([UInt8](repeating: 0, count: pageSize))
    }

    func page(_ number: UInt32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(number == 1 ? first.bytes : other.bytes)
    }

    func identity(ofPage number: UInt32) -> UInt? { nil }
}
