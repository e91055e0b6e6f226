import DrydockFindings
import SQLiteSchema
import Testing

/// What is shown around a difference, and what it is read from.
@Suite struct SchemaExcerptTests {
    private func schema(_ sql: String) throws -> Schema {
        try SchemaParser().schema(of: SQLSource(name: "", sql))
    }

    @Test func `tables that changed, what they reference, and some of what references them`() throws {
        let children = (0..<9).map { "CREATE TABLE child\($0)(p REFERENCES A(id));" }.joined()
        let common = "CREATE TABLE root(id); CREATE TABLE far(id); CREATE TABLE fts(x); \(children)"
        let old = try schema("CREATE TABLE a(id, r REFERENCES ROOT(id)); \(common)")
        let new = try schema(
            "CREATE TABLE a(id, r REFERENCES ROOT(id), b); CREATE INDEX i ON fts(x); \(common)")
        let changes = SchemaDiff(from: old, to: new).changes()
        let excerpt = SchemaReferences(new).excerpt(of: new, around: changes)
        #expect(
            excerpt.schema.tables.keys.sorted() == ["a"] + (0..<6).map { "child\($0)" } + ["fts", "root"])
        #expect(excerpt.leftOut == 3)
        #expect(excerpt.schema.indexes.isEmpty)
    }

    @Test func `what a dropped table and a dropped key referenced`() throws {
        let old = try schema(
            "CREATE TABLE p(id); CREATE TABLE q(id); CREATE TABLE c(p REFERENCES p(id)); CREATE TABLE d(q REFERENCES q(id));"
        )
        let new = try schema("CREATE TABLE p(id); CREATE TABLE q(id); CREATE TABLE d(q);")
        let changes = SchemaDiff(from: old, to: new).changes()
        let excerpt = SchemaReferences(new).excerpt(of: new, around: changes)
        #expect(excerpt.schema.tables.keys.sorted() == ["d", "p", "q"])
    }

    @Test func `references are kept up to date`() throws {
        let (one, two) = (
            try schema("CREATE TABLE p(id); CREATE TABLE c(p REFERENCES p(id));"),
            try schema("CREATE TABLE p(id); CREATE TABLE c(p);")
        )
        var references = SchemaReferences(one)
        func beside(_ schema: Schema) -> [String] {
            let change = SchemaChange.table("p", .strict(true))
            return references.excerpt(of: schema, around: [change]).schema.tables.keys.sorted()
        }
        #expect(beside(one) == ["c", "p"])
        references.update(from: one.tables["c"], to: two.tables["c"])
        #expect(beside(two) == ["p"])
        references.update(from: two.tables["c"], to: one.tables["c"])
        references.update(from: one.tables["c"], to: nil)
        #expect(beside(two) == ["p"])
    }

    @Test func `a follower forgets what is removed`() {
        func row(_ type: String, _ name: String, _ sql: String) -> SchemaRow {
            SchemaRow(type: type, name: name, table: "t", sql: sql)
        }
        let table = row("table", "t", "CREATE TABLE t(a)")
        let index = row("index", "i", "CREATE INDEX i ON t(a)")
        let trigger = row("trigger", "t", "CREATE TRIGGER t AFTER DELETE ON t BEGIN SELECT 1; END")
        var follower = SchemaFollower()
        follower.take([table, index, trigger])
        follower.remove([trigger, row("index", "none", "")])
        #expect(follower.schema.triggers.isEmpty && follower.schema.tables.count == 1)
        follower.remove([index])
        follower.take([index])
        #expect(follower.schema.indexes.count == 1)
    }
}
