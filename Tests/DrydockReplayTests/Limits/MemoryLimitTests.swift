import Foundation
import Testing

@testable import DrydockTestSupport

/// What a limit on memory keeps from being seen is never taken for passed.
@Suite struct MemoryLimitTests {
    /// Three texts, the first of 2.4 MB.
    private static let rows =
        "INSERT INTO t VALUES (1, printf('%.*c', 2400000, 'x')), (2, 'b'), (3, 'c')"

    private func folder(_ step: String, rows: String = rows) throws -> TemporaryFolder {
        try Scenario("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)", rows: rows, steps: step).write()
    }

    /// A text of 40 MB is read from both states, and 64 MB are there for it.
    @Test(arguments: ["grdb", "nio"]) func rowsThatWereNotComparedAreAnError(_ engine: String) throws {
        let folder = try self.folder(
            "-- drydock: deletes from t where a = 'b'\nDELETE FROM t WHERE id < 3",
            rows: "INSERT INTO t VALUES (1, printf('%.*c', 40000000, 'x')), (2, 'b'), (3, 'c')")
        let tool = Tool(folder: folder)
        let small = try tool.run("verify", "--no-cache", "--memory", "16MB", "--engine", engine)
        #expect(small.status == 1)
        #expect(
            small.output.contains("error[nothing-verified] (not-checked) the rows of t were not compared"),
            "\(small.output)")
        #expect(small.output.contains("Give --memory more."), "\(small.output)")
        #expect(small.output.contains("not checked: rows-lost"), "\(small.output)")
        #expect(!small.output.contains("no snapshot needs"), "\(small.output)")
        #expect(!small.output.contains("error[rows-lost]"), "\(small.output)")
        let large = try tool.run("verify", "--no-cache", "--engine", engine)
        #expect(large.output.contains("error[rows-lost] 1 row of t is gone"), "\(large.output)")
    }

    /// A declaration about another table is still reported.
    @Test func onlyWhatCouldNotBeDecidedIsLeftOpen() throws {
        let scenario = Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE u(b)",
            rows:
                "INSERT INTO t VALUES (1, printf('%.*c', 40000000, 'x')), (2, 'b'); INSERT INTO u VALUES (1)",
            steps:
                "-- drydock: deletes from t where a = 'b'\n-- drydock: deletes from u\nDELETE FROM t WHERE id = 2; INSERT INTO u VALUES (9)"
        )
        let result = try Tool(folder: scenario.write()).run("verify", "--no-cache", "--memory", "16MB")
        #expect(result.output.contains("no snapshot needs 'deletes from u'"), "\(result.output)")
        #expect(!result.output.contains("no snapshot needs 'deletes from t"), "\(result.output)")
    }

    @Test(arguments: ["grdb", "nio"]) func migrateDoesNotInstallWhatWasNotCompared(_ engine: String) throws {
        let folder = try self.folder(
            "-- drydock: deletes from t where a = 'b'\nDELETE FROM t WHERE id < 3",
            rows: "INSERT INTO t VALUES (1, printf('%.*c', 40000000, 'x')), (2, 'b'), (3, 'c')")
        let database = folder.file("Snapshots/snapshot.sqlite")
        let before = FileManager.default.contents(atPath: database)
        let result = try Tool(folder: folder).run(
            "migrate", database, "--apply", "--no-backup", "--memory", "16MB", "--engine", engine)
        #expect(result.status == 1)
        #expect(result.output.contains("the rows of t were not compared"), "\(result.output)\(result.errors)")
        #expect(FileManager.default.contents(atPath: database) == before)
    }

    /// Functions that give NULL beyond the limit on a value's length never meet a lower one than an app's.
    @Test(
        arguments: ["printf('%s%s', a, a)", "format('%s%s', a, a)", "a || a", "replace(a, 'x', 'xx')"],
        ["grdb", "nio"])
    func noValueBecomesNull(_ expression: String, _ engine: String) throws {
        let folder = try self.folder("-- drydock: rewrites t.a\nUPDATE t SET a = \(expression) WHERE id = 1")
        let database = folder.file("Snapshots/snapshot.sqlite")
        let result = try Tool(folder: folder).run(
            "migrate", database, "--apply", "--no-backup", "--memory", "32MB", "--engine", engine)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(
            try PlainDatabase(database).rows("SELECT length(a) FROM t WHERE id = 1") { $0.integer(0) }
                == [4_800_000])
        let small = try self.folder(
            "-- drydock: rewrites t.a\nUPDATE t SET a = printf('%s%s%s%s%s%s%s', a, a, a, a, a, a, a)")
        let stopped = try Tool(folder: small).run(
            "verify", "--no-cache", "--memory", "16MB", "--engine", engine)
        #expect(stopped.status == 1)
        #expect(
            stopped.output.contains("v2 was stopped by Drydock's limit on memory, which is 16 MB"),
            "\(stopped.output)")
        #expect(stopped.output.contains("--> Migrations/v2.sql:2:1"), "\(stopped.output)")
        #expect(stopped.output.contains("Give --memory more."), "\(stopped.output)")
        #expect(!stopped.output.contains("The app could not open"), "\(stopped.output)")
    }

    /// NULL before and NULL after would be equal.
    @Test func whatIsPreservedIsComputedWithoutALowerLimit() throws {
        let folder = try self.folder(
            """
            -- drydock: preserves SELECT printf('%s%s', a, a) FROM t WHERE id = 1
            -- drydock: rewrites t.a
            UPDATE t SET a = a || 'z' WHERE id = 1
            """)
        let result = try Tool(folder: folder).run("verify", "--no-cache", "--memory", "64MB")
        #expect(result.output.contains("error[invariant-broken]"), "\(result.output)")
    }

    /// An expression that computes far too much ends the run's checks, and not the machine.
    @Test(arguments: ["grdb", "nio"]) func whatDrydockComputesIsLimitedToo(_ engine: String) throws {
        let folder = try self.folder(
            """
            -- drydock: preserves SELECT hex(zeroblob(400000000)) FROM t
            UPDATE t SET a = a
            """)
        let result = try Tool(folder: folder).run(
            "verify", "--no-cache", "--memory", "64MB", "--engine", engine)
        #expect(result.status == 1)
        #expect(result.output.contains("--memory gives SQLite 64 MB; give it more"), "\(result.output)")
    }

    @Test func aConditionThatFailsSaysWhy() throws {
        let folder = try Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a INT)",
            rows: "INSERT INTO t VALUES (1, -9223372036854775807 - 1), (2, 5)",
            steps: "-- drydock: deletes from t where abs(a) = 5\nDELETE FROM t"
        ).write()
        let result = try Tool(folder: folder).run("verify", "--no-cache")
        #expect(
            result.output.contains("the condition fails on a row: integer overflow"), "\(result.output)")
    }
}
