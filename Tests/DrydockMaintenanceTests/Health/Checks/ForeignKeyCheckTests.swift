import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct ForeignKeyCheckTests {
    @Test func `rows without a parent are named, key by key`() async throws {
        let it = try HealthCase(
            """
            PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE q(code);
            CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES p, b REFERENCES p);
            CREATE TABLE d(code REFERENCES q(code)); INSERT INTO p VALUES(1); INSERT INTO d VALUES(1);
            INSERT INTO c VALUES(7, 1, 1), (8, 2, 1), (9, 3, 4);
            """)
        let found = try await it.findings("foreign-key-violation")
        let broken = found.filter { $0.table == "c" }
        #expect(broken.map { $0.evidence?.rowCount }.sorted { ($0 ?? 0) < ($1 ?? 0) } == [1, 2])
        let rows = broken.flatMap { $0.evidence?.rows ?? [] }.map { $0.key[0].value.literal }
        #expect(Set(rows) == ["8", "9"])
        // A parent without a unique key aborts SQLite's check of all keys.
        #expect(found.contains { $0.table == "d" && $0.message.contains("cannot be enforced") })
        #expect(found.allSatisfy { $0.severity == .error })
    }
}
