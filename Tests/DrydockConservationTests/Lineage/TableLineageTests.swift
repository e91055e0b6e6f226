import SQLiteSchema
import Testing

@testable import DrydockConservation
@testable import DrydockState
@testable import DrydockTestSupport

/// What statements alone say about names, without a database.
@Suite struct TableLineageTests {
    /// Statements, and something that the lineage says after them.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String { statements }
        var statements: String
        var answer: String?

        init(_ statements: String, _ answer: String?) {
            self.statements = statements
            self.answer = answer
        }

        /// - Parameter question: asked of a lineage that begins with `t(id, a, b)` and `u(id, a)`.
        func check(_ question: (TableLineage) -> String?) throws {
            let database = try PlainDatabase()
            try database.execute("CREATE TABLE t(id, a, b); CREATE TABLE u(id, a);")
            let catalog = try Catalog(database, without: [], earlier: nil)
            #expect(question(TableLineage(catalog, statements: SQLStep.statements(statements))) == answer)
        }
    }

    @Test(arguments: [
        Case("SELECT 1", "t"),
        Case("ALTER TABLE T RENAME TO \"New One\"", "new one"),
        Case("ALTER TABLE t RENAME TO x; ALTER TABLE main.x RENAME TO y", "y"),
        Case("ALTER TABLE u RENAME TO v", "t"),
        Case("DROP TABLE t", nil),
        Case("DROP TABLE IF EXISTS main.[T]", nil),
        Case("DROP TABLE IF EXISTS x", "t"),
        Case("DROP VIEW t", "t"),
        Case("ALTER TABLE t RENAME TO x; CREATE TABLE t(a)", "x"),
        Case("CREATE TABLE IF NOT EXISTS t(x)", "t"),
        Case("CREATE TEMP TABLE t(x); DROP TABLE t", "t"),
        Case("CREATE TEMP TABLE t(x); DROP TABLE t; DROP TABLE t", nil),
        Case("CREATE TEMP TABLE t(x); DROP TABLE main.t", nil),
        Case("CREATE TABLE temp.t(x); ALTER TABLE T RENAME TO v", "t"),
        Case("CREATE TEMP TABLE k(x); ALTER TABLE k RENAME TO t; DROP TABLE t", "t"),
        Case("CREATE TEMP VIEW t AS SELECT 1; DROP VIEW t; DROP TABLE t", nil),
        Case("ATTACH 'x.db' AS aux; CREATE TABLE aux.t(x); DROP TABLE aux.t", "t"),
        Case("ATTACH 'x.db' AS aux; CREATE TABLE aux.t(x); DROP TABLE t", nil),
        Case("ATTACH 'x.db' AS aux; CREATE TABLE aux.k(x); DROP TABLE k", "t"),
        Case("ALTER TABLE t RENAME TO x; ROLLBACK", "t"),
        Case("ALTER TABLE t RENAME TO x; COMMIT; BEGIN; DROP TABLE x; ROLLBACK", "x"),
        Case("ALTER TABLE t RENAME TO x; END; SAVEPOINT s; DROP TABLE x; ROLLBACK", "x"),
        Case("SAVEPOINT s; ALTER TABLE t RENAME TO x; ROLLBACK TO s", "t"),
        Case("SAVEPOINT [a b]; DROP TABLE t; ROLLBACK TRANSACTION TO SAVEPOINT \"A B\"", "t"),
        Case("SAVEPOINT s; DROP TABLE t; RELEASE s", nil),
        Case(
            "SAVEPOINT s; SAVEPOINT s; DROP TABLE t; ROLLBACK TO s; ALTER TABLE t RENAME TO x; RELEASE s", "x"
        ),
        Case(
            "SAVEPOINT a; ALTER TABLE t RENAME TO x; SAVEPOINT b; DROP TABLE x; RELEASE b; ROLLBACK TO a", "t"
        ),
        Case("SAVEPOINT a; DROP TABLE t; ROLLBACK TO a; ALTER TABLE t RENAME TO x; ROLLBACK TO a", "t"),
    ])
    func `the name of a table from before the step`(_ it: Case) throws {
        try it.check { $0.currentName(of: "T") }
    }

    @Test(arguments: [
        Case("SELECT 1", nil),
        Case("DROP TABLE t", nil),
        Case("DROP TABLE t; CREATE TABLE t(a)", "t"),
        Case("CREATE TABLE n(a); DROP TABLE t; ALTER TABLE n RENAME TO T", "t"),
        Case("CREATE TABLE n(a); DROP TABLE t; ALTER TABLE n RENAME TO t; ALTER TABLE t RENAME TO v", "v"),
        Case("ALTER TABLE t RENAME TO v; CREATE TABLE n(a); DROP TABLE v; ALTER TABLE n RENAME TO v", "v"),
        Case("ALTER TABLE t RENAME TO o; CREATE TABLE t(a); DROP TABLE o", "t"),
        // The old table lives on; the new one is not in its place.
        Case("ALTER TABLE t RENAME TO o; CREATE TABLE t(a)", nil),
        // A table from before the step only took the name.
        Case("DROP TABLE t; ALTER TABLE u RENAME TO t", nil),
        Case("DROP TABLE t; CREATE TEMP TABLE t(a)", nil),
        Case("DROP TABLE t; CREATE TABLE t(a); DROP TABLE t; CREATE TABLE t(b)", "t"),
    ])
    func `the table in the place of a dropped one`(_ it: Case) throws {
        try it.check { $0.successor(of: "T") }
    }

    @Test(arguments: [
        Case("SELECT 1", "t.a"),
        Case("ALTER TABLE t RENAME a TO c; ALTER TABLE t RENAME c TO a", "t.a"),
        Case("INSERT INTO t(a) SELECT a FROM u", "t.a u.a"),
        Case("INSERT INTO t(b, a) SELECT a, id FROM u", "t.a u.id"),
        Case("INSERT INTO t SELECT 1, u.a || 2, 3 FROM u", "t.a u.a"),
        Case("INSERT INTO t SELECT id, a, a FROM u UNION SELECT a, id, 3 FROM u", "t.a u.a u.id"),
        Case("INSERT INTO t(a) VALUES (1)", "t.a"),
        Case(
            "CREATE TEMP TABLE k AS SELECT id AS \"A\" FROM u; INSERT INTO t(a) SELECT [a] FROM k",
            "k.a t.a u.id"),
        Case("SAVEPOINT s; INSERT INTO t(a) SELECT a FROM u; ROLLBACK TO s", "t.a"),
    ])
    func `the columns from which a column was filled`(_ it: Case) throws {
        try it.check { lineage in
            lineage.columns.sources(ofColumn: "A", in: "T").map {
                "\(lineage.trackedTable($0.table)?.firstTableName ?? "").\($0.column)"
            }.sorted().joined(separator: " ")
        }
    }

    @Test(arguments: [
        Case("SELECT 1", "a"),
        Case("ALTER TABLE t RENAME a TO x; ALTER TABLE t RENAME b TO a", "b"),
        Case("ALTER TABLE t RENAME id TO k; ALTER TABLE t RENAME a TO id; ALTER TABLE t RENAME k TO a", "id"),
        // The name was left free for another column.
        Case("ALTER TABLE t RENAME a TO x; ALTER TABLE t ADD a", nil),
        Case("CREATE TABLE n(a); ALTER TABLE t RENAME b TO c; DROP TABLE t; ALTER TABLE n RENAME TO t", "a"),
        Case(
            "ALTER TABLE t RENAME a TO c; CREATE TABLE n(c); DROP TABLE t; ALTER TABLE n RENAME TO t; ALTER TABLE t RENAME c TO a",
            "a"),
    ])
    func `the name of a column before the step`(_ it: Case) throws {
        try it.check { $0.columns.nameBefore(ofColumn: "A", in: "T", from: "t") }
    }

    @Test(arguments: [
        Case("SELECT 1", nil),
        Case("SELECT 1; DROP INDEX I", "1"),
        Case("DROP INDEX main.i", "0"),
        Case("DROP INDEX i; CREATE INDEX [I] ON u(a)", nil),
        Case("DROP TABLE i", nil),
        Case("CREATE TEMP TABLE k(a); CREATE INDEX i ON k(a); DROP INDEX i", nil),
        Case("CREATE TEMP TABLE k(a); CREATE INDEX i ON k(a); DROP INDEX i; DROP INDEX i", "3"),
        Case("CREATE TEMP TABLE k(a); CREATE INDEX i ON k(a); DROP TABLE k; DROP INDEX i", "3"),
        Case("SAVEPOINT s; DROP INDEX i; ROLLBACK TO s", nil),
    ])
    func `the statement that dropped an index`(_ it: Case) throws {
        try it.check { $0.dropStatement(of: .init(.index, "i")).map(String.init) }
    }

    @Test(arguments: [
        Case("SELECT 1; DROP TABLE t", "1 -"),
        Case("ALTER TABLE t RENAME TO x; DROP TABLE x", "1 -"),
        Case("DROP TABLE u", "- -"),
        Case("ALTER TABLE t DROP COLUMN A", "- 0"),
        Case("ALTER TABLE t RENAME TO x; ALTER TABLE x RENAME a TO c; ALTER TABLE x DROP c", "- 2"),
        Case("ALTER TABLE t RENAME a TO c; ALTER TABLE t RENAME b TO a; ALTER TABLE t DROP a", "- -"),
        Case("CREATE TEMP TABLE t(a, z); ALTER TABLE t DROP a; DROP TABLE t", "- -"),
        Case("DROP TABLE t; CREATE TABLE t(a, b); ALTER TABLE t DROP a", "0 -"),
    ])
    func `the statements that dropped a table and a column`(_ it: Case) throws {
        try it.check { lineage in
            [lineage.dropStatement(ofTable: "T"), lineage.dropStatement(ofColumn: "A", in: "T")]
                .map { $0.map(String.init) ?? "-" }.joined(separator: " ")
        }
    }

    @Test func `temporary tables that an earlier migration left hide those of the database`() {
        let statements = SQLStep.statements("ALTER TABLE t RENAME TO v; DROP TABLE v; DROP TABLE t")
        let lineage = TableLineage(Catalog(), temporaries: ["t"], statements: statements)
        #expect(lineage.state.temporaryTables.isEmpty)
        #expect(lineage.atStart.state.temporaryTables == ["t"])
        #expect(lineage.actions.map { $0.target?.schema } == ["temp", "temp", nil])
    }
}
