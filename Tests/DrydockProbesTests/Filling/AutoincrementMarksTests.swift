import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// Generated tables look like tables from which rows were deleted.
struct AutoincrementMarksTests {
    private func verify(_ migrations: [String]) async throws -> Report {
        let folder = try TemporaryFolder()
        for (index, sql) in migrations.enumerated() {
            try folder.write("Migrations/v\(index + 1).sql", sql)
        }
        return try await folder.verify(GRDBDriver()) { $0.snapshots.isFolderNamed = false }
    }

    @Test func `rowids have gaps`() async throws {
        let outcome = try await RowCase(
            """
            CREATE TABLE plain(a TEXT); CREATE TABLE keyed(a TEXT PRIMARY KEY); CREATE TABLE "Owner"(id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT);
            CREATE TABLE bare(a TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE hidden(rowid TEXT, b TEXT);
            CREATE TABLE taken(rowid TEXT, oid TEXT, _rowid_ TEXT);
            """
        ).run(
            edges: true,
            asking: [
                "SELECT max(rowid) > count(*) AND min(rowid) > 1 AND max(rowid) - min(rowid) >= count(*) FROM plain WHERE rowid < 1000000",
                "SELECT max(rowid) > count(*) AND max(rowid) - min(rowid) >= count(*) FROM keyed WHERE rowid < 1000000",
                "SELECT max(_rowid_) - min(_rowid_) >= count(*) FROM hidden WHERE _rowid_ < 1000000",
                "SELECT count(*) > 2 FROM bare", "SELECT count(*) > 2 FROM taken",
            ])
        #expect(outcome.faults.isEmpty && outcome.result.empty.isEmpty && outcome.edges.empty.isEmpty)
        for answer in outcome.answers { #expect(answer == ["1"]) }
    }

    private static let owner = "CREATE TABLE owner(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);"
    private static func rebuild(_ columns: String, mark: Bool) -> String {
        """
        CREATE TABLE owner_new(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT\(columns));
        INSERT INTO owner_new(id, name) SELECT id, name FROM owner;
        \(mark ? "DELETE FROM sqlite_sequence WHERE name = 'owner_new'; INSERT INTO sqlite_sequence(name, seq) SELECT 'owner_new', seq FROM sqlite_sequence WHERE name = 'owner';" : "")
        DROP TABLE owner;
        ALTER TABLE owner_new RENAME TO owner;
        """
    }

    @Test func `a mark that falls is found, in each step, and the fewest rows show it`() async throws {
        let report = try await verify([
            Self.owner, Self.rebuild("", mark: true), Self.rebuild("", mark: false),
            Self.rebuild(", size INT", mark: false),
        ])
        #expect(report.hasPassed, "\(report.findings.map(\.line))")
        let found = report.findings.filter { $0.severity == .warning }
        #expect(found.map(\.rule) == [.autoincrementReset, .autoincrementReset])
        #expect(found.map(\.migration) == ["v3", "v4"])
        for finding in found {
            #expect(finding.tags == [.probe])
            #expect(
                finding.counterexample?.inserts == [
                    "INSERT INTO sqlite_sequence (name, seq) VALUES ('owner', 1)"
                ])
        }
        let kept = try await verify([Self.owner, Self.rebuild("", mark: true)])
        kept.expectNothing()
    }

    @Test(arguments: [
        "DELETE FROM sqlite_sequence;", "UPDATE sqlite_sequence SET seq = 0;",
        "UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM owner) WHERE name = 'owner';",
    ])
    func `a mark that is lowered is found`(step: String) async throws {
        let report = try await verify([
            Self.owner + "CREATE TABLE pet(id INTEGER PRIMARY KEY, a TEXT);", step,
        ])
        #expect(report.rules(.warning) == [.autoincrementReset], "\(report.findings.map(\.line))")
        #expect(report.hasPassed)
    }

    @Test func `a mark that falls with the rows that were deleted is an error`() async throws {
        let delete = "-- drydock: deletes from owner where 1\nDELETE FROM owner;\n"
        let report = try await verify([Self.owner, delete + Self.rebuild("", mark: false)])
        #expect(report.rules(.error) == [.autoincrementReset], "\(report.findings.map(\.line))")
    }

    private static func triggers(_ table: String) -> String {
        """
        CREATE TRIGGER page_in AFTER INSERT ON \(table) BEGIN INSERT INTO found(rowid, body) VALUES(new.rowid, new.body); END;
        CREATE TRIGGER page_out AFTER DELETE ON \(table) BEGIN INSERT INTO found(found, rowid, body) VALUES('delete', old.rowid, old.body); END;
        """
    }

    @Test(arguments: [
        "url TEXT PRIMARY KEY, body TEXT", "url TEXT, body TEXT", "url TEXT NOT NULL UNIQUE, body TEXT",
    ])
    func `renumbered rows under a full-text index are found, also a second time`(columns: String) async throws
    {
        func rebuild(_ list: String, _ more: String = "") -> String {
            """
            CREATE TABLE page_new(\(columns));
            INSERT INTO page_new(\(list)) SELECT \(list) FROM page;
            DROP TABLE page;
            ALTER TABLE page_new RENAME TO page;
            \(more)
            """ + Self.triggers("page")
        }
        let index = "INSERT INTO found(found) VALUES('rebuild');\n"
        let base =
            "CREATE TABLE page(\(columns));\nCREATE VIRTUAL TABLE found USING fts5(body, content='page');\n"
            + Self.triggers("page")
        let report = try await verify([
            base, rebuild("rowid, url, body"), rebuild("url, body", index), rebuild("url, body"),
        ])
        #expect(report.rules(.error) == [.searchIndexStale], "\(report.findings.map(\.line))")
        let finding = try report.finding(.searchIndexStale)
        #expect(finding.migration == "v4")
        #expect(finding.counterexample?.inserts.first?.contains("rowid") == true)
    }

    @Test func `the same seed gives the same rows`() async throws {
        let sql = Self.owner + "CREATE TABLE page(url TEXT PRIMARY KEY, owner INTEGER REFERENCES owner(id));"
        let first = try await RowCase(sql).run(edges: true, rounds: 2)
        let second = try await RowCase(sql).run(edges: true, rounds: 2)
        #expect(first.dump == second.dump && first.edges.rows == second.edges.rows)
    }
}
