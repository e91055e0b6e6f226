import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct DuplicateIndexCheckTests {
    @Test(
        arguments: [
            ("CREATE INDEX i ON t(a); CREATE INDEX j ON t(a)", ["j:warning"]),
            ("CREATE INDEX i ON t(a, b); CREATE INDEX j ON t(a)", ["j:note"]),
            ("CREATE UNIQUE INDEX i ON t(a); CREATE INDEX j ON t(a)", ["j:warning"]),
            ("CREATE INDEX j ON t(u)", ["j:warning"]),
            ("CREATE UNIQUE INDEX i ON t(a); CREATE INDEX j ON t(a, b)", []),
            ("CREATE INDEX i ON t(a) WHERE b > 1; CREATE INDEX j ON t(a)", []),
            ("CREATE INDEX i ON t(a COLLATE NOCASE); CREATE INDEX j ON t(a)", []),
            ("CREATE INDEX i ON t(a DESC); CREATE INDEX j ON t(a)", []),
            ("CREATE INDEX i ON t(lower(a)); CREATE INDEX j ON t(lower(a))", ["j:warning"]),
            ("CREATE INDEX i ON t(a) WHERE b > 1; CREATE INDEX j ON t(a) WHERE b > 1", ["j:warning"]),
        ] as [(String, [String])])
    func `an index that another one makes unneeded`(sql: String, expected: [String]) async throws {
        let it = try HealthCase("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, u UNIQUE);" + sql)
        let found = try await it.findings("duplicate-index")
        #expect(found.map { "\($0.object ?? ""):\($0.severity.rawValue)" } == expected)
    }
}
