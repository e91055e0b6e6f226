import SQLiteSchema
import Testing

@Suite struct SchemaParserTests {
    private func schema(_ sql: String) throws -> Schema {
        try SchemaParser().schema(of: SQLSource(name: "schema.sql", sql))
    }

    private func row(_ sql: String, _ name: String, type: String = "table") -> SchemaRow {
        SchemaRow(type: type, name: name, table: name, sql: sql)
    }

    @Test func `everything that a table can contain`() throws {
        let table = try schema(
            """
            CREATE TABLE IF NOT EXISTS main."T" ( -- a comment
              [id] INTEGER CONSTRAINT pk PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT,
              'b' VARCHAR ( 10 ) NOT NULL ON CONFLICT IGNORE DEFAULT 'x' COLLATE nocase CHECK (b <> ''),
              c REFERENCES u (x) ON DELETE SET NULL ON UPDATE CASCADE MATCH FULL
                NOT DEFERRABLE DEFERRABLE INITIALLY DEFERRED,
              d GENERATED ALWAYS AS (b || 'y') STORED,
              CONSTRAINT uq UNIQUE (b COLLATE rtrim DESC, c) ON CONFLICT ROLLBACK CHECK (c > 0), -- no comma
              FOREIGN KEY (b, c) REFERENCES v
            )
            """
        ).table("t")
        let expected = Table(
            name: "T",
            columns: [
                Column(name: "id", declaredType: "INTEGER"),
                Column(
                    name: "b", declaredType: "VARCHAR(10)", notNull: .init(onConflict: .ignore),
                    collation: "nocase",
                    defaultValue: .text("x")),
                Column(name: "c"),
                Column(name: "d", generated: .init(expression: SQLFragment(sql: "b || 'y'"), isStored: true)),
            ],
            primaryKey: PrimaryKey(
                name: "pk", terms: [KeyTerm(column: "id")], onConflict: .replace, isAutoincrement: true,
                isOfColumn: true),
            uniques: [
                UniqueConstraint(
                    name: "uq",
                    terms: [
                        KeyTerm(column: "b", collation: "rtrim", isDescending: true), KeyTerm(column: "c"),
                    ],
                    onConflict: .rollback)
            ],
            checks: [
                CheckConstraint(expression: SQLFragment(sql: "b <> ''"), column: "b"),
                CheckConstraint(expression: SQLFragment(sql: "c > 0")),
            ],
            foreignKeys: [
                ForeignKey(
                    columns: ["c"], parent: "u", parentColumns: ["x"], onDelete: .setNull, onUpdate: .cascade,
                    match: "FULL", isDeferred: true, isOfColumn: true),
                ForeignKey(columns: ["b", "c"], parent: "v"),
            ])
        #expect(table == expected)
        #expect(table?.rowidAlias?.name == "id")
    }

    @Test(
        arguments: [
            ("1", .integer(1)), ("- 1", .integer(-1)), ("+1", .integer(1)), ("(1)", .integer(1)),
            ("((-1))", .integer(-1)),
            ("0xFFFFFFFFFFFFFFFF", .integer(-1)), ("9223372036854775808", .real("9223372036854775808")),
            ("-9223372036854775808", .integer(.min)), ("1E3", .real("1e3")), ("'it''s'", .text("it's")),
            ("\"A\"", .text("A")), ("[A b]", .text("A b")), ("`x`", .text("x")), ("abc", .text("abc")),
            ("x'0aFf'", .blob([10, 255])), ("null", .null), ("TRUE", .boolean(true)),
            ("\"true\"", .text("true")),
            ("current_date", .currentDate), ("(CURRENT_TIME)", .currentTime),
            ("(1 + 1)", .expression(SQLFragment(sql: "1 + 1"))),
            ("-'x'", .expression(SQLFragment(sql: "-'x'"))),
        ] as [(String, DefaultValue)])
    func `defaults are typed`(sql: String, expected: DefaultValue) throws {
        let table = try schema("create table t(a default \(sql) not null, b)").table("t")
        #expect(table?.columns.first?.defaultValue == expected)
        #expect(table?.columns.first?.notNull != nil)
    }

