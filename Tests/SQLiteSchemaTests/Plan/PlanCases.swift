import SQLiteSchema

/// The cases, one row each: the difference, and the plan for it.
enum PlanCases {
    typealias Case = MigrationPlanTests.Case

    static let all: [Case] =
        addedColumns + droppedColumns + renames + properties + dependents + keys + names + others

    private static func columns(_ table: String, _ names: [String: String]) -> RenameHints {
        RenameHints(columns: [table: names])
    }

    static let addedColumns: [Case] = [
        Case(
            "plain column", "create table t(a)", "create table t(a, b text)",
            "ALTER TABLE t ADD COLUMN b text"),
        Case(
            "NOT NULL with default", "create table t(a)", "create table t(a, b not null default 'x')",
            "ALTER TABLE t ADD COLUMN b NOT NULL DEFAULT 'x'"),
        Case("only NOT NULL", "create table t(a)", "create table t(a, b not null)", rebuilds: "t"),
        Case(
            "default of now", "create table t(a)", "create table t(a, b default current_timestamp)",
            rebuilds: "t"),
        Case(
            "default that is computed", "create table t(a)", "create table t(a, b default (1 + 1))",
            rebuilds: "t"),
        Case(
            "virtual column", "create table t(a)", "create table t(a, b as (a * 2))",
            "ALTER TABLE t ADD COLUMN b GENERATED ALWAYS AS (a * 2) VIRTUAL"),
        Case("stored column", "create table t(a)", "create table t(a, b as (a * 2) stored)", rebuilds: "t"),
        Case(
            "reference", "create table t(a)", "create table t(a, b references t on delete cascade)",
            "ALTER TABLE t ADD COLUMN b REFERENCES t ON DELETE CASCADE"),
        Case(
            "reference with default", "create table t(a)", "create table t(a, b default 1 references t)",
            rebuilds: "t"),
        Case(
            "FOREIGN KEY of the table", "create table t(a)",
            "create table t(a, b, foreign key (b) references t)",
            rebuilds: "t"),
        Case(
            "CHECK", "create table t(a)", "create table t(a, b constraint k check (b > a))",
            "ALTER TABLE t ADD COLUMN b CONSTRAINT k CHECK (b > a)"),
        Case("CHECK of the table", "create table t(a)", "create table t(a, b, check (b > a))", rebuilds: "t"),
        Case("UNIQUE", "create table t(a)", "create table t(a, b unique)", rebuilds: "t"),
        Case("PRIMARY KEY", "create table t(a)", "create table t(a, b primary key)", rebuilds: "t"),
        Case(
            "two that name each other's values", "create table t(a)", "create table t(a, b as (c + 1), c)",
            "ALTER TABLE t ADD COLUMN c", "ALTER TABLE t ADD COLUMN b GENERATED ALWAYS AS (c + 1) VIRTUAL"),
        Case(
            "two with CHECKs that name each other", "create table t(a)",
            "create table t(a, b check (b > c), c check (c > b))", rebuilds: "t"),
        Case(
            "collation", "create table t(a)", "create table t(a, b collate nocase)",
            "ALTER TABLE t ADD COLUMN b COLLATE nocase"),
        Case(
            "column in the middle", "create table t(a, c)", "create table t(a, b, c)",
            "ALTER TABLE t ADD COLUMN b"),
    ]

