import SQLiteSchema
import Testing

/// The tables that a module owns are those that SQLite's modules create.
@Suite struct ShadowTableTests {
    private static let arguments = [
        "fts3(a)", "fts3(a, content)", "fts3(a, matchinfo=fts3)", "fts3(a, tokenize=porter)", "fts4(a)",
        "fts4(a, matchinfo=fts3)", "fts4(a, matchinfo='fts3')", "fts4(a, MATCHINFO=\"FTS3\")",
        "fts4(a, content=\"\")", "fts4(a, content=)", "fts4(a, content=other)", "fts4(a, languageid=\"l\")",
        "fts4(a, prefix=\"2,3\", order=desc)", "fts5(a)", "fts5(a, b, columnsize=0)",
        "fts5(a, columnsize = '0')",
        "fts5(a, columnsize=1)", "fts5(a, col=0)", "fts5(a, content='')", "fts5(a, content = \"\" )",
        "fts5(a, co=[])", "fts5(a, CONTENT='', columnsize=0)", "fts5(a, content='other')",
        "fts5(a, content=`other`, content_rowid='id')", "fts5(a, content_rowid=id, content=other)",
        "fts5(a, tokenize='porter unicode61', prefix='2 3', detail=none)",
        "fts5(content, columnsize UNINDEXED)",
        "rtree(id, a, b)", "rtree_i32(id, a, b, +c)",
    ]

    @Test(arguments: arguments)
    func `a module owns exactly the tables that it creates`(text: String) throws {
        let database = Database()
        try database.run("CREATE TABLE other(id INTEGER PRIMARY KEY, a)")
        try database.run("CREATE VIRTUAL TABLE \"my x\" USING \(text)")
        let rows = database.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
            .map {
                SchemaRow(type: $0[0], name: $0[1], table: $0[2], sql: $0[3])
            }
        let made = Set(rows.filter { $0.type == "table" && $0.name.hasPrefix("my x_") }.map(\.name))
        let schema = SchemaParser().schema(of: rows)
        let table = try #require(schema.virtualTables["my x"])
        let suffixes = [
            "content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node", "parent",
            "rowid",
        ]
        let owned = Set(suffixes.map { "my x_\($0)" }.filter { table.owns(table: $0) })
        #expect(owned == made)
        #expect(Set(schema.tables.keys) == ["other"])
    }
}
