import Foundation
import TestTools
import Testing

@testable import SQLiteFile

/// A file with its write-ahead log is read as a connection sees it.
@Suite struct WriteAheadLogTests {
    @Test(arguments: seeds(10, of: 20, soak: 1_000)) func logIsReadAsSQLiteReadsIt(seed: Int) throws {
        let folder = Folder()
        let (made, main, log) = try Self.make(seed, folder)
        let file = try DatabaseFile(main, log: log)
        for table in made.tables {
            let root = try file.root(table.name)
            let rows = try file.rows(root: root).map { table.values($0.rowid, $0.values) }
            let order = table.key.map { made.order($0, of: table) } ?? "rowid"
            let theirs = try made.database.rows("select * from \(table.name) order by \(order)")
            #expect(rows == theirs, "seed \(seed) \(table.name) \(mismatch(rows, theirs))")
        }
        #expect(try Int(file.pageCount) == made.database.integer("pragma page_count"), "seed \(seed)")
        #expect(try PageCensus(file).count(.unused) == 0, "seed \(seed)")
    }

    /// A log that is cut short or has a wrong bit is read as SQLite recovers it.
    @Test(arguments: seeds(15, of: 30, soak: 3_000)) func damagedLogIsReadAsSQLiteRecoversIt(seed: Int) throws
    {
        let folder = Folder()
        var random = SeededGenerator(seed: seed)
        var (made, main, log) = try Self.make(seed, folder)
        guard !log.isEmpty else { return }
        switch random.int(0...3) {
        case 0: log.removeLast(random.int(0...(log.count - 1)))
        case 1: log[random.int(0...(log.count - 1))] ^= UInt8(1 << random.int(0...7))
        case 2: log[random.int(0...31)] ^= UInt8(1 << random.int(0...7))
        default: log += log.suffix(random.int(1...log.count))
        }
        let copy = folder.file("copy.db")
        try Data(main).write(to: URL(fileURLWithPath: copy))
        try Data(log).write(to: URL(fileURLWithPath: copy + "-wal"))
        let database = try Database(copy)
        let theirs = Result { try Self.digest(database, made) }
        let ours = Result { try Self.digest(try DatabaseFile(main, log: log), made) }
        switch (ours, theirs) {
        case (.success(let left), .success(let right)): #expect(left == right, "seed \(seed)")
        case (.failure(is FileDamage), .failure): break
        default: Issue.record("seed \(seed): \(ours) and \(theirs)")
        }
    }

    @Test func bothByteOrdersAreRead() throws {
        let folder = Folder()
        let database = try Database(folder.file("order.db"))
        try database.execute("pragma journal_mode = wal; create table t(a); insert into t values (7)")
        let main = try contents(folder.file("order.db"))
        let log = try contents(folder.file("order.db-wal"))
        let swapped = log.withSwappedChecksums
        #expect(log[3] != swapped[3])
        for log in [log, swapped] {
            let file = try DatabaseFile(main, log: log)
            #expect(try file.rows(root: try file.root("t")).map(\.values) == [[.integer(7)]])
        }
    }

    static func make(
        _ seed: Int, _ folder: Folder
    ) throws -> (made: RandomDatabase, main: [UInt8], log: [UInt8]) {
        var made = try RandomDatabase(seed: seed, in: folder)
        try made.database.execute(
            "pragma journal_mode = wal; pragma wal_autocheckpoint = 0; pragma wal_checkpoint(truncate)")
        try made.edit(20)
        if seed % 3 == 0 {
            // The next frames overwrite the first ones of this log; old ones remain after them.
            try made.database.execute("pragma wal_checkpoint(restart)")
            try made.edit(3)
        } else {
            try made.edit(20)
        }
        if seed % 4 == 0 {
            try made.database.execute("pragma cache_size = 1; begin")
            for _ in 0..<20 { try made.editRow() }
        }
        let main = try contents(made.path)
        let log = try contents(made.path + "-wal")
        if seed % 4 == 0 { try made.database.execute("rollback") }
        return (made, main, log)
    }

    private static func digest(_ database: Database, _ made: RandomDatabase) throws -> [[[StoredValue]]] {
        try made.tables.map { table in
            let order = table.key.map { made.order($0, of: table) } ?? "rowid"
            return try database.rows("select * from \(table.name) order by \(order)")
        }
    }

    private static func digest(_ file: DatabaseFile, _ made: RandomDatabase) throws -> [[[StoredValue]]] {
        let schema = try file.schema()
        return try made.tables.map { table in
            guard let entry = schema.first(where: { $0.name == table.name }) else {
                throw FileDamage(1, .schemaRow)
            }
            let columns = entry.sql?.contains("without rowid") ?? false
            #expect(columns == (table.key != nil))
            return try file.rows(root: entry.rootPage).map { table.values($0.rowid, $0.values) }
        }
    }
}

extension DatabaseFile {
    convenience init(_ main: [UInt8], log: [UInt8]) throws {
        let owner = [Memory(main), Memory(log)]
        try self.init(
            try LoggedPages(
                database: UnsafeRawBufferPointer(owner[0].bytes), log: UnsafeRawBufferPointer(owner[1].bytes),
                owner: owner))
    }
}

extension [UInt8] {
    /// The log as a machine of the other byte order would have written it.
    fileprivate var withSwappedChecksums: [UInt8] {
        var log = self
        log[3] ^= 1
        var (first, second) = (UInt32(0), UInt32(0))
        func word(_ offset: Int) -> UInt32 {
            let word = log[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return log[3] & 1 == 1 ? word : word.byteSwapped
        }
        func add(_ range: Range<Int>) {
            for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                first &+= word(offset) &+ second
                second &+= word(offset + 4) &+ first
            }
        }
        func store(_ offset: Int) {
            for (index, sum) in [first, second].enumerated() {
                for byte in 0..<4 { log[offset + 4 * index + byte] = UInt8(sum >> (24 - 8 * byte) & 0xff) }
            }
        }
        let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        add(0..<24)
        store(24)
        for frame in stride(from: 32, to: log.count, by: 24 + pageSize) {
            add(frame..<(frame + 8))
            add((frame + 24)..<(frame + 24 + pageSize))
            store(frame + 16)
        }
        return log
    }
}
