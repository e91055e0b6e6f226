import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct PrimaryKeyCheckTests {
    @Test func `a table without a key is a note`() async throws {
        let it = try HealthCase("CREATE TABLE a(x); CREATE TABLE b(x UNIQUE); CREATE TABLE c(x PRIMARY KEY)")
        #expect(try await it.findings("primary-key").map(\.table) == ["a"])
    }
}
