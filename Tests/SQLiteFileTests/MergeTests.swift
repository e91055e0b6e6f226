import Foundation
import TestTools
import Testing

@testable import SQLiteFile

/// A merge finds every difference, whatever it skips.
@Suite struct MergeTests {
    @Test(arguments: seeds(15, of: 30, soak: 2_000)) func mergeFindsWhatSQLFinds(seed: Int) throws {
        let folder = Folder()
        var random = SeededGenerator(seed: -seed)
        let before = try RandomDatabase(
            seed: seed, in: folder, pageSize: random.pick([512, 512, 1024, 4096]),
            rows: random.pick([20, 100]))
        var after = try before.copy(in: folder)
        try after.change(&random)
        let left = try DatabaseFile(path: before.path)
        let right = try random.chance(50) ? DatabaseFile(path: after.path) : after.layer(over: left)
        let difference = try Self.difference(left, right, &random)
        for table in before.tables {
            let on = table.key.map { after.match($0, of: table) } ?? "l.rowid = r.rowid"
            let order = table.key.map { KeyOrder($0, in: left) }
            try Merging(left, right, table.name, difference, order)?.compare(
                before, after, table.name, on, seed)
        }
        for index in before.indexes {
            let table = before.tables[index.table]
            let on = "l.rowid = r.rowid and \(after.match(index.parts, of: table))"
            let order = KeyOrder(index.parts, andRowidIn: left)
            try Merging(left, right, index.name, difference, order)?.compare(
                before, after, table.name, on, seed)
        }
    }

    /// Returns the pages that differ, found or given. Naming more pages than differ is allowed.
    private static func difference(
        _ left: DatabaseFile, _ right: DatabaseFile, _ random: inout SeededGenerator
    ) throws -> PageDifference? {
        if random.chance(20) { return nil }
        let found = try PageDifference(comparing: left, right)
        if random.chance(50) { return found }
        let more = (0..<3).map { _ in UInt32(random.int(1...Int(left.pageCount))) }
        return try PageDifference(left, right, changed: found.pages.pages + more)
    }

    @Test func aChangedOverflowPageUnderAnUnchangedLeafIsFound() throws {
        let folder = Folder()
        let database = try Database(folder.file("a.db"))
        try database.execute(
            """
            pragma page_size = 512; create table t(a); create table u(a);
            insert into t values (replace(hex(zeroblob(2000)), '00', 'ab')), (1);
            """)
        let left = try DatabaseFile(path: folder.file("a.db"))
        try database.execute("update t set a = substr(a, 1, length(a) - 1) || 'x' where rowid = 1")
        let right = try DatabaseFile(path: folder.file("a.db"))
        let (root, difference) = (try left.root("t"), try PageDifference(comparing: left, right))
        #expect(!difference.pages.contains(root) && difference.mayHideOverflow)
        let pair = try #require(
            try TreePair(left, root: root, right, root: root, difference: difference))
        #expect(try !pair.isUntouched())
        var changed: [Int64] = []
        let counts = try pair.merge { if case .changed(let a, _) = $0 { changed.append(a.rowid) } }
        #expect(changed == [1] && counts.equal == 1 && counts.left == 2)
        let other = try left.root("u")
        #expect(
            try TreePair(left, root: other, right, root: other, difference: difference)?.isUntouched() == true
        )
    }

    @Test func sharedSubtreesAreNotRead() throws {
        let folder = Folder()
        let database = try Database(folder.file("a.db"))
        try database.execute(
            """
            create table t(a);
            with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
            insert into t select 'some text ' || i from n;
            """)
        let left = try DatabaseFile(path: folder.file("a.db"))
        try database.execute("update t set a = 7 where rowid = 50000; delete from t where rowid = 99")
        let right = try DatabaseFile(path: folder.file("a.db"))
        let (root, difference) = (try left.root("t"), try PageDifference(comparing: left, right))
        #expect(!difference.mayHideOverflow)
        let pair = try #require(try TreePair(left, root: root, right, root: root, difference: difference))
        let counted = try pair.merge { _ in }
        let leaves = try PageCensus(left).count(.leaf)
        #expect(counted.left == 100_000 && counted.right == 99_999 && counted.changed == 1)
        #expect(counted.skippedLeaves == leaves - 3)
        let uncounted = try pair.merge(countsSkippedRows: false) { _ in }
        #expect(uncounted.left < 1000 && uncounted.skippedLeaves == leaves - 3)
    }

    @Test func encodingsAndKindsMustBeTheSame() throws {
        let folder = Folder()
        let names = ["a": "utf-8", "b": "utf-16le"]
        for (name, encoding) in names {
            try Database(folder.file(name)).execute(
                "pragma encoding = '\(encoding)'; create table t(a); create index i on t(a)")
        }
        let (a, b) = (try DatabaseFile(path: folder.file("a")), try DatabaseFile(path: folder.file("b")))
        let (table, index) = (try a.root("t"), try a.root("i"))
        #expect(try TreePair(a, root: table, a, root: table) != nil)
        #expect(try TreePair(a, root: table, b, root: table) == nil)
        #expect(try TreePair(a, root: table, a, root: index) == nil)
    }
}

