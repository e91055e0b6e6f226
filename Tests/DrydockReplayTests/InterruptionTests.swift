import Foundation
import Testing

@testable import DrydockTestSupport

/// Whatever untrusted SQL does, a signal ends the command soon.
@Suite struct InterruptionTests {
    private static let endless =
        "INSERT INTO t WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r;\n"
    private static let commands = [
        ["verify", "--no-cache"], ["verify", "--no-cache", "--timeout", "none"],
        ["verify", "--no-cache", "--engine", "all"], ["schema", "all.sql"], ["schema", "Migrations"],
        ["diff", "all.sql", "Migrations"], ["migrate", "Snapshots/snapshot.sqlite"],
        ["migrate", "Snapshots/snapshot.sqlite", "--apply", "--timeout", "none"],
    ]

    @Test(arguments: [endless], commands) func aSignalEndsIt(_ step: String, _ command: [String])
        throws
    {
        let folder = try Scenario("CREATE TABLE t(a);\n", rows: "INSERT INTO t VALUES (1)", steps: step)
            .write()
        try folder.write("all.sql", "CREATE TABLE t(a);\n" + step)
        let engines = command.contains("--engine") ? [[]] : [["--engine", "grdb"], ["--engine", "nio"]]
        for (engine, number) in zip(engines, [SIGINT, SIGTERM]) {
            let running = try Tool(folder: folder, processorSeconds: 5).start(command + engine)
            try running.waitUntilBusy()
            #expect(running.process.isRunning)
            kill(running.process.processIdentifier, number)
            let result = try running.result()
            #expect(result.status == 130, "\(result.output)\(result.errors)")
            #expect(running.process.terminationReason == .exit)
            #expect(result.errors.contains("interrupted"), "\(result.errors)")
        }
    }
}