    static let droppedColumns: [Case] = [
        Case(
            "plain column", "create table t(a, b)", "create table t(a)", "ALTER TABLE t DROP COLUMN b",
            losses: ["column t.b with its values"]),
        Case(
            "generated column", "create table t(a, b as (a))", "create table t(a)",
            "ALTER TABLE t DROP COLUMN b"),
        Case(
            "by an old SQLite", "create table t(a, b)", "create table t(a)", rebuilds: "t", support: .oldest,
            losses: ["column t.b with its values"]),
        Case(
            "indexed column", "create table t(a, b); create index i on t(b)", "create table t(a)",
            "DROP INDEX i",
            "ALTER TABLE t DROP COLUMN b", losses: ["column t.b with its values"]),
        Case(
            "in CHECK", "create table t(a, b, check (a > b))", "create table t(a)", rebuilds: "t",
            losses: ["column t.b with its values"]),
        Case(
            "in the key", "create table t(a, b, primary key (a, b))", "create table t(a, primary key (a))",
            rebuilds: "t", losses: ["column t.b with its values"]),
        Case(
            "in UNIQUE", "create table t(a, b unique)", "create table t(a)", rebuilds: "t",
            losses: ["column t.b with its values"]),
        Case(
            "in a foreign key", "create table t(a, b references t)", "create table t(a)", rebuilds: "t",
            losses: ["column t.b with its values"]),
        Case(
            "in a generated column", "create table t(a, b, c as (b))", "create table t(a)", rebuilds: "t",
            losses: ["column t.b with its values"]),
        Case(
            "the only one, and another is added", "create table t(a)", "create table t(b)",
            "ALTER TABLE t ADD COLUMN b",
            "ALTER TABLE t DROP COLUMN a", losses: ["column t.a with its values"]),
        Case(
            "in a view and a trigger",
            """
            create table t(a, b); create view v as select a, b from t;
            create trigger r after update of b on t begin select old.b; end
            """, "create table t(a); create view v as select a from t", "DROP TRIGGER r", "DROP VIEW v",
            "ALTER TABLE t DROP COLUMN b", "CREATE VIEW v AS SELECT a FROM t",
            losses: ["column t.b with its values"]),
    ]

    static let renames: [Case] = [
        Case(
            "table", "create table t(a)", "create table u(a)", "ALTER TABLE t RENAME TO u",
            hints: RenameHints(tables: ["t": "u"])),
        Case(
            "table without a hint", "create table t(a)", "create table u(a)", "DROP TABLE t",
            "CREATE TABLE u ( a )", losses: ["table t with its rows"]),
        Case(
            "column", "create table t(a)", "create table t(b)", "ALTER TABLE t RENAME COLUMN a TO b",
            hints: columns("t", ["a": "b"])),
        Case(
            "columns that pass a name on", "create table t(a text, b int)", "create table t(c text, a int)",
            "ALTER TABLE t RENAME COLUMN a TO c", "ALTER TABLE t RENAME COLUMN b TO a",
            hints: columns("t", ["a": "c", "b": "a"])),
        Case(
            "columns that swap names", "create table t(a text, b int)", "create table t(b text, a int)",
            "ALTER TABLE t RENAME COLUMN a TO new_b", "ALTER TABLE t RENAME COLUMN b TO a",
            "ALTER TABLE t RENAME COLUMN new_b TO b", hints: columns("t", ["a": "b", "b": "a"])),
        Case(
            "column by an old SQLite", "create table t(a)", "create table t(b)", rebuilds: "t",
            hints: columns("t", ["a": "b"]), support: .oldest),
        Case(
            "column in CHECK and index",
            "create table t(a check (a > 0)); create index i on t(a) where a > 1",
            "create table t(b check (b > 0)); create index i on t(b) where b > 1",
            "ALTER TABLE t RENAME COLUMN a TO b", hints: columns("t", ["a": "b"])),
        Case(
            "column in view", "create table t(a); create view v as select a from t",
            "create table t(b); create view v as select b from t", "DROP VIEW v",
            "ALTER TABLE t RENAME COLUMN a TO b", "CREATE VIEW v AS SELECT b FROM t",
            hints: columns("t", ["a": "b"])),
        Case(
            "rebuilt table with a child",
            "create table t(id integer primary key); create table c(t references t(id))",
            "create table u(id integer primary key, a unique); create table c(t references u(id))",
            rebuilds: "u",
            hints: RenameHints(tables: ["t": "u"])),
        Case(
            "rebuilt key with a child",
            "create table t(a unique, b); create table c(t references t(a))",
            "create table t(x unique, b unique); create table c(t references t(x))", rebuilds: "t",
            hints: columns("t", ["a": "x"])),
        Case(
            "key by an old SQLite, with a child",
            "create table t(a unique); create table c(t references t(a))",
            "create table t(x unique); create table c(t references t(x))", rebuilds: "c", "t",
            hints: columns("t", ["a": "x"]), support: .oldest),
        Case(
            "table and column", "create table t(a, b)", "create table u(a, c)", "ALTER TABLE t RENAME TO u",
            "ALTER TABLE u RENAME COLUMN b TO c",
            hints: RenameHints(tables: ["t": "u"], columns: ["t": ["b": "c"]])),
    ]