    @Test(arguments: [
        ("create table t(a, b,)", "schema.sql:1:21: expected the name of a column, found )"),
        (
            "create table t(\n  a check(b > 1\n);",
            "schema.sql:3:2: expected ), but the statement ends"
        ),
        ("create table t(a,\n  b check(b > 1", "schema.sql:2:10: expected a ) for this parenthesis, found ("),
        ("create table t(a) with rowid", "schema.sql:1:19: expected WITHOUT ROWID or STRICT, found with"),
        (
            "create table t(a text) strict, ;",
            "schema.sql:1:31: expected WITHOUT ROWID or STRICT, but the statement ends"
        ),
        ("create table t(a 'x)", "schema.sql:1:18: unterminated string"),
        ("create table select(a)", "schema.sql:1:14: expected the name of the table, found select"),
        ("create table t(unique(a))", "schema.sql:1:25: expected a column, found )"),
        (
            "create table t(a primary key, b primary key)",
            "schema.sql:1:33: the table has a primary key already, found primary"
        ),
        ("create table t(a); create table T(b)", "schema.sql:1:20: T already exists"),
        ("create table t(a on conflict)", "schema.sql:1:18: expected ), found on"),
        (
            "create table t(a unique on conflict what)",
            "schema.sql:1:37: expected ROLLBACK, ABORT, FAIL, IGNORE or REPLACE, found what"
        ),
        (
            "create table t(a references u on delete nothing)",
            "schema.sql:1:41: expected SET NULL, SET DEFAULT, CASCADE, RESTRICT or NO ACTION, found nothing"
        ),
        ("create index i on t", "schema.sql:1:20: expected (, but the statement ends"),
        ("create index i on t(a) where", "schema.sql:1:29: expected a condition, but the statement ends"),
        ("create view v as delete from t", "schema.sql:1:18: expected SELECT, found delete"),
        (
            "create trigger r after insert on t begin select 1 end",
            "schema.sql:1:54: expected END after the last statement of the trigger, but the statement ends"
        ),
        ("create tabel t(a)", "schema.sql:1:8: expected TABLE, INDEX, VIEW or TRIGGER, found tabel"),
        ("creat table t(a)", "schema.sql:1:1: no statement begins with creat"),
        (
            "alter table t add b",
            "schema.sql:1:1: ALTER TABLE is not read from a SQL file: only SQLite knows its result"
        ),
        (
            "create table t as select 1",
            "schema.sql:1:16: only SQLite knows the columns of CREATE TABLE ... AS SELECT: expected (, found as"
        ),
    ])
    func `an error says what is wrong and where`(sql: String, expected: String) {
        let error = #expect(throws: SchemaError.self) { try schema(sql) }
        #expect(error?.description == expected)
    }

    @Test func `after an error the rest is read`() {
        var errors: [SchemaError] = []
        let schema = SchemaParser().schema(
            of: SQLSource(
                name: "", "create table t(a,); create table u(a); nonsense; create index i on u(a,,b)"),
            errors: &errors)
        #expect(errors.count == 3)
        #expect(schema.unparsed.keys.sorted() == ["i", "t"] && schema.tables.keys.sorted() == ["u"])
        #expect(schema.unparsed["i"]?.table == "u")
    }

