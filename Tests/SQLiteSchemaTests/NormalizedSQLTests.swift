import SQLiteSchema
import Testing

@Suite struct NormalizedSQLTests {
    @Test(arguments: [
        ("select  A/* x */FROM t -- y\n;", "SELECT a from \"T\""),
        ("select [a b], `c`", "select \"A B\",\"c\""),
        ("a == b and c != d", "A = B AND C <> D"),
        ("CREATE TEMP TABLE IF NOT EXISTS main.\"T\"(a)", "create table t(A)"),
        ("create temporary view if not exists temp.v as select 1", "create view v as select 1"),
        ("create table 't'('a' text, b)", "create table t(a text, b)"),
        (
            "create table t(a references 'u', constraint 'c' check(a))",
            "create table t(a references u, constraint c check(a))"
        ),
        ("create unique index if not exists main.i on 't'(a)", "create unique index i on t(a)"),
        (
            "create trigger main.'r' after update of a on 'main'.'t' begin select 1; end",
            "create trigger r after update of a on 'main'.t begin select 1; end"
        ),
        ("create table t(a) strict, without rowid", "create table t(a) WITHOUT ROWID, STRICT"),
        ("create table t(a default abc)", "create table t(a default 'abc')"),
        ("create table t(a default \"a'b\")", "create table t(a default 'a''b')"),
        ("select a from t left join u", "select a from t LEFT JOIN u"),
        ("create table r(left, right)", "create table r(\"left\", [right])"),
        (
            "create table r(key text primary key, action)",
            "create table r(\"key\" text PRIMARY KEY, \"action\")"
        ),
        ("select case a when 1 then 2 end end from t", "select case a when 1 then 2 end \"end\" from t"),
        ("create temporary table t(a)", "create temp table t(a)"),
        ("create table t(temporary)", "create table t(\"temporary\")"),
        ("create index i on t(a desc)", "CREATE INDEX i ON t(a DESC)"),
    ])
    func `spelling makes no difference`(a: String, b: String) {
        #expect(NormalizedSQL(sql: a) == NormalizedSQL(sql: b))
    }

    @Test(arguments: [
        ("select 'a'", "select 'A'"), ("select 'a'", "select \"a\""), ("select 1", "select 1.0"),
        ("select x'aa'", "select 'aa'"),
        ("check(a = null)", "check(a = \"null\")"), ("check(true)", "check(\"true\")"),
        ("select 'Ä'", "select 'ä'"), ("select Ä", "select ä"),
        ("create table t(a default abc)", "create table t(a default ABC)"),
        ("create table t(a default null)", "create table t(a default \"null\")"),
        ("create table t(a)", "create table t(a) strict"), ("create table t(a)", "create table u(a)"),
        ("create index i on t(a)", "create unique index i on t(a)"),
        ("select * from a left join b", "select * from a \"left\" join b"),
        ("select a", "select a;select b"), ("a - -b", "a --b"), ("", "a"),
    ])
    func `meaning makes a difference`(a: String, b: String) {
        #expect(NormalizedSQL(sql: a) != NormalizedSQL(sql: b))
    }

    @Test func `bytes that are not UTF-8 stay different`() {
        let sources = [[0x27, 0xE9, 0x27], [0x27, 0xE8, 0x27]].map { SQLSource(name: "", bytes: $0) }
        let normalized = sources.map { NormalizedSQL($0.tokens(), in: $0) }
        #expect(normalized[0] != normalized[1])
    }

    @Test(arguments: [
        (
            "create  table if not exists \"T\" ( a INTEGER primary KEY,b  text Default 'x' , \"order\" , unique(a,b) )",
            "CREATE TABLE t(a integer PRIMARY KEY, b text DEFAULT 'x', \"order\", UNIQUE (a, b))"
        ),
        (
            "select count(*),t.a||'x' from main.t where a in(1,2)",
            "SELECT count(*), t.a || 'x' FROM main.t WHERE a IN (1, 2)"
        ),
        (
            "select \"a\"\"b\", \"\", \"1a\", \"x y\", \"left\"",
            "SELECT \"a\"\"b\", \"\", \"1a\", \"x y\", \"left\""
        ),
        (
            "create trigger r after insert on t begin select case when 1 then 2 end;end",
            "CREATE trigger r after INSERT ON t BEGIN SELECT CASE WHEN 1 THEN 2 END; END"
        ),
    ])
    func `the canonical text is one line, and means the same`(sql: String, expected: String) {
        let normalized = NormalizedSQL(sql: sql)
        #expect(normalized.description == expected)
        #expect(NormalizedSQL(sql: normalized.description) == normalized)
    }

    @Test func `names are renamed, keywords and strings are not`() {
        let old = NormalizedSQL(
            sql:
                "create table KV(key text primary key, 'end', x default 'key', check(\"KEY\" > case when 1 then 2 end))"
        )
        let new = NormalizedSQL(
            sql:
                "create table kv(Name text primary key, fin, x default 'key', check(name > case when 1 then 2 end))"
        )
        #expect(old.renamingIdentifiers(["key": "NAME", "end": "fin"]) == new)
    }

    @Test func `a table's items are split at the commas between them`() {
        let table = NormalizedSQL(
            sql:
                "create table t(a decimal(1, 2), b check(b in (1, 2)), primary key(a, b)) strict, without rowid"
        )
        #expect(
            table.tableItems?.map { NormalizedSQL(items: $0).description } == [
                "a decimal(1, 2)", "b CHECK (b IN (1, 2))", "PRIMARY KEY (a, b)",
            ])
        #expect(
            table.tableSuffix == NormalizedSQL(sql: "create table t(a) without rowid, strict").tableSuffix)
        #expect(table.tableSuffix?.count == 2)
    }

    @Test(arguments: [
        "create table t as select 1", "create index i on t(a)", "create virtual table t using f(a)",
        "create table t(a", "select 1", "",
    ])
    func `a statement without a column list has no items`(sql: String) {
        #expect(NormalizedSQL(sql: sql).tableItems == nil)
    }

    @Test(arguments: [
        ("create table t(a, b)", "create table T(b, a)", true),
        (
            "create table t(a, b, unique(a), check(b)) strict, without rowid",
            "create table t(b, a, check(b), unique(a)) without rowid, strict", true
        ),
        ("create table t(a, b)", "create table t(a, b)", false),
        ("create table t(a, b)", "create table t(b, a text)", false),
        ("create table t(a, b)", "create table u(b, a)", false),
        ("create table t(a, b)", "create table t(b, a) strict", false),
        ("create table t(a, a, b)", "create table t(a, b, b)", false),
        ("create table t(unique(a, b))", "create table t(unique(b, a))", false),
        ("select a, b", "select b, a", false),
    ])
    func `a different column order is recognised`(a: String, b: String, expected: Bool) {
        #expect(NormalizedSQL(sql: a).differsOnlyInColumnOrder(from: NormalizedSQL(sql: b)) == expected)
    }
}
