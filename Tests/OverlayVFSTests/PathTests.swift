import Foundation
import Testing

@testable import OverlayVFS

/// Whatever its name, the named file is opened and no other is touched.
@Suite struct PathTests {
    @Test(arguments: [
        "plain.db", "with space.db", "a#b.db", "a?mode=memory.db", "100%.db", "%41.db", "it's \"quoted\".db",
        "a&b=c.db",
        "ünïcödé-🚢.db", "e\u{301}.db", "semi;colon.db", "back\\slash.db", "-dash.db", "[x]*.db",
        "a//b.db",
    ])
    func anyName(name: String) throws {
        let folder = Folder()
        let parts = name.split(separator: "/")
        if parts.count > 1 {
            try FileManager.default.createDirectory(
                atPath: folder.file(String(parts[0])), withIntermediateDirectories: true)
        }
        let path = try folder.database(name, "create table t(a); insert into t values ('here')")
        let before = parts.count > 1 ? [] : try folder.state()
        let overlay = try Overlay(snapshot: path)
        let database = try Database(overlay)
        #expect(try database.value("select a from t") == "here")
        try database.execute("pragma journal_mode = persist; insert into t values (2)")
        try database.execute("pragma journal_mode = wal; insert into t values (3)")
        #expect(try database.value("select count(*) from t") == "3")
        if parts.count == 1 { #expect(try folder.state() == before) }
        try overlay.checkUnchanged()
    }

    @Test func canonicallyEquivalentNamesAreTwoFiles() throws {
        let folder = Folder()
        let one = try folder.database("\u{E9}.db", "create table t(a); insert into t values ('composed')")
        let two = try folder.database("e\u{301}.db", "create table t(a); insert into t values ('decomposed')")
        let overlay = try Overlay.$reach.withValue(.anywhere) { try Overlay(snapshot: one) }
        let database = try Database(overlay)
        try database.execute("attach '\(two)' as other")
        #expect(try database.value("select a from main.t") == "composed")
        #expect(try database.value("select a from other.t") == "decomposed")
    }

    @Test func aLinkLeadsToTheFileAndItsLog() throws {
        let (folder, links) = (Folder(), Folder())
        let path = try folder.database("a.db", "pragma journal_mode = wal; create table t(a)")
        let writer = try Database(path.uri)
        try writer.execute("insert into t values (1)")
        try FileManager.default.createSymbolicLink(atPath: links.file("link.db"), withDestinationPath: path)
        let overlay = try Overlay(snapshot: links.file("link.db"))
        #expect(try Database(overlay).value("select a from t") == "1")
    }

    @Test func aRelativePathIsRelativeToTheWorkingDirectory() throws {
        let folder = Folder()
        let path = try folder.database("a.db", "create table t(a)")
        let up = String(
            repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
        let overlay = try Overlay(snapshot: up + path.dropFirst())
        #expect(try Database(overlay).value("select count(*) from t") == "0")
    }

    @Test func whatIsNotARegularFileIsRefused() throws {
        let folder = Folder()
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(throws: OverlayError.missing(path: folder.file("none"))) {
            try Overlay(snapshot: folder.file("none"))
        }
        for path in [folder.path, folder.file("pipe"), "/dev/zero"] {
            #expect(throws: OverlayError.notARegularFile(path: path)) { try Overlay(snapshot: path) }
        }
        let path = try folder.database("a.db", "create table t(a)")
        #expect(mkfifo(folder.file("a.db-wal"), 0o600) == 0)
        #expect(throws: OverlayError.notARegularFile(path: path + "-wal")) { try Overlay(snapshot: path) }

        let overlay = try Overlay.$reach.withValue(.anywhere) { try Overlay() }
        let database = try Database(overlay)
        #expect(throws: SQLiteError.self) { try database.execute("attach '\(folder.file("pipe"))' as p") }
        #expect(overlay.fault == .notARegularFile(path: folder.file("pipe")))
        #expect(throws: SQLiteError.self) { try database.execute("attach '/dev/zero' as p") }
        #expect(throws: SQLiteError.self) { try database.execute("attach '\(folder.path)' as p") }
    }

    @Test func anEmptyFileIsAnEmptyDatabase() throws {
        let folder = Folder()
        try Data().write(to: URL(fileURLWithPath: folder.file("empty.db")))
        let overlay = try Overlay(snapshot: folder.file("empty.db"))
        let database = try Database(overlay)
        #expect(try database.rows("select * from sqlite_schema").isEmpty)
        try database.execute("create table t(a)")
        #expect(overlay.freeze().footprint.sizeBefore == 0)
        try overlay.checkUnchanged()
    }
}