    static let properties: [Case] = [
        Case("STRICT", "create table t(a int)", "create table t(a int) strict", rebuilds: "t"),
        Case(
            "WITHOUT ROWID", "create table t(a text primary key)",
            "create table t(a text primary key) without rowid",
            rebuilds: "t"),
        Case(
            "AUTOINCREMENT", "create table t(id integer primary key)",
            "create table t(id integer primary key autoincrement)", rebuilds: "t"),
        Case("CHECK", "create table t(a check (a > 0))", "create table t(a check (a > 1))", rebuilds: "t"),
        Case("COLLATE", "create table t(a)", "create table t(a collate nocase)", rebuilds: "t"),
        Case("DEFAULT", "create table t(a default 1)", "create table t(a default '1')", rebuilds: "t"),
        Case("NOT NULL", "create table t(a)", "create table t(a not null)", rebuilds: "t"),
        Case("type", "create table t(a int)", "create table t(a text)", rebuilds: "t"),
        Case(
            "UNIQUE", "create table t(a unique)", "create table t(a unique on conflict ignore)", rebuilds: "t"
        ),
        Case(
            "ON DELETE", "create table t(a references t)",
            "create table t(a references t on delete set null)",
            rebuilds: "t"),
        Case(
            "PRIMARY KEY", "create table t(a, b, primary key (a))", "create table t(a, b, primary key (b))",
            rebuilds: "t"),
        Case(
            "generated expression", "create table t(a, b as (a))", "create table t(a, b as (a + 1))",
            rebuilds: "t"),
        Case("only column order", "create table t(a, b)", "create table t(b, a)"),
        Case(
            "in full", "create table t(a, b as (a)); create index i on t(a)",
            "create table t(a not null, b as (a)); create index i on t(a)",
            "CREATE TABLE new_t ( a NOT NULL, b GENERATED ALWAYS AS (a) VIRTUAL )",
            "INSERT INTO new_t (rowid, a) SELECT rowid, a FROM t", "DROP TABLE t",
            "ALTER TABLE new_t RENAME TO t",
            "CREATE INDEX i ON t (a)"),
    ]

    private static let base = "create table t(a, b); create table o(a);"
    private static let rebuilt = "create table t(a not null, b); create table o(a);"
    private static let rebuild = [
        "CREATE TABLE new_t ( a NOT NULL, b )", "INSERT INTO new_t (rowid, a, b) SELECT rowid, a, b FROM t",
        "DROP TABLE t", "ALTER TABLE new_t RENAME TO t",
    ]

    /// A plan that rebuilds `t` between other statements.
    private static func aroundRebuild(
        _ name: String, _ old: String, _ new: String, before: [String], after: [String]
    ) -> Case {
        var test = Case(name, base + old, rebuilt + new)
        test.statements = before + rebuild + after
        return test
    }

