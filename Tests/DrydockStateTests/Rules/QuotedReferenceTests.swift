import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// `view-broken` where the tool's SQLite accepts `"text"` as a string: a column in double quotes that is gone does not
/// keep anything from compiling.
@Suite struct QuotedReferenceTests {
    private static let table = "CREATE TABLE a(id INTEGER PRIMARY KEY, m, n); CREATE TABLE l(q);"
    private static let dropM = "-- drydock: drops column a.m\nALTER TABLE a DROP COLUMN m;"
    private static let rebuild = """
        -- drydock: drops column a.m
        PRAGMA legacy_alter_table = ON; CREATE TABLE a2(id INTEGER PRIMARY KEY, n); INSERT INTO a2 SELECT id, n FROM a;
        DROP TABLE a; ALTER TABLE a2 RENAME TO a;
        """
    private static let rename = """
        CREATE TABLE b AS SELECT * FROM a; DROP TABLE a; CREATE TABLE a(id INTEGER PRIMARY KEY, mm, n);
        INSERT INTO a SELECT * FROM b; DROP TABLE b;
        """

    private func verify(
        _ schema: String, _ steps: String..., rows: String = "", isNIO: Bool = false
    ) async throws -> Report {
        try await verify(schema, steps, rows: rows, isNIO: isNIO)
    }

