import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

@Suite struct TargetListTests {
    private func list(_ text: String) throws -> [String] {
        var list = TargetList()
        try list.add(file: "a list", Array(text.utf8))
        return list.paths
    }

    @Test(arguments: [
        ("a.db\nb.db\n", ["a.db", "b.db"]), ("a.db\r\n\r\nb.db", ["a.db", "b.db"]),
        ("a\nb.db\u{0}c d.db\u{0}", ["a\nb.db", "c d.db"]), ("[x]*.db\n", ["[x]*.db"]),
        ("a.db\na.db\n", ["a.db"]),
    ]) func readsLines(_ text: String, _ paths: [String]) throws { #expect(try list(text) == paths) }

    @Test(arguments: [
        ("", "does not list a database"), ("\n\n", "does not list a database"), ("{}", "is not a manifest"),
    ])
    func refuses(_ text: String, _ message: String) {
        #expect { try list(text) } throws: { "\($0)".contains(message) }
    }

    @Test func namesWhatIsNotText() throws {
        var list = TargetList()
        try list.add(file: "a list", [97, 10, 0xFF, 10])
        #expect(list.paths == ["a", "\\xFF"])
    }

    @Test func aDatabaseOfTwoNamesIsOne() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.db", "")
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.db"), withDestinationPath: path)
        var list = TargetList()
        try list.add(names: [path, folder.file("link.db"), folder.path])
        #expect(list.paths == [path])
    }

