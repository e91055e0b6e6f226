import CSQLite
import Drydock
import GRDBEngine
import Testing

@Suite struct PositionalCopyRuleTests {
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
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.positionalCopy) }

    @Test func valuesLandInTheWrongColumns() throws {
        let database = try PlainDatabase()
        try database.execute("CREATE TABLE o(a, b); INSERT INTO o VALUES ('a', 'b'); CREATE TABLE n(b, a);")
        try database.execute("INSERT INTO n SELECT * FROM o")
        #expect(try database.rows("SELECT a FROM n") { $0.string(0) } == ["b"])
    }

    @Test func theRewriteGoesByName() async throws {
        let it = LintCase(
            "",
            "CREATE TABLE n(id INTEGER PRIMARY KEY, name, email);\nINSERT INTO n SELECT * FROM account; -- all\n"
        )
        let folder = try it.write()
        var request = LintRequest()
        request.migrationsFolder = folder.file("Migrations")
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
        // What changed since it was linted is left alone.
        #expect(throws: RequestError.self) { try rewrite.write() }
    }

    /// Every keyword of the SQLite at hand, each the name of a column.
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
}
