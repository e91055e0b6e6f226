import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct ForeignKeyIndexCheckTests {
    @Test(arguments: [
        ("a INTEGER REFERENCES p", "", 1), ("a INTEGER REFERENCES p", "CREATE INDEX i ON c(a, b)", 0),
        ("a INTEGER REFERENCES p", "CREATE INDEX i ON c(b, a)", 1),
        ("a INTEGER REFERENCES p", "CREATE INDEX i ON c(a) WHERE a IS NOT NULL", 0),
        ("a INTEGER REFERENCES p", "CREATE INDEX i ON c(a) WHERE b IS NOT NULL", 1),
        ("a INTEGER PRIMARY KEY REFERENCES p", "", 0), ("a INTEGER UNIQUE REFERENCES p", "", 0),
    ])
    func `a key without an index is a note`(column: String, index: String, count: Int) async throws {
        let it = try HealthCase(
            "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(\(column), b);" + index)
        let found = try await it.findings("foreign-key-without-index")
        #expect(found.count == count && found.allSatisfy { $0.severity == .note })
    }
}
