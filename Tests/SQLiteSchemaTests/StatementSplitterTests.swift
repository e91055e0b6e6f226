import SQLiteSchema
import Testing

@Suite struct StatementSplitterTests {
    @Test(arguments: [
        ("", []), (";;", []), ("-- a;\n/* ; */", []),
        ("select 1", ["select 1"]),
        ("select 1;", ["select 1"]),
        (";; select 1 ; ;select 2;", ["select 1", "select 2"]),
        (
            "-- a\nselect /* ; */ 1 -- ;\n; /* b */ select ';', \";\", [;], `;`",
            ["select /* ; */ 1", "select ';', \";\", [;], `;`"]
        ),
        ("create table trigger(a); select 1", ["create table trigger(a)", "select 1"]),
        ("create table \"trigger\"(a); select 1", ["create table \"trigger\"(a)", "select 1"]),
        (
            "create trigger a after insert on t begin select 1; select 2; end; select 3",
            ["create trigger a after insert on t begin select 1; select 2; end", "select 3"]
        ),
        (
            "CREATE/**/TEMP -- ;\n TRIGGER a after insert on t begin select case when 1 then 2 end; END/*;*/; x",
            [
                "CREATE/**/TEMP -- ;\n TRIGGER a after insert on t begin select case when 1 then 2 end; END",
                "x",
            ]
        ),
        (
            "create temporary trigger end after insert on \"end\" begin select 1 as end; select end from t; end; x",
            [
                "create temporary trigger end after insert on \"end\" begin select 1 as end; select end from t; end",
                "x",
            ]
        ),
        (
            "explain query plan create trigger a after insert on t begin select 1; end; x",
            ["explain query plan create trigger a after insert on t begin select 1; end", "x"]
        ),
        (
            "create trigger a after insert on t begin select 1; end",
            ["create trigger a after insert on t begin select 1; end"]
        ),
        (
            "create trigger a after insert on t begin select 1; x",
            ["create trigger a after insert on t begin select 1; x"]
        ),
        ("begin; end; select 1", ["begin", "end", "select 1"]),
        (
            "create unique index i on t(a); create view v as select 1; x",
            ["create unique index i on t(a)", "create view v as select 1", "x"]
        ),
        ("select 'abc; x", ["select 'abc; x"]),
        ("select ! ; x", ["select !", "x"]),
        ("a\0; b", ["a\0", "b"]),
    ])
    func `statements end where sqlite3_complete ends them`(sql: String, expected: [String]) {
        #expect(SQLSource(name: "", sql).statements().map(\.text) == expected)
    }

    @Test func `a statement knows its location`() throws {
        let source = SQLSource(name: "m.sql", "-- first\nselect 1;\r\n  select\n2 ;")
        let statements = source.statements()
        #expect(statements.map(\.index) == [1, 2])
        #expect(statements.map(\.location.line) == [2, 3])
        #expect(statements.map(\.location.column) == [1, 3])
        #expect(statements.map(\.isTerminated) == [true, true])
        let last = try #require(statements.last)
        #expect(last.terminatorEnd == source.bytes.count)
        #expect(last.tokens.map { $0.text(in: source) } == ["select", "2"])
        #expect(SQLSource(name: "", "select 1 -- x").statements().map(\.isTerminated) == [false])
    }

    @Test(arguments: [
        ("select 1", ["select 1"]), ("select 1 ;", ["select 1 "]), ("select 1; -- x", ["select 1"]),
        ("select 1 -- x\n;", ["select 1 -- x\n"]), ("select 1 -- x\n-- y", ["select 1 -- x"]),
        ("select 1 /* x\n */ -- z\n", ["select 1 /* x\n */ -- z"]),
        ("select 1\n-- +goose Down", ["select 1"]),
        ("a; b /* x */; c --", ["a", "b /* x */", "c --"]),
    ])
    func `the library also gets the comments before the end`(sql: String, expected: [String]) {
        #expect(SQLSource(name: "", sql).statements().map(\.executedText) == expected)
    }
}
