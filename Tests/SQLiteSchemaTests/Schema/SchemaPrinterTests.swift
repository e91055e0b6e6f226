import SQLiteSchema
import Testing

@Suite struct SchemaPrinterTests {
    @Test func `the canonical text`() throws {
        let sql = """
            pragma user_version=3;
            create view v as select T.a as Total from t left join u on u.b=t.a where "a"<>"no such" order by 1;
            create table u(b unique default (1),c as(b+1),"order" text check("b"<>"x"), constraint k primary key(b,c desc))without rowid,strict;
            create table 't'(id integer primary key autoincrement,a references u(b) on delete cascade, unique(id,a) on conflict ignore);
            create index i2 on t(lower(a) collate nocase desc) where a!=1;create unique index I1 on t(a);create index i3 on t((a || 'x'), ("nope"), (a + id) desc);
            create trigger r update of a on t when new.a begin delete from u; select 1; end;
            create virtual table f using fts5(a,tokenize='porter   x');
            """
        let schema = try SchemaParser().schema(of: SQLSource(name: "", sql))
        #expect(
            SchemaPrinter().text(schema) == """
                PRAGMA user_version = 3;

                CREATE TABLE t (
                    id integer PRIMARY KEY AUTOINCREMENT,
                    a REFERENCES u (b) ON DELETE CASCADE,
                    UNIQUE (id, a) ON CONFLICT IGNORE
                );
                CREATE UNIQUE INDEX I1 ON t (a);
                CREATE INDEX i2 ON t ((lower(a)) COLLATE nocase DESC) WHERE a <> 1;
                CREATE INDEX i3 ON t (a || 'x', ("nope"), a + id DESC);
                CREATE TRIGGER r BEFORE UPDATE OF a ON t
                WHEN new.a
                BEGIN
                    DELETE FROM u;
                    SELECT 1;
                END;

                CREATE TABLE u (
                    b UNIQUE DEFAULT 1,
                    c GENERATED ALWAYS AS (b + 1) VIRTUAL,
                    "order" text CHECK (b <> 'x'),
                    CONSTRAINT k PRIMARY KEY (b, c DESC)
                ) STRICT, WITHOUT ROWID;

                CREATE VIRTUAL TABLE f USING fts5(a, tokenize='porter   x');

                CREATE VIEW v AS
                SELECT T.a AS Total
                FROM t LEFT JOIN u ON u.b = t.a
                WHERE a <> "no such"
                ORDER BY 1;

                """)
    }

    @Test(arguments: [
        "create table \"a\"\"b\"(\"c\"\"d\", [e\"f], 'g''h', `i``j` check(\"g'h\" > 0 and `i``j`))",
        "create table t(\"select\" \"primary\", \"1\" 'not null', \"\" \"x y\"(3), \"$\" \"unsigned\" int)",
        "create table t(\"generated\" int, \"always\", a int generated always as (always))",
        "create table t(a \"text\" generated always after as (1), b [my type] generated /* x */ always) , strict",
        "create table t(a constraint \"not\" not null constraint \"check\" check(a) collate \"nocase\")",
        "create table t(a default \"it's\" , b default (\"x\" || 'y'), c default -9223372036854775808)",
        "create table t(a references \"select\"(\"from\") match \"full\" deferrable initially deferred)",
        "create table t(a); create index i on t(\"no column\"); create index j on t(((a) || 'x'), ((a) collate \"nocase\"))",
        "create table t(a); create index i on t(-a collate nocase, a collate rtrim collate nocase, a || a collate nocase)",
        "create view v(\"a b\", \"select\") as with x as (select 1) select 1, 2 from x union all values(1, 2)",
        "create table t(a); create view v as select \"a\", \"Not a column\", \"x\".\"a\" from \"t\" as \"x\"",
        "create table t(a); create trigger \"end\" after insert on t begin select case when 1 then 2 end; end",
        "create virtual table f using fts4(a, tokenize=unicode61 \"tokenchars=,-\" 'separators=)x', prefix=\"2,3\")",
        "create virtual table f using fts5('A b', \"c\", tokenize = \"unicode61 tokenchars '-_'\")",
    ])
    func `a printed schema reads back`(sql: String) throws {
        let source = SQLSource(name: "", sql)
        var errors: [SchemaError] = []
        let schema = SchemaParser().schema(of: source, errors: &errors)
        let printed = SchemaPrinter().text(schema)
        if errors.isEmpty {
            let reparsed = try SchemaParser().schema(of: SQLSource(name: "printed", printed))
            #expect(reparsed == schema, "\(printed)")
            #expect(SchemaPrinter().text(reparsed) == printed)
        }
        let (original, fresh) = (Database(), Database())
        for statement in source.statements() { try? original.run(statement.text) }
        let stored = original.schema()
        for statement in SQLSource(name: "", SchemaPrinter().text(stored)).statements() {
            try fresh.run(statement.text)
        }
        #expect(fresh.schema() == stored)
        #expect(SchemaFacts.of(fresh) == SchemaFacts.of(original))
    }
}
