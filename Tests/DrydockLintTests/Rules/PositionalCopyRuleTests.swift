import CSQLite
import Drydock
import GRDBEngine
import Testing

@testable import DrydockTestSupport

@Suite struct PositionalCopyRuleTests {
    private static let table =
        "CREATE TABLE n(id INTEGER PRIMARY KEY, email, name); CREATE TABLE email_copy(id INTEGER PRIMARY KEY, email, name);"
    private static func trigger(_ body: String) -> String {
        "CREATE TRIGGER t AFTER UPDATE ON account BEGIN \(body); END;"
    }

    @Test(arguments: [
        LintCase(
            "in line",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, email, name); INSERT INTO n SELECT * FROM account",
            says: [.note]),
        LintCase(
            "in another order",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, name, email); INSERT INTO n SELECT * FROM account",
            says: [.error]),
        LintCase(
            "a list in another order",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, name, email); INSERT INTO n SELECT id, email, name FROM account",
            says: [.error]),
        LintCase(
            "another name",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, address, name); INSERT INTO n SELECT * FROM account",
            says: [.warning]),
        LintCase(
            "two lists that cross",
            table + "INSERT INTO n(id, email, name) SELECT id, name, email FROM account", says: [.error]),
        LintCase(
            "a star into a list", table + "INSERT INTO n(id, name, email) SELECT * FROM account",
            says: [.error]),
        LintCase(
            "a star of one of two tables",
            "CREATE TABLE n(id, name, email); INSERT INTO n SELECT a.* FROM account a JOIN email e ON e.account_id = a.id",
            says: [.error]),
        LintCase(
            "a part of a UNION",
            table
                + "INSERT INTO n SELECT id, email, name FROM account UNION ALL SELECT id, name, email FROM account",
            says: [.error]),
        LintCase(
            "the worst part of a UNION",
            table + "INSERT INTO n SELECT * FROM account UNION ALL SELECT id, name, email FROM account",
            says: [.error]),
        LintCase(
            "a common table",
            "CREATE TABLE n(id, name, email); WITH q AS (SELECT * FROM account) INSERT INTO n SELECT * FROM q",
            says: [.error]),
        LintCase(
            "a trigger's values",
            table + trigger("INSERT INTO n(id, email, name) VALUES (new.id, new.name, new.email)"),
            says: [.error]),
        LintCase(
            "a trigger's SELECT",
            table
                + trigger(
                    "INSERT INTO n SELECT new.id, new.name, coalesce(new.email, ''); INSERT INTO n(id, email, name) SELECT new.id, new.name, new.email WHERE new.id > 1"
                ),
            says: [.error]),
        LintCase(
            "a trigger's star", table + trigger("INSERT INTO n SELECT * FROM email_copy WHERE id = new.id"),
            says: [.note]),
    ]) func says(_ it: LintCase) async throws { try await it.check(.positionalCopy) }

    @Test(arguments: [
        LintCase(
            "both lists",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, name, email); INSERT INTO n(id, email, name) SELECT id, email, name FROM account"
        ),
        LintCase(
            "a list in line",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, email, name); INSERT INTO n SELECT id, email, name FROM account"
        ),
        LintCase("VALUES", "INSERT INTO account VALUES (1, 'a', 'b')"),
        LintCase(
            "aliases say what is meant",
            table + "INSERT INTO n SELECT id, name AS email, email AS name FROM account"),
        LintCase(
            "a row turned around within its table", schema: "CREATE TABLE friend(a, b)",
            "INSERT INTO friend(a, b) SELECT b, a FROM friend"),
        LintCase(
            "in a trigger too", schema: "CREATE TABLE friend(a, b)",
            "CREATE TRIGGER t AFTER INSERT ON friend BEGIN INSERT INTO friend(a, b) VALUES (new.b, new.a); END"
        ),
        LintCase(
            "of two rows", table + trigger("INSERT INTO n(email, name) VALUES (old.name, new.email)")),
        LintCase("another name by list", table + "INSERT INTO n(id, email) SELECT id, name FROM account"),
        LintCase(
            "columns named in a subquery",
            table + "INSERT INTO n SELECT * FROM (SELECT id, email, name FROM account)"),
        LintCase(
            "in line in a trigger",
            table + trigger("INSERT INTO n(id, email, name) SELECT new.id, new.email, new.name")),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.positionalCopy) }

    @Test func valuesEndUpInTheWrongColumns() throws {
        let database = try PlainDatabase()
        try database.execute("CREATE TABLE o(a, b); INSERT INTO o VALUES ('a', 'b'); CREATE TABLE n(b, a);")
        try database.execute("INSERT INTO n SELECT * FROM o")
        #expect(try database.rows("SELECT a FROM n") { $0.string(0) } == ["b"])
    }

    @Test func crossedListsAreAcceptedBySQLite() throws {
        let database = try PlainDatabase()
        try database.execute("CREATE TABLE o(a, b); CREATE TABLE n(a, b); CREATE TABLE l(a, b);")
        try database.execute(
            "CREATE TRIGGER t AFTER INSERT ON o BEGIN INSERT INTO l(a, b) VALUES (new.b, new.a); END;")
        try database.execute(
            "INSERT INTO o VALUES ('a', 'b'); INSERT INTO n(a, b) SELECT a, b FROM o UNION ALL SELECT b, a FROM o"
        )
        #expect(try database.rows("SELECT a FROM n") { $0.string(0) } == ["a", "b"])
        #expect(try database.rows("SELECT a FROM l") { $0.string(0) } == ["b"])
    }

    @Test func theRewriteKeepsAnExistingList() async throws {
        let it = LintCase(
            "", Self.table + "INSERT INTO n(id, name, email) SELECT * FROM account;", says: [.error])
        let rewrite = try #require(try await it.lint().rewrites.first)
        #expect(
            String(decoding: rewrite.result, as: UTF8.self)
                .hasSuffix("INSERT INTO n(id, name, email) SELECT id, name, email FROM account;"))
    }

    @Test func theRewriteCopiesByName() async throws {
        let it = LintCase(
            "",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, name, email);\nINSERT INTO n SELECT * FROM account; -- all\n"
        )
        let folder = try it.write()
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        let outcome = try await Linter(engine: GRDBDriver()).run(request)
        let rewrite = try #require(outcome.rewrites.first)
        #expect(outcome.rewrites.count == 1)
        #expect(
            String(decoding: rewrite.result, as: UTF8.self)
                == "CREATE TABLE n(id INTEGER PRIMARY KEY, name, email);\nINSERT INTO n (id, name, email) SELECT id, name, email FROM account; -- all\n"
        )
        try rewrite.write()
        let again = try await Linter(engine: GRDBDriver()).run(request)
        #expect(again.rewrites.isEmpty && !again.report.findings.contains { $0.rule == .positionalCopy })
        // A file that changed since it was linted stays unchanged.
        #expect(throws: RequestError.self) { try rewrite.write() }
    }

    /// Every keyword of the available SQLite, each as the name of a column.
    @Test func theRewriteQuotesKeywords() async throws {
        let keywords = (0..<sqlite3_keyword_count()).compactMap { place -> String? in
            var text: UnsafePointer<CChar>?
            var length: Int32 = 0
            guard sqlite3_keyword_name(place, &text, &length) == SQLITE_OK, let text else { return nil }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
            return String(decoding: bytes, as: UTF8.self).lowercased()
        }
        #expect(keywords.count > 100)
        let columns = keywords.map { "\"\($0)\"" }.joined(separator: ", ")
        let it = LintCase(
            "", schema: "CREATE TABLE t(\(columns));",
            "CREATE TABLE n(\(columns)); INSERT INTO n SELECT * FROM t;", says: [.note])
        let rewrite = try #require(try await it.lint().rewrites.first)
        let database = try PlainDatabase()
        try database.execute(it.steps[0] + String(decoding: rewrite.result, as: UTF8.self))
    }

    @Test func aLockedMigrationIsNotRewritten() async throws {
        let it = LintCase("", "CREATE TABLE n(id, email, name); INSERT INTO n SELECT * FROM account")
        let rewrites = try await it.lint {
            $0.locked = ["v1", "v2"]
            $0.includesLocked = true
        }.rewrites
        #expect(rewrites.isEmpty)
        #expect(try await it.lint { $0.locked = ["v1"] }.rewrites.count == 1)
    }

    @Test(arguments: ["GROUP BY 2", "ORDER BY 2", "LIMIT 3", "UNION SELECT * FROM o ORDER BY 1"])
    func noEditWhereTheOrderMatters(_ clause: String) async throws {
        let it = LintCase(
            "", schema: "CREATE TABLE o(id INTEGER PRIMARY KEY, a, b);",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, b, a); INSERT INTO t SELECT * FROM o \(clause);")
        #expect(try await it.lint().rewrites.isEmpty)
    }

    @Test func aQuoteInANameIsNotAnExpression() async throws {
        let it = LintCase(
            "", schema: "CREATE TABLE o(id INTEGER PRIMARY KEY, [x\"y]);",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, [x\"y]); INSERT INTO t SELECT * FROM o;", says: [.note])
        try await it.check(.positionalCopy)
    }
}
