import Foundation
import Testing

@testable import OverlayVFS

@Suite struct OverlayTests {
    @Test func writesStayInTheOverlay() throws {
        let folder = Folder()
        let path = try folder.database("a.db", "create table t(a, b); insert into t values (1, 2), (3, 4)")
        let before = try folder.state()
        let overlay = try Overlay(snapshot: path)
        let database = try Database(overlay)
        try database.execute("alter table t add column c default 5; update t set b = 9 where a = 1")
        #expect(try database.rows("select * from t") == [["1", "9", "5"], ["3", "4", "5"]])
        #expect(try folder.state() == before)
        let (image, footprint) = overlay.freeze()
        #expect(footprint.pages == [1, 2])
        #expect(image.byteCount == 8192)
        let fork = try Overlay(image)
        let forked = try Database(fork)
        try forked.execute("delete from t")
        #expect(try database.value("select count(*) from t") == "2")
        #expect(overlay.freeze().footprint.isEmpty)
        try overlay.checkUnchanged()
    }

    @Test func emptyDatabase() throws {
        let overlay = try Overlay()
        let database = try Database(overlay)
        try database.execute("create table t(a); insert into t values (1)")
        #expect(overlay.freeze().footprint.pages == [1, 2])
        try database.execute("pragma journal_mode = wal; insert into t values (2)")
        #expect(try database.value("select count(*) from t") == "2")
    }
}
