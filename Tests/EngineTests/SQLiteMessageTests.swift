import Foundation
import Testing

@testable import DatabaseEngine

/// The linked SQLite words each message as Drydock expects it.
@Suite struct SQLiteMessageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var sql: String
        var rest: String?
        var recognises: @Sendable (String) -> Bool

        init(_ sql: String, _ message: SQLiteMessage, _ rest: String? = nil) {
            (self.sql, self.rest) = (sql, rest)
            recognises = { message.matches($0) && (rest == nil || message.rest(of: $0) == rest) }
        }

        init(_ sql: String, _ recognises: @escaping @Sendable (String) -> Bool) {
            (self.sql, self.recognises) = (sql, recognises)
        }

        var testDescription: String { sql }
    }

    private static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b NOT NULL DEFAULT 1 CHECK (b > 0));
        INSERT INTO t VALUES(1, 'x', 1); CREATE TABLE u(id INTEGER PRIMARY KEY, a); CREATE INDEX i ON u(a);
        CREATE TABLE s(n INTEGER) STRICT; CREATE TABLE p(a); CREATE TABLE c(a REFERENCES p(a));
        CREATE TABLE d(a REFERENCES t); CREATE VIEW w AS SELECT id FROM u; CREATE VIEW w1 AS SELECT * FROM w2;
        CREATE VIEW w2 AS SELECT * FROM w1; CREATE VIEW w3(a, b) AS SELECT 1;
        CREATE VIRTUAL TABLE e USING fts5(q, content='u');
        """

    private static let cases: [Case] = [
        Case("SELECT * FROM nope", .noSuchTable, "nope"),
        Case("SELECT nope FROM t", .noSuchColumn, "nope"),
        Case("DROP INDEX nope", .noSuchIndex, "nope"),
        Case("DROP VIEW nope", .noSuchView, "nope"),
        Case("DROP TRIGGER nope", .noSuchTrigger, "nope"),
        Case("SELECT nope(1)", .noSuchFunction, "nope"),
        Case("ALTER TABLE p ADD COLUMN b AS (a); UPDATE p SET b = 1", .cannotUpdateGenerated, "\"b\""),
        Case(
            "ALTER TABLE p ADD COLUMN b AS (nope(a)); SELECT * FROM p",
            { SQLiteMessage.unknownFunction.occurs(in: $0) }),
        Case("SELECT a FROM t ORDER BY a COLLATE nope", .noSuchCollation, "nope"),
        Case("CREATE VIRTUAL TABLE v USING nope(a)", .noSuchModule, "nope"),
        Case(
            "CREATE VIRTUAL TABLE v USING fts5(a, tokenize = 'nope')", SQLiteMessage.isAboutMissingExtension),
        Case("CREATE VIRTUAL TABLE v USING fts4(a, tokenize = nope)", SQLiteMessage.isAboutMissingExtension),
        Case("CREATE VIRTUAL TABLE v USING fts5(a, tokenize='nope')", .noSuchTokenizer, "nope"),
        Case("CREATE VIRTUAL TABLE v USING fts5(a, nope=1)", .unrecognizedOption, "\"nope\""),
        Case("SELECT abs(1, 2)", .wrongArgumentCount, "abs()"),
        Case("SELECT 1nope", .unrecognizedToken, "\"1nope\""),
        Case("DROP INDEX nope", { SQLiteMessage.isAboutMissingName($0) && SQLiteMessage.isAboutNames($0) }),
        Case("SELECT nope(1)", { !SQLiteMessage.isAboutMissingName($0) && !SQLiteMessage.isAboutNames($0) }),
        Case(
            "INSERT INTO t(nope) VALUES(1)",
            { SQLiteMessage.columnMissing(in: $0).map { $0 == ("t", "nope") } ?? false }),
        Case(
            "CREATE TABLE f(a, FOREIGN KEY (nope) REFERENCES t(id))",
            { SQLiteMessage.keyColumnMissing(in: $0) == "nope" }),
        Case(
            "SELECT \"nope\" FROM t",
            {
                SQLiteMessage.noSuchColumn.rest(of: $0).map {
                    SQLiteMessage.isQuotedName("nope", missingAs: $0)
                } ?? false
            }),
        Case("ALTER TABLE t ADD COLUMN a", .duplicateColumn, "a"),
        Case("SELECT id FROM t JOIN u", .ambiguousColumn, "id"),
        Case("CREATE TABLE t(a)", { SQLiteMessage.isNameTaken($0) && SQLiteMessage.isAboutNames($0) }),
        Case("CREATE INDEX i ON t(a)", { SQLiteMessage.isNameTaken($0) }),
        Case(
            "ALTER TABLE u RENAME TO t", { SQLiteMessage.isNameTaken($0) && SQLiteMessage.isAboutNames($0) }),
        Case(
            "INSERT INTO u VALUES(1, 2, 3)",
            { SQLiteMessage.isWrongValueCount($0) && SQLiteMessage.isAboutNames($0) }),
        Case("INSERT INTO u(id) VALUES(1, 2)", { SQLiteMessage.isWrongValueCount($0) }),
        Case("INSERT INTO t VALUES(2, 'x', 1)", .uniqueFailed, "t.a"),
        Case("INSERT INTO t VALUES(2, 'y', NULL)", .notNullFailed, ": t.b"),
        Case("INSERT INTO t VALUES(2, 'y', -1)", .checkFailed, ": b > 0"),
        Case("ALTER TABLE t ADD COLUMN g AS (NULL) NOT NULL", .notNullFailed, ""),
        Case("ALTER TABLE t ADD COLUMN g CHECK (g IS NOT NULL)", .checkFailed, ""),
        Case("PRAGMA foreign_keys = ON; INSERT INTO d VALUES(9)", .foreignKeyFailed),
        Case("PRAGMA foreign_keys = ON; INSERT INTO c VALUES(1)", .foreignKeyMismatch),
        Case("INSERT INTO u(id) VALUES('x')", .datatypeMismatch),
        Case("SELECT json('{')", .malformedJSON),
        Case("INSERT INTO s VALUES('x')", .cannotStore, "TEXT value in INTEGER column s.n"),
        Case("ALTER TABLE t ADD COLUMN g AS (1) STORED", .cannotAddStored),
        Case("ALTER TABLE t ADD COLUMN g NOT NULL", .cannotAddNotNull),
        Case("ALTER TABLE t ADD COLUMN g DEFAULT (random())", .cannotAddComputedDefault),
        Case(
            "PRAGMA foreign_keys = ON; ALTER TABLE t ADD COLUMN g REFERENCES t DEFAULT 1", .cannotAddReference
        ),
        Case("ALTER TABLE t ADD COLUMN g UNIQUE", .cannotAddUnique),
        Case("ALTER TABLE t ADD COLUMN g PRIMARY KEY", .cannotAddPrimaryKey),
        Case("ALTER TABLE t ADD COLUMN g UNIQUE", .cannotAdd, "UNIQUE column"),
        Case("ALTER TABLE t DROP COLUMN a", .cannotDropUnique),
        Case("ALTER TABLE t DROP COLUMN id", .cannotDropPrimaryKey),
        Case("ALTER TABLE t ALTER COLUMN a TYPE INT", .syntaxError, "\"ALTER\""),
        Case(
            "DROP VIEW w1; DROP VIEW w2; DROP VIEW w3; ALTER TABLE u DROP COLUMN a",
            { SQLiteMessage.brokenObject(in: $0).map { $0 == ("index", "i") } ?? false }),
        Case("SELECT * FROM w1", .circularView),
        Case("INSERT INTO w VALUES(1)", .cannotModify),
        Case("SELECT * FROM w3", { SQLiteMessage.isWrongColumnList($0) }),
        Case("SELECT abs(-9223372036854775807 - 1)", .integerOverflow),
        Case("SELECT zeroblob(2147483647)", .tooBig),
        Case(
            "DELETE FROM e_config; PRAGMA writable_schema = RESET; SELECT * FROM e",
            { SQLiteMessage.searchFormat(in: $0) == 0 }),
        Case(
            "UPDATE e_config SET v = 99; PRAGMA writable_schema = RESET; SELECT * FROM e",
            { SQLiteMessage.searchFormat(in: $0) == 99 }),
        Case("BEGIN; BEGIN", .nestedTransaction),
        Case("BEGIN; VACUUM", .vacuumInTransaction),
        Case("BEGIN; SELECT * FROM t; PRAGMA journal_mode = WAL", .journalModeInTransaction),
        Case("BEGIN; PRAGMA synchronous = OFF", .synchronousInTransaction),
        Case(
            "DROP VIEW w1; DROP VIEW w2; DROP VIEW w3; DROP INDEX i; ALTER TABLE u RENAME COLUMN a TO b; INSERT INTO e(e) VALUES('rebuild')",
            .genericError),
    ]

    @Test(arguments: cases, Place.rollbackFiles)
    func theLinkedSQLiteGivesIt(_ it: Case, _ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open { $0.doubleQuotedStrings = false }
        try await database.execute(Self.schema)
        let error = try #require(
            await #expect(throws: EngineError.self) { try await database.execute(it.sql) })
        #expect(it.recognises(error.message), "\(error.message)")
    }

    @Test func aMessageIsRecognisedAsAWhole() {
        #expect(!SQLiteMessage.datatypeMismatch.matches("datatype mismatch in t"))
        #expect(SQLiteMessage.noSuchTable.rest(of: "no such column: a") == nil)
        #expect(SQLiteMessage.syntaxError.rest(of: "near \"a\": syntax error") == "\"a\"")
        #expect(!SQLiteMessage.syntaxError.matches("near : syntax err"))
        #expect(SQLiteMessage.noSuchTable.occurs(in: "error in view v: no such table: main.t"))
    }

    /// The lines of a check of integrity, from SQLite's own.
    @Test(arguments: Place.memory) func integrityCheckGivesItsLines(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open { _ in }
        let lines = try await database.withConnection { connection in
            try connection.execute(
                """
                CREATE TABLE t(a, b); INSERT INTO t VALUES(NULL, -1);
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a NOT NULL, b CHECK (b > 0))' WHERE name = 't';
                PRAGMA writable_schema = RESET;
                """)
            return try connection.rows("PRAGMA integrity_check", [], { $0.string(0) })
        }
        #expect(lines.contains { SQLiteMessage.nullValue.rest(of: $0) == "t.a" }, "\(lines)")
        #expect(lines.count == 2 && lines.allSatisfy { SQLiteMessage.isBrokenConstraint($0) }, "\(lines)")
        #expect(!SQLiteMessage.isBrokenConstraint("row 1 missing from index i"))
    }
}