    @Test func `a dump is read without its rows`() throws {
        let schema = try schema(
            """
            PRAGMA foreign_keys=OFF; PRAGMA user_version = 7; PRAGMA page_size(8192); PRAGMA encoding = 'UTF-16le';
            BEGIN TRANSACTION;
            CREATE TABLE t(a); INSERT INTO t VALUES('create table x(a)');
            PRAGMA writable_schema=ON;
            INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','f','f',0,'CREATE VIRTUAL TABLE f USING fts5(a, content=''t'')');
            CREATE TABLE IF NOT EXISTS 'f_data'(id INTEGER PRIMARY KEY, block BLOB);
            CREATE TABLE sqlite_stat1(tbl,idx,stat); CREATE TEMP TABLE y(a); DROP TABLE IF EXISTS z;
            CREATE TABLE gone(a); CREATE INDEX gi ON gone(a); DROP TABLE gone;
            COMMIT;
            """)
        #expect(schema.tables.keys.sorted() == ["t"] && schema.indexes.isEmpty)
        #expect(schema.virtualTables["f"]?.arguments.map(\.text) == ["a", "content='t'"])
        #expect(
            schema.settings == DatabaseSettings(userVersion: 7, pageSize: 8192, encoding: .utf16LittleEndian))
    }

    @Test func `rows of sqlite_schema make the schema without state`() {
        let parser = SchemaParser(historyTables: ["GRDB_Migrations"], shadowTables: ["odd_data"])
        let schema = parser.schema(of: [
            row("CREATE TABLE sqlite_sequence(name,seq)", "sqlite_sequence"),
            row("CREATE TABLE grdb_migrations(identifier)", "grdb_migrations"),
            row("CREATE TABLE 'r_node'(nodeno INTEGER PRIMARY KEY,data)", "r_node"),
            row("CREATE VIRTUAL TABLE r USING rtree(id,x1,x2)", "r"),
            row("CREATE TABLE odd_data(x)", "odd_data"), row("CREATE TABLE r_other(x)", "r_other"),
            SchemaRow(type: "index", name: "sqlite_autoindex_t_1", table: "t", sql: nil),
            row("CREATE TABLE t(a,\"b c\" INT,d TEXT)", "t"),
        ])
        #expect(schema.tables.keys.sorted() == ["r_other", "t"])
        #expect(schema.virtualTables.keys.sorted() == ["r"] && schema.isComplete)
    }

    @Test func `a trigger keeps its statements and the names they use`() throws {
        let trigger = try schema(
            """
            create table t(a); create trigger r after update of a on t when new.begin > old.a
            begin update T set A = case when x then 1 end; delete from "other one" where 'no name' = 1; end
            """
        ).triggers["r"]
        #expect(trigger?.body.count == 2 && trigger?.event == .update(of: ["a"]) && trigger?.timing == .after)
        #expect(trigger?.names == ["new", "begin", "old", "a", "t", "x", "other one"])
        #expect(trigger?.body.first?.description == "UPDATE T SET A = CASE WHEN x THEN 1 END")
    }

    @Test func `implicit parent columns are those of the parent's key`() throws {
        let schema = try schema(
            "create table u(x, y, primary key(y, x)); create table t(a, b, foreign key(a, b) references U)")
        #expect(schema.table("t").flatMap { schema.parentColumns(of: $0.foreignKeys[0]) } == ["y", "x"])
    }

    @Test(arguments: [
        "", "int", "charint", "text", "CLOB", "varchar(10)", "blob", "real", "double", "floa", "numeric",
        "date", "any",
        "floating point", "string", "\"x\" int", "blobreal", "xint text", "bool",
    ])
    func `affinity is SQLite's`(type: String) throws {
        let database = Database()
        let sql = "create table t(a \(type))"
        try database.run(sql)
        try database.run("insert into t values('1'), ('1.5'), (1), (1.0)")
        let storage = database.rows("select typeof(a) from t").map { $0[0] }
        let expected: [Affinity: [String]] = [
            .integer: ["integer", "real", "integer", "integer"],
            .numeric: ["integer", "real", "integer", "integer"],
            .real: ["real", "real", "real", "real"], .text: ["text", "text", "text", "text"],
            .blob: ["text", "text", "integer", "real"],
        ]
        let affinity = try #require(try schema(sql).table("t")?.columns.first?.affinity)
        #expect(expected[affinity] == storage)
    }
}