    static let dependents: [Case] = [
        Case("index added", base, base + "create index i on t(a)", "CREATE INDEX i ON t (a)"),
        Case("index dropped", base + "create index i on t(a)", base, "DROP INDEX i"),
        Case(
            "index changed", base + "create index i on t(a)", base + "create unique index i on t(a)",
            "DROP INDEX i", "CREATE UNIQUE INDEX i ON t (a)"),
        Case(
            "index on another table", base + "create index i on t(a)", base + "create index i on o(a)",
            "DROP INDEX i", "CREATE INDEX i ON o (a)"),
        Case(
            "view added", base, base + "create view v as select a from t", "CREATE VIEW v AS SELECT a FROM t"),
        Case("view dropped", base + "create view v as select a from t", base, "DROP VIEW v"),
        Case(
            "view changed", base + "create view v as select a from t",
            base + "create view v as select b from t",
            "DROP VIEW v", "CREATE VIEW v AS SELECT b FROM t"),
        Case(
            "trigger added", base, base + "create trigger r after insert on t begin select 1; end",
            "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END"),
        Case(
            "trigger dropped", base + "create trigger r after insert on t begin select 1; end", base,
            "DROP TRIGGER r"),
        Case(
            "trigger changed", base + "create trigger r after insert on t begin select 1; end",
            base + "create trigger r after delete on t begin select 1; end", "DROP TRIGGER r",
            "CREATE TRIGGER r AFTER DELETE ON t BEGIN SELECT 1; END"),
        aroundRebuild(
            "view on a rebuilt table", "create view v as select a from t",
            "create view v as select a from t", before: ["DROP VIEW v"],
            after: ["CREATE VIEW v AS SELECT a FROM t"]),
        aroundRebuild(
            "view on a view", "create view a1 as select a from z; create view z as select a from t",
            "create view z as select a from t; create view a1 as select a from z",
            before: ["DROP VIEW a1", "DROP VIEW z"],
            after: ["CREATE VIEW z AS SELECT a FROM t", "CREATE VIEW a1 AS SELECT a FROM z"]),
        aroundRebuild(
            "trigger on another table", "create trigger r after insert on o begin delete from t; end",
            "create trigger r after insert on o begin delete from t; end", before: ["DROP TRIGGER r"],
            after: ["CREATE TRIGGER r AFTER INSERT ON o BEGIN DELETE FROM t; END"]),
        aroundRebuild(
            "trigger that has nothing to do with it",
            "create trigger r after insert on o begin select 1; end",
            "create trigger r after insert on o begin select 1; end", before: [], after: []),
        aroundRebuild(
            "index that goes with a rebuild", "create index i on t(a); create index k on t(b)",
            "create index k on t(b)", before: ["DROP INDEX i"], after: ["CREATE INDEX k ON t (b)"]),
        Case(
            "INSTEAD OF trigger on a view that changes",
            base
                + "create view v as select a from t; create trigger r instead of insert on v begin select 1; end",
            base
                + "create view v as select b from t; create trigger r instead of insert on v begin select 1; end",
            "DROP TRIGGER r", "DROP VIEW v", "CREATE VIEW v AS SELECT b FROM t",
            "CREATE TRIGGER r INSTEAD OF INSERT ON v BEGIN SELECT 1; END"),
        Case(
            "view that becomes a table", base + "create view v as select a from t",
            base + "create table v(a)",
            "DROP VIEW v", "CREATE TABLE v ( a )"),
        Case(
            "table that becomes a view", base + "create table v(a)",
            base + "create view v as select a from t",
            "DROP TABLE v", "CREATE VIEW v AS SELECT a FROM t", losses: ["table v with its rows"]),
    ]

    static let keys: [Case] = [
        Case(
            "foreign key to itself", "create table t(id integer primary key, up references t(id))",
            "create table t(id integer primary key, up references t(id), a unique)",
            "CREATE TABLE new_t ( id integer PRIMARY KEY, up REFERENCES t (id), a UNIQUE )",
            "INSERT INTO new_t (id, up) SELECT id, up FROM t", "DROP TABLE t", "ALTER TABLE new_t RENAME TO t"
        ),
        Case(
            "child of a rebuilt parent",
            "create table p(id integer primary key); create table c(p references p on delete cascade)",
            "create table p(id integer primary key, a unique); create table c(p references p on delete cascade)",
            rebuilds: "p"),
        Case(
            "rowid becomes a column", "create table t(a)", "create table t(id integer primary key, a)",
            "CREATE TABLE new_t ( id integer PRIMARY KEY, a )",
            "INSERT INTO new_t (id, a) SELECT rowid, a FROM t",
            "DROP TABLE t", "ALTER TABLE new_t RENAME TO t"),
        Case(
            "AUTOINCREMENT counter", "create table t(id integer primary key autoincrement, a)",
            "create table t(id integer primary key autoincrement, a not null)",
            "CREATE TABLE new_t ( id integer PRIMARY KEY AUTOINCREMENT, a NOT NULL )",
            "INSERT INTO new_t (id, a) SELECT id, a FROM t",
            "DELETE FROM sqlite_sequence WHERE name = 'new_t'",
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'new_t', seq FROM sqlite_sequence WHERE name = 't'",
            "DROP TABLE t", "ALTER TABLE new_t RENAME TO t"),
    ]

