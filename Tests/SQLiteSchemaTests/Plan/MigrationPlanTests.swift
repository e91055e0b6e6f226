import SQLiteSchema
import Testing

@Suite struct MigrationPlanTests {
    /// Old DDL, new DDL, and the plan between them.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var old: String
        var new: String
        var hints = RenameHints()
        var support = AlterSupport.current
        /// Every statement, each on one line; nil if only `rebuilds` counts.
        var statements: [String]?
        /// The new names of tables that are rebuilt.
        var rebuilds: [String] = []
        var losses: [String] = []

        /// A case with exactly these statements.
        init(
            _ name: String, _ old: String, _ new: String, _ statements: String...,
            hints: RenameHints = RenameHints(),
            support: AlterSupport = .current, losses: [String] = []
        ) {
            (self.name, self.old, self.new) = (name, old, new)
            (self.hints, self.support, self.losses) = (hints, support, losses)
            self.statements = statements
        }

        /// A case that rebuilds tables.
        init(
            _ name: String, _ old: String, _ new: String, rebuilds first: String, _ more: String...,
            hints: RenameHints = RenameHints(),
            support: AlterSupport = .current, losses: [String] = []
        ) {
            (self.name, self.old, self.new) = (name, old, new)
            (self.hints, self.support, self.losses) = (hints, support, losses)
            rebuilds = [first] + more
        }

