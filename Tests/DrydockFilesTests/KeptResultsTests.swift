import DrydockFiles
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct KeptResultsTests {
    /// A database that was written long ago.
    private func database(_ folder: TemporaryFolder, _ name: String, at time: Double = 1_000_000) throws
        -> String
    {
        let path = try folder.write(name, "data of \(name)")
        // The time of the last change of the inode cannot be set, so that a new file is never settled: see `settled`.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: path)
        return path
    }

    private func kept(_ folder: TemporaryFolder, settings: String = "s") throws -> KeptResults {
        try KeptResults(file: folder.file("state"), settings: settings)
    }

    @Test func goesOnAfterAKill() throws {
        let folder = try TemporaryFolder()
        let (one, two) = ("/nowhere/one", "/nowhere/two")
        // A file that does not exist has a stamp too, and one that does not change.
        let stamp = try #require(KeptResults.stamp(of: one))
        do {
            let first = try kept(folder)
            try first.keep(["a": 1], of: one, stamp)
            try first.keep(["b": 2], of: two, stamp)
        }
        let again = try kept(folder)
        #expect(again.result(of: one) == ["a": 1] && again.result(of: two) == ["b": 2])
    }

    /// Wherever a line is cut, what stands before it counts, and what is written after it too.
    @Test(arguments: 2..<40) func aLineThatIsCutDoesNotCount(_ missing: Int) throws {
        let folder = try TemporaryFolder()
        let stamp = try #require(KeptResults.stamp(of: "/nowhere/1"))
        do {
            let first = try kept(folder)
            for name in 1...3 { try first.keep(name, of: "/nowhere/\(name)", stamp) }
        }
        let bytes = try Data(contentsOf: URL(filePath: folder.file("state")))
        try folder.write("state", bytes.dropLast(missing))
        do {
            let second = try kept(folder)
            #expect(second.result(of: "/nowhere/2") == 2)
            #expect((second.result(of: "/nowhere/3") as Int?) == nil)
            try second.keep(4, of: "/nowhere/4", stamp)
        }
        let third = try kept(folder)
        #expect(third.result(of: "/nowhere/1") == 1 && third.result(of: "/nowhere/4") == 4)
    }

    @Test func otherSettingsDoNotCount() throws {
        let folder = try TemporaryFolder()
        let stamp = try #require(KeptResults.stamp(of: "/nowhere/1"))
        do { try kept(folder).keep(1, of: "/nowhere/1", stamp) }
        do { #expect((try kept(folder, settings: "other").result(of: "/nowhere/1") as Int?) == nil) }
        #expect(try kept(folder).result(of: "/nowhere/1") == 1)
    }

    @Test func aDatabaseThatChangedIsDoneAgain() throws {
        let folder = try TemporaryFolder()
        let missing = folder.file("later.db")
        let stamp = try #require(KeptResults.stamp(of: missing))
        do { try kept(folder).keep(1, of: missing, stamp) }
        _ = try database(folder, "later.db")
        #expect((try kept(folder).result(of: missing) as Int?) == nil)
    }

    @Test func aDatabaseWrittenAMomentAgoIsDoneAgain() throws {
        let folder = try TemporaryFolder()
        let path = try database(folder, "a.db")
        #expect(KeptResults.stamp(of: path) == nil, "its inode has changed a moment ago")
        do { try kept(folder).keep(1, of: path, nil) }
        #expect((try kept(folder).result(of: path) as Int?) == nil)
    }

    @Test func refusesWhatItDidNotWrite() throws {
        let folder = try TemporaryFolder()
        let bytes = Array("SQLite format 3\u{0}".utf8)
        try folder.write("state", bytes)
        #expect { try kept(folder) } throws: { "\($0)".contains("is not a file of results") }
        #expect(FileManager.default.contents(atPath: folder.file("state")).map(Array.init) == bytes)
        #expect { try KeptResults(file: folder.path, settings: "") } throws: {
            "\($0)".contains("is not a file")
        }
        #expect { try KeptResults(file: folder.file("no/state"), settings: "") } throws: {
            "\($0)".contains("cannot be opened")
        }
    }

    @Test func twoRunsDoNotShareAFile() throws {
        let folder = try TemporaryFolder()
        let first = try kept(folder)
        #expect { try kept(folder) } throws: { "\($0)".contains("in use by another run") }
        try first.keep(1, of: "/nowhere/1", "x")
    }

    @Test func nobodyElseReadsIt() throws {
        let folder = try TemporaryFolder()
        _ = try kept(folder)
        let mode =
            try FileManager.default.attributesOfItem(atPath: folder.file("state"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}
