import CSQLite
import Foundation
import Testing

@testable import OverlayVFS

/// A snapshot is the database file and the files beside it.
@Suite struct SidecarTests {
    @Test func rowsOnlyInTheLogAreSeen() throws {
        let (work, folder) = (Folder(), Folder())
        let path = try work.database("a.db", "pragma journal_mode = wal; create table t(a)")
        let writer = try Database(path.uri)
        try writer.execute(
            """
            pragma wal_autocheckpoint = 0; insert into t values (1), (2); begin;
            insert into t values (3)
            """)
        try copy(["a.db", "a.db-wal"], from: work, to: folder)
        let before = try folder.state()

        let overlay = try Overlay(snapshot: folder.file("a.db"))
        let database = try Database(overlay)
        #expect(try database.rows("select a from t") == [["1"], ["2"]])
        try database.execute("insert into t values (4)")
        #expect(overlay.freeze().footprint.isEmpty, "the commit is in the log")
        #expect(try database.rows("pragma wal_checkpoint(truncate)") == [["0", "0", "0"]])
        #expect(!overlay.freeze().footprint.isEmpty)
        let fork = try Database(try Overlay(overlay.freeze().image))
        #expect(try fork.rows("select a from t") == [["1"], ["2"], ["4"]])
        #expect(try fork.value("pragma integrity_check") == "ok")
        #expect(try folder.state() == before)
        try overlay.checkUnchanged()
    }

    @Test func aReadOnlyConnectionReadsTheLog() throws {
        let (work, folder) = (Folder(), Folder())
        let path = try work.database("a.db", "pragma journal_mode = wal; create table t(a)")
        let writer = try Database(path.uri)
        try writer.execute("insert into t values (1)")
        try copy(["a.db", "a.db-wal"], from: work, to: folder)
        let overlay = try Overlay(snapshot: folder.file("a.db"))
        #expect(try Database(overlay, readOnly: true).value("select a from t") == "1")
    }

    @Test func anImageIncludesItsLog() throws {
        let overlay = try Overlay()
        let database = try Database(overlay)
        try database.execute("pragma journal_mode = wal; create table t(a); insert into t values (1)")
        let image = overlay.freeze().image
        try database.execute("insert into t values (2)")
        #expect(try Database(try Overlay(image)).rows("select a from t") == [["1"]])
        try database.execute("attach '\(overlay.attach(image))' as before")
        #expect(try database.value("select count(*) from main.t") == "2")
        #expect(try database.value("select count(*) from before.t") == "1")
    }

    @Test func aHotJournalIsRolledBackInTheOverlay() throws {
        let (work, folder) = (Folder(), Folder())
        let path = try work.database(
            "a.db",
            """
            create table t(a, b);
            with n(i) as (select 1 union all select i + 1 from n where i < 500)
            insert into t select i, hex(zeroblob(900)) from n
            """)
        let writer = try Database(path.uri)
        // With one page of cache the transaction reaches the file before it ends.
        try writer.execute(
            """
            pragma cache_size = 1; begin; update t set a = -a, b = 'x'; delete from t where a % 2
            """)
        try copy(["a.db", "a.db-journal"], from: work, to: folder)
        let before = try folder.state()

        let overlay = try Overlay(snapshot: folder.file("a.db"))
        let database = try Database(overlay)
        #expect(
            try database.rows("select count(*), sum(a), min(length(b)) from t") == [
                ["500", "125250", "1800"]
            ])
        #expect(try database.value("pragma integrity_check") == "ok")
        let (image, footprint) = overlay.freeze()
        #expect(!footprint.isEmpty, "the journal was hot")
        #expect(try folder.state() == before)
        try overlay.checkUnchanged()

        let again = try Database(try Overlay(image))
        #expect(try again.value("select sum(a) from t") == "125250")
    }

    @Test func aRestartedLogIsNoticedAndAGrownOneIsAccepted() throws {
        let (work, folder) = (Folder(), Folder())
        let path = try work.database("a.db", "pragma journal_mode = wal; create table t(a)")
        let writer = try Database(path.uri)
        try writer.execute("insert into t values (1)")
        try copy(["a.db", "a.db-wal"], from: work, to: folder)
        let overlay = try Overlay(snapshot: folder.file("a.db"))
        let log = try #require(FileHandle(forUpdatingAtPath: folder.file("a.db-wal")))
        try log.seekToEnd()
        try log.write(contentsOf: Data([1]))
        try overlay.checkUnchanged()
        #expect(try Database(overlay).value("select count(*) from t") == "1")
        // The first salt.
        try log.seek(toOffset: 16)
        try log.write(contentsOf: Data([1]))
        try log.close()
        #expect(throws: OverlayError.changed(path: folder.file("a.db-wal"))) { try overlay.checkUnchanged() }
    }

    @Test func aSecondWriteWithinOneTickOfTheClockIsNoticed() throws {
        let folder = Folder()
        let path = try folder.database("a.db", "create table t(a); insert into t values (1)")
        let date = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        let overlay = try Overlay(snapshot: path)
        #expect(try Database(overlay).value("select a from t") == "1")
        try overlay.checkUnchanged()
        try Database(path.uri).execute("update t set a = 2")
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        #expect(throws: OverlayError.changed(path: path)) { try overlay.checkUnchanged() }
    }

    private func copy(_ names: [String], from: Folder, to: Folder) throws {
        for name in names { try FileManager.default.copyItem(atPath: from.file(name), toPath: to.file(name)) }
    }
}
