import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct SnapshotNamesTests {
    @Test func namesDistinguishPaths() {
        let paths = [
            "Snapshots/a.sqlite", "Snapshots/old/b.sqlite", "Snapshots/new/b.sqlite", "x/new/b.sqlite",
            "b.sqlite",
        ]
        let names = SnapshotNames(paths)
        #expect(names.name(of: "Snapshots/a.sqlite") == "a.sqlite")
        #expect(names.name(of: "Snapshots/old/b.sqlite") == "old/b.sqlite")
        #expect(names.name(of: "Snapshots/new/b.sqlite") == "Snapshots/new/b.sqlite")
        #expect(Set(paths.map(names.name)).count == paths.count)
        #expect(names.name(of: "elsewhere/c.sqlite") == "c.sqlite")
    }

    @Test(arguments: [["/a", "a"], ["a//b", "a/b"], ["b", "a/b", "/a/b"], ["", "/"]])
    func namesDifferForAnyPaths(_ paths: [String]) {
        let names = SnapshotNames(paths)
        #expect(Set(paths.map(names.name)).count == paths.count)
    }

    @Test func replaysHaveDistinctNames() async throws {
        var scenario = Scenario("CREATE TABLE a(x)", rows: "INSERT INTO a VALUES (1)", steps: "DELETE FROM a")
        scenario.snapshotName = "old/a.sqlite"
        let folder = try TemporaryFolder()
        for (name, sql) in scenario.migrations { try folder.write("Migrations/\(name).sql", sql) }
        for place in ["old", "new"] {
            try folder.write("Snapshots/\(place)/.keep", "")
            try scenario.makeSnapshot(folder.file("Snapshots/\(place)/a.sqlite"))
        }
        let report = try await folder.verify()
        #expect(report.replays.map(\.name).sorted() == ["new/a.sqlite", "old/a.sqlite"])
        #expect(Set(report.findings.compactMap(\.snapshot)).count == 2)
    }
}
