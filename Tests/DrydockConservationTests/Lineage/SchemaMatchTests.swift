import DrydockMigrations
import Testing

@testable import DrydockConservation
@testable import DrydockState
@testable import DrydockTestSupport

/// Which table and column after a step is which before it.
@Suite struct SchemaMatchTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var step: String
        var lines: [String]
        var schema: String
        var declarations: [String]
        /// How many of the declarations were needed.
        var used: Int

        init(
            _ name: String, _ step: String, _ lines: String...,
            schema: String = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);", declaring: [String] = [],
            used: Int? = nil
        ) {
            testDescription = name
            self.step = step
            self.lines = lines
            self.schema = schema
            declarations = declaring
            self.used = used ?? declaring.count
        }

        func check() throws {
            let match = try SQLStep(schema, step).match(Declaration.all(declarations))
            #expect(match.lines == lines)
            #expect(match.usedDeclarations.count == used)
        }
    }

    private static func rebuild(_ columns: String, _ copy: String) -> String {
        "CREATE TABLE new(\(columns)); \(copy); DROP TABLE t; ALTER TABLE new RENAME TO t;"
    }

    private static let two =
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE u(id INTEGER PRIMARY KEY, b);"
    private static let copy =
        "CREATE TABLE u(id INTEGER PRIMARY KEY, a, b); INSERT INTO u SELECT * FROM t; DROP TABLE t;"

    @Test(arguments: [
        Case("nothing happened", "SELECT 1", "t: id, a, b"),
        Case("no tables", "SELECT 1", schema: ""),
        Case("a new table has no pair", "CREATE TABLE u(a)", "t: id, a, b"),
        Case("dropped", "DROP TABLE t", "gone t"),
        Case("renamed", "ALTER TABLE t RENAME TO u", "t -> u: id, a, b"),
        Case(
            "only the case of the name changes", "ALTER TABLE t RENAME TO x; ALTER TABLE x RENAME TO T",
            "t -> T: id, a, b"),
        Case(
            "names that must be quoted", "ALTER TABLE [a \"B] RENAME TO \"new one\"",
            "a \"b -> new one: x, c.d",
            schema: "CREATE TABLE \"a \"\"b\"(x, \"c.d\")"),
        Case(
            "only ASCII letters are folded", "ALTER TABLE Ä RENAME TO b", "Ä -> b: x", "ä: x",
            schema: "CREATE TABLE ä(x); CREATE TABLE Ä(x)"),
        Case(
            "two tables swap their names",
            "ALTER TABLE t RENAME TO x; ALTER TABLE u RENAME TO t; ALTER TABLE x RENAME TO u",
            "t -> u: id, a", "u -> t: id, b", schema: two),
        Case(
            "the rows decide about a table that took the name of a dropped one",
            "DROP TABLE u; ALTER TABLE t RENAME TO u", "t -> u: id, a", "u: id, gone b", schema: two),
        Case(
            "without a rowid, with a composite key", "ALTER TABLE n RENAME TO m", "n -> m: b, a",
            schema: "CREATE TABLE n(b, a, PRIMARY KEY(a, b)) WITHOUT ROWID"),
        Case(
            "only virtual tables that store something have a pair", "SELECT 1", "bare: a", "own: a",
            "t: id, a",
            schema: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                CREATE VIRTUAL TABLE derived USING fts5(a, content='t', content_rowid='id');
                CREATE VIRTUAL TABLE bare USING fts5(a, content=''); CREATE VIRTUAL TABLE own USING fts5(a);
                """),
        Case(
            "renamed in a savepoint that is undone",
            "BEGIN; SAVEPOINT s; ALTER TABLE t RENAME TO u; ROLLBACK TO s; COMMIT", "t: id, a, b"),
    ])
    func tables(_ it: Case) throws { try it.check() }

    @Test(arguments: [
        Case("rebuilt", rebuild("id, a, b", "INSERT INTO new SELECT * FROM t"), "t: id, a, b"),
        Case("rebuilt without its rows", rebuild("id, a, b", "SELECT 1"), "t: id, a, b"),
        Case(
            "the old one is renamed away and dropped",
            "ALTER TABLE t RENAME TO o; CREATE TABLE t(id, a, b); INSERT INTO t SELECT * FROM o; DROP TABLE o",
            "t: id, a, b"),
        Case(
            "the old one lives on as a backup",
            "ALTER TABLE t RENAME TO o; CREATE TABLE t(id, a, b); INSERT INTO t SELECT * FROM o",
            "t: id, a, b"),
        Case(
            "rebuilt, then renamed",
            rebuild("id, a, b", "INSERT INTO new SELECT * FROM t") + "ALTER TABLE t RENAME TO u",
            "t -> u: id, a, b"),
        Case(
            "renamed, then rebuilt",
            "ALTER TABLE t RENAME TO u; CREATE TABLE new(id, a, b); INSERT INTO new SELECT * FROM u; DROP TABLE u; ALTER TABLE new RENAME TO u",
            "t -> u: id, a, b"),
        Case(
            "created again with other columns", "DROP TABLE t; CREATE TABLE t(x)",
            "t: gone id, gone a, gone b"),
        Case("copied to another name and dropped", copy, "gone t"),
    ])
    func `tables that are created again`(_ it: Case) throws { try it.check() }

    @Test(arguments: [
        Case("a copy under another name", copy, "t -> u: id, a, b", declaring: ["renames table t to u"]),
        Case("other case and quotes", copy, "t -> u: id, a, b", declaring: ["renames table \"T\" to [U]"]),
        Case("to a table that does not exist", copy, "gone t", declaring: ["renames table t to w"]),
        Case("of a table that does not exist", copy, "gone t", declaring: ["renames table w to u"], used: 0),
        Case(
            "the statement decides", "ALTER TABLE t RENAME TO u; CREATE TABLE w(id, a, b)",
            "t -> u: id, a, b",
            declaring: ["renames table t to w"], used: 0),
        Case(
            "dropped as declared, and another one created", "DROP TABLE t; CREATE TABLE t(id, a, b)",
            "gone t",
            declaring: ["drops table T"]),
        Case(
            "a declared drop that did not happen", "SELECT 1", "t: id, a, b", declaring: ["drops table t"],
            used: 0),
        Case(
            "a declared drop needs no match", "DROP TABLE t", "gone t", declaring: ["drops table t"], used: 0),
    ])
    func `declared tables`(_ it: Case) throws { try it.check() }

    @Test(arguments: [
        Case(
            "a temporary table is renamed", "CREATE TEMP TABLE t(x); ALTER TABLE t RENAME TO u", "t: id, a, b"
        ),
        Case(
            "the table of the database is renamed", "CREATE TEMP TABLE t(x); ALTER TABLE main.t RENAME TO u",
            "t -> u: id, a, b"),
        Case("a temporary table is dropped", "CREATE TEMP TABLE t(x); DROP TABLE t", "t: id, a, b"),
        Case("both are dropped", "CREATE TEMP TABLE t(x); DROP TABLE t; DROP TABLE t", "gone t"),
        Case(
            "a column of the temporary table", "CREATE TEMP TABLE t(a); ALTER TABLE t RENAME COLUMN a TO c",
            "t: id, a, b"),
        Case(
            "copied through a temporary table of the same name",
            "CREATE TEMP TABLE t AS SELECT * FROM t; DROP TABLE main.t; CREATE TABLE main.t(id, c, b); INSERT INTO main.t SELECT * FROM temp.t; DROP TABLE temp.t",
            "t: id, b, a ~ c"),
    ])
    func `temporary tables`(_ it: Case) throws { try it.check() }

    @Test(arguments: [
        Case("renamed", "ALTER TABLE t RENAME COLUMN a TO c", "t: id, a -> c, b"),
        Case("renamed with quotes", "ALTER TABLE [T] RENAME COLUMN \"A\" TO `c d`", "t: id, a -> c d, b"),
        Case(
            "the table and a column", "ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME COLUMN a TO c",
            "t -> u: id, a -> c, b"),
        Case(
            "two columns swap their names",
            "ALTER TABLE t RENAME a TO x; ALTER TABLE t RENAME b TO a; ALTER TABLE t RENAME x TO b",
            "t: id, a -> b, b -> a"),
        Case("renamed and back", "ALTER TABLE t RENAME a TO x; ALTER TABLE t RENAME x TO a", "t: id, a, b"),
        Case(
            "another one gets the free name", "ALTER TABLE t RENAME a TO c; ALTER TABLE t ADD a",
            "t: id, a -> c, b"),
        Case(
            "another one gets the free name, and is renamed",
            "ALTER TABLE t RENAME a TO c; ALTER TABLE t ADD a; ALTER TABLE t RENAME a TO d",
            "t: id, a -> c, b"),
        Case("dropped", "ALTER TABLE t DROP b", "t: id, a, gone b"),
        Case("dropped and added again", "ALTER TABLE t DROP b; ALTER TABLE t ADD b", "t: id, a, b"),
        Case(
            "dropped, and another one takes the name", "ALTER TABLE t DROP a; ALTER TABLE t RENAME b TO a",
            "t: id, b -> a, gone a"),
        Case(
            "generated on both sides", "SELECT 1", "t: a, derived g",
            schema: "CREATE TABLE t(a, g AS (a || 'x'))"),
        Case(
            "a generated one is renamed", "ALTER TABLE t RENAME g TO h", "t: a, derived g -> h",
            schema: "CREATE TABLE t(a, g AS (a || 'x') STORED)"),
        Case(
            "a generated one becomes ordinary", rebuild("a, g", "INSERT INTO new SELECT * FROM t"), "t: a, g",
            schema: "CREATE TABLE t(a, g AS (a || 'x'))"),
        Case(
            "an ordinary one becomes generated",
            rebuild("a, b AS (a || 'x')", "INSERT INTO new(a) SELECT a FROM t"), "t: a, b, gone id",
            schema: "CREATE TABLE t(id, a, b)"),
    ])
    func columns(_ it: Case) throws { try it.check() }

    @Test(arguments: [
        Case(
            "only the case of the names", rebuild("ID, A, \"B\"", "INSERT INTO new SELECT * FROM t"),
            "t: id -> ID, a -> A, b -> B"),
        Case("left out", rebuild("id, b", "INSERT INTO new SELECT id, b FROM t"), "t: id, b, gone a"),
        Case(
            "another name, by position", rebuild("id, c, b", "INSERT INTO new SELECT * FROM t"),
            "t: id, b, a ~ c"),
        Case(
            "another name, by the list of columns",
            rebuild("c, b, id", "INSERT INTO new(id, c, b) SELECT id, a, b FROM t"), "t: id, b, a ~ c"),
        Case(
            "another name, computed", rebuild("id, c, b", "INSERT INTO new SELECT id, upper(a), b FROM t"),
            "t: id, b, a ~ c"),
        Case(
            "nothing was copied", rebuild("id, c, b", "INSERT INTO new SELECT id, 1, b FROM t"),
            "t: id, b, gone a"),
        Case(
            "other names with letters beyond ASCII", rebuild("id, Ä", "INSERT INTO new SELECT id, ä FROM t"),
            "t: id, ä ~ Ä",
            schema: "CREATE TABLE t(id, ä)"),
        Case(
            "names crossed by the copy stay, and the values decide",
            rebuild("id, a, b", "INSERT INTO new SELECT id, b, a FROM t"), "t: id, a, b"),
    ])
    func `columns of a rebuilt table`(_ it: Case) throws { try it.check() }

    private static let renamedCopy = rebuild("id, c, b", "INSERT INTO new SELECT * FROM t")
    private static let dropAndAdd = "ALTER TABLE t DROP b; ALTER TABLE t ADD b;"

    @Test(arguments: [
        Case("a rename", renamedCopy, "t: id, a -> c, b", declaring: ["renames column t.a to t.c"]),
        Case(
            "other case and quotes", renamedCopy, "t: id, a -> c, b",
            declaring: ["renames column [T].\"A\" to T.`C`"]),
        Case(
            "a rename to a column that does not exist", renamedCopy, "t: id, b, a ~ c",
            declaring: ["renames column t.a to t.x"], used: 0),
        Case(
            "a rename in another table", renamedCopy, "t: id, b, a ~ c",
            declaring: ["renames column u.a to u.c"], used: 0),
        Case(
            "the statement decides", "ALTER TABLE t RENAME a TO c", "t: id, a -> c, b",
            declaring: ["renames column t.a to t.c"], used: 0),
        Case(
            "the later name of the table", renamedCopy + "ALTER TABLE t RENAME TO u", "t -> u: id, a -> c, b",
            declaring: ["renames column u.a to u.c"]),
        Case(
            "two that swap their names", rebuild("id, a, b", "INSERT INTO new SELECT id, b, a FROM t"),
            "t: id, a -> b, b -> a",
            declaring: ["renames column t.a to t.b", "renames column t.b to t.a"]),
        Case(
            "two for one column: the first counts", rebuild("id, c", "INSERT INTO new SELECT id, a FROM t"),
            "t: id, a -> c, gone b",
            declaring: ["renames column t.a to t.c", "renames column t.b to t.c"], used: 1),
        Case(
            "dropped, and another one added", dropAndAdd, "t: id, a, gone b", declaring: ["drops column t.B"],
            used: 0),
        Case(
            "dropped under the later name of the table",
            "ALTER TABLE t RENAME TO u; ALTER TABLE u DROP b; ALTER TABLE u ADD b",
            "t -> u: id, a, gone b", declaring: ["drops column u.b"], used: 0),
        Case("dropped in another table", dropAndAdd, "t: id, a, b", declaring: ["drops column u.b"], used: 0),
    ])
    func `declared columns`(_ it: Case) throws { try it.check() }

    @Test func `further columns with a copy are alternatives`() throws {
        let step = Self.rebuild("id, c, d, b", "INSERT INTO new SELECT id, a, a, b FROM t")
        let match = try SQLStep("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)", step).match()
        let pair = try #require(match.pairs.first?.columns.first { $0.isGuess })
        #expect(pair.before.name == "a" && pair.after.name == "c")
        #expect(pair.alternatives.map(\.name) == ["d"])
    }
}
