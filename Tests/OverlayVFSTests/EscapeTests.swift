import CSQLite
import Foundation
import Testing

@testable import OverlayVFS

/// No statement writes or reads outside the overlay.
@Suite struct EscapeTests {
    private let folder = Folder()

    @Test func attachedAndVacuumedFilesStayInMemory() throws {
        let name = "drydock-test-\(UUID().uuidString)"
        let overlay = try Overlay(
            snapshot: try folder.database("a.db", "create table t(a); insert into t values (1)"))
        let before = try folder.state()
        let database = try Database(overlay)
        try database.execute(
            """
            attach '\(name).db' as relative; create table relative.r as select * from t;
            attach '\(folder.file("new.db"))' as absolute; create table absolute.r(a);
            vacuum into '\(name)-copy.db'; vacuum into '\(folder.file("copy.db"))';
            detach relative; attach '\(name).db' as again; attach '\(name)-copy.db' as copy
            """)
        #expect(try database.value("select a from again.r") == "1")
        #expect(try database.value("select a from copy.t") == "1")
        #expect(throws: SQLiteError.self) { try database.execute("vacuum into '\(name)-copy.db'") }
        #expect(try folder.state() == before)
        #expect(try !FileManager.default.contentsOfDirectory(atPath: ".").contains { $0.hasPrefix(name) })

        let fork = try Database(try Overlay(overlay.freeze().image))
        try fork.execute("attach '\(name).db' as again")
        #expect(try fork.value("select a from again.r") == "1")
    }

    @Test func anAttachedFileIsReadAndNotWritten() throws {
        let other = try folder.database("other.db", "create table o(a); insert into o values ('disk')")
        let overlay = try Overlay.$reach.withValue(.folder(folder.path)) {
            try Overlay(snapshot: try folder.database("a.db", "create table t(a)"))
        }
        let before = try folder.state()
        let database = try Database(overlay)
        try database.execute(
            """
            attach '\(other)' as other; pragma other.journal_mode = wal; update o set a = 'overlay'
            """)
        // A commit in two files at once needs a super-journal.
        try database.execute(
            """
            pragma other.journal_mode = delete; begin; insert into t values (1);
            insert into o values (2); commit
            """)
        #expect(try database.rows("select a from o") == [["overlay"], ["2"]])
        #expect(try folder.state() == before)
        let plain = try Database(other.uri)
        #expect(try plain.rows("select a from o") == [["disk"]])
        try overlay.checkUnchanged()
    }

    @Test func noFileOutsideTheFolderIsRead() throws {
        let outside = Folder()
        let secret = try outside.database("secret.db", "create table o(a)")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: secret)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("folder"), withDestinationPath: outside.path)
        try FileManager.default.createDirectory(
            atPath: folder.path + "-beside", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder.path + "-beside") }
        let beside = folder.path + "-beside/secret.db"
        try FileManager.default.copyItem(atPath: secret, toPath: beside)
        let overlay = try Overlay.$reach.withValue(.folder(folder.path)) {
            try Overlay(snapshot: try folder.database("a.db", "create table t(a)"))
        }
        let database = try Database(overlay)
        let name = outside.path.split(separator: "/").last.map(String.init) ?? ""
        let names = [
            secret, beside, folder.file("link.db"), folder.file("folder/secret.db"),
            folder.file("../\(name)/secret.db"), "file:\(secret)", "file:\(secret)?mode=ro",
            "file:\(folder.path)/../\(name)/secret%2Edb", "file://localhost\(secret)?immutable=1",
            "/etc/passwd",
            "/dev/zero",
        ]
        for name in names {
            let error = #expect(throws: SQLiteError.self, "\(name)") {
                try database.execute("attach '\(name)' as o")
            }
            #expect(error?.code == SQLITE_CANTOPEN, "\(name)")
        }
        #expect(throws: SQLiteError.self) { try database.execute("vacuum into '\(secret)'") }
        // A fork can read no more than the overlay that it comes from.
        let fork = try Overlay.$reach.withValue(.folder(folder.path)) { try Overlay(overlay.freeze().image) }
        #expect(throws: SQLiteError.self) { try Database(fork).execute("attach '\(secret)' as o") }
    }

    @Test func noFileIsReadIfTheFolderIsTheRoot() throws {
        let path = try folder.database("other.db", "create table o(a)")
        let overlay = try Overlay.$reach.withValue(.folder("/")) { try Overlay() }
        #expect(throws: SQLiteError.self) { try Database(overlay).execute("attach '\(path)' as o") }
        let free = try Overlay.$reach.withValue(.anywhere) { try Overlay() }
        try Database(free).execute("attach '\(path)' as o; select a from o")
    }

    @Test func temporaryTablesAndSortersStayOutOfTheFolder() throws {
        let overlay = try Overlay(
            snapshot: try folder.database("a.db", "create table t(a)"), memoryLimit: 1 << 20)
        let before = try folder.state()
        let database = try Database(overlay)
        try database.execute(
            """
            pragma temp_store = file; pragma cache_size = 5; pragma temp.cache_size = 5;
            create temp table big as with n(i) as (select 1 union all select i + 1 from n where i < 30000)
                select i, hex(zeroblob(60)) || i as text from n;
            create index temp.sorted on big(text);
            insert into t select text from big order by text desc
            """)
        #expect(try database.rows("select count(*), count(distinct a) from t") == [["30000", "30000"]])
        #expect(try database.value("pragma integrity_check") == "ok")
        #expect(try folder.state() == before)
    }
}
