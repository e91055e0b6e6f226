import CSQLite
import Foundation
import Testing

@testable import OverlayVFS

/// Another process writes the snapshot during the run.
@Suite struct ShrinkTests {
    private let folder = Folder()

    private func snapshot(_ name: String = "a.db") throws -> String {
        try folder.database(
            name,
            """
            create table t(a, b);
            with n(i) as (select 1 union all select i + 1 from n where i < 4000)
                insert into t select i, hex(zeroblob(700)) from n
            """)
    }

    @Test(arguments: [0, 4096, 3 * 4096, 100_000, 5000]) func aTruncatedFileIsAnError(size: Int) throws {
        let path = try snapshot()
        let overlay = try Overlay(snapshot: path)
        let open = try Database(overlay)
        #expect(try open.value("select count(*) from sqlite_schema") == "1")
        #expect(truncate(path, size) == 0)
        for _ in 1...2 {
            #expect(throws: SQLiteError.self) { try open.rows("select sum(length(b)) from t") }
            #expect(throws: SQLiteError.self) { try Database(overlay).rows("select sum(length(b)) from t") }
        }
        // The system shows the rest of a half-lost page as zeros: SQLite calls that damage.
        if size % 4096 == 0 { #expect(overlay.fault == .shrank(path: path)) }
        #expect(throws: OverlayError.shrank(path: path)) { try overlay.checkUnchanged() }
        _ = overlay.freeze()
    }

    @Test func theFirstErrorIsAReadErrorAndNotCorruption() throws {
        let path = try snapshot()
        let overlay = try Overlay(snapshot: path)
        let database = try Database(overlay)
        #expect(truncate(path, 8192) == 0)
        #expect { try database.rows("select sum(length(b)) from t") } throws: { error in
            (error as? SQLiteError)?.code == ResultCode.read
        }
    }

    @Test func otherFilesStayReadable() throws {
        let (one, two) = (try snapshot("one.db"), try snapshot("two.db"))
        let (broken, whole) = (try Overlay(snapshot: one), try Overlay(snapshot: two))
        #expect(truncate(one, 0) == 0)
        #expect(throws: SQLiteError.self) { try Database(broken).rows("select * from t") }
        #expect(try Database(whole).value("select count(*) from t") == "4000")
        try whole.checkUnchanged()
    }

    @Test func aWrittenReplacedOrMissingFileIsNoticed() throws {
        let path = try snapshot()
        let written = try Overlay(snapshot: path)
        try Database(path.uri).execute("update t set b = 'x' where a = 7")
        #expect(throws: OverlayError.changed(path: path)) { try written.checkUnchanged() }

        let replaced = try Overlay(snapshot: path)
        try FileManager.default.copyItem(atPath: path, toPath: path + "2")
        #expect(rename(path + "2", path) == 0)
        #expect(throws: OverlayError.changed(path: path)) { try replaced.checkUnchanged() }

        let missing = try Overlay(snapshot: path)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: OverlayError.missing(path: path)) { try missing.checkUnchanged() }
        #expect(try Database(missing).value("select count(*) from t") == "4000", "the mapping stays")
    }

    @Test func aForkIsBasedOnTheSameFile() throws {
        let path = try snapshot()
        let fork = try Overlay(try Overlay(snapshot: path).freeze().image)
        let attached = try Overlay()
        _ = attached.attach(fork.freeze().image)
        try fork.checkUnchanged()
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: OverlayError.missing(path: path)) { try fork.checkUnchanged() }
        #expect(throws: OverlayError.missing(path: path)) { try attached.checkUnchanged() }
    }

    @Test func readersOnManyThreadsAllNotice() async throws {
        let path = try snapshot()
        let file = try MappedFile(path: path)
        #expect(truncate(path, 0) == 0)
        let failures = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let offset = index * 8192
                    return (try? file.withBytes(at: offset, count: 4096) { $0.reduce(0, &+) }) == nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 64)
        #expect(file.isBroken)
    }

    @Test func aFaultElsewhereStillEndsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            signal(SIGBUS, SIG_DFL)
            let folder = Folder()
            let path = try folder.database("a.db", "create table t(a)")
            let overlay = try Overlay(snapshot: path)
            let descriptor = open(path, O_RDONLY)
            let foreign = try #require(mmap(nil, 8192, PROT_READ, MAP_SHARED, descriptor, 0))
            #expect(truncate(path, 0) == 0)
            _ = try? Database(overlay).rows("select * from t")
            print(foreign.load(fromByteOffset: 4096, as: UInt8.self))
        }
        await #expect(processExitsWith: .signal(SIGBUS)) {
            signal(SIGBUS, SIG_DFL)
            let folder = Folder()
            _ = try Overlay(snapshot: try folder.database("a.db", "create table t(a)"))
            raise(SIGBUS)
        }
    }

    @Test func slotsAreGivenBack() throws {
        let path = try snapshot()
        for _ in 0..<(FaultTable.capacity + 10) { _ = try MappedFile(path: path) }
    }
}
