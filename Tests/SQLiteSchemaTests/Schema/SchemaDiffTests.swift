import SQLiteSchema
import Testing

@Suite struct SchemaDiffTests {
    /// Old DDL, new DDL, and the descriptions of the changes.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var old: String
        var new: String
        var changes: [String]

        init(_ name: String, _ old: String, _ new: String, _ changes: String...) {
            self.name = name
            self.old = old
            self.new = new
            self.changes = changes
        }

        var testDescription: String { name }
    }

    private func schema(_ sql: String) throws -> Schema {
        try SchemaParser(historyTables: ["migrations"]).schema(of: SQLSource(name: "schema.sql", sql))
    }

    @Test(arguments: DiffCases.all)
    func `each change is recognised`(test: Case) throws {
        let changes = SchemaDiff(from: try schema(test.old), to: try schema(test.new)).changes()
        #expect(changes.map(\.description) == test.changes)
        for sql in [test.old, test.new] {
            let same = SchemaDiff(from: try schema(sql), to: try schema(sql)).changes()
            #expect(same.isEmpty)
        }
        // SQLite accepts both sides, unless a table is missing on purpose.
        for sql in [test.old, test.new] {
            let database = Database()
            for statement in SQLSource(name: "", sql).statements() { try database.run(statement.text) }
        }
    }

    @Test(arguments: DiffCases.same)
    func `spelling makes no difference`(test: Case) throws {
        let (old, new) = (try schema(test.old), try schema(test.new))
        #expect(SchemaDiff(from: old, to: new).changes().map(\.description) == [])
        #expect(SchemaDiff(from: new, to: old).changes().map(\.description) == [])
    }

    @Test func `only column order is quiet`() throws {
        let diff = SchemaDiff(
            from: try schema("create table t(a, b)"), to: try schema("create table t(b, a)"))
        #expect(diff.changes().map(\.isQuiet) == [true])
        #expect(diff.isEmptyButForQuiet())
        let other = SchemaDiff(from: try schema("create table t(a)"), to: try schema("create table t(A)"))
        #expect(other.changes().map(\.isQuiet) == [false])
    }

    @Test func `settings differ only where both are known`() {
        let old = DatabaseSettings(
            userVersion: 1, applicationID: 2, pageSize: 4096, encoding: .utf8,
            autoVacuum: DatabaseSettings.AutoVacuum.none)
        let new = DatabaseSettings(
            userVersion: 3, applicationID: 4, pageSize: 8192, encoding: .utf16LittleEndian,
            autoVacuum: .incremental)
        let changes = SchemaDiff(from: Schema(settings: old), to: Schema(settings: new)).changes()
        #expect(
            changes.map(\.description) == [
                "encoding: UTF-8 -> UTF-16le", "page_size: 4096 -> 8192", "auto_vacuum: NONE -> INCREMENTAL",
                "application_id: 2 -> 4", "user_version: 1 -> 3",
            ])
        #expect(SchemaDiff(from: Schema(), to: Schema(settings: new)).changes().isEmpty)
    }

    @Test func `what cannot be parsed is compared by tokens`() {
        func schema(_ sql: String) -> Schema {
            SchemaParser().schema(of: [SchemaRow(type: "table", name: "t", table: "t", sql: sql)])
        }
        let old = schema("CREATE TABLE t(a ?!)")
        #expect(!old.isComplete && old.unparsed["t"]?.reason == "character that begins no token")
        #expect(SchemaDiff(from: old, to: schema("create  table T (a ?!) -- x")).changes().isEmpty)
        #expect(
            SchemaDiff(from: old, to: schema("CREATE TABLE t(b ?!)")).changes().map(\.description) == [
                "table t (not parsed): definition"
            ])
    }
}
