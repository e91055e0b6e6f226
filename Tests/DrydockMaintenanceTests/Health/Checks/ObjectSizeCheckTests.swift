import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ObjectSizeCheckTests {
    @Test func `the largest are named with their share`() async throws {
        let it = try HealthCase(
            "CREATE TABLE big(x); CREATE TABLE small(x); CREATE INDEX big_x ON big(x);"
                + HealthCase.numbers(3000) + "INSERT INTO big SELECT hex(randomblob(200)) FROM s")
        let found = try await it.findings("object-size")
        #expect(found.map(\.severity) == [.note])
        let details = try #require(found.first?.evidence?.details)
        #expect(details.count == 3 && details.contains { $0.hasPrefix("index big_x of big: ") })
        let measures = try await it.health { $0.only = ["object-size"] }.measures
        #expect(measures.first { $0.name == "largest_object_bytes" }.map { $0.value > 1_000_000 } == true)
        let strict = try await it.findings("object-size") {
            $0.thresholds = ["object-size": HealthThreshold(warning: AlertRange("10"))]
        }
        #expect(strict.contains { $0.severity == .warning && $0.message.hasPrefix("indexes take ") })
    }

    @Test func `nothing is reported for a small file`() async throws {
        let it = try HealthCase("CREATE TABLE t(x); CREATE INDEX a ON t(x)")
        #expect(try await it.findings("object-size").isEmpty)
    }
}
