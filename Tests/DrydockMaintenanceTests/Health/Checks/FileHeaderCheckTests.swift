import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct FileHeaderCheckTests {
    @Test func `pages after the counted ones are reported`() async throws {
        let it = try HealthCase()
        #expect(try await it.findings("file-header").isEmpty)
        let size = try FileManager.default.attributesOfItem(atPath: it.path)[.size] as? Int ?? 0
        try it.overwrite(Array(repeating: 0, count: 8192), at: size)
        let found = try await it.findings("file-header")
        #expect(found.map(\.severity) == [.warning])
        #expect(found[0].message.contains("2 pages more"))
    }

    @Test func `a file that is not a database, or truncated, is the only error`() async throws {
        let it = try HealthCase(
            "CREATE TABLE t(x);" + HealthCase.numbers(2000) + "INSERT INTO t SELECT n FROM s")
        let handle = try #require(FileHandle(forWritingAtPath: it.path))
        try handle.truncate(atOffset: 8192)
        let health = try await it.health()
        #expect(health.findings.map(\.severity) == [.error])
        #expect(health.findings[0].message.contains("truncated"))
        #expect(health.notReached.contains { $0.rule == .integrityFailure })
        try it.folder.write("a.sqlite", String(repeating: "text ", count: 200))
        #expect(try await it.health().findings[0].message.contains("not a SQLite database"))
    }

    @Test func `a file without a byte is an error, unless it is meant to be an empty database`() async throws
    {
        let it = try HealthCase()
        try it.folder.write("a.sqlite", "")
        let health = try await it.health { $0.isDeep = true }
        #expect(health.findings.map(\.severity) == [.error])
        #expect(health.findings[0].message.contains("is empty"))
        #expect(health.findings[0].help.contains("--without file-header"))
        #expect(try await it.health { $0.only = ["freelist"] }.findings.map(\.severity) == [.error])
        let meant = try await it.health { $0.without = ["file-header"] }
        #expect(meant.findings.isEmpty && meant.notReached.isEmpty)
    }
}
