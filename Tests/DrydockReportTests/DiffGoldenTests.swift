import Foundation
import Testing

@testable import DrydockFindings
@testable import DrydockReport
@testable import SQLiteSchema

/// Compares what `drydock diff` and `drydock schema` print with golden files.
@Suite struct DiffGoldenTests {
    @Test(arguments: [
        ("diff.txt", "human", RenderOptions()),
        ("diff-color.txt", "human", RenderOptions(usesColor: true)),
        ("diff.json", "json", RenderOptions()), ("diff.md", "markdown", RenderOptions()),
    ])
    func different(_ name: String, _ format: String, _ options: RenderOptions) throws {
        let renderer = try #require(ReportRenderers.all.named(format))
        let text = renderer.render(try report(Self.old, Self.new), options)
        try Golden.hold(text, against: name)
    }

    @Test func orderOfColumns() throws {
        let (old, new) = ("CREATE TABLE t(a, b)", "CREATE TABLE t(b, a)")
        #expect(
            HumanRenderer().render(try report(old, new), RenderOptions()) == "same: old.sql and new.sql\n")
        let text = HumanRenderer().render(try report(old, new, showsQuiet: true), RenderOptions())
        #expect(text.contains("~ column order: (a, b) -> (b, a)"))
    }

    @Test(arguments: [("schema.sql", SchemaFormat.sql), ("schema.json", .json), ("schema.mmd", .mermaid)])
    func schema(_ name: String, _ format: SchemaFormat) throws {
        try Golden.hold(format.render(try schema(Self.new)), against: name)
    }

    @Test func `indexes and triggers are with their table, however its name is written`() throws {
        struct Document: Decodable {
            struct Object: Decodable { var name: String }
            struct Table: Decodable {
                var name: String
                var indexes, triggers: [Object]
            }
            var tables: [Table]
        }
        let text = SchemaFormat.json.render(
            try schema(
                """
                CREATE TABLE Tt(a); CREATE TABLE u(a); CREATE INDEX two ON tT(a); CREATE INDEX One ON TT(a);
                CREATE TRIGGER r AFTER INSERT ON tt BEGIN SELECT 1; END; CREATE INDEX three ON U(a);
                """))
        let tables = try JSONDecoder().decode(Document.self, from: Data(text.utf8)).tables
        #expect(tables.map(\.name) == ["Tt", "u"])
        #expect(tables.map { $0.indexes.map(\.name) } == [["One", "two"], ["three"]])
        #expect(tables.map { $0.triggers.map(\.name) } == [["r"], []])
    }

    private func schema(_ sql: String) throws -> Schema {
        try SchemaParser().schema(of: SQLSource(name: "", sql))
    }

    private func report(_ old: String, _ new: String, showsQuiet: Bool = false) throws -> Report {
        let (before, after) = (try schema(old), try schema(new))
        var diff = DiffSummary(
            old: "old.sql", new: "new.sql",
            changes: SchemaDiff(from: before, to: after).changes().filter { showsQuiet || !$0.isQuiet },
            oldSchema: before, newSchema: after)
        let rename = RenameCandidate(
            table: "email", newTable: "email", from: "sender", to: "from_address", score: 1,
            evidence: "12 of 12 values are the same",
            isBorneOut: true)
        diff.renames = RenameDecision(taken: [rename], open: [rename])
        diff.unparsed = ["old.sql: odd: no table has two primary keys"]
        var report = Report(.diff(diff))
        report.findings = [
            Finding(
                .planRefused, "the plan would lose column email.snippet with its values",
                help: "--allow-loss allows it")
        ]
        return report
    }

    private static let old = """
        PRAGMA user_version = 3;
        CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE email(
            id INTEGER PRIMARY KEY, account_id INT REFERENCES account(id), sender TEXT, snippet TEXT DEFAULT '-',
            size INT CHECK (size > 0), UNIQUE (account_id, sender));
        CREATE INDEX email_size ON email(size);
        CREATE VIEW big AS SELECT id FROM email WHERE size > 100;
        CREATE TABLE legacy(a);
        """

    private static let new = """
        PRAGMA user_version = 4;
        CREATE TABLE account(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE);
        CREATE TABLE email(
            id INTEGER PRIMARY KEY, account_id INT REFERENCES account ON DELETE CASCADE, "from address" TEXT,
            size INT CHECK (size >= 0), folded TEXT AS (lower("from address")) VIRTUAL);
        CREATE INDEX email_size ON email(size DESC) WHERE size > 10;
        CREATE VIEW big AS SELECT id, size FROM email WHERE size > 100;
        CREATE TABLE label(account_id INT, name TEXT, PRIMARY KEY (account_id, name)) STRICT, WITHOUT ROWID;
        CREATE TRIGGER email_gone AFTER DELETE ON email BEGIN DELETE FROM label WHERE account_id = old.account_id; END;
        CREATE VIRTUAL TABLE search USING fts5(subject, body, content='email');
        """
}
