extension DiffCases {
    /// Pairs that mean the same.
    static let same: [Case] = [
        Case(
            "whitespace, comments, case, quotes",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b text NOT NULL DEFAULT 'x' COLLATE NOCASE CHECK (b <> ''))",
            """
            create /* a */ table "t" ( -- b
              [a] integer Primary key , `b` TEXT collate nocase check(("b"!='')) default 'x' not null )
            """),
        Case("keywords as names", "create table \"key\"(\"end\", [desc])", "create table key(end, desc)"),
        Case(
            "STRICT and WITHOUT ROWID", "create table t(a text primary key) strict, without rowid",
            "create table t(a text primary key) WITHOUT ROWID, Strict"),
        Case(
            "constraints of column and table",
            "create table t(a primary key, b unique, c check(c > 0), d references u(x))",
            """
            create table t(a, b, c, d, foreign key(d) references u(x), check(c > 0), unique(b), primary key(a))
            """),
        Case("DEFAULT quotes", "create table t(a default 'x')", "create table t(a default \"x\")"),
        Case("DEFAULT parentheses", "create table t(a default 1)", "create table t(a default (1))"),
        Case("DEFAULT NULL", "create table t(a default null)", "create table t(a)"),
        Case("DEFAULT TRUE", "create table t(a default true)", "create table t(a default 1)"),
        Case(
            "DEFAULT spelling", "create table t(a default 0x10, b default .5)",
            "create table t(a default +16, b default 0.50)"),
        Case(
            "words without effect",
            """
            create table t(a); create view v as select x.a from t as x join t as y left join t as z order by 1;
            create trigger r after insert on t begin insert or replace into t values (1); end
            """,
            """
            create table t(a); create trigger r after insert on t begin replace into t values (1); end;
            create view v as select all x.a from t as x inner join t as y left outer join t as z order by 1 asc
            """),
        Case(
            "tests for NULL",
            "create table t(a, b, check (a not null and b isnull)); create index i on t(a) where a notnull",
            "create table t(a, b, check (a is not null and b is null)); create index i on t(a) where a not null"
        ),
        Case(
            "foreign key in another order, and twice",
            "create table u(x, y, unique(x, y)); create table t(a, b, foreign key(a, b) references u(x, y))",
            """
            create table u(x, y, unique(x, y)); create table t(a, b, foreign key(b, a) references u(y, x),
              foreign key(b, a) references u(y, x))
            """),
        Case("NULL", "create table t(a null)", "create table t(a)"),
        Case(
            "explicit defaults", "create table t(a references u, b not null, c unique)",
            """
            create table t(a references u on delete no action match simple not deferrable initially immediate,
              b not null on conflict abort, c unique on conflict abort)
            """),
        Case(
            "implicit parent columns",
            "create table u(x integer primary key); create table t(a references u)",
            "create table u(x integer primary key); create table t(a references U(X))"),
        Case(
            "explicit collation", "create table t(a collate nocase, unique(a)); create index i on t(a)",
            "create table t(a collate nocase, unique(a collate NOCASE)); create index i on t(a collate nocase asc)"
        ),
        Case(
            "implied NOT NULL", "create table t(a primary key) without rowid",
            "create table t(a not null primary key) without rowid"),
        Case("UNIQUE twice", "create table t(a unique, unique(a))", "create table t(a unique)"),
        Case(
            "UNIQUE and the same key", "create table t(a text primary key, unique(a))",
            "create table t(a text primary key)"),
        Case(
            "DESC of a rowid alias", "create table t(a integer, primary key(a desc))",
            "create table t(a integer primary key)"),
        Case(
            "GENERATED ALWAYS", "create table t(a, b int generated always as (a) virtual)",
            "create table t(a, b int as (a))"),
        Case(
            "order of statements", "create table t(a); create table u(b); create index i on t(a)",
            "create table u(b); create table t(a); create index i on t(a);"),
        Case(
            "index spelling", "create table t(a, b); create index i on t(a, lower(b)) where a is not null",
            "create table t(a, b); CREATE INDEX if not exists \"i\" ON [t] ((\"a\") ASC, (LOWER(`b`))) WHERE (a IS NOT NULL)"
        ),
        Case(
            "view spelling", "create view v as select a from t",
            "CREATE VIEW [v] AS SELECT \"a\" -- x\nFROM 't2' where 0"
                .replacing("'t2' where 0", with: "\"t\"")),
        Case(
            "trigger spelling",
            "create table t(a, b); create trigger r before update of a, b on t begin select 1; end",
            "create table t(a, b); create trigger 'r' UPDATE OF \"b\", [a] ON t FOR EACH ROW BEGIN SELECT 1; END"
        ),
        Case(
            "virtual table spelling", "create virtual table f using fts5(a, tokenize = 'porter')",
            "create virtual table \"f\" using FTS5( [a] ,tokenize=\"porter\" )"),
        Case(
            "state", "create table t(a)",
            """
            create table t(a); create table migrations(id); create index mi on migrations(id);
            create temp table x(a); insert into t values(1);
            """),
        Case(
            "types", "create table t(a varchar(10), b unsigned big int)",
            "create table t(a VARCHAR ( 10 ), b UNSIGNED  BIG\nINT)"),
    ]
}