    static let names: [Case] = [
        Case(
            "spaces and quotes", #"create table "a ""b"(x)"#, #"create table "a ""b"(x, "it's y")"#,
            #"ALTER TABLE "a ""b" ADD COLUMN "it's y""#),
        Case(
            "quoted names in a rebuild", #"create table "a ""b"("or der")"#,
            #"create table "a ""b"("or der" not null)"#,
            #"CREATE TABLE "new_a ""b" ( "or der" NOT NULL )"#,
            #"INSERT INTO "new_a ""b" (rowid, "or der") SELECT rowid, "or der" FROM "a ""b""#,
            #"DROP TABLE "a ""b""#, #"ALTER TABLE "new_a ""b" RENAME TO "a ""b""#),
        Case(
            "case of a table", "create table t(a)", "create table T(a)", "ALTER TABLE t RENAME TO new_T",
            "ALTER TABLE new_T RENAME TO T"),
        Case(
            "case of a column", "create table t(a)", "create table t(A)", "ALTER TABLE t RENAME COLUMN a TO A"
        ),
        Case(
            "case of a view and an index", base + "create view v as select a from t; create index i on t(a)",
            base + "create view V as select a from t; create index I on t(a)", "DROP VIEW v", "DROP INDEX i",
            "CREATE INDEX I ON t (a)", "CREATE VIEW V AS SELECT a FROM t"),
        Case(
            "name of the temporary table is taken", "create table t(a); create table new_t(a)",
            "create table t(a not null); create table new_t(a)",
            "CREATE TABLE new_new_t ( a NOT NULL )",
            "INSERT INTO new_new_t (rowid, a) SELECT rowid, a FROM t",
            "DROP TABLE t", "ALTER TABLE new_new_t RENAME TO t"),
        Case(
            "name of the temporary table will be taken", "create table a(x); create table t(a)",
            "create table new_t(x); create table t(a not null)", rebuilds: "t",
            hints: RenameHints(tables: ["a": "new_t"])),
        Case(
            "column called rowid", "create table t(rowid)", "create table t(rowid not null)",
            "CREATE TABLE new_t ( rowid NOT NULL )",
            "INSERT INTO new_t (_rowid_, rowid) SELECT _rowid_, rowid FROM t",
            "DROP TABLE t", "ALTER TABLE new_t RENAME TO t"),
    ]

    private static let text = "create table t(id integer primary key, a, b);"

    static let others: [Case] = [
        Case("nothing", base, base),
        Case("table added", "", "create table t(a)", "CREATE TABLE t ( a )"),
        Case(
            "table dropped", "create table t(a); create index i on t(a)", "", "DROP TABLE t",
            losses: ["table t with its rows"]),
        Case("user_version", "pragma user_version = 1", "pragma user_version = 7", "PRAGMA user_version = 7"),
        Case(
            "external content",
            text + "create virtual table f using fts5(a, content='t', content_rowid='id')",
            text + "create virtual table f using fts5(a, b, content='t', content_rowid='id')", "DROP TABLE f",
            "CREATE VIRTUAL TABLE f USING fts5(a, b, content='t', content_rowid='id')",
            "INSERT INTO f(f) VALUES ('rebuild')"),
        Case(
            "external content of a view", text + "create view v as select id, a from t",
            text
                + "create view v as select id, b from t; create virtual table f using fts5(b, content=v, content_rowid=id)",
            "DROP VIEW v", "CREATE VIRTUAL TABLE f USING fts5(b, content=v, content_rowid=id)",
            "CREATE VIEW v AS SELECT id, b FROM t", "INSERT INTO f(f) VALUES ('rebuild')"),
        Case(
            "full text with rows", "create virtual table f using fts5(a)",
            "create virtual table f using fts5(a, b)",
            "DROP TABLE f", "CREATE VIRTUAL TABLE f USING fts5(a, b)",
            losses: ["virtual table f with its rows"]),
        Case(
            "full text without content", "create virtual table f using fts5(a, content='')", "",
            "DROP TABLE f",
            losses: ["virtual table f with its rows"]),
        Case(
            "virtual table that becomes a table", "create virtual table f using fts5(a)", "create table f(a)",
            "DROP TABLE f", "CREATE TABLE f ( a )", losses: ["virtual table f with its rows"]),
    ]
}
