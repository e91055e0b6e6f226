import Drydock
import Testing

/// What is accepted is not told again, until there is more of it.
@Suite struct HealthBaselineTests {
    @Test func `known findings are left out, more of them are new`() async throws {
        var it = try HealthCase(
            """
            PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY);
            CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES p); INSERT INTO c VALUES(1, 7)
            """)
        it.request.baseline = it.folder.file("known.json")
        #expect(try await !it.report().isHealthy)
        let accepting = try await it.report { $0.accepts = true }
        #expect(accepting.isHealthy && accepting.accepted?.count == 1)
        let known = try await it.report()
        #expect(known.isHealthy && known.databases[0].knownCount == 1)
        try it.execute("INSERT INTO c VALUES(2, 8)")
        #expect(try await !it.report().isHealthy)
        // Mended, it is forgotten at the next --accept.
        try it.execute("DELETE FROM c")
        #expect(try await it.report { $0.accepts = true }.accepted?.count == 0)
    }

    @Test func `one that cannot be read is an error with its remedy`() async throws {
        var it = try HealthCase()
        it.request.baseline = try it.folder.write("known.json", "{")
        let error = await #expect(throws: RequestError.self) { try await it.report() }
        #expect(error?.description.contains("--accept") == true)
    }
}
