import GRDBEngine
import Testing

@testable import DrydockFindings
@testable import DrydockLint
@testable import DrydockTestSupport

/// `--fix` in memory: fixed findings are reported as fixed, the remaining ones decide the verdict.
@Suite struct LinterFixTests {
    private func fix(_ it: LintCase, _ configure: (inout LintRequest) -> Void = { _ in }) async throws
        -> (folder: TemporaryFolder, outcome: LintOutcome)
    {
        let folder = try it.write()
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        request.migrations.format = it.tool == .d1 ? "d1" : "drydock"
        configure(&request)
        return (folder, try await Linter(engine: GRDBDriver()).fix(request))
    }

    private func text(_ rewrite: FileRewrite) -> String { String(decoding: rewrite.result, as: UTF8.self) }

    @Test func severalFixesOfAFileAreOneRewrite() async throws {
        let it = LintCase(
            "",
            """
            CREATE TABLE a(name, id, email);
            INSERT INTO a SELECT * FROM account; INSERT INTO a SELECT * FROM account;
            UPDATE a SET name = "é";
            """, tool: .d1)
        let before = try await it.lint().report
        #expect(before.findings.contains { $0.rule == .positionalCopy })
        let (folder, outcome) = try await fix(it)
        let rewrite = try #require(outcome.rewrites.first)
        #expect(outcome.rewrites.count == 1 && rewrite.path.hasSuffix("/0002_x.sql"))
        #expect(!outcome.report.findings.contains { $0.rule == .positionalCopy })
        let fixed = try #require(outcome.report.lint?.fixed)
        #expect(fixed.allSatisfy { $0.place.line == 2 || $0.place.line == 3 })
        #expect(fixed.allSatisfy { text(rewrite).contains($0.place.lineText ?? "nowhere") })
        // Nothing is written without `write()`, and fixing again changes nothing.
        #expect(try folder.text("Migrations/0002_x.sql") == it.steps[1])
        try rewrite.write()
        #expect(try folder.text("Migrations/0002_x.sql") == text(rewrite))
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        request.migrations.format = "d1"
        let again = try await Linter(engine: GRDBDriver()).fix(request)
        #expect(again.rewrites.isEmpty && again.report.lint?.fixed?.isEmpty == true)
    }

    @Test func nothingIsRewrittenWithoutFixes() async throws {
        let (_, outcome) = try await fix(LintCase("", "DELETE FROM email"))
        #expect(outcome.rewrites.isEmpty && outcome.report.lint?.fixed?.isEmpty == true)
        #expect(outcome.report.findings.contains { $0.rule == .destructiveUndeclared })
    }

    @Test func aFileChangedMeanwhileStaysUnchanged() async throws {
        let it = LintCase("", "CREATE TABLE a(name, id, email); INSERT INTO a SELECT * FROM account;")
        let (folder, outcome) = try await fix(it)
        try folder.write("Migrations/v2.sql", "SELECT 1;")
        let rewrite = try #require(outcome.rewrites.first)
        #expect(throws: RequestError.self) { try rewrite.write() }
        #expect(try folder.text("Migrations/v2.sql") == "SELECT 1;")
    }

    @Test func overlappingFixesAreAppliedOneAfterAnother() throws {
        func edit(_ edits: SQLEdit...) -> ProposedFix {
            ProposedFix(finding: Finding(.positionalCopy, "m"), number: 0, path: "f", edits: edits)
        }
        let bytes = Array("ab\ncd\nef".utf8)
        let rewrite = FileRewrite(
            path: "f", bytes: bytes,
            proposals: [
                edit(SQLEdit(range: 6..<7, text: "E"), SQLEdit(range: 0..<0, text: "<\n")),
                edit(SQLEdit(range: 4..<5, text: "D"), SQLEdit(range: 0..<1, text: "A")),
                edit(SQLEdit(range: 3..<4, text: "CCC")),
            ])
        #expect(text(rewrite) == "<\nab\nCCCd\nEf")
        #expect(rewrite.fixes.map(\.place.line) == [1, 3])
    }
}
