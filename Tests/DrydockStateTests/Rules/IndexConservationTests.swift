import Drydock
import Testing

@testable import DrydockTestSupport

/// The conservation of full-text tables that are the only copy of their words.
@Suite struct IndexConservationTests {
    static let variants = [
        "fts5(body, title, content='')", "fts5(body, title, content='', columnsize=0)",
        "fts5(body, title, content=\"\", detail=column)", "fts5(body, title, co='', detail=none, prefix='2')",
    ]
    private static let insert =
        "INSERT INTO note(rowid, body, title) VALUES (1, 'one two', 'x'), (5, 'two three', 'y'), (-9, 'three', NULL);"

    private static func schema(_ variant: String) -> String { "CREATE VIRTUAL TABLE note USING \(variant);" }

    @Test(arguments: variants, ["UTF-8", "UTF-16be"])
    func `an index without text is compared`(variant: String, encoding: String) async throws {
        let schema = Self.schema(variant)
        let steps: [(String, errors: [Rule], warnings: [Rule])] = [
            ("DROP TABLE note;", [.tableDropped], []),
            ("-- drydock: drops table note\nDROP TABLE note;", [], []),
            ("INSERT INTO note(note) VALUES ('delete-all');", [.rowsLost], []),
            ("-- drydock: deletes from note\nINSERT INTO note(note) VALUES ('delete-all');", [], []),
            ("DROP TABLE note; \(schema)", [.rowsLost], []),
            ("DROP TABLE note; \(schema) \(Self.insert)", [], []),
            ("INSERT INTO note(note) VALUES ('optimize');", [], []),
            (
                "INSERT INTO note(note, rank) VALUES ('pgsz', 64); INSERT INTO note(note) VALUES ('optimize');",
                [], []
            ),
            (
                "INSERT INTO note(note, rowid, body, title) VALUES ('delete', 5, 'two three', 'y');",
                [.rowsLost], []
            ),
            (
                "INSERT INTO note(note, rowid, body, title) VALUES ('delete', 5, 'two three', 'y'); INSERT INTO note(rowid, body, title) VALUES (5, 'two four', 'y');",
                [.valuesChanged], []
            ),
            ("INSERT INTO note(rowid, body) VALUES (6, 'new');", [], [.rowsAdded]),
            ("CREATE TABLE other(x);", [], []),
            ("ALTER TABLE note RENAME TO memo;", [], []),
        ]
        for (step, errors, warnings) in steps {
            // What a new database lacks cannot be deleted there.
            var scenario = Scenario("\(schema) \(Self.insert)", steps: step)
            scenario.pragmas = ["PRAGMA encoding = '\(encoding)'"]
            let report = try await scenario.verify()
            let comment = Comment(
                rawValue: "\(variant) \(step)\n" + report.findings.map(\.line).joined(separator: "\n")
                    + report.notChecked.map(\.reason).joined(separator: "\n"))
            #expect(report.rules(.error) == errors, comment)
            #expect(report.rules(.warning) == warnings, comment)
            #expect(report.notChecked.isEmpty, comment)
        }
    }

    /// Only users who have the document can upgrade.
    @Test(arguments: variants) func `a document that no new database has cannot be deleted`(variant: String)
        async throws
    {
        let delete = "INSERT INTO note(note, rowid, body, title) "
        let report = try await Scenario(
            Self.schema(variant), rows: Self.insert,
            steps: "-- drydock: deletes from note\n\(delete) VALUES ('delete', 5, 'two three', 'y');"
        ).verify()
        report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
        let finding = try report.finding(.migrationFailed)
        #expect(finding.message.hasSuffix(": 'delete' finds words that note does not have"))
        #expect(finding.table == "note" && finding.help.contains("nothing is deleted where there is none"))
        try await Scenario(
            "CREATE TABLE text(id INTEGER PRIMARY KEY, body, title); \(Self.schema(variant))",
            rows: "\(Self.insert) INSERT INTO text VALUES (5, 'two three', 'y');",
            steps: "-- drydock: deletes from note\n\(delete) SELECT 'delete', * FROM text WHERE id = 5;"
        ).verify().expectNothing()
    }