    private func verify(_ schema: String, _ steps: [String], rows: String = "", isNIO: Bool = false)
        async throws -> Report
    {
        let one = Self.table + schema + ";\n"
        var files: [String: String] = [:]
        for (number, step) in ([one] + steps).enumerated() {
            files["0000\(number + 1)_x.sql"] = "-- +goose Up\n" + step
        }
        let project = ToolProject(
            files: files,
            history: """
                CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL,
                is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
                INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
                """, schema: one, rows: "INSERT INTO a VALUES (1, 'x', 'p'); " + rows)
        return try await project.write().verify(isNIO ? NIODriver() : GRDBDriver())
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT id, \"m\" FROM a", rename),
        ("CREATE VIEW v AS SELECT id, \"m\" FROM a", dropM),
        ("CREATE VIEW v AS SELECT id FROM a WHERE n = \"active\" AND \"M\" > 1", rebuild),
        ("CREATE TRIGGER t AFTER DELETE ON l BEGIN UPDATE a SET n = \"m\" WHERE \"m\" = 'x'; END", rebuild),
        ("CREATE INDEX i ON a(\"m\")", rebuild + "CREATE INDEX i ON a(\"m\");"),
        ("CREATE INDEX i ON a(n) WHERE \"m\" > 0", rebuild + "CREATE INDEX i ON a(n) WHERE \"m\" > 0;"),
    ])
    func aColumnThatBecameAStringIsAnError(_ object: String, _ step: String) async throws {
        for isNIO in [false, true] {
            let report = try await verify(object, step, isNIO: isNIO)
            #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
            let finding = try report.finding(.viewBroken)
            #expect(
                finding.message.lowercased().contains(
                    " as the text 'm', since no column has that name any more"))
        }
    }

    @Test func aConstraintThatComparesAStringIsAnError() async throws {
        let report = try await verify(
            "CREATE TABLE c(k, j, CHECK (\"k\" <> 'z'))",
            """
            -- drydock: drops column c.k
            CREATE TABLE c2(j, CHECK ("k" <> 'z')); INSERT INTO c2 SELECT j FROM c; DROP TABLE c; ALTER TABLE c2 RENAME TO c;
            """)
        #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT id FROM a WHERE n = \"active\"", dropM),
        ("CREATE VIEW v AS SELECT id FROM a WHERE n = \"m\"", "ALTER TABLE a ADD COLUMN k;"),
        ("CREATE VIEW v AS SELECT id, \"n\" FROM a", dropM),
        ("CREATE VIEW v AS SELECT id, \"m\" FROM a", "ALTER TABLE a RENAME COLUMN m TO k;"),
        (
            "CREATE VIEW v AS SELECT id, \"m\" FROM a",
            "DROP VIEW v; CREATE VIEW v AS SELECT id, 'm' AS m FROM a; " + dropM
        ),
        ("CREATE VIEW v AS SELECT q FROM l WHERE q = \"m\"", dropM),
        ("CREATE VIEW v AS SELECT q AS \"m\" FROM l ORDER BY \"m\"", dropM),
        ("CREATE INDEX i ON a(\"n\")", rebuild + "CREATE INDEX i ON a(\"n\");"),
    ])
    func whatWasAStringOrStillIsAColumnIsNot(_ object: String, _ step: String) async throws {
        let report = try await verify(object, step)
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test func theHelpNamesTheNewColumn() async throws {
        let report = try await verify("CREATE VIEW v AS SELECT id, \"m\" FROM a", Self.rename)
        let finding = try report.finding(.viewBroken)
        #expect(finding.help.contains("mm takes its place"), "\(finding.help)")
        #expect(finding.proposedSQL == "CREATE VIEW v AS SELECT id, \"m\" FROM a;\n")
        let better = "DROP VIEW v; " + Self.rename + "CREATE VIEW v AS SELECT id, mm AS m FROM a;"
        let second = try await verify("CREATE VIEW v AS SELECT id, \"m\" FROM a", better)
        #expect(second.rules(.error).isEmpty, "\(second.findings.map(\.line))")
    }

    // MARK: - Texts that became columns

    private static let addX = "ALTER TABLE a ADD COLUMN \"X\" NOT NULL DEFAULT 'q';"
    private static let rebuildWithX = """
        PRAGMA legacy_alter_table = ON; CREATE TABLE a2(id INTEGER PRIMARY KEY, m, n, x);
        INSERT INTO a2(id, m, n) SELECT id, m, n FROM a; DROP TABLE a; ALTER TABLE a2 RENAME TO a;
        """

    @Test(arguments: [
        "CREATE INDEX i ON a(n) WHERE m = \"x\"",
        "CREATE UNIQUE INDEX i ON a(n) WHERE m = \"x\"",
        "CREATE INDEX i ON a(m || \"x\")",
        "CREATE TABLE c(k, g AS (k || \"x\") STORED); INSERT INTO c VALUES ('1'); "
            + "CREATE INDEX i ON a(n) WHERE m = \"x\"",
    ])
    func anIndexWithWrongEntriesIsDamaged(_ object: String) async throws {
        for isNIO in [false, true] {
            let report = try await verify(object, Self.addX, isNIO: isNIO)
            #expect(report.rules(.error) == [.integrityFailure], "\(report.findings.map(\.line))")
            let finding = try report.finding(.integrityFailure)
            #expect(finding.message.hasPrefix("index i of a is damaged, "))
            #expect(
                finding.message.hasSuffix(
                    "\"x\" in index i was a string, and is now the column that line 2 adds"))
        }
    }

    @Test(arguments: [
        (
            "CREATE TABLE c(k, g AS (k || \"x\") STORED)",
            "c.g is stored, and in 1 row it differs from the value of its expression: "
        ),
        ("CREATE TABLE c(k CHECK (k <> \"x\"))", "CHECK constraint failed in c: "),
    ])
    func rowsThatNoLongerFitTheDefinitionAreReported(_ table: String, _ fact: String) async throws {
        let report = try await verify(
            table + "; INSERT INTO c(k) VALUES ('1')", "ALTER TABLE c ADD COLUMN x DEFAULT '1';")
        #expect(report.rules(.error) == [.integrityFailure], "\(report.findings.map(\.line))")
        #expect(try report.finding(.integrityFailure).message.hasPrefix(fact))
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT id FROM a WHERE m = \"x\"", addX),
        ("CREATE VIEW v AS SELECT id FROM a WHERE m = \"x\"", rebuildWithX),
        ("CREATE VIEW w AS SELECT * FROM a; CREATE VIEW v AS SELECT id FROM w WHERE m = \"x\"", addX),
        (
            "CREATE VIEW v AS SELECT id FROM a WHERE m = \"x\" UNION SELECT q FROM l WHERE q = \"x\"",
            addX
        ),
        ("CREATE TRIGGER t AFTER DELETE ON l BEGIN UPDATE a SET n = \"x\" WHERE id = old.q; END", addX),
        (
            "CREATE TRIGGER t AFTER DELETE ON a WHEN old.m = \"x\" BEGIN DELETE FROM a WHERE m = \"x\"; END",
            addX
        ),
        ("CREATE INDEX i ON a(n) WHERE m = \"x\"", rebuildWithX + "CREATE INDEX i ON a(n) WHERE m = \"x\";"),
        ("CREATE INDEX i ON a(n) WHERE m = \"x\"", addX + "REINDEX i;"),
        ("CREATE TABLE c(k CHECK (k <> \"x\"))", "ALTER TABLE c ADD COLUMN x;"),
        (
            "CREATE TABLE c(k CHECK (k <> \"x\"))",
            "CREATE TABLE d(k CHECK (k <> \"x\"), \"x\" TEXT); DROP TABLE c; ALTER TABLE d RENAME TO c;"
        ),
        ("CREATE VIEW v AS SELECT id FROM a WHERE m = \"order\"", "ALTER TABLE a ADD COLUMN [order];"),
        (
            "CREATE VIEW w AS SELECT n FROM a; CREATE VIEW v AS SELECT n FROM w WHERE n = \"x\"",
            "DROP VIEW w; CREATE VIEW w AS SELECT n, m AS x FROM a;"
        ),
    ])
    func aTextThatBecameAColumnIsAnError(_ object: String, _ step: String) async throws {
        let report = try await verify(object, step)
        #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
        #expect(
            try report.finding(.viewBroken).message.contains(
                " was a string, and is now the column that line "))
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT id FROM a WHERE m = 'x'", addX),
        ("CREATE INDEX i ON a(n) WHERE m = 'x'", addX),
        ("CREATE VIEW v AS SELECT q FROM l WHERE q = \"x\"", addX),
        ("CREATE VIEW v AS SELECT id AS \"x\" FROM a ORDER BY \"x\"", "ALTER TABLE l ADD COLUMN x;"),
        ("CREATE INDEX \"x\" ON \"a\"(\"n\")", addX),
        ("CREATE TABLE \"x\"(\"k\" DEFAULT \"x\")", "ALTER TABLE \"x\" ADD COLUMN \"x\";"),
        (
            "CREATE VIEW v AS SELECT id FROM a WHERE m = \"x\"",
            addX + "DROP VIEW v; CREATE VIEW v AS SELECT id, \"x\" FROM a;"
        ),
        // SQLite corrects the quotes itself.
        ("CREATE INDEX i ON a(n) WHERE m = \"x\"", "ALTER TABLE a RENAME COLUMN m TO x;"),
        ("CREATE VIEW v AS SELECT id FROM a WHERE m = \"x\"", "ALTER TABLE a RENAME COLUMN n TO x;"),
    ])
    func whatNoNewColumnTouchesIsNot(_ object: String, _ step: String) async throws {
        let report = try await verify(object, step)
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test(arguments: [
        "CREATE INDEX i ON a(n) WHERE m = \"x\"", "CREATE VIEW v AS SELECT id FROM a WHERE m = \"x\"",
        "CREATE TRIGGER t AFTER DELETE ON l BEGIN UPDATE a SET n = \"x\" WHERE id = old.q; END",
    ])
    func theRemedyHelps(_ object: String) async throws {
        let report = try await verify(object, Self.addX)
        let finding = try #require(report.findings.first { $0.severity == .error })
        let second = try await verify(object, finding.proposedSQL + Self.addX)
        #expect(second.rules(.error).isEmpty, "\(second.findings.map(\.line))")
    }

    @Test func aLaterStepThatCorrectsTheQuotesFixesIt() async throws {
        let object = "CREATE VIEW v AS SELECT id FROM a WHERE m = \"x\""
        let fix = "DROP VIEW v; CREATE VIEW v AS SELECT id FROM a WHERE m = 'x';"
        let report = try await verify(object, Self.addX, fix)
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        #expect(try report.finding(.viewBroken).message.hasSuffix("; a later migration fixes it"))
    }

    @Test(arguments: [
        ["DROP VIEW v;", "ALTER TABLE a RENAME COLUMN m TO k;", "CREATE VIEW v AS SELECT id, \"m\" FROM a;"],
        ["DROP VIEW v; ALTER TABLE a RENAME COLUMN m TO k;", "CREATE VIEW v AS SELECT \"m\" AS m FROM a;"],
        // SQLite corrected the view, and the author writes it again as it was.
        ["ALTER TABLE a RENAME COLUMN m TO k;", "DROP VIEW v; CREATE VIEW v AS SELECT id, \"m\" FROM a;"],
        [
            "ALTER TABLE a RENAME COLUMN m TO k;", "ALTER TABLE a ADD COLUMN z;",
            "DROP VIEW v; CREATE VIEW v AS SELECT id, \"m\" FROM a;",
        ],
    ])
    func anObjectThatIsCreatedAgainLaterIsComparedWithWhatItWas(_ steps: [String]) async throws {
        let report = try await verify("CREATE VIEW v AS SELECT id, \"m\" FROM a", steps)
        #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
    }

    @Test func aTextThatIsSpelledLikeAFormerColumnIsNot() async throws {
        let report = try await verify(
            "CREATE VIEW v AS SELECT id, \"m\" FROM a",
            [
                "ALTER TABLE a RENAME COLUMN m TO k;",
                "DROP VIEW v; CREATE VIEW v AS SELECT id FROM a WHERE k = \"m\";",
            ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test func aTextThatIsCreatedAgainAfterTheColumnCameIsAnError() async throws {
        let object = "CREATE INDEX i ON a(n) WHERE m = \"x\""
        let report = try await verify(object, ["DROP INDEX i;", Self.addX, object + ";"])
        #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
    }

    // MARK: - Names that mean a new column

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT rowid FROM a", "ALTER TABLE a ADD COLUMN rowid;"),
        (
            "CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO l VALUES (new.oid); END",
            "ALTER TABLE a ADD COLUMN OID;"
        ),
        (
            "CREATE VIEW v AS SELECT (SELECT count(*) FROM l WHERE q = m) FROM a",
            "ALTER TABLE l ADD COLUMN m;"
        ),
        ("CREATE VIEW v AS SELECT m AS k FROM a WHERE k > 1", "ALTER TABLE a ADD COLUMN k;"),
    ])
    func aNameThatMeantSomethingElseIsAnError(_ object: String, _ step: String) async throws {
        let report = try await verify(object, step)
        #expect(report.rules(.error) == [.viewBroken], "\(report.findings.map(\.line))")
        #expect(
            try report.finding(.viewBroken).message.hasSuffix(
                " had another meaning, and is now the column that line 2 adds"))
    }

    @Test func anIndexOfTheRowidIsDamagedByAColumnOfItsName() async throws {
        let report = try await verify(
            "CREATE INDEX i ON a(n) WHERE rowid > 0", "ALTER TABLE a ADD COLUMN rowid;")
        #expect(report.rules(.error) == [.integrityFailure], "\(report.findings.map(\.line))")
        #expect(
            try report.finding(.integrityFailure).help.contains("_rowid_ and oid are names of the rowid too"))
    }

    @Test(arguments: [
        ("CREATE VIEW v AS SELECT rowid FROM l", "ALTER TABLE a ADD COLUMN rowid;"),
        ("CREATE VIEW v AS SELECT a.rowid, l.rowid FROM a, l", "CREATE TABLE b(rowid);"),
        ("CREATE VIEW v AS SELECT k FROM (SELECT m AS k FROM a)", "ALTER TABLE a ADD COLUMN k;"),
        ("CREATE VIEW v AS SELECT * FROM a", "ALTER TABLE a ADD COLUMN k;"),
        (
            "CREATE VIEW v AS SELECT rowid FROM a",
            "DROP VIEW v; ALTER TABLE a ADD COLUMN rowid; CREATE VIEW v AS SELECT rowid AS r FROM a;"
        ),
        ("CREATE INDEX i ON a(m)", "ALTER TABLE a ADD COLUMN i;"),
        // The rows of the dropped table are those of the other.
        ("CREATE TABLE b AS SELECT id AS x FROM a; CREATE INDEX i ON a(id)", "DROP TABLE b;"),
        ("CREATE TRIGGER x AFTER INSERT ON a BEGIN SELECT new.m; END", addX),
    ])
    func aNameThatMeansWhatItMeantIsNot(_ object: String, _ step: String) async throws {
        let report = try await verify(object, step)
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test(arguments: [
        ("rowid", ", content='a'", true), ("oid", ", content='a'", false),
        ("oid", ", content='a', content_rowid='oid'", true), ("rowid", "", false),
    ])
    func aColumnWithTheNameOfARowidHidesItFromAFullTextIndex(
        _ name: String, _ options: String, _ isStale: Bool
    ) async throws {
        let report = try await verify(
            "CREATE VIRTUAL TABLE f USING fts5(m\(options))", "ALTER TABLE a ADD COLUMN \(name) INT;",
            rows: options.isEmpty ? "INSERT INTO f VALUES ('x')" : "INSERT INTO f(f) VALUES ('rebuild')")
        #expect(
            report.rules(.error) == (isStale ? [.searchIndexStale] : []), "\(report.findings.map(\.line))")
        guard isStale else { return }
        #expect(
            try report.finding(.searchIndexStale).message
                == "full-text index f mistakes the new column a.\(name) for the rowid of its content")
    }
}
