import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// Untrusted SQL ends as a finding with its line, and reaches neither the process nor the disk.
@Suite struct SandboxTests {
    private static let engines: [any Engine] = [GRDBDriver(), NIODriver()]

    private static let refused = [
        "SELECT fts3_tokenizer('simple', x'4141414141414141');\nCREATE VIRTUAL TABLE z USING fts3(a, tokenize=simple)",
        "SELECT hex(fts3_tokenizer('simple'))",
        "CREATE TABLE leak AS SELECT hex(fts3_tokenizer('simple')) AS a",
        "CREATE VIEW leak AS SELECT fts3_tokenizer('simple') AS a; CREATE TABLE kept AS SELECT a FROM leak",
        "CREATE TABLE a(x); CREATE TRIGGER r AFTER INSERT ON a BEGIN SELECT fts3_tokenizer('simple', x'4141414141414141'); END; INSERT INTO a VALUES (1)",
        "SELECT load_extension('/tmp/x.so')",
        "ATTACH '/etc/passwd' AS p", "ATTACH DATABASE 'file:/etc/passwd?mode=ro' AS p",
        "ATTACH 'file:x?vfs=unix' AS p", "ATTACH 'file:x?%76fs=unix' AS p", "ATTACH '/etc/' || 'passwd' AS p",
        "VACUUM INTO 'file:/tmp/drydock-sandbox-test?vfs=unix'",
        "PRAGMA hard_heap_limit = 1000", "PRAGMA soft_heap_limit(1000)",
        "EXPLAIN PRAGMA hard_heap_limit = 1000",
        "EXPLAIN QUERY PLAN PRAGMA main.\"Hard_Heap_Limit\" = 1000", "PRAGMA temp_store_directory = '/tmp'",
        "INSERT INTO stamp VALUES (zeroblob(2000000000), 1)",
        "CREATE TABLE big AS SELECT replace(hex(zeroblob(1000000)), '00', hex(zeroblob(1000000))) AS a",
    ]

    @Test(arguments: engines.indices, refused)
    func aMigrationIsRefused(_ engine: Int, _ sql: String) async throws {
        let folder = try Scenario(Mail.schema, rows: Mail.rows, steps: "SELECT 1;\n" + sql + ";").write()
        let report = try await folder.verify(Self.engines[engine])
        let finding = try report.finding(.migrationFailed)
        #expect(finding.place?.line == 2, "\(finding.line)")
        #expect(!finding.message.contains("out of memory"))
        #expect(!FileManager.default.fileExists(atPath: "/tmp/drydock-sandbox-test"))
    }

    @Test(arguments: engines.indices, refused)
    func aDumpIsRefused(_ engine: Int, _ sql: String) async throws {
        let folder = try Scenario(Mail.schema, rows: Mail.rows, steps: "SELECT 1").write()
        try folder.remove("Snapshots/snapshot.sqlite")
        try folder.write("Snapshots/dump.sql", Mail.schema + "\n" + sql + ";\n")
        let report = try await folder.verify(Self.engines[engine])
        let finding = try report.finding(.snapshotUnreadable)
        #expect(finding.place?.line ?? 0 > 1, "\(finding.line)")
    }

    @Test(arguments: engines.indices)
    func aDeclaredQueryIsRefused(_ engine: Int) async throws {
        for query in ["select hex(fts3_tokenizer('simple'))", "select load_extension('x')"] {
            let folder = try Scenario(
                Mail.schema, rows: Mail.rows, steps: "-- drydock: preserves \(query)\nSELECT 1;"
            ).write()
            let finding = try (try await folder.verify(Self.engines[engine])).finding(.invalidDeclaration)
            #expect(finding.place?.line == 1)
        }
    }

    /// The tool's own connections refuse it, a migration's do not: the migrations of some tools use it.
    @Test(arguments: engines.indices)
    func aMigrationMayWriteTheSchema(_ engine: Int) async throws {
        let folder = try Scenario(
            "CREATE TABLE t(a INTEGER)", rows: "INSERT INTO t VALUES (1)",
            steps: """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a INTEGER, b)' WHERE name = 't';
                PRAGMA writable_schema = RESET;
                """
        ).write()
        (try await folder.verify(Self.engines[engine])).expectNothing()
    }

    @Test(arguments: engines.indices)
    func aNewFileIsCreatedInTheOverlay(_ engine: Int) async throws {
        let folder = try Scenario(
            "CREATE TABLE t(a)",
            steps: "COMMIT; ATTACH 'drydock-nowhere.sqlite' AS n; CREATE TABLE n.x(a); DETACH n; BEGIN;"
        ).write()
        _ = try await folder.verify(Self.engines[engine])
        #expect(!FileManager.default.fileExists(atPath: "drydock-nowhere.sqlite"))
    }
}