    @Test func aHardLinkIsTheSameDatabaseUnlessItHasAJournal() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.db", "")
        for name in ["b.db", "c.db"] {
            try FileManager.default.linkItem(atPath: path, toPath: folder.file(name))
        }
        try folder.write("c.db-wal", "")
        var list = TargetList()
        try list.add(names: [path, path, folder.file("b.db"), folder.file("c.db")])
        #expect(list.paths == [path, folder.file("c.db")])
    }

    /// A name that is not valid UTF-8 is in the list with its bytes, so that it is reported and not passed over.
    @Test func saysWhichNamesCannotBeOpened() async throws {
        let bytes = Array("data/caf".utf8) + [0xE9] + Array(".db".utf8)
        var list = TargetList()
        try list.add(file: "list", bytes + [0x0A] + Array("b.db\n".utf8))
        #expect(list.paths == ["data/caf\\xE9.db", "b.db"])
        #expect(ByteName.isIn(list.paths[0]) && !ByteName.isIn(list.paths[1]))
        #expect(FolderListing.missing("database", list.paths[0]).contains("is not valid UTF-8"))
        #expect(FolderListing.missing("database", "data/b.db") == "there is no database 'data/b.db'")
    }

    @Test func aFolderReportsNamesThatAreNotText() throws {
        let folder = try TemporaryFolder()
        try folder.write("good.db", "")
        let base = Array(folder.path.utf8)
        for name in [Array("/caf".utf8) + [0xE9] + Array(".db".utf8), Array("/d".utf8) + [0xFF]] {
            let path = (base + name + [0]).map { CChar(bitPattern: $0) }
            if name.last == 0xFF { mkdir(path, 0o755) } else { close(open(path, O_CREAT | O_RDWR, 0o644)) }
        }
        for name in [folder.path, folder.path + "/**", folder.path + "/**/*.db"] {
            var list = TargetList()
            try list.add(names: [name])
            let names = list.paths.map(PathParts.name(of:)).sorted()
            #expect(names == ["caf\\xE9.db", "d\\xFF", "good.db"], "\(name): \(names)")
        }
    }

    /// A file that is called as another one is written must not be taken for it.
    @Test func aNameThatOnlyLooksLikeBytesIsItself() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("tea\\xE9.db", "")
        let text = ByteName.text(
            of: Array(folder.path.utf8) + Array("/tea".utf8) + [0xE9] + Array(".db".utf8))
        #expect(text != path && text.hasPrefix(path) && ByteName.isIn(text) && !ByteName.isIn(path))
    }

    @Test(arguments: [true, false]) func asksADatabase(_ usesGRDB: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("app.db")
        let engine: any Engine = usesGRDB ? GRDBDriver() : NIODriver()
        let database = try await engine.open(.live(path: path), settings: ConnectionSettings())
        try await database.withConnection {
            try $0.execute(
                "CREATE TABLE tenant(path); INSERT INTO tenant VALUES('b.db'), ('a: b.db'), ('b.db')")
        }
        try await database.close()
        let before = try folder.contents()
        var list = TargetList()
        try await list.add(query: "\(path): SELECT path FROM tenant ORDER BY rowid", on: engine)
        #expect(list.paths == ["b.db", "a: b.db"])
        for (query, message) in [
            ("SELECT 1", "row 1 of the query"), ("SELECT NULL", "is not a path"),
            ("SELECT path, 1 FROM tenant", "one column"),
            ("SELECT path FROM tenant WHERE 0", "returns no row"), ("SELECT nowhere", "no such column"),
            ("DELETE FROM tenant RETURNING path", "readonly"),
            ("SELECT path FROM tenant; SELECT 1", "has 2 statements, and must have one"),
            ("-- nothing", "has 0 statements"),
        ] {
            await #expect { try await list.add(query: "\(path): \(query)", on: engine) } throws: {
                "\($0)".contains(message)
            }
        }
        #expect(try folder.contents() == before)
    }

    @Test func aManifestSaysWhatEachCosts() async throws {
        let folder = try TemporaryFolder()
        let engine = GRDBDriver()
        for name in ["a", "b"] {
            let database = try await engine.open(
                .live(path: folder.file(name)), settings: ConnectionSettings())
            try await database.withConnection {
                try $0.execute(
                    "CREATE TABLE t(x); PRAGMA user_version = 7; INSERT INTO t VALUES(zeroblob(\(name == "a" ? 10 : 90000)))"
                )
            }
            try await database.close()
        }
        let paths = ["a", "b", "missing"].map(folder.file)
        let manifest = try await Manifest.of(paths, jobs: 2, on: engine)
        #expect(manifest.databases.map(\.userVersion) == [7, 7, nil])
        #expect(
            manifest.databases[0].schema == manifest.databases[1].schema
                && manifest.databases[0].schema != nil)
        #expect(manifest.databases[2].trouble == "does not exist")
        let text = try manifest.json()
        #expect(try await Manifest.of(paths, jobs: 1, on: engine).json() == text)
        var list = TargetList()
        try list.add(file: "fleet.json", text)
        #expect(list.paths == paths && list.weights[1] > list.weights[0])
        var timed = TargetList()
        let seconds = Dictionary(uniqueKeysWithValues: zip(paths, [3.0, 2, 1]))
        try timed.add(
            file: "fleet.json", try await Manifest.of(paths, seconds: seconds, jobs: 1, on: engine).json())
        #expect(timed.weights == [3, 2, 1])
    }

    /// A connection that may write changes a database in WAL mode, and leaves a log beside it.
    @Test(arguments: [true, false]) func aDatabaseWithALogIsOnlyRead(_ usesGRDB: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("app.db")
        let engine: any Engine = usesGRDB ? GRDBDriver() : NIODriver()
        try PlainDatabase(path).execute("PRAGMA journal_mode = WAL")
        try PlainDatabase(path).execute("CREATE TABLE tenant(path); INSERT INTO tenant VALUES('b.db')")
        let before = try folder.contents()
        #expect(try await Manifest.of([path], jobs: 1, on: engine).databases[0].schemaVersion == 1)
        var list = TargetList()
        try await list.add(query: "\(path): SELECT path FROM tenant", on: engine)
        #expect(list.paths == ["b.db"])
        for query in ["ATTACH '\(path)' AS other", "SELECT nowhere"] {
            await #expect(throws: RequestError.self) {
                try await list.add(query: "\(path): \(query)", on: engine)
            }
        }
        #expect(try folder.contents() == before)
    }

    /// Else the backups that a run leaves beside the databases would be migrated by the next.
    @Test func backupsMustBeNamed() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.db", "")
        let backup = try folder.write("a.db.v1_init-20261123T121212Z-2.backup", "SQLite format 3\u{0}")
        let others = try ["b.db.backup", "c-20261123T121212Z.db"].map {
            try folder.write($0, "SQLite format 3\u{0}")
        }
        func found(_ name: String, takesSnapshots: Bool = false) throws -> Set<String> {
            var list = TargetList()
            try list.add(names: [name], takesSnapshots: takesSnapshots)
            return Set(list.paths)
        }
        #expect(try found(folder.path) == Set([path] + others))
        #expect(try found(folder.file("a*")) == [path])
        #expect(try found(folder.file("a*.backup")) == [backup])
        #expect(try found(backup) == [backup])
        #expect(try found(folder.path, takesSnapshots: true) == Set([path, backup] + others))
        #expect { try found(folder.file("a.db.*")) } throws: { "\($0)".contains("only backups") }
    }

    @Test func namesThatLookAlikeAreRefused() throws {
        let folder = try TemporaryFolder()
        let paths = ["caf\u{E9}.db", "cafe\u{301}.db"].map(folder.file)
        var list = TargetList()
        list.add(paths + paths)
        #expect(list.paths.count == 2)
        #expect { try list.refuseLookAlikes() } throws: {
            "\($0)".contains("caf\\u{00E9}.db") && "\($0)".contains("cafe\\u{0301}.db")
        }
    }
}
