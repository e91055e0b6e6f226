import CSQLite
import Foundation
import Testing

@testable import OverlayVFS

@Suite struct FootprintTests {
    private let folder = Folder()

    private func snapshot(_ settings: String = "") throws -> Overlay {
        try Overlay(
            snapshot: try folder.database(
                "a.db",
                """
                \(settings); create table t(id integer primary key, b); create table other(a);
                with n(i) as (select 1 union all select i + 1 from n where i < 2000)
                    insert into t select i, hex(zeroblob(100)) from n;
                """))
    }

    @Test(arguments: Workload.pageSizes) func countsPagesOfTheDatabase(pageSize: Int) throws {
        let overlay = try snapshot("pragma page_size = \(pageSize)")
        let before = overlay.freeze().image
        #expect(before.pageSize == pageSize)
        let database = try Database(overlay)
        try database.execute("update t set b = 'changed' where id = 1000")
        let (after, footprint) = overlay.freeze()
        #expect(try footprint == bruteForce(before, after))
        #expect(footprint.pages.count == 2 && footprint.pages.first == 1)
        #expect(footprint.byteCount == 2 * pageSize)
        #expect(try throughSQLite(database) == after.bytes)
    }

    @Test func aRollbackLeavesNoFootprint() throws {
        let overlay = try snapshot()
        let database = try Database(overlay)
        try database.execute("pragma cache_size = 1; begin; update t set b = id; create table x(a); rollback")
        #expect(overlay.freeze().footprint.isEmpty)
        try database.execute("pragma journal_mode = persist; begin; delete from t; rollback")
        #expect(overlay.freeze().footprint.isEmpty)
    }

    @Test func aShrunkenFileShowsInTheSizes() throws {
        let overlay = try snapshot()
        let before = overlay.freeze().image
        let database = try Database(overlay)
        try database.execute("delete from t; vacuum")
        let (after, footprint) = overlay.freeze()
        #expect(footprint.sizeBefore == before.byteCount && footprint.sizeAfter == after.byteCount)
        #expect(after.byteCount < before.byteCount)
        #expect(try footprint == bruteForce(before, after))
    }

    @Test func pagesAreCountedInTheNewPageSize() throws {
        let overlay = try snapshot("pragma page_size = 1024")
        let before = overlay.freeze().image
        let database = try Database(overlay)
        try database.execute("pragma page_size = 16384; vacuum")
        let (after, footprint) = overlay.freeze()
        #expect(footprint.pageSize == 16384)
        #expect(try footprint == bruteForce(before, after))
    }

    @Test func forksAreIndependent() throws {
        let overlay = try snapshot()
        try Database(overlay).execute("insert into other values ('shared')")
        let image = overlay.freeze().image
        let forks = try (1...3).map { _ in try Overlay(image) }
        for (index, fork) in forks.enumerated() {
            try Database(fork).execute(
                """
                insert into other values (\(index)); delete from t where id % 3 = \(index)
                """)
        }
        try Database(overlay).execute("drop table t")
        for (index, fork) in forks.enumerated() {
            let database = try Database(fork)
            #expect(try database.rows("select a from other") == [["shared"], ["\(index)"]])
            #expect(try database.value("select count(*) from t where id % 3 = \(index)") == "0")
            #expect(try database.value("pragma integrity_check") == "ok")
        }
        #expect(try Database(try Overlay(image)).value("select count(*) from t") == "2000")
    }

    @Test func anAttachedImageShowsTheStateBefore() throws {
        let overlay = try snapshot()
        let before = overlay.freeze().image
        let database = try Database(overlay)
        try database.execute("update t set b = 'new' where id <= 10; delete from t where id > 1990")
        try database.execute("attach '\(overlay.attach(before))' as before")
        #expect(
            try database.value("select count(*) from main.t m join before.t b using (id) where m.b <> b.b")
                == "10")
        #expect(
            try database.value("select count(*) from before.t where id not in (select id from main.t)")
                == "10")
        try database.execute("delete from before.t")
        #expect(try Database(try Overlay(before)).value("select count(*) from t") == "2000")
        #expect(try Database(overlay).value("select count(*) from t") == "1990")
    }

    @Test func imagesOutliveTheirOverlay() throws {
        var images: [Image] = []
        do {
            let overlay = try snapshot()
            let database = try Database(overlay)
            for step in 1...20 {
                try database.execute(
                    """
                    insert into other values (\(step)); update t set b = \(step) where id = \(step)
                    """)
                images.append(overlay.freeze().image)
            }
        }
        for (index, image) in images.enumerated() {
            #expect(try Database(try Overlay(image)).value("select count(*) from other") == "\(index + 1)")
        }
    }

    @Test func connectionsOutliveTheirOverlay() throws {
        func open() throws -> Database {
            let overlay = try snapshot()
            return try withExtendedLifetime(overlay) { try Database($0.uri) }
        }
        let database = try open()
        try database.execute(
            """
            insert into other values (1); pragma journal_mode = wal; insert into other values (2)
            """)
        #expect(try database.value("select count(*) from other") == "2")
    }

    /// Returns the file's bytes as SQLite gets them from the file system.
    private func throughSQLite(_ database: Database) throws -> [UInt8] {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(database.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        let methods = try #require(file?.pointee.pMethods?.pointee)
        var size: sqlite3_int64 = 0
        #expect(code == SQLITE_OK && methods.xFileSize(file, &size) == SQLITE_OK)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        #expect(methods.xRead(file, &bytes, Int32(size), 0) == SQLITE_OK)
        return bytes
    }
}
