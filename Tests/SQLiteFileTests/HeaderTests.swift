import SQLiteSchema
import CSQLite
import Foundation
import Testing

@testable import SQLiteFile

@Suite struct HeaderTests {
    @Test func everyFieldIsRead() throws {
        let folder = Folder()
        let database = try Database(folder.file("h.db"))
        database.reserveBytes(9)
        try database.execute(
            """
            pragma page_size = 8192; pragma encoding = 'UTF-16be'; pragma auto_vacuum = incremental;
            pragma user_version = -5; pragma application_id = 77; pragma default_cache_size = 33;
            create table t(a); create table u(a); drop table t;
            """)
        let header = try DatabaseFile(path: folder.file("h.db")).header
        #expect(header.pageSize == 8192 && header.reservedBytes == 9 && header.usableSize == 8183)
        #expect(header.encoding == .utf16BigEndian && header.isIncrementalVacuum && header.hasPointerMaps)
        #expect(header.userVersion == -5 && header.applicationID == 77 && header.schemaFormat == 4)
        #expect(try Int(header.schemaCookie) == database.integer("pragma schema_version"))
        #expect(try Int(header.freelistCount) == database.integer("pragma freelist_count"))
        #expect(try Int(header.pageCount ?? 0) == database.integer("pragma page_count"))
        #expect(header.libraryVersion == UInt32(sqlite3_libversion_number()))
        #expect(header.cacheSize == 33 && header.largestRootPage == 3)
    }

    /// Tries every single wrong byte of the header: what SQLite refuses is refused, and the rest is read.
    @Test func whatSQLiteRefusesIsRefused() throws {
        let folder = Folder()
        let path = folder.file("whole.db")
        try Database(path).execute("create table t(a); insert into t values (1), (2)")
        let whole = try contents(path)
        let copy = folder.file("copy.db")
        // With more bytes reserved the cells are among those; SQLite reads them only by chance.
        for offset in 0..<100 where offset != 20 {
            for value in [0, 1, 2, 3, 5, 0x20, 0x40, 0x80, 0xff] as [UInt8] {
                var bytes = whole
                bytes[offset] = value
                try Data(bytes).write(to: URL(fileURLWithPath: copy))
                let theirs = try? Database(copy).rows("select * from t").count
                let ours = try? DatabaseFile(bytes: bytes)
                let rows = try? ours.map { file in try file.rows(root: try file.root("t")).count }
                #expect(theirs == rows, "offset \(offset) value \(value)")
            }
        }
    }

    @Test func anEmptyFileIsAnEmptyDatabase() throws {
        let file = try DatabaseFile(bytes: [])
        #expect(try file.pageCount == 0 && file.schema().isEmpty && PageCensus(file).pageCount == 0)
        #expect(throws: FileDamage(1, .pageOutsideFile)) { try TreeCursor(file, root: 1) }
        #expect(throws: FileDamage(1, .notADatabase)) { try DatabaseFile(bytes: [1, 2, 3]) }
    }

    @Test func damageIsDescribed() {
        #expect("\(FileDamage(7, .pageKind(9)))" == "page 7: a b-tree page cannot begin with the byte 9")
    }
}
