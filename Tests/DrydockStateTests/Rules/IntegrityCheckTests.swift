import Drydock
import Foundation
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

@Suite struct IntegrityCheckTests {
    private static let schema =
        "CREATE TABLE n(id INTEGER PRIMARY KEY, a TEXT, b TEXT); CREATE INDEX n_a ON n(a);"
    private static let rows = "INSERT INTO n VALUES (1, 'x', NULL), (2, NULL, 'y'), (3, 'z', 'z');"

    private static func edit(_ old: String, _ new: String) -> String {
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name LIKE 'n%';
        PRAGMA writable_schema = OFF;
        """
    }

    @Test(arguments: [
        RuleCase(
            "a NOT NULL that rows break, by an edit of the schema", edit("a TEXT", "a TEXT NOT NULL"),
            schema: schema,
            rows: rows, errors: [.integrityFailure]),
        RuleCase(
            "a NOT NULL that no row breaks", edit("a TEXT", "a TEXT NOT NULL"), schema: schema,
            rows: "INSERT INTO n VALUES (1, 'x', NULL);"),
        RuleCase(
            "an index of a different column, by an edit of the schema", edit("n(a)", "n(b)"),
            schema: schema,
            rows: rows, errors: [.integrityFailure]),
        RuleCase(
            "rows that break the snapshot's own constraints are an old fault", "ALTER TABLE n ADD COLUMN c",
            schema: "CREATE TABLE n(id INTEGER PRIMARY KEY, a CHECK (a > 0));",
            rows: "PRAGMA ignore_check_constraints = ON; INSERT INTO n VALUES (1, -1);",
            notes: [.integrityFailure]),
    ])
    func constraints(_ it: RuleCase) async throws { try await it.check() }

    /// Where a cell is behind its page, SQLite by itself reads what lies there in memory, and says one thing or another.
    @Test(arguments: ["n", "n_a"], [false, true]) func `of the same damage the same is said`(
        _ table: String, _ isPart: Bool
    )
        async throws
    {
        let it = try HealthCase("PRAGMA page_size = 512;" + Self.schema + Self.rows)
        try it.moveLastCell(of: table)
        var said: Set<[String]> = []
        for _ in 0..<10 {
            let damage = try await IntegrityScanTests.look(it.path) { connection, catalog, _ in
                // What is in memory already counts for nothing.
                _ = try? connection.rows("SELECT * FROM n INDEXED BY n_a WHERE a > ''") { $0.string(1) }
                defer {
                    let setting = try? connection.firstRow("PRAGMA cell_size_check") { $0.integer(0) }
                    #expect(setting == 0)
                }
                return isPart
                    ? try IntegrityCheck(connection, catalog: catalog, tables: ["n"]).damage
                    : try IntegrityCheck(connection, catalog: catalog).damage
            }
            said.insert(damage)
        }
        let page = table == "n" ? 2 : 3
        #expect(
            said.count == 1
                && said.first?.first?.hasPrefix("On tree page \(page) cell 2: Offset 511") == true, "\(said)")
        #expect(said.first?.last == "table n: database disk image is malformed", "\(said)")
    }

    /// What SQLite passes over in a log was committed by the app: the verdict is on less than its users have.
    @Test(arguments: ["header", "frame", "cut", "zeros", "short", "link", "restarted", "empty"])
    func aLogOfWhichSQLiteReadsAPartIsReported(_ kind: String)
        async throws
    {
        let folder = try Scenario(Self.schema, rows: Self.rows, steps: "ALTER TABLE n ADD COLUMN c").write()
        let path = folder.file("Snapshots/snapshot.sqlite")
        let source = folder.file("source.sqlite")
        try FileManager.default.moveItem(atPath: path, toPath: source)
        let app = try PlainDatabase(source)
        try app.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;")
        for id in 4...8 { try app.execute("INSERT INTO n VALUES (\(id), 'w', NULL)") }
        try FileManager.default.copyItem(atPath: source, toPath: path)
        try FileManager.default.copyItem(atPath: source + "-wal", toPath: path + "-wal")
        try await folder.verify().expectNothing()
        var log = [UInt8](try #require(FileManager.default.contents(atPath: path + "-wal")))
        switch kind {
        case "header": log[17] ^= 1
        case "frame": log[32 + (24 + 4096) + 100] ^= 1
        case "cut": log.removeLast(4096 * 2 + 100)
        case "zeros": log = [UInt8](repeating: 0, count: log.count)
        case "short": log = Array(log.prefix(20))
        case "restarted":
            // The next commit starts the log over, on frames of the first one.
            try app.execute("PRAGMA wal_checkpoint; INSERT INTO n VALUES (9, 'w', NULL)")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: source, toPath: path)
            log = [UInt8](try #require(FileManager.default.contents(atPath: source + "-wal")))
        default: log = []
        }
        try FileManager.default.removeItem(atPath: path + "-wal")
        if kind == "link" {
            try FileManager.default.createSymbolicLink(
                atPath: path + "-wal", withDestinationPath: folder.file("nowhere"))
        } else {
            #expect(FileManager.default.createFile(atPath: path + "-wal", contents: Data(log)))
        }
        let report = try await folder.verify()
        if ["restarted", "empty"].contains(kind) { return report.expectNothing() }
        report.expect(warnings: [.integrityFailure])
        let finding = try report.finding(.integrityFailure)
        #expect(finding.message.contains("write-ahead log") && finding.snapshot?.contains("snapshot") == true)
        withExtendedLifetime(app) {}
    }

    @Test func damagedStructureIsNotReplayed() async throws {
        let folder = try Scenario(
            Self.schema,
            rows:
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 900) INSERT INTO n SELECT x, hex(x), 'b' FROM c;",
            steps: "ALTER TABLE n ADD COLUMN c"
        ).write()
        let path = folder.file("Snapshots/snapshot.sqlite")
        var bytes = try Data(contentsOf: URL(filePath: path))
        // A page in the middle, which is a leaf of a tree.
        let page = bytes.count / 4096 / 2
        bytes.replaceSubrange(page * 4096..<page * 4096 + 200, with: Data(repeating: 0xff, count: 200))
        try bytes.write(to: URL(filePath: path))
        let report = try await folder.verify()
        report.expect(errors: [.integrityFailure])
        #expect(report.replays[0].steps.isEmpty)
        #expect(try report.finding(.integrityFailure).tags == [.preExisting])
    }

    @Test func aSnapshotAtTheNewestVersionIsChecked() async throws {
        var scenario = Scenario(Self.schema, rows: Self.rows)
        scenario.schemaEdit =
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'n(a)', 'n(b)') WHERE name = 'n_a';"
        let report = try await scenario.verify()
        report.expect(errors: [.integrityFailure], warnings: [.nothingVerified])
    }

    @Test func anUnknownCollationLeavesTheRestChecked() async throws {
        var scenario = Scenario(
            "CREATE TABLE n(a TEXT); CREATE TABLE m(b)", rows: "INSERT INTO n VALUES ('x'), ('y');",
            steps: "SELECT 1")
        scenario.schemaEdit = """
            CREATE INDEX n_a ON n(a COLLATE NOCASE);
            PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'PINYIN') WHERE name = 'n_a';
            """
        let report = try await scenario.verify()
        #expect(report.notChecked.contains { $0.rule == .integrityFailure && $0.reason.contains("PINYIN") })
    }

    @Test func aConstraintThatWasBrokenBeforeIsNotTheMigrations() async throws {
        let report = try await Scenario(
            "CREATE TABLE t(a INTEGER CHECK (a > 0));",
            rows: "PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (-1);",
            steps: "-- drydock: inserts into t\nINSERT INTO t VALUES (5);"
        ).verify()
        #expect(report.rules(.error) == [], "\(report.findings.map(\.line))")
    }
}
