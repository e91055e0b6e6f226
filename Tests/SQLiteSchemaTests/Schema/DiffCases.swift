enum DiffCases {
    typealias Case = SchemaDiffTests.Case

    static let all: [Case] = tables + keys + columns + constraints + objects

    static let tables: [Case] = [
        Case("table added", "", "create table t(a)", "add table t"),
        Case(
            "table dropped", "create table t(a); create index i on t(a)", "", "drop table t",
            "drop index i on t"),
        Case("name case", "create table t(a)", "create table T(a)", "respell table t as T"),
        Case("column name case", "create table t(a)", "create table t(A)", "table t: respell column a as A"),
        Case(
            "column order", "create table t(a, b, c)", "create table t(c, a, b)",
            "table t: column order: (a, b, c) -> (c, a, b)"),
        Case(
            "column in the middle", "create table t(a, c)", "create table t(a, b, c)",
            "table t: add column b",
            "table t: column order: (a, c, b) -> (a, b, c)"),
        Case("column at the end", "create table t(a)", "create table t(a, b)", "table t: add column b"),
        Case("column dropped", "create table t(a, b)", "create table t(a)", "table t: drop column b"),
        Case("STRICT", "create table t(a int)", "create table t(a int) strict", "table t: now STRICT"),
        Case(
            "WITHOUT ROWID", "create table t(a text primary key) without rowid",
            "create table t(a text primary key)", "table t: no longer WITHOUT ROWID"),
    ]

    static let keys: [Case] = [
        Case(
            "INT PRIMARY KEY", "create table t(id INTEGER PRIMARY KEY)", "create table t(id INT PRIMARY KEY)",
            "table t: column id: type: INTEGER -> INT", "table t: rowid alias: id -> none"),
        Case(
            "INTEGER PRIMARY KEY DESC", "create table t(id INTEGER PRIMARY KEY)",
            "create table t(id INTEGER PRIMARY KEY DESC)", "table t: rowid alias: id -> none"),
        Case(
            "AUTOINCREMENT", "create table t(id integer primary key)",
            "create table t(id integer primary key autoincrement)", "table t: now AUTOINCREMENT"),
        Case(
            "composite key order", "create table t(a, b, primary key(a, b))",
            "create table t(a, b, primary key(b, a))", "table t: PRIMARY KEY: (a, b) -> (b, a)"),
        Case(
            "key direction", "create table t(a, b, primary key(a, b))",
            "create table t(a, b, primary key(a desc, b))",
            "table t: PRIMARY KEY: (a COLLATE BINARY, b COLLATE BINARY) -> (a COLLATE BINARY DESC, b COLLATE BINARY)"
        ),
        Case(
            "key collation", "create table t(a text, primary key(a))",
            "create table t(a text, primary key(a collate nocase))",
            "table t: PRIMARY KEY: (a COLLATE BINARY) -> (a COLLATE NOCASE)"),
        Case(
            "key added", "create table t(a)", "create table t(a primary key)",
            "table t: PRIMARY KEY: none -> (a)"),
        Case(
            "key conflict", "create table t(a primary key)",
            "create table t(a primary key on conflict ignore)",
            "table t: PRIMARY KEY ON CONFLICT: ABORT -> IGNORE"),
        Case(
            "key name", "create table t(a primary key)", "create table t(a constraint k primary key)",
            "table t: name of PRIMARY KEY: none -> k"),
    ]

    static let columns: [Case] = [
        Case(
            "COLLATE", "create table t(a text)", "create table t(a text collate NoCase)",
            "table t: column a: COLLATE: BINARY -> NoCase"),
        Case(
            "type", "create table t(a varchar)", "create table t(a text)",
            "table t: column a: type: varchar -> text"),
        Case(
            "affinity", "create table t(a)", "create table t(a int)",
            "table t: column a: type and affinity: none -> int"),
        Case(
            "type in STRICT", "create table t(a blob) strict", "create table t(a any) strict",
            "table t: column a: type: blob -> any"),
        Case(
            "NOT NULL", "create table t(a)", "create table t(a not null)", "table t: column a: now NOT NULL"),
        Case(
            "NOT NULL ON CONFLICT", "create table t(a not null)",
            "create table t(a not null on conflict replace)",
            "table t: column a: NOT NULL ON CONFLICT: ABORT -> REPLACE"),
        Case(
            "NOT NULL name", "create table t(a not null)", "create table t(a constraint n not null)",
            "table t: column a: name of NOT NULL: none -> n"),
        Case(
            "DEFAULT number and text", "create table t(a default 1)", "create table t(a default '1')",
            "table t: column a: DEFAULT: 1 -> '1'"),
        Case(
            "DEFAULT added", "create table t(a)", "create table t(a default 0)",
            "table t: column a: DEFAULT: none -> 0"),
        Case(
            "DEFAULT case of a text", "create table t(a default x)", "create table t(a default \"X\")",
            "table t: column a: DEFAULT: 'x' -> 'X'"),
        Case(
            "DEFAULT integer and real", "create table t(a default 1)", "create table t(a default 1.0)",
            "table t: column a: DEFAULT: 1 -> 1.0"),
        Case(
            "DEFAULT expression", "create table t(a default (1 + 1))", "create table t(a default (1 + 2))",
            "table t: column a: DEFAULT: (1 + 1) -> (1 + 2)"),
        Case(
            "DEFAULT time", "create table t(a default current_time)",
            "create table t(a default 'current_time')",
            "table t: column a: DEFAULT: CURRENT_TIME -> 'current_time'"),
        Case(
            "generated expression", "create table t(a, b as (a + 1))", "create table t(a, b as (a + 2))",
            "table t: column b: generated: a + 1 -> a + 2"),
        Case(
            "generated storage", "create table t(a, b as (a) virtual)", "create table t(a, b as (a) stored)",
            "table t: column b: now STORED"),
        Case(
            "became generated", "create table t(a, b)", "create table t(a, b as (a))",
            "table t: column b: generated: none -> a"),
    ]

    static let constraints: [Case] = [
        Case(
            "CHECK added", "create table t(a)", "create table t(a check(a > 0))", "table t: add CHECK (a > 0)"
        ),
        Case(
            "CHECK changed", "create table t(a check(a > 0))", "create table t(a check(a > 1))",
            "table t: drop CHECK (a > 0)", "table t: add CHECK (a > 1)"),
        Case(
            "named CHECK changed", "create table t(a constraint c check(a > 0))",
            "create table t(a, constraint c check(a > 1))", "table t: CHECK c: a > 0 -> a > 1"),
        Case(
            "CHECK against a text", "create table t(a check(a <> \"b\"))",
            "create table t(a check(a <> \"B\"))",
            "table t: drop CHECK (a <> 'b')", "table t: add CHECK (a <> 'B')"),
        Case(
            "CHECK name", "create table t(a constraint c check(a))",
            "create table t(a constraint d check(a))",
            "table t: name of CHECK (a): c -> d"),
        Case(
            "UNIQUE and UNIQUE index", "create table t(a unique)",
            "create table t(a); create unique index i on t(a)",
            "table t: drop UNIQUE (a)", "add unique index i on t (a)"),
        Case(
            "UNIQUE ON CONFLICT", "create table t(a unique)", "create table t(a unique on conflict replace)",
            "table t: UNIQUE (a) ON CONFLICT: ABORT -> REPLACE"),
        Case(
            "UNIQUE collation", "create table t(a, unique(a))", "create table t(a, unique(a collate rtrim))",
            "table t: UNIQUE: (a COLLATE BINARY) -> (a COLLATE RTRIM)"),
        Case(
            "UNIQUE name", "create table t(a, b, constraint u unique(a, b))",
            "create table t(a, b, unique(a, b))",
            "table t: name of UNIQUE (a, b): u -> none"),
        Case(
            "UNIQUE column order", "create table t(a, b, unique(a, b))", "create table t(a, b, unique(b, a))",
            "table t: drop UNIQUE (a, b)", "table t: add UNIQUE (b, a)"),
        Case(
            "foreign key added", "create table t(a)", "create table t(a references u)",
            "table t: add FOREIGN KEY (a) REFERENCES u"),
        Case(
            "foreign key parent", "create table t(a references u)", "create table t(a references v)",
            "table t: FOREIGN KEY (a): parent: u -> v"),
        Case(
            "foreign key parent columns", "create table t(a references u(x))",
            "create table t(a references u(y))",
            "table t: FOREIGN KEY (a): parent columns: (x) -> (y)"),
        Case(
            "implicit parent columns",
            "create table u(x primary key, y unique); create table t(a references u)",
            "create table u(x primary key, y unique); create table t(a references u(y))",
            "table t: FOREIGN KEY (a): parent columns: (x) -> (y)"),
        Case(
            "foreign key actions", "create table t(a references u)",
            "create table t(a references u on delete cascade on update set null)",
            "table t: FOREIGN KEY (a): ON DELETE: NO ACTION -> CASCADE",
            "table t: FOREIGN KEY (a): ON UPDATE: NO ACTION -> SET NULL"),
        Case(
            "DEFERRABLE", "create table t(a references u)",
            "create table t(a references u deferrable initially deferred)",
            "table t: FOREIGN KEY (a): now DEFERRABLE INITIALLY DEFERRED"),
        Case(
            "MATCH", "create table t(a references u match simple)",
            "create table t(a references u match full)",
            "table t: FOREIGN KEY (a): MATCH: simple -> full"),
        Case(
            "foreign key name", "create table t(a, constraint f foreign key(a) references u)",
            "create table t(a references u)", "table t: name of FOREIGN KEY (a): f -> none"),
    ]

    static let objects: [Case] = [
        Case(
            "index columns", "create table t(a, b); create index i on t(a)",
            "create table t(a, b); create index i on t(a, b)", "index i: columns: (a) -> (a, b)"),
        Case(
            "index WHERE", "create table t(a); create index i on t(a)",
            "create table t(a); create index i on t(a) where a > 0", "index i: WHERE: none -> a > 0"),
        Case(
            "index expression", "create table t(a); create index i on t(a + 1)",
            "create table t(a); create index i on t(a + 2)", "index i: expression 1: a + 1 -> a + 2"),
        Case(
            "foreign key with swapped parent columns",
            "create table u(x, y, primary key(x, y)); create table t(a, b, foreign key(a, b) references u)",
            "create table u(x, y, primary key(x, y)); create table t(a, b, foreign key(b, a) references u)",
            "table t: FOREIGN KEY (b, a): parent columns: (x, y) -> (x, y)"),
        Case(
            "index DESC and collation", "create table t(a, b); create index i on t(a, b)",
            "create table t(a, b); create index i on t(a collate nocase, b desc)",
            "index i: column 1: COLLATE: BINARY -> NOCASE", "index i: column 2: now DESC"),
        Case(
            "index UNIQUE", "create table t(a); create index i on t(a)",
            "create table t(a); create unique index i on t(a)", "index i: now UNIQUE"),
        Case(
            "index table", "create table t(a); create table u(a); create index i on t(a)",
            "create table t(a); create table u(a); create index i on u(a)", "index i: table: t -> u"),
        Case(
            "index name case", "create table t(a); create index i on t(a)",
            "create table t(a); create index I on t(a)", "respell index i as I"),
        Case("view body", "create view v as select 1", "create view v as select 2", "view v: query"),
        Case(
            "view columns", "create view v(a) as select 1", "create view v(b) as select 1",
            "view v: columns: (a) -> (b)"),
        Case(
            "view columns' case", "create view v as select 1 as X, 2 as y; create view w(A) as select 1",
            "create view v as select 1 as x, 2 as y; create view w(a) as select 1",
            "view v: respell columns (X, y) as (x, y)", "view w: respell columns (A) as (a)"),
        Case(
            "view column without a name", "create view v as select COUNT(*), 'a' || 'b' from t",
            "create view v as select count(*), 'a' || 'b' from t",
            "view v: respell columns (COUNT ( * ), 'a' || 'b') as (count ( * ), 'a' || 'b')"),
        Case("view added", "", "create view v as select 1", "add view v"),
        Case(
            "trigger body", "create table t(a); create trigger r after insert on t begin select 1; end",
            "create table t(a); create trigger r after insert on t begin select 1; select 2; end",
            "trigger r: body"),
        Case(
            "trigger head", "create table t(a); create trigger r after insert on t begin select 1; end",
            "create table t(a); create trigger r before update of a on t when new.a begin select 1; end",
            "trigger r: timing: AFTER -> BEFORE", "trigger r: event", "trigger r: WHEN: none -> new.a"),
        Case(
            "virtual table arguments", "create virtual table f using fts5(a)",
            "create virtual table f using fts5(a, tokenize = 'porter')",
            "virtual table f: arguments: (a) -> (a, tokenize = 'porter')"),
        Case(
            "virtual table module", "create virtual table f using fts4(a)",
            "create virtual table f using fts5(a)", "virtual table f: module: fts4 -> fts5"),
        Case(
            "table became view", "create table t(a)", "create view t as select 1", "drop table t",
            "add view t"),
        Case(
            "settings", "pragma user_version = 1; pragma application_id(5)",
            "pragma user_version(2); pragma application_id = 6", "application_id: 5 -> 6",
            "user_version: 1 -> 2"),
    ]
}
