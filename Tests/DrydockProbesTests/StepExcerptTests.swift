import DatabaseEngine
import Drydock
import SQLiteSchema
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// Unusual rows are tried on the tables that a step can reach, as long as the schema has many others.
struct StepExcerptTests {
    /// Sixty tables that none of the steps reaches, with views, triggers and keys among them.
    private static let others =
        (0..<60).map { number in
            """
            CREATE TABLE other\(number) (
              id INTEGER PRIMARY KEY, note TEXT, next INTEGER REFERENCES other\(max(0, number - 1)) (id));
            CREATE INDEX other\(number)_note ON other\(number) (note);
            CREATE VIEW seen\(number) AS SELECT note FROM other\(number);
            CREATE TRIGGER told\(number) AFTER DELETE ON other\(number) BEGIN
              UPDATE other0 SET note = old.note; END;
            """
        }.joined(separator: "\n")

    private static let start = """
        CREATE TABLE person (id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT, "odd name" TEXT DEFAULT 'x');
        CREATE TABLE pet (
          owner INTEGER REFERENCES person (id) ON DELETE CASCADE, name TEXT, PRIMARY KEY (owner, name)) WITHOUT ROWID;
        CREATE TABLE log (what TEXT, length INTEGER AS (length(what)));
        CREATE TRIGGER changed AFTER UPDATE ON person BEGIN INSERT INTO log (what) VALUES (new.email); END;
        CREATE VIEW address AS SELECT email FROM person;
        CREATE VIRTUAL TABLE search USING fts5 (email, content = person, content_rowid = id);
        """

    static let steps = [
        "UPDATE person SET email = '' WHERE email IS NULL;",
        "CREATE UNIQUE INDEX person_email ON person (lower(email));",
        "DELETE FROM person WHERE id IN (SELECT owner FROM pet WHERE length(name) > 40);",
        """
        DROP VIEW address;
        CREATE TABLE person_new (id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL, "odd name" TEXT);
        INSERT INTO person_new SELECT * FROM person;
        DROP TABLE person;
        ALTER TABLE person_new RENAME TO person;
        """,
        "UPDATE pet SET name = trim(name);",
        "INSERT INTO log (what) SELECT email FROM address;",
    ]

    private func report(_ schema: String, _ step: String) async throws -> Report {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", schema)
        try folder.write("Migrations/v2.sql", step)
        return try await folder.verify { $0.snapshots.isFolderNamed = false }
    }

    @Test(arguments: steps) func `the other tables make no difference to what is found`(_ step: String)
        async throws
    {
        func found(_ report: Report) -> [String] {
            report.findings.map { "\($0.severity) \($0.rule) \($0.table ?? "-") \($0.column ?? "-")" }
                .sorted()
        }
        let alone = try await report(Self.start, step)
        let among = try await report(Self.start + Self.others, step)
        #expect(found(alone) == found(among))
        #expect(among.notChecked.map(\.reason) == alone.notChecked.map(\.reason))
    }

    @Test func `a step keeps the tables that its rows can reach, and no others`() throws {
        let schema = try SchemaParser().schema(of: SQLSource(name: "v1.sql", Self.start + Self.others))
        func tables(_ step: String) -> Set<String>? {
            let statements = SQLSource(name: "v2.sql", step).statements()
            return StepExcerpt(StepTables(statements, in: schema), of: schema)?.tables
        }
        #expect(tables("DELETE FROM person") == ["person", "pet", "log"])
        #expect(tables("DELETE FROM pet") == ["person", "pet", "log"])
        // A full-text table is read with the table that has its text.
        #expect(
            tables("DELETE FROM other3")?.isSuperset(of: ["other0", "other3", "other59", "person"]) ?? true)
    }

    @Test(arguments: [
        ("ALTER TABLE a ADD COLUMN c TEXT DEFAULT 'x'", 0),
        ("ALTER TABLE a ADD COLUMN c TEXT REFERENCES b", 0),
        ("ALTER TABLE a ADD COLUMN c TEXT NOT NULL DEFAULT ''", 1),
        ("ALTER TABLE a ADD COLUMN c INT DEFAULT 1 REFERENCES b", 1),
        ("ALTER TABLE a ADD COLUMN c AS (abs(d))", 1),
        ("CREATE INDEX i ON a (b, c DESC)", 0), ("CREATE INDEX i ON a (json(b))", 1),
        ("CREATE UNIQUE INDEX i ON a (b)", 1), ("CREATE INDEX i ON a (b) WHERE c > 1", 1),
        ("CREATE TABLE a (b)", 0), ("CREATE TABLE a AS SELECT 1", 1), ("DROP TABLE a", 1), ("VACUUM", 1),
        ("CREATE INDEX i ON a (b); UPDATE a SET b = 1; PRAGMA user_version = 2", 2),
    ]) func `rows have a say in some statements only`(_ sql: String, _ count: Int) {
        #expect(SQLSource(name: "v.sql", sql).statements().dependingOnRows.count == count, "\(sql)")
    }
}
