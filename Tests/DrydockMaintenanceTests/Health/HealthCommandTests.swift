import Foundation
import Testing

@testable import DrydockTestSupport

/// `drydock health` as monitoring calls it.
@Suite struct HealthCommandTests {
    private static let broken = """
        PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY);
        CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES p); INSERT INTO c VALUES(1, 7)
        """

    @Test func `the exit status shows the health`() throws {
        let (good, bad) = (try HealthCase(), try HealthCase(Self.broken))
        let tool = Tool(folder: good.folder)
        #expect(try tool.run("health", good.path).status == 0)
        #expect(try tool.run("health", bad.path).status == 1)
        #expect(try tool.run("health", good.folder.file("none.sqlite")).status == 2)
        #expect(try tool.run("health").status == 64)
        let misspelt = try tool.run("health", good.path, "--only", "integrity-failur")
        #expect(misspelt.status == 64 && misspelt.errors.contains("did you mean 'integrity-failure'"))
    }

    @Test func `nagios gets one line and its statuses`() throws {
        let (good, bad) = (try HealthCase(), try HealthCase(Self.broken))
        let tool = Tool(folder: good.folder)
        func run(_ path: String, _ more: String...) throws -> Tool.Result {
            try tool.run(["health", path, "--format", "nagios"] + more)
        }
        let ok = try run(good.path)
        #expect(ok.status == 0 && ok.output.hasPrefix("DRYDOCK OK - "))
        #expect(ok.output.contains(" | size_bytes=8192B;;;0; "))
        let critical = try run(bad.path)
        #expect(
            critical.status == 2 && critical.output.hasPrefix("DRYDOCK CRITICAL - 1 row of c (a) references"))
        #expect(critical.output.split(separator: "\n").count == 1)
        let warning = try run(good.path, "-w", "disk-space=99999999999:")
        #expect(warning.status == 1 && warning.output.contains("disk_free_ratio="))
        let unknown = try run(good.folder.file("none.sqlite"))
        #expect(unknown.status == 3 && unknown.output.hasPrefix("DRYDOCK UNKNOWN - "))
        #expect(try run(good.path, "--only", "nonsense").status == 3)
        // A file of two pages on a disk of gigabytes.
        let details = try tool.run(["health", good.path, "-v"]).output
        #expect(details.contains(" times") && !details.contains("000 %"), "\(details)")
        // A range without a check belongs to the one check that is named.
        func disk(_ range: String) throws -> Int32 {
            try run(good.path, "--only", "disk-space", "-w", "0:", "-c", range).status
        }
        #expect(try disk("10") == 2 && disk("10:") == 0 && disk("~:10") == 2)
        #expect(try disk("10:20") == 2 && disk("@10:20") == 0 && disk("@10:") == 2)
        #expect(try run(good.path, "-w", "10").status == 3)
    }

    @Test func `nagios gets the status in the first line, and not too many lines`() throws {
        let tables = (1...22).map {
            "CREATE TABLE c\($0)(id INTEGER PRIMARY KEY, a REFERENCES p); INSERT INTO c\($0) VALUES(1, 7);"
        }
        let it = try HealthCase(
            "PRAGMA foreign_keys = off; CREATE TABLE p(id INTEGER PRIMARY KEY);" + tables.joined())
        let result = try Tool(folder: it.folder).run("health", it.path, "--format", "nagios")
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 2 && lines[0].hasPrefix("DRYDOCK CRITICAL - "))
        #expect(lines[0].contains("; and 19 more") && lines.count == 20, "\(result.output)")
        #expect(lines.dropFirst().allSatisfy { !$0.contains("|") && !$0.hasPrefix("DRYDOCK") })
        #expect(result.output.utf8.count <= 4096)
    }

    @Test func `a message is printed once`() throws {
        let it = try HealthCase("CREATE TABLE t(a); INSERT INTO t VALUES(NULL)")
        try PlainDatabase(it.path).execute(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a NOT NULL)' WHERE name = 't'"
        )
        let text = try Tool(folder: it.folder).run("health", it.path).output
        #expect(text.components(separatedBy: "NULL value in t.a").count == 2, "\(text)")
        #expect(!text.contains("1 message"), "\(text)")
    }

    @Test func `prometheus has HELP and TYPE before each metric, and the file is whole`() throws {
        let it = try HealthCase(Self.broken, name: "odd \"name\".sqlite")
        let tool = Tool(folder: it.folder)
        let path = it.folder.file("out.prom")
        #expect(try tool.run("health", it.path, "--quiet", "--report", "prometheus=\(path)").status == 1)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var described: Set<Substring> = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") { described.insert(line.split(separator: " ")[2]) }
            guard !line.hasPrefix("#") else { continue }
            #expect(described.contains(line.prefix { $0 != "{" }), "\(line)")
            #expect(Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
            #expect(line.contains(#"odd \"name\".sqlite"#))
        }
        #expect(text.contains("drydock_sqlite_last_success_timestamp_seconds{"))
        #expect(text.contains(#"severity="error"} 1"#))
        #expect(try it.folder.contents().keys.sorted() == ["odd \"name\".sqlite", "out.prom"])
    }

    @Test func `a report never overwrites a database`() throws {
        let it = try HealthCase()
        let before = try it.folder.contents()
        for suffix in ["", "-wal"] {
            let result = try Tool(folder: it.folder).run(
                "health", it.path, "--report", "json=\(it.path)\(suffix)")
            #expect(result.status == 2)
        }
        #expect(try it.folder.contents() == before)
    }

    @Test func `drydock yml has thresholds, checks to leave out, and the budget`() throws {
        let it = try HealthCase(Self.broken)
        let tool = Tool(folder: it.folder)
        try it.folder.write(
            "drydock.yml",
            """
            health:
              budget: 1m
              without: foreign-key
              thresholds:
                disk-space: {warning: "99999999999:"}
            """)
        let result = try tool.run("health", it.path, "--format", "json")
        let findings = try parsedJSON(result.output)["findings"] as? [[String: Any]] ?? []
        #expect(findings.compactMap { $0["rule"] as? String }.contains("disk-space"))
        #expect(!findings.compactMap { $0["rule"] as? String }.contains("foreign-key-violation"))
        try it.folder.write("drydock.yml", "health:\n  thresholds:\n    disk-spce: 5\n")
        let wrong = try tool.run("health", it.path)
        #expect(wrong.status == 2 && wrong.errors.contains("drydock.yml:3"))
    }

    @Test func `a name from the database cannot steer a terminal`() throws {
        let it = try HealthCase("CREATE TABLE \"\u{1b}[2Jt\"(x)")
        let result = try Tool(folder: it.folder).run("health", it.path, "-v")
        #expect(result.output.contains("\\u{1b}[2Jt") && !result.output.contains("\u{1b}[2J"))
    }
}