    @Test func `the finding names the document and a word`() async throws {
        let report = try await Scenario(
            "\(Self.schema(Self.variants[0])) \(Self.insert)",
            steps: """
                INSERT INTO note(note, rowid, body, title) VALUES ('delete', 5, 'two three', 'y');
                INSERT INTO note(rowid, body, title) VALUES (5, 'two four', 'y');
                """
        ).verify()
        let finding = try report.finding(.valuesChanged)
        #expect(finding.table == "note" && finding.column == "body")
        let row = try #require(finding.evidence?.rows.first)
        #expect(row.key.map { "\($0.column) \($0.value.literal)" } == ["rowid 5"])
        #expect(row.before?.literal == "'three'" && row.after?.literal == "'four'")
    }

    @Test func `the words of different tokenizers are not compared`() async throws {
        let report = try await Scenario(
            Self.schema("fts5(body, title, content='')"), rows: Self.insert,
            steps:
                "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(body, title, content='', tokenize=porter); \(Self.insert)"
        ).verify()
        report.expect(notChecked: [.valuesChanged])
        let emptied = try await Scenario(
            Self.schema("fts5(body, title, content='')"), rows: Self.insert,
            steps:
                "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(body, title, content='', tokenize=porter);"
        ).verify()
        emptied.expect(errors: [.rowsLost], notChecked: [.valuesChanged])
    }

    @Test func `a dropped column of the index loses its words`() async throws {
        let report = try await Scenario(
            Self.schema("fts5(body, title, content='')"), rows: Self.insert,
            steps: """
                DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(body, content='');
                INSERT INTO note(rowid, body) VALUES (1, 'one two'), (5, 'two three'), (-9, 'three');
                """
        ).verify()
        #expect(report.rules(.error).contains(.columnDropped), "\(report.findings.map(\.line))")
    }

    @Test(arguments: ["fts4(body, content=\"\")", "fts4(body, content=\"\", matchinfo=fts3)"])
    func `FTS4 without text`(variant: String) async throws {
        let insert = "INSERT INTO note(docid, body) VALUES (1, 'one two'), (5, 'two three');"
        let schema = Self.schema(variant)
        let steps: [(String, errors: [Rule])] = [
            ("DROP TABLE note;", [.tableDropped]),
            (
                "DROP TABLE note; \(schema)", variant.contains("matchinfo") ? [.valuesChanged] : [.rowsLost]
            ),
            ("DROP TABLE note; \(schema) \(insert.replacing("three", with: "four"))", [.valuesChanged]),
            ("DROP TABLE note; \(schema) \(insert)", []), ("CREATE TABLE other(x);", []),
        ]
        for (step, errors) in steps {
            let report = try await Scenario(schema, rows: insert, steps: step).verify()
            let comment = Comment(rawValue: step + "\n" + report.findings.map(\.line).joined(separator: "\n"))
            #expect(report.rules(.error) == errors, comment)
        }
        let more = try await Scenario(
            schema, rows: insert, steps: "INSERT INTO note(docid, body) VALUES (7, 'one');"
        ).verify()
        #expect(more.rules(.error).isEmpty && more.notChecked.map(\.rule) == [.valuesChanged])
    }

    @Test func `the language of a document is a value of FTS4`() async throws {
        let schema = Self.schema("fts4(body, languageid=\"lid\")")
        let rows = "INSERT INTO note(docid, body, lid) VALUES (1, 'one', 5), (2, 'two', 0);"
        let changed = try await Scenario(
            schema, rows: rows, steps: "UPDATE note SET lid = 6 WHERE docid = 1"
        ).verify()
        changed.expect(errors: [.valuesChanged])
        #expect(try changed.finding(.valuesChanged).column == "lid")
        let lost = try await Scenario(
            schema, rows: rows,
            steps:
                "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts4(body); INSERT INTO note(docid, body) VALUES (1, 'one'), (2, 'two');"
        ).verify()
        lost.expect(errors: [.columnDropped])
        try await Scenario(schema, rows: rows, steps: "INSERT INTO note(note) VALUES ('optimize')").verify()
            .expectNothing()
    }
}
