import Drydock
import DrydockTesting
import Foundation
import GRDB
import Testing

@Suite struct RecordSnapshotTests {
    private static let isCI = ProcessInfo.processInfo.environment["CI"] != nil

    @Test(.disabled(if: isCI)) func aSnapshotIsMadeOnce() async throws {
        let notebook = try Notebook()
        let path = notebook.snapshots + "/v1.sqlite"
        let make = {
            try recordSnapshot(at: path, of: Notebook.released, upTo: "v1") { db in
                try db.execute(sql: "INSERT INTO note (title) VALUES ('kept')")
            }
        }
        #expect(try make())
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try !make())
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: notebook.snapshots) == ["v1.sqlite"])
        let report = try await notebook.report(Notebook.released)
        #expect(report.broken == [])
        #expect(report.replays.map(\.from) == ["v1"])
    }

    @Test(.disabled(if: isCI)) func anUnknownVersionIsRefused() throws {
        let notebook = try Notebook()
        #expect(throws: RequestError.self) {
            try recordSnapshot(at: notebook.snapshots + "/v9.sqlite", of: Notebook.released, upTo: "v9") {
                _ in
            }
        }
    }
}
