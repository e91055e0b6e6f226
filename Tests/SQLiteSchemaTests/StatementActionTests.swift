import SQLiteSchema
import Testing

@Suite struct StatementActionTests {
    private func action(_ sql: String) -> StatementAction? {
        SQLSource(name: "", sql).statements().first?.action
    }

    private func copy(_ sql: String) -> CopySource? {
        guard case .insert(_, _, let copy) = action(sql) else { return nil }
        return copy
    }

    @Test(
        arguments: [
            ("BEGIN", .begin), ("begin exclusive transaction", .begin),
            ("COMMIT", .commit), ("end transaction", .commit), ("commit;", .commit),
            ("rollback", .rollback), ("rollback transaction", .rollback),
            ("rollback transaction x", .rollback),
            ("savepoint \"a b\"", .savepoint("a b")), ("savepoint 'x'", .savepoint("x")),
            ("release savepoint x", .release("x")), ("release x", .release("x")),
            ("release savepoint", .release("savepoint")),
            ("rollback to x", .rollbackTo("x")), ("rollback transaction to savepoint x", .rollbackTo("x")),
            ("vacuum", .vacuum(into: false)), ("vacuum main", .vacuum(into: false)),
            ("vacuum into 'x'", .vacuum(into: true)), ("vacuum \"into\" into 'x'", .vacuum(into: true)),
            ("attach 'f.db' as a", .attach(file: .literal("f.db"))),
            ("attach database \"f\" as a", .attach(file: .literal("f"))),
            ("attach database as a", .attach(file: .literal("database"))),
            ("attach 'a' || 'b' as a", .attach(file: .expression)),
            ("attach ? as a", .attach(file: .expression)),
            ("attach cast('x' as text) as a", .attach(file: .expression)),
            ("detach database a", .detach), ("reindex t", .reindex), ("analyze", .analyze),
            ("explain query plan drop table t", .explain),
            ("explain create trigger a after insert on b begin select 1; end", .explain),
            ("select 1", .select), ("values (1)", .select), ("with a as (select 1) select * from a", .select),
            ("with a(x) as not materialized (select 1), b as materialized (select 2) values (1)", .select),
            ("foo bar", .other), ("'x'", .other), ("create", .other), ("alter table", .other),
            ("drop table", .other),
            ("insert", .other), ("create table", .other), ("update", .other), ("with", .other), ("(", .other),
        ] as [(String, StatementAction)])
    func `each statement has its action`(sql: String, expected: StatementAction) {
        #expect(action(sql) == expected)
    }

    @Test(
        arguments: [
            ("pragma user_version", nil, "user_version", nil),
            ("PRAGMA main.user_version = 5", "main", "user_version", "5"),
            ("pragma user_version=-5", nil, "user_version", "-5"),
            ("pragma user_version(+5)", nil, "user_version", "5"),
            ("pragma foreign_keys(OFF)", nil, "foreign_keys", "OFF"),
            ("pragma \"table_info\"('a''b')", nil, "table_info", "a'b"),
            ("pragma journal_mode = \"wal\"", nil, "journal_mode", "wal"),
            ("pragma journal_mode = /* x */ delete", nil, "journal_mode", "delete"),
            ("pragma x =", nil, "x", nil),
        ] as [(String, String?, String, String?)])
    func `pragmas give name and value`(sql: String, schema: String?, name: String, value: String?) {
        #expect(action(sql) == .pragma(schema: schema, name: name, value: value))
    }

    @Test(
        arguments: [
            ("create table t(a)", .createTable("t", temporary: false, asSelect: false)),
            (
                "create temp table if not exists [a b](a)",
                .createTable("a b", temporary: true, asSelect: false)
            ),
            ("create table if(a)", .createTable("if", temporary: false, asSelect: false)),
            (
                "CREATE TABLE main.'t' AS SELECT 1",
                .createTable(.init(schema: "main", name: "t"), temporary: false, asSelect: true)
            ),
            ("create virtual table if not exists f using fts5(a)", .createVirtualTable("f", module: "fts5")),
            (
                "create virtual table temp.f using \"rtree\"",
                .createVirtualTable(.init(schema: "temp", name: "f"), module: "rtree")
            ),
            (
                "create unique index if not exists main.i on 't'(a)",
                .createIndex(.init(schema: "main", name: "i"), on: "t")
            ),
            ("create index i on t(a) where b", .createIndex("i", on: "t")),
            ("create temporary view v(a) as select 1", .createView("v", temporary: true)),
            (
                "create trigger if not exists r instead of update of a, \"b\" on v begin select 1; end",
                .createTrigger("r", on: "v", temporary: false)
            ),
            (
                "create temp trigger r after delete on main.t when 1 begin select 1; end",
                .createTrigger("r", on: "t", temporary: true)
            ),
            (
                "create trigger r insert on t begin select 1; end",
                .createTrigger("r", on: "t", temporary: false)
            ),
            (
                "create trigger before before update on t begin select 1; end",
                .createTrigger("before", on: "t", temporary: false)
            ),
            ("drop table if exists main.t", .dropTable(.init(schema: "main", name: "t"))),
            ("drop index `i`", .dropIndex("i")), ("drop view v", .dropView("v")),
            ("drop trigger 'r'", .dropTrigger("r")),
            ("alter table a.b rename to \"c d\"", .renameTable(.init(schema: "a", name: "b"), to: "c d")),
            ("alter table t rename column a to b", .renameColumn("t", from: "a", to: "b")),
            ("alter table t rename a to b", .renameColumn("t", from: "a", to: "b")),
            ("alter table t add a text not null default ''", .addColumn("t", column: "a")),
            ("alter table t add column \"a\"", .addColumn("t", column: "a")),
            ("alter table t add column column text", .addColumn("t", column: "column")),
            ("alter table t drop column a", .dropColumn("t", column: "a")),
            ("alter table t drop a", .dropColumn("t", column: "a")),
        ] as [(String, StatementAction)])
    func `schema changes name what they change`(sql: String, expected: StatementAction) {
        #expect(action(sql) == expected)
    }

