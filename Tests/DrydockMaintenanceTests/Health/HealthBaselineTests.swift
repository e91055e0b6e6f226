import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

/// An accepted finding is not reported again, until more rows have it.
@Suite struct HealthBaselineTests {
    @Test func `known findings are left out, and more rows make them new`() async throws {
        var it = try HealthCase(
            """
            PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES p); INSERT INTO c VALUES(1, 7)
            """)
        it.request.baseline = it.folder.file("known.json")
        #expect(try await !it.report().hasPassed)
        let accepting = try await it.report { $0.accepts = true }
        #expect(accepting.hasPassed && accepting.accepted?.count == 1)
        let known = try await it.report()
        #expect(known.hasPassed && known.databases[0].knownCount == 1)
        try it.execute("INSERT INTO c VALUES(2, 8)")
        #expect(try await !it.report().hasPassed)
        // Once fixed, the finding is forgotten at the next --accept.
        try it.execute("DELETE FROM c")
        #expect(try await it.report { $0.accepts = true }.accepted?.count == 0)
    }

    @Test func `two files with the same name are distinct`() async throws {
        let it = try HealthCase()
        let broken = """
            PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES p); INSERT INTO c VALUES(1, 7)
            """
        let (one, two) = (it.folder.file("eu/app.db"), it.folder.file("us/app.db"))
        for path in [one, two] {
            try FileManager.default.createDirectory(
                atPath: String(path.dropLast("/app.db".count)), withIntermediateDirectories: true)
            try PlainDatabase(path).execute(broken)
        }
        func report(_ paths: [String], in folder: String = "", accepts: Bool = false) async throws
            -> Report
        {
            try await it.report {
                $0.databases = paths
                $0.baseline = it.folder.file(folder + "known.json")
                $0.accepts = accepts
            }
        }
        #expect(try await report([one], accepts: true).accepted?.count == 1)
        #expect(try await !report([one, two]).hasPassed)
        #expect(try await report([one, two], accepts: true).accepted?.count == 2)
        #expect(try await report([two, one]).hasPassed)
        let text = try String(contentsOfFile: it.folder.file("known.json"), encoding: .utf8)
        #expect(text.contains(#""eu/app.db""#) && text.contains(#""us/app.db""#))
        // From another folder, through a link, and beside the baseline's folder.
        try FileManager.default.createSymbolicLink(
            atPath: it.folder.file("link.db"), withDestinationPath: one)
        #expect(try await report([it.folder.file("link.db"), it.folder.path + "/eu/../us/app.db"]).hasPassed)
        #expect(try await report([two], in: "eu/", accepts: true).accepted?.count == 1)
        #expect(
            try String(contentsOfFile: it.folder.file("eu/known.json"), encoding: .utf8).contains(
                "../us/app.db"))
    }

    /// What was accepted stays accepted when a check gets the name that another command has for it.
    @Test func `earlier names of checks are read`() async throws {
        var it = try HealthCase(
            """
            PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES p); INSERT INTO c VALUES(1, 7)
            """)
        let path = it.folder.file("known.json")
        it.request.baseline = path
        _ = try await it.report { $0.accepts = true }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("foreign-key-violation"))
        try it.folder.write("known.json", text.replacing("foreign-key-violation", with: "foreign-key"))
        let known = try await it.report()
        #expect(known.databases[0].knownCount == 1 && known.hasPassed)
        it.request.baseline = nil
        let one = try await it.report { $0.only = ["foreign-key", "integrity"] }
        #expect(Set(one.databases[0].checked) == [.foreignKeyViolation, .integrityFailure])
        let others = try await it.report { $0.without = ["foreign-key"] }
        #expect(!others.findings.contains { $0.rule == .foreignKeyViolation })
    }

    @Test func `an unreadable baseline is an error with its remedy`() async throws {
        var it = try HealthCase()
        it.request.baseline = try it.folder.write("known.json", "{")
        let error = await #expect(throws: RequestError.self) { try await it.report() }
        #expect(error?.description.contains("--accept") == true)
    }
}
