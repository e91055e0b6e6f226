import DatabaseEngine
import Drydock
import Foundation
import Testing

@testable import DrydockLibraries
@testable import DrydockReplay
@testable import DrydockTestSupport

/// `drydock libraries`: what a folder of builds holds.
@Suite struct LibraryListingTests {
    private let survey = LibrarySurvey(program: Tool.path)

    private func listing(_ path: String) async throws -> LibraryListing {
        var listing = LibraryListing()
        try await listing.add(path, survey)
        return listing
    }

    /// A folder with the system's own library in a folder of its own, a link to it, and a file that is none.
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("broken/libsqlite3.so.0", "text")
        try folder.write("other/readme.txt", "text")
        let own = try #require(SQLiteLibrary.path)
        for name in ["own/libsqlite3.so.0", "own/libsqlite3.so"] {
            try FileManager.default.createDirectory(
                atPath: folder.file("own"), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(name), withDestinationPath: FolderListing.realPath(own))
        }
        return folder
    }

    @Test func aFolderIsListed() async throws {
        let folder = try folder()
        let entries = try await listing(folder.path).entries
        #expect(entries.count == 2)
        let own = try #require(entries.last?.build)
        #expect(own.version == SQLiteLibrary.version && own.sourceID == SQLiteLibrary.sourceID)
        #expect(Set(own.has).isDisjoint(with: own.lacks) && own.threadSafety != nil)
        #expect(entries.last?.fault == nil)
        guard case .notLoadable? = entries.first?.fault else {
            Issue.record("\(String(describing: entries.first?.fault))")
            return
        }
        #expect(entries.allSatisfy { $0.path.hasPrefix(folder.path) })
    }

    /// A library may be read, and not be found by a program that is to run on it, as one that needs others beside it.
    @Test func eachIsTriedAsAStepUsesIt() async throws {
        let folder = try folder()
        let program = try folder.writeProgram(
            "program",
            "#!/bin/sh\n[ -z \"$LD_LIBRARY_PATH\" ] || { echo cannot open libother.so >&2; exit 127; }\nexec '\(Tool.path)' \"$@\"\n"
        )
        var listing = LibraryListing()
        try await listing.add(folder.file("own"), LibrarySurvey(program: program))
        let entry = try #require(listing.entries.first)
        #expect(entry.build?.version == SQLiteLibrary.version)
        #expect(entry.fault == .noProcess("cannot open libother.so"), "\(String(describing: entry.fault))")
    }

    /// The loader would wait for what is written to a pipe.
    @Test func aPipeIsNotLoaded() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("libsqlite3.so.0")
        #expect(mkfifo(pipe, 0o600) == 0)
        let entry = try #require(try await listing(folder.path).entries.first)
        #expect(entry.fault == .notLoadable("it is not a regular file"))
        await #expect(throws: SQLiteBuildFault.notLoadable("it is not a regular file")) {
            _ = try await survey.usable(pipe)
        }
    }

    @Test func whatIsMissingIsSaid() async throws {
        let folder = try TemporaryFolder()
        for (path, text) in [
            (folder.path, "there is no SQLite library in"), ("/nowhere", "there is no folder"),
        ] {
            await #expect { _ = try await listing(path) } throws: { "\($0)".contains(text) }
        }
    }

    @Test func theToolPrintsIt() throws {
        let folder = try folder()
        let human = try Tool(folder: folder).run("libraries", folder.path)
        #expect(
            human.status == 0
                && human.output.contains("\(SQLiteLibrary.version)  \(folder.path)/own/libsqlite3.so"))
        #expect(human.output.contains("not usable: cannot be loaded"))
        let json = try Tool(folder: folder).run("libraries", folder.path, "--format", "json")
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(document["command"] as? String == "libraries")
        let libraries = try #require(document["libraries"] as? [[String: Any]])
        #expect(libraries.map { $0["isUsable"] as? Bool } == [false, true])
        #expect(libraries.last?["version"] as? String == SQLiteLibrary.version)
        #expect(try Tool(folder: folder).run("libraries", folder.file("broken")).status == 1)
        #expect(try Tool(folder: folder).run("libraries", folder.file("other")).status == 2)
        #expect(try Tool(folder: folder).run("libraries", "--format", "xml").status == 64)
    }

    /// JSON is in every build since 3.38; before, an option adds it.
    @Test func optionsAreUnderstood() {
        func build(_ version: String, _ options: String...) -> SQLiteBuild {
            SQLiteBuild(path: "", version: version, sourceID: "", options: options)
        }
        #expect(build("3.37.0").lacks.contains("JSON"))
        #expect(build("3.37.0", "ENABLE_JSON1").has == ["JSON"])
        #expect(build("3.38.0").has == ["JSON"])
        #expect(build("3.38.0", "OMIT_JSON").lacks.contains("JSON"))
        #expect(
            build("3.40.0", "DQS=0", "OMIT_WINDOWFUNC", "THREADSAFE=2").changes == [
                "DQS=0", "OMIT_WINDOWFUNC",
            ])
        #expect(build("3.40.0", "THREADSAFE=2").threadSafety == 2)
        #expect(build("3.40.0", "THREADSAFE=2").listsOptions && !build("3.40.0").listsOptions)
    }
}
