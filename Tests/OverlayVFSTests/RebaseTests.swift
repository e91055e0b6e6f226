import Foundation
import TestTools
import Testing

@testable import OverlayVFS

/// An overlay that goes on to another database of the same schema shows exactly that one, through connections that were open
/// before.
@Suite struct RebaseTests {
    private static let schema = """
        create table t(a integer primary key, b); create index t_b on t(b);
        create virtual table f using fts5(x);
        create virtual table g using fts4(x);
        """
    private static let queries = [
        "select * from t order by a", "select b from t order by b",
        "select rowid from f where f match 'word'",
        "select docid from g where g match 'word'", "select max(rowid), count(*) from f",
        "pragma integrity_check",
        "insert into f(f) values ('integrity-check')", "insert into g(g) values ('integrity-check')",
        "pragma page_count", "pragma freelist_count", "pragma user_version",
    ]

    /// Makes copies of one database and writes other rows into each.
    private func databases(_ count: Int, _ settings: String, in folder: Folder) throws -> [String] {
        let first = try folder.database("first.db", settings + Self.schema)
        var random = SeededGenerator(seed: 5)
        return try (0..<count).map { number in
            let path = folder.file("\(number).db")
            try FileManager.default.copyItem(atPath: first, toPath: path)
            let database = try Database(path.uri)
            let rows = random.int(0...400)
            try database.execute(
                """
                pragma user_version = \(number);
                with n(i) as (select 1 union all select i + 1 from n where i < \(rows))
                insert into t select i, hex(randomblob(i % 50)) from n where \(rows) > 0;
                insert into f select case when a % \(2 + number) then 'word' else 'other' end || b from t;
                insert into g select case when a % \(3 + number) then 'a word' else 'none' end from t;
                delete from t where a % 7 = \(number % 7);
                """)
            return path
        }
    }

    @Test(arguments: [
        "", "pragma page_size = 512;", "pragma page_size = 65536; pragma encoding = 'UTF-16le';",
        "pragma auto_vacuum = 1;",
    ])
    func theNextDatabaseIsShown(_ settings: String) throws {
        let folder = Folder()
        let paths = try databases(12, settings, in: folder)
        // All have the bytes by which SQLite knows whether a file is another one.
        for path in paths {
            let file = try FileHandle(forUpdating: URL(filePath: path))
            for place in [24, 92] {
                try file.seek(toOffset: UInt64(place))
                try file.write(contentsOf: Data([0, 0, 0, 9]))
            }
            try file.close()
        }
        let before = try folder.state()
        let overlay = try Overlay(snapshot: paths[0])
        let (first, second) = (try Database(overlay), try Database(overlay))
        for path in [paths[0]] + paths + paths.reversed() {
            try overlay.rebase(on: Image(snapshot: path))
            let fresh = try Database(Overlay(snapshot: path))
            for query in Self.queries {
                let expected = try fresh.rows(query)
                #expect(try first.rows(query) == expected, "\(path) \(query)")
                #expect(try second.rows(query) == expected, "\(path) \(query)")
            }
            // What one of them writes is of this database only.
            try second.execute("update t set b = 'written'")
            #expect(try first.value("select count(*) from t where b <> 'written'") == "0")
            try overlay.checkUnchanged()
            try overlay.rebase(on: nil)
        }
        #expect(try folder.state() == before)
    }

    @Test func mountedDatabasesGoOnToo() throws {
        let folder = Folder()
        let paths = try databases(6, "", in: folder)
        let overlay = try Overlay(snapshot: paths[0])
        let mount = try overlay.mount(Image(snapshot: paths[1]))
        let database = try Database(overlay)
        try database.execute("attach '\(mount.uri)' as later")
        for (main, later) in zip(paths, paths.reversed()) {
            try overlay.rebase(on: Image(snapshot: main), [(mount, Image(snapshot: later))])
            for (schema, path) in [("main", main), ("later", later)] {
                let fresh = try Database(Overlay(snapshot: path))
                for query in [
                    "select * from X.t order by a", "pragma X.user_version", "pragma X.integrity_check",
                ] {
                    #expect(
                        try database.rows(query.replacing("X", with: schema))
                            == fresh.rows(query.replacing("X", with: "main")), "\(path) \(query)")
                }
            }
            let states = overlay.freeze(with: [mount])
            #expect(states.count == 2 && states.allSatisfy(\.footprint.isEmpty))
            try database.execute("begin; delete from t; delete from later.t; commit")
            #expect(overlay.freeze(with: [mount]).allSatisfy { !$0.footprint.isEmpty })
            try overlay.rebase(on: nil, [(mount, nil)])
        }
    }

    /// What one database may write does not grow with those before it.
    @Test func theRoomIsThatOfTheDatabaseThatIsShown() throws {
        let store = BlockStore(memoryLimit: 8 << 20, allowance: 1 << 20)
        func take() throws { for _ in 0..<(BlockStore.chunkSize / Block.size) { _ = try store.takeCell() } }
        try take()
        #expect(throws: OverlayError.self) { try store.takeCell() }
        store.begin(allowance: 2 << 20)
        try take()
        store.begin(allowance: 2 << 20)
        #expect(throws: OverlayError.self) { try store.takeCell() }
        #expect(store.heldBytes == 2 << 20)
    }

    /// What the overlay shows of the header differs from the file only in the two counters.
    @Test func onlyTheCountersDiffer() throws {
        let folder = Folder()
        let paths = try databases(2, "", in: folder)
        let overlay = try Overlay(snapshot: paths[0])
        let image = try Image(snapshot: paths[1])
        try overlay.rebase(on: image)
        let shown = overlay.freeze().image
        func bytes(_ image: Image) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: image.byteCount)
            try bytes.withUnsafeMutableBytes { bytes in try image.read(into: bytes, at: 0) }
            return bytes
        }
        let (old, new) = (try bytes(image), try bytes(shown))
        #expect(old.count == new.count)
        let places = old.indices.filter { old[$0] != new[$0] }
        #expect(places.allSatisfy { (24..<28).contains($0) || (92..<96).contains($0) }, "\(places)")
        #expect(old[24..<28] == old[92..<96] && new[24..<28] == new[92..<96])
    }

    /// The file of the last database is not held: a descriptor that closes later would drop other locks.
    @Test func nothingOfTheLastIsHeld() throws {
        let folder = Folder()
        let paths = try databases(2, "", in: folder)
        let overlay = try Overlay(Image(snapshot: paths[0], holdsDescriptors: true))
        let database = try Database(overlay)
        #expect(try database.value("select count(*) >= 0 from t") == "1")
        weak var held: MappedFile?
        try {
            let image = try Image(snapshot: paths[1], holdsDescriptors: true)
            held = image.bases.first
            try overlay.rebase(on: image)
            _ = try database.rows("select * from t")
        }()
        #expect(held != nil)
        try overlay.rebase(on: nil)
        #expect(held == nil)
    }

    @Test func faultsAreOfTheDatabaseThatIsShown() throws {
        let folder = Folder()
        let paths = try databases(2, "", in: folder)
        let (first, second) = (FaultLog(), FaultLog())
        let overlay = try Overlay.$faultLog.withValue(first) { try Overlay(snapshot: paths[0]) }
        try Overlay.$faultLog.withValue(second) { try overlay.rebase(on: Image(snapshot: paths[1])) }
        overlay.fileSystem.space.note(.unreadable(path: paths[1], errno: EIO))
        #expect(first.first == nil && second.first != nil)
        try overlay.rebase(on: nil)
        #expect(overlay.fault == nil)
    }
}