/// A merge of one tree, and its expected result.
private struct Merging {
    let pair: TreePair
    let name: String

    /// Returns nil if the tree no longer exists.
    init?(
        _ left: DatabaseFile, _ right: DatabaseFile, _ name: String, _ difference: PageDifference?,
        _ order: KeyOrder?
    ) throws {
        let (leftRoot, rightRoot) = (try left.root(name), try right.root(name))
        guard rightRoot != 0,
            let pair = try TreePair(
                left, root: leftRoot, right, root: rightRoot, difference: difference, order: order)
        else { return nil }
        self.pair = pair
        self.name = name
    }

    struct Row: Hashable {
        let rowid: Int64
        let payload: [UInt8]
    }

    /// - Parameter on: the condition under which two rows of `table` are the same entry.
    func compare(
        _ before: RandomDatabase, _ after: RandomDatabase, _ table: String, _ on: String, _ seed: Int
    ) throws {
        let left = Set(try rows(pair.left, pair.leftRoot)), right = Set(try rows(pair.right, pair.rightRoot))
        var (reportedLeft, reportedRight) = (Set<Row>(), Set<Row>())
        let counts = try pair.merge { difference in
            switch difference {
            case .onlyLeft(let a): reportedLeft.insert(try row(a, pair.left))
            case .onlyRight(let b): reportedRight.insert(try row(b, pair.right))
            case .changed(let a, let b):
                reportedLeft.insert(try row(a, pair.left))
                reportedRight.insert(try row(b, pair.right))
            }
        }
        #expect(reportedLeft == left.subtracting(right), "seed \(seed) \(name)")
        #expect(reportedRight == right.subtracting(left), "seed \(seed) \(name)")
        #expect(counts.left == left.count && counts.right == right.count, "seed \(seed) \(name)")
        #expect(counts.equal == left.intersection(right).count, "seed \(seed) \(name)")
        try compareRanges(with: counts, reportedLeft, reportedRight, seed)
        try after.database.execute("attach '\(before.path)' as old")
        defer { try? after.database.execute("detach old") }
        let onlyLeft =
            "select count(*) from old.\(table) l where not exists (select 1 from main.\(table) r where \(on))"
        let onlyRight =
            "select count(*) from main.\(table) r where not exists (select 1 from old.\(table) l where \(on))"
        #expect(try counts.onlyLeft == after.database.integer(onlyLeft), "seed \(seed) \(name)")
        #expect(try counts.onlyRight == after.database.integer(onlyRight), "seed \(seed) \(name)")
        if try pair.isUntouched() { #expect(left == right, "seed \(seed) \(name)") }
        if pair.difference?.pages.isEmpty == true { #expect(try pair.isUntouched(), "seed \(seed) \(name)") }
    }

    /// The ranges of a table's rows have between them what the whole has.
    private func compareRanges(
        with whole: MergeCounts, _ left: Set<Row>, _ right: Set<Row>, _ seed: Int
    ) throws {
        for wanted in [1, 5, 64] {
            let ranges = try pair.rowRanges(atLeast: wanted)
            // The tree of an index has none.
            guard let first = ranges.first, let last = ranges.last else { return }
            #expect(first.lowerBound == .min && last.upperBound == .max)
            var counts = MergeCounts()
            var found: [(left: Row?, right: Row?)] = []
            for range in ranges {
                let part = try pair.merge(rows: range) { difference in
                    let (a, b) = difference.entries
                    found.append(
                        (try a.map { try row($0, pair.left) }, try b.map { try row($0, pair.right) }))
                }
                counts.equal += part.equal
                counts.changed += part.changed
                counts.onlyLeft += part.onlyLeft
                counts.onlyRight += part.onlyRight
            }
            var expected = whole
            (expected.skippedLeaves, counts.skippedLeaves) = (0, 0)
            #expect(counts == expected, "seed \(seed) \(name) in \(ranges.count)")
            #expect(Set(found.compactMap(\.left)) == left, "seed \(seed) \(name) in \(ranges.count)")
            #expect(Set(found.compactMap(\.right)) == right, "seed \(seed) \(name) in \(ranges.count)")
            #expect(found.count == whole.changed + whole.onlyLeft + whole.onlyRight)
        }
    }

    private func rows(_ file: DatabaseFile, _ root: UInt32) throws -> [Row] {
        var cursor = try TreeCursor(file, root: root)
        var result: [Row] = []
        while let entry = try cursor.next() { result.append(try row(entry, file)) }
        return result
    }

    private func row(_ entry: TreeEntry, _ file: DatabaseFile) throws -> Row {
        var buffer = PayloadBuffer()
        return Row(rowid: entry.rowid, payload: Array(try file.bytes(of: entry.payload, in: &buffer)))
    }
}

extension KeyOrder {
    fileprivate init(_ parts: [RandomDatabase.KeyPart], in file: DatabaseFile) {
        self.init(parts.map { KeyColumn($0.collation, isDescending: $0.isDescending) }, in: file)
    }

    fileprivate init(_ parts: [RandomDatabase.KeyPart], andRowidIn file: DatabaseFile) {
        let columns = parts.map { KeyColumn($0.collation, isDescending: $0.isDescending) }
        self.init(columns + [KeyColumn()], in: file)
    }
}

extension RandomDatabase {
    /// Returns a condition that two rows, `l` and `r`, have the same key.
    fileprivate func match(_ parts: [KeyPart], of table: Table) -> String {
        parts.map { part in
            let name = table.columns[part.column].name
            return "l.\(name) is r.\(name) collate \(part.collation)"
        }.joined(separator: " and ")
    }

    /// Makes a change that a migration may make to rows and pages.
    fileprivate mutating func change(_ random: inout SeededGenerator) throws {
        switch random.int(0...7) {
        case 0: break
        case 1: try edit(random.int(20...80))
        case 2...4:
            for table in tables {
                for _ in 0..<4 { try repaint(table, "random() % \(random.int(1...4)) = 0") }
            }
        default: try edit(random.int(1...6))
        }
        switch random.int(0...9) {
        case 0: try database.execute("vacuum")
        case 1:
            try database.execute(
                "pragma journal_mode = delete; pragma page_size = \(random.pick(Self.pageSizes)); vacuum")
        case 2: try database.execute("pragma incremental_vacuum(3)")
        case 3:
            let table = random.pick(tables)
            try database.execute(
                """
                create table x as select * from \(table.name); drop table x;
                delete from \(random.pick(tables).name);
                """)
        default: break
        }
        if random.chance(30) { try edit(2) }
        try database.execute("pragma wal_checkpoint(truncate)")
    }

    /// Returns this database as the pages that differ, over those of another database.
    fileprivate func layer(over base: DatabaseFile) throws -> DatabaseFile {
        let bytes = try contents(path)
        guard try DatabaseFile(bytes: bytes).layout == base.layout else {
            return try DatabaseFile(bytes: bytes)
        }
        return try DatabaseFile(LayeredPages(base, bytes))
    }
}

/// The pages of a base, with those that differ from a layer over it.
private final class LayeredPages: PageSource {
    let pageSize: Int
    let pageCount: UInt32
    private let base: any PageSource
    private let layer: [UInt32: Memory]

    init(_ base: DatabaseFile, _ bytes: [UInt8]) throws {
        self.base = base.source
        let size = base.header.pageSize
        pageSize = size
        pageCount = UInt32(bytes.count / size)
        var layer: [UInt32: Memory] = [:]
        for page in 1...pageCount {
            let new = bytes[(Int(page - 1) * size)..<(Int(page) * size)]
            let isShared = try page <= base.source.pageCount && base.source.page(page).elementsEqual(new)
            if !isShared { layer[page] = Memory(Array(new)) }
        }
        self.layer = layer
    }

    func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawBufferPointer {
        if let memory = layer[number] { return UnsafeRawBufferPointer(memory.bytes) }
        return try base.page(number)
    }

    func identity(ofPage number: UInt32) -> UInt? {
        if let memory = layer[number] { return UInt(bitPattern: memory.bytes.baseAddress) }
        return base.identity(ofPage: number)
    }
}
