import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct CheckpointCheckTests {
    @Test func `the process that keeps a checkpoint from finishing is named`() async throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x); INSERT INTO t VALUES(1)")
        let tool = Tool(folder: it.folder)
        let writer = try PlainDatabase(it.path)
        try writer.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES(2)")
        let reader = try PlainDatabase(it.path)
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        for number in 0..<20 { try writer.execute("INSERT INTO t VALUES(\(number))") }
        // Locks of this process would not be seen, so a separate process checks.
        let arguments = ["health", it.path, "--only", "wal-checkpoint"]
        #expect(try tool.run(arguments).status == 0)
        let result = try tool.run(arguments + ["-w", "wal-checkpoint=0:5"])
        #expect(result.status == 1)
        #expect(result.output.contains("process \(ProcessInfo.processInfo.processIdentifier) is"))
        try reader.execute("COMMIT")
        #expect(try tool.run(arguments + ["-w", "wal-checkpoint=0:5"]).status == 0)
    }
}
