import Drydock
import DrydockFindings
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// A health check writes nothing, never waits long, and lists what it did not reach.
@Suite struct HealthRunTests {
    private static let schema = """
        CREATE TABLE a(id INTEGER PRIMARY KEY, x REFERENCES b(id)); CREATE INDEX a_x ON a(x);
        CREATE TABLE b(id INTEGER PRIMARY KEY, y TEXT); CREATE VIRTUAL TABLE f USING fts5(y);
        """
    private static let rows =
        HealthCase.numbers(3000)
        + "INSERT INTO b SELECT n, hex(randomblob(100)) FROM s; INSERT INTO a SELECT id, id FROM b;"
        + "INSERT INTO f(rowid, y) SELECT id, y FROM b;"

    @Test(arguments: ["delete", "wal"], ["closed", "open", "writing"])
    func `the folder is unchanged`(mode: String, use: String) async throws {
        let it = try HealthCase("PRAGMA journal_mode = \(mode);" + Self.schema + Self.rows)
        let writer = try PlainDatabase(it.path)
        if use != "closed" { try writer.execute("INSERT INTO b VALUES(0, 'x')") }
        if use == "writing" { try writer.execute("BEGIN IMMEDIATE; DELETE FROM a") }
        // While a program has the log open, its shared memory records who reads it.
        func contents() throws -> [String: Data] {
            try it.folder.copiedContents().filter { mode != "wal" || !$0.key.hasSuffix("-shm") }
        }
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: it.folder.path).sorted()
        }
        let namesBefore = try names()
        let before = try contents()
        let result = try Tool(folder: it.folder).run("health", it.path, "--deep", "--format", "json")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(try contents() == before)
        #expect(try names() == namesBefore)
        #expect(try parsedJSON(result.output)["notChecked"] as? [String] == [])
    }

    @Test(arguments: ["delete", "wal"])
    func `a writer goes on, and nothing false is reported`(mode: String) async throws {
        let it = try HealthCase("PRAGMA journal_mode = \(mode);" + Self.schema + Self.rows)
        let writer = try PlainDatabase(it.path)
        try writer.execute(
            "PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20")
        var writes = 0
        for _ in 0..<6 {
            let running = try Tool(folder: it.folder).start([
                "health", it.path, "--deep", "--slice", "100ms", "--format", "json",
            ])
            while running.process.isRunning {
                try writer.execute(
                    """
                    BEGIN; INSERT INTO b SELECT max(id) + 1, hex(randomblob(100)) FROM b;
                    INSERT INTO a SELECT max(id), max(id) FROM b; INSERT INTO f(rowid, y) SELECT id, y FROM b
                    WHERE id = (SELECT max(id) FROM b); COMMIT
                    """)
                writes += 1
                usleep(200)
            }
            let result = try running.result()
            let report = try parsedJSON(result.output)
            let findings = report["findings"] as? [[String: Any]] ?? []
            // On a busy machine a check may not find 100 ms in which nothing is written.
            let faults = findings.filter {
                $0["severity"] as? String != "note"
                    && ($0["message"] as? String)?.contains(" was not checked") != true
            }
            #expect(faults.isEmpty, "\(result.output)")
            let missed = report["notChecked"] as? [[String: Any]] ?? []
            #expect(result.status == 0 || !missed.isEmpty, "\(result.output)\(result.errors)")
            for miss in missed {
                let reason = try #require(miss["reason"] as? String)
                #expect(reason.contains("while the database is being written"))
            }
        }
        // A run that kept the writer out until its end would let it write once.
        #expect(writes > 6, "\(writes)")
    }

    @Test func `checks without enough time are listed`() async throws {
        let it = try HealthCase(Self.schema + Self.rows)
        let health = try await it.health { $0.budget = .nanoseconds(1) }
        #expect(health.checked.isEmpty && health.findings.isEmpty)
        #expect(
            health.trouble?.contains("nothing of") == true
                && health.trouble?.contains("time was over") == true)
        #expect(Set(health.notReached.map(\.rule)).contains(.integrityFailure))
        #expect(health.notReached.allSatisfy { $0.reason == "the time was over" })
    }

    @Test func `a run continues where the previous one stopped`() async throws {
        let it = try HealthCase(Self.schema + Self.rows)
        let path = it.folder.file("state.json")
        func run(_ budget: Duration?) async throws -> CheckedDatabase {
            try await it.health {
                $0.progress = path
                $0.budget = budget
            }
        }
        _ = try await run(.nanoseconds(1))
        let state = try it.folder.write(
            "state.json",
            String(contentsOfFile: path, encoding: .utf8).replacing(
                #""check" : "file-header""#, with: #""check" : "integrity-failure", "table" : "b""#))
        let rest = try await run(nil)
        let deep = ["text-encoding", "column-type"]
        #expect(rest.notReached.isEmpty)
        #expect(rest.checked.map(\.rawValue) == HealthChecks.names.filter { !deep.contains($0) })
        #expect(try !String(contentsOfFile: state, encoding: .utf8).contains("integrity-failure"))
        try it.folder.write("state.json", "{")
        await #expect(throws: RequestError.self) { _ = try await run(nil) }
    }

    /// The second name is that of an earlier version.
    @Test(arguments: ["integrity-failure", "integrity"])
    func `what the previous run has checked is not checked again`(check: String) async throws {
        let it = try HealthCase(
            """
            CREATE TABLE a(x CHECK (x > 0)); CREATE TABLE b(x); PRAGMA ignore_check_constraints = ON;
            INSERT INTO a VALUES (-1);
            """)
        func messages(after place: String?) async throws -> [String] {
            if let place { try it.folder.write("state.json", place) }
            return try await it.health {
                $0.progress = it.folder.file("state.json")
                $0.only = ["integrity-failure"]
            }.findings.map(\.message)
        }
        let place = #"{"check": "\#(check)", "table": "b"}"#
        let state = #"{"formatVersion": 1, "places": {"\#(FolderListing.realPath(it.path))": \#(place)}}"#
        #expect(try await messages(after: nil).contains { $0.contains("CHECK constraint failed in a") })
        #expect(try await messages(after: state).isEmpty)
        // The place is at the end of the pass, so that the next run begins with the first table.
        #expect(try await !messages(after: nil).isEmpty)
    }

    @Test(arguments: ["delete", "wal"])
    func `a slice that is too short for one writer after the other is not reached, and never wrong`(
        mode: String
    ) async throws {
        let it = try HealthCase("PRAGMA journal_mode = \(mode);" + Self.schema + Self.rows)
        let writer = try PlainDatabase(it.path)
        try writer.execute("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF")
        let running = try Tool(folder: it.folder).start([
            "health", it.path, "--deep", "--slice", "1ms", "--format", "json",
        ])
        while running.process.isRunning {
            try writer.execute("UPDATE b SET y = hex(randomblob(100)) WHERE id % 7 = 0")
            try await Task.sleep(for: .microseconds(200))
        }
        let result = try running.result()
        let missed = try parsedJSON(result.output)["notChecked"] as? [[String: Any]] ?? []
        let gaps = missed.filter { miss in
            ["integrity-failure", "foreign-key-violation"].contains(miss["rule"] as? String)
                && (miss["reason"] as? String)?.contains("only in one look at the whole file") != true
        }
        #expect(result.status == (gaps.isEmpty ? 0 : 1), "\(result.output)\(result.errors)")
        #expect(
            missed.allSatisfy {
                ($0["reason"] as? String)?.contains("while the database is being written") == true
            })
    }

    @Test func `databases are named by patterns, each once, in order`() async throws {
        let it = try HealthCase()
        for name in ["b.sqlite", "c.sqlite"] {
            try PlainDatabase(it.folder.file(name)).execute("CREATE TABLE t(x)")
        }
        let report = try await it.report {
            $0.databases = [it.folder.file("c.sqlite"), it.folder.path + "/*.sqlite"]
            $0.jobs = 3
        }
        #expect(report.databases.map { $0.path.suffix(8) } == ["c.sqlite", "a.sqlite", "b.sqlite"])
        await #expect(throws: RequestError.self) {
            try await it.report { $0.databases = [it.folder.path + "/*.none"] }
        }
        await #expect(throws: RequestError.self) { try await it.report { $0.only = ["integrty"] } }
    }

    @Test func `two stars stand for any folders, or for none`() async throws {
        let it = try HealthCase()
        for name in ["x/b.sqlite", "x/y/z/c.sqlite", ".hidden/d.sqlite", "x/[1]/e.sqlite"] {
            try it.folder.write(name, "")
            try PlainDatabase(it.folder.file(name)).execute("CREATE TABLE t(x)")
        }
        try FileManager.default.createSymbolicLink(
            atPath: it.folder.file("x/loop"), withDestinationPath: it.folder.path)
        func names(_ pattern: String) async throws -> [String] {
            let report = try await it.report { $0.databases = [it.folder.path + "/" + pattern] }
            return report.databases.map { String($0.path.dropFirst(it.folder.path.count + 1)) }
        }
        #expect(
            try await names("**/*.sqlite") == ["a.sqlite", "x/[1]/e.sqlite", "x/b.sqlite", "x/y/z/c.sqlite"])
        #expect(try await names("x/**/c.sqlite") == ["x/y/z/c.sqlite"])
        #expect(try await names("x/**") == ["x/[1]/e.sqlite", "x/b.sqlite", "x/y/z/c.sqlite"])
        #expect(try await names("**/y/**/*.sqlite") == ["x/y/z/c.sqlite"])
        let error = await #expect(throws: RequestError.self) { try await names("**/*.none") }
        #expect(error?.description.contains("no database matches") == true)
        // The pattern as a shell without ** leaves it.
        let result = try Tool(folder: it.folder).run("health", "**/b.sqlite", "-v")
        #expect(result.status == 0 && result.output.contains("x/b.sqlite"), "\(result)")
    }

    @Test func `a healthy database has no line with --quiet`() throws {
        let it = try HealthCase()
        for number in 0..<30 {
            try PlainDatabase(it.folder.file("n\(number).sqlite")).execute("CREATE TABLE t(x)")
        }
        let tool = Tool(folder: it.folder)
        #expect(try tool.run("health", "*.sqlite", "-q").output == "")
        try it.folder.write("n7.sqlite", "")
        let result = try tool.run("health", "*.sqlite", "-q")
        #expect(result.status == 1 && result.output.hasPrefix("error[file-header] n7.sqlite is empty"))
        #expect(!result.output.contains("n8.sqlite") && result.output.contains("1 broken, 30 healthy"))
    }

    @Test func `a missing database does not keep the others from being reported`() async throws {
        let it = try HealthCase()
        let report = try await it.report { $0.databases.append(it.folder.file("missing.sqlite")) }
        #expect(report.databases.map { $0.trouble != nil } == [false, true])
        #expect(report.hasTrouble && report.findings.allSatisfy { $0.severity == .note })
    }
}

/// A JSON object.
func parsedJSON(_ text: String) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
}