        var testDescription: String { name }
    }

    private func schema(of database: Database) -> Schema {
        let rows = database.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema").map {
            SchemaRow(type: $0[0], name: $0[1], table: $0[2], sql: $0[3].isEmpty ? nil : $0[3])
        }
        let version = database.rows("PRAGMA user_version")[0][0]
        return SchemaParser().schema(of: rows, settings: DatabaseSettings(userVersion: Int32(version)))
    }

    private func database(_ sql: String) throws -> Database {
        let database = Database()
        for statement in SQLSource(name: "", sql).statements() { try database.run(statement.text) }
        return database
    }

    @Test(arguments: PlanCases.all)
    func `the plan is the expected one, and makes the new schema`(test: Case) throws {
        let database = try database(test.old)
        let old = schema(of: database)
        let new = schema(of: try self.database(test.new))
        let plan = MigrationPlanner(from: old, to: new, hints: test.hints, support: test.support).plan()
        let statements = plan.steps.flatMap(\.statements).map {
            $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        if let wanted = test.statements { #expect(statements == wanted) }
        let suffix = " is rebuilt: ALTER TABLE cannot make this change."
        let rebuilt = plan.steps.map(\.explanation).filter { $0.hasSuffix(suffix) }.map {
            String($0.dropFirst("Table ".count).dropLast(suffix.count))
        }
        if test.statements == nil { #expect(rebuilt == test.rebuilds) }
        #expect(plan.losses == test.losses)
        #expect(plan.leftOver.isEmpty)

        try database.run("PRAGMA foreign_keys = OFF")
        do {
            for statement in SQLSource(name: "", plan.text).statements() { try database.run(statement.text) }
        } catch let failure as Database.Failure {
            Issue.record("\(String(decoding: failure.message, as: UTF8.self))\n\(plan.text)")
        }
        let left = SchemaDiff(from: schema(of: database), to: new).changes().filter { !$0.isQuiet }
        #expect(left.map(\.description) == [], "\(plan.text)")
    }

    @Test func `a database with the new schema needs no plan`() throws {
        for test in PlanCases.all {
            let schema = schema(of: try database(test.new))
            #expect(MigrationPlanner(from: schema, to: schema).plan().isEmpty, "\(test.name)")
        }
    }

    @Test func `rows, rowids and the AUTOINCREMENT counter are kept`() throws {
        let old = """
            CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a, b, g AS (a || 'x'));
            CREATE TABLE r(a);
            INSERT INTO t(a, b) VALUES (1, 'x'), (2, 'y'), (3, 'z'); DELETE FROM t WHERE id > 1;
            INSERT INTO r VALUES (1), (2), (3); DELETE FROM r WHERE a = 2;
            """
        let new = """
            CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT, a, g AS (a || 'y'), CHECK (a > 0));
            CREATE TABLE r(id INTEGER PRIMARY KEY, a);
            """
        let database = try database(old)
        let plan = MigrationPlanner(from: schema(of: database), to: schema(of: try self.database(new))).plan()
        for statement in SQLSource(name: "", plan.text).statements() { try database.run(statement.text) }
        #expect(database.rows("SELECT id, a, b, g FROM t") == [["1", "1", "x", "1y"]])
        #expect(database.rows("SELECT id, a FROM r") == [["1", "1"], ["3", "3"]])
        #expect(database.rows("SELECT name, seq FROM sqlite_sequence") == [["t", "3"]])
    }

    @Test func `a copy stops at a row that ON CONFLICT would drop`() throws {
        let old = schema(of: try database("CREATE TABLE t(a)"))
        let new = schema(of: try database("CREATE TABLE t(a UNIQUE ON CONFLICT IGNORE)"))
        let plan = MigrationPlanner(from: old, to: new).plan()
        #expect(plan.text.contains("INSERT OR ABORT INTO new_t (rowid, a)"))
    }

    @Test func `what no migration can change is reported`() {
        let plan = MigrationPlanner(
            from: Schema(settings: DatabaseSettings(applicationID: 1, pageSize: 4096)),
            to: Schema(settings: DatabaseSettings(applicationID: 2, pageSize: 8192))
        ).plan()
        #expect(plan.steps.flatMap(\.statements) == ["PRAGMA application_id = 2"])
        #expect(plan.leftOver == ["page_size: 4096 -> 8192: no migration can change it"])
    }

    @Test func `versions of SQLite are read`() {
        #expect(
            AlterSupport(version: "3.24") == .oldest && AlterSupport(version: "3.35.5")?.dropsColumns == true)
        #expect(AlterSupport(version: "3.34.1")?.renamesColumns == true)
        for text in ["", "3", "2.8", "3.x", "3.1.2.3", "4.0"] { #expect(AlterSupport(version: text) == nil) }
    }

    private func plan(_ old: String, _ new: String) throws -> MigrationPlan {
        MigrationPlanner(from: schema(of: try database(old)), to: schema(of: try database(new))).plan()
    }

    @Test func `a plan that drops referenced tables says how it must run`() throws {
        let child = "create table c(x references p on delete cascade);"
        let rebuild = try plan(
            "create table p(i integer primary key, n);" + child,
            "create table p(i integer primary key, n check (n > 0));" + child)
        #expect(rebuild.referencedDrops == ["p"])
        #expect(rebuild.text.hasPrefix("-- Run with PRAGMA foreign_keys = OFF in one transaction, "))
        #expect(rebuild.text(foreignKeysAreOff: true).hasPrefix("-- Table p is rebuilt"))
        let itself = try plan(
            "create table t(i integer primary key, up references t)",
            "create table t(i integer primary key, up not null references t)")
        #expect(itself.referencedDrops == ["t"])
        #expect(try plan("create table p(i integer primary key);" + child, child).referencedDrops == ["p"])
        #expect(try plan("create table p(i);" + child, "create table p(i, n);" + child).referencedDrops == [])
        #expect(try plan("create table p(i)", "create table p(i not null)").referencedDrops == [])
    }

    @Test func `a name with a line break stays within its comment`() throws {
        let text = try plan(
            "create table \"a\nselect 1;--\"(x)", "create table \"a\nselect 1;--\"(x not null)"
        )
        .text
        #expect(text.hasPrefix("-- Table a\\u{a}select 1;-- is rebuilt"))
    }

    @Test func `what an older SQLite cannot read is reported`() throws {
        let schema = schema(
            of: try database(
                """
                create table t(a text primary key, b text as (a)) strict, without rowid;
                create index i on t(lower(a)) where a > 1
                """))
        let support = AlterSupport(version: "3.24")
        #expect(
            support?.missing(in: schema) == [
                "generated columns (t) came with SQLite 3.31", "STRICT tables (t) came with SQLite 3.37",
            ])
        #expect(AlterSupport(version: "3.7")?.missing(in: schema).count == 5)
        #expect(AlterSupport.current.missing(in: schema) == [])
    }
}
