import TestTools
import SQLiteSchema
import Testing

@Suite struct RenameHintsTests {
    private func schema(_ sql: String) throws -> Schema {
        try SchemaParser().schema(of: SQLSource(name: "", sql))
    }

    private let before = """
        create table person(id integer primary key, mail text check(mail <> ''), unique(mail));
        create table pet(owner references person(id), name);
        create index i on person(mail) where mail is not null;
        create view v as select mail from person;
        create trigger r after update of mail on person begin update pet set owner = new.mail; end;
        """

    private let after = """
        create table account(id integer primary key, email text check(email <> ''), unique(email));
        create table pet(owner references account(id), name);
        create index i on account(email) where email is not null;
        create view v as select email from account;
        create trigger r after update of email on account begin update pet set owner = new.email; end;
        """

    @Test func `a hint explains everything that follows from the rename`() throws {
        let hints = RenameHints(tables: ["Person": "account"], columns: ["person": ["MAIL": "email"]])
        let (old, new) = (try schema(before), try schema(after))
        #expect(
            SchemaDiff(from: old, to: new, hints: hints).changes().map(\.description) == [
                "rename table person to account", "table account: rename column mail to email",
            ])
        #expect(hints.unused(from: old, to: new) == [])
    }

    @Test func `without a hint, things are dropped and added`() throws {
        let changes = SchemaDiff(
            from: try schema("create table t(a, b)"), to: try schema("create table t(a, c)")
        ).changes()
        #expect(changes.map(\.description) == ["table t: drop column b", "table t: add column c"])
    }

    @Test func `a rename in one table hides no change in another`() throws {
        let tables = "create table s(%, z check(z > 0)); create table t(a, b check(b > 0 or # > 1));"
        func schemas(_ objects: String) throws -> [Schema] {
            try [("a", "a"), ("b", "b")].map { own, word in
                try schema((tables + objects).replacing("%", with: own).replacing("#", with: word))
            }
        }
        func changes(_ objects: String) throws -> [String] {
            let pair = try schemas(objects)
            return SchemaDiff(from: pair[0], to: pair[1], hints: RenameHints(columns: ["s": ["a": "b"]]))
                .changes().map(\.description)
        }
        let renamed = "table s: rename column a to b"
        let check = ["table t: add CHECK (b > 0 OR b > 1)", "table t: drop CHECK (b > 0 OR a > 1)"]
        #expect(Set(try changes("")) == Set([renamed] + check))
        #expect(
            try changes("create index i on t(#); create index j on t(z) where # > 0;").filter {
                $0.hasPrefix("index")
            }.count == 2)
        #expect(try changes("create view v as select # from t").contains("view v: query"))
        #expect(try changes("create view v as select t.# from s, t").contains("view v: query"))
        #expect(try !changes("create view v as select # from s").contains("view v: query"))
        #expect(
            try !changes("create view v as select # from s; create view w as select # from v;").contains(
                "view w: query"))
    }

    @Test func `a hint that does not fit is reported and ignored`() throws {
        let (old, new) = (try schema("create table t(a, b)"), try schema("create table t(a, c)"))
        let hints = RenameHints(tables: ["t": "u"], columns: ["t": ["a": "c", "b": "d"], "x": ["y": "z"]])
        #expect(hints.unused(from: old, to: new) == ["t", "t.a", "t.b", "x.y"])
        #expect(SchemaDiff(from: old, to: new, hints: hints).changes().count == 2)
    }

    @Test func `columns may swap their names or pass them on`() throws {
        let old = try schema("create table t(a text, b int)")
        let swapped = RenameHints(columns: ["t": ["a": "b", "b": "a"]])
        #expect(
            SchemaDiff(from: old, to: try schema("create table t(b text, a int)"), hints: swapped).changes()
                .map(\.description) == ["table t: rename column a to b", "table t: rename column b to a"])
        let chain = RenameHints(columns: ["t": ["a": "c", "b": "a"]])
        #expect(chain.unused(from: old, to: try schema("create table t(c text, a int)")) == [])
    }

    @Test func `a hint that does not fit has a reason`() throws {
        let (old, new) = (try schema("create table t(a, b)"), try schema("create table t(a, c)"))
        func reasons(_ columns: [String: String]) -> [String] {
            RenameHints(columns: ["t": columns]).misfits(from: old, to: new).map(\.reason)
        }
        #expect(reasons(["b": "nope"]) == ["the new t has no column nope"])
        #expect(reasons(["x": "c"]) == ["the old t has no column x"])
        #expect(reasons(["a": "c"]) == ["the new t still has a column a"])
        #expect(reasons(["b": "a"]) == ["the old t has a column a already"])
        #expect(reasons(["b": "c"]) == [])
    }

    /// SQLite rewrites everything that names the renamed object; the hint must explain all of that, and no
    /// other change may be reported.
    @Test func `what SQLite renames is only a rename`() throws {
        var renamed = 0
        for seed in seeds(75, of: 150, soak: 4_000) {
            let database = Database()
            var random = RandomSchema(seed: seed)
            for sql in random.statements() { try? database.run(sql) }
            let old = database.schema()
            guard let table = old.tables.sorted(by: { $0.key < $1.key }).first?.value else { continue }
            let column = table.columns[0].name
            func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
            guard
                (try? database.run(
                    "alter table \(quoted(table.name)) rename \(quoted(column)) to \"brand new\"")) != nil,
                (try? database.run("alter table \(quoted(table.name)) rename to \"New Table\"")) != nil
            else { continue }
            renamed += 1
            let hints = RenameHints(
                tables: [table.name: "New Table"], columns: [table.name: [column: "brand new"]])
            let changes = SchemaDiff(from: old, to: database.schema(), hints: hints).changes()
            #expect(
                changes == [
                    .tableRenamed(from: table.name, to: "New Table"),
                    .table("New Table", .columnRenamed(from: column, to: "brand new")),
                ], "seed \(seed)")
        }
        #expect(renamed > 10)
    }
}