    @Test(
        arguments: [
            ("insert into t values (1)", .insert("t", columns: nil, copy: nil)),
            (
                "insert or replace into main.t as x(a, [b]) values (1, 2)",
                .insert(.init(schema: "main", name: "t"), columns: ["a", "b"], copy: nil)
            ),
            ("replace into t default values", .insert("t", columns: nil, copy: nil)),
            ("with q as (select 1) insert into t(a) values (1)", .insert("t", columns: ["a"], copy: nil)),
            (
                "update or ignore t as x set a = 1, \"b\" = (select a, b from c), (c, d) = (1, 2) where e = 1",
                .update("t", columns: ["a", "b", "c", "d"])
            ),
            (
                "update t indexed by i set a = b is distinct from c, d = 1 from f where x = 1, y = 2",
                .update("t", columns: ["a", "d"])
            ),
            (
                "with q as (select 1) update t set a = max(1, 2), b = 3 returning a, b",
                .update("t", columns: ["a", "b"])
            ),
            ("delete from main.t where a = 1", .delete(.init(schema: "main", name: "t"))),
            ("with q as (select 1), r(a) as (select 2) delete from t", .delete("t")),
        ] as [(String, StatementAction)])
    func `data changes name their table and columns`(sql: String, expected: StatementAction) {
        #expect(action(sql) == expected)
    }

    @Test(arguments: [
        ("select * from a", ["a"]),
        (
            "select * from main.a as x, \"b\" y join c using (d, e) left join f on g = h, (i)",
            ["a", "b", "c", "f", "i"]
        ),
        (
            "select * from (select * from a where b in (select c from d)) as x join (e cross join f)",
            ["a", "e", "f"]
        ),
        ("select a is distinct from b from c where d is not distinct from e", ["c"]),
        ("select (select 1 from z) from a order by b, c limit 1, 2", ["a"]),
        ("select 1 from a union all select 2 from b, a", ["a", "b"]),
        ("select 1 from json_each(x) as j, t", ["json_each", "t"]),
        (
            "with q as (select * from old), r(x, y) as materialized (select 1 from q) select * from q, r, s",
            ["old", "s"]
        ),
        ("with recursive q(n) as (values(1) union all select n + 1 from q) select n from q", []),
        ("select 1", []), ("select * from (values (1))", []),
        ("select * from a where true on conflict do update set x = 1, y = 2", ["a"]),
        ("select * from a group by b, c having d window w as (order by x), v as ()", ["a"]),
    ])
    func `a copy names the tables it reads`(select: String, tables: [String]) {
        #expect(copy("insert into t " + select)?.tables == tables)
    }

    @Test func `a WITH before the INSERT gives the same copy`() {
        let copy = copy("with q as (select a from old) insert into t select a, b as c from q")
        #expect(copy?.tables == ["old"])
        #expect(copy?.items == [.column(table: nil, name: "a"), .column(table: nil, name: "b")])
    }

    @Test func `a copy gives the select list in order`() {
        let copy = copy(
            """
            insert into t(a) select distinct a, t.b, main.t."c" as x, [d] y, *, t.*, 'x' a,
            null, true, 1 as one, lower(e) AS f,
            g + h collate nocase k, case when i then j end, case i when j then k end end,
            cast(l as some text) m, current_date, "count"(*), rowid,
            (select n from o), p like 'q', r like s, "t"."u" from v
            """)
        #expect(
            copy?.items == [
                .column(table: nil, name: "a"), .column(table: "t", name: "b"),
                .column(table: "t", name: "c"),
                .column(table: nil, name: "d"), .star(table: nil), .star(table: "t"),
                .expression(NormalizedSQL(sql: "'x'"), columns: []),
                .expression(NormalizedSQL(sql: "null"), columns: []),
                .expression(NormalizedSQL(sql: "true"), columns: []),
                .expression(NormalizedSQL(sql: "1"), columns: []),
                .expression(NormalizedSQL(sql: "lower(e)"), columns: ["e"]),
                .expression(NormalizedSQL(sql: "g + h collate nocase"), columns: ["g", "h"]),
                .expression(NormalizedSQL(sql: "case when i then j end"), columns: ["i", "j"]),
                .expression(NormalizedSQL(sql: "case i when j then k end"), columns: ["i", "j", "k"]),
                .expression(NormalizedSQL(sql: "cast(l as some text)"), columns: ["l"]),
                .expression(NormalizedSQL(sql: "current_date"), columns: []),
                .expression(NormalizedSQL(sql: "count(*)"), columns: []), .column(table: nil, name: "rowid"),
                .expression(NormalizedSQL(sql: "(select n from o)"), columns: ["n", "o"]),
                .expression(NormalizedSQL(sql: "p like 'q'"), columns: ["p"]),
                .expression(NormalizedSQL(sql: "r like s"), columns: ["r", "s"]),
                .column(table: "t", name: "u"),
            ])
        #expect(copy?.isCompound == false)
    }

    @Test func `a compound copy says so and gives the first list`() {
        let copy = copy("insert into t select a from b union select c from d")
        #expect(
            copy == CopySource(tables: ["b", "d"], items: [.column(table: nil, name: "a")], isCompound: true))
    }
}
