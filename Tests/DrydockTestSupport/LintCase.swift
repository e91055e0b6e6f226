import Drydock
import Foundation
import GRDBEngine
import Testing

/// Migrations, and the expected findings of one lint rule for the last of them.
struct LintCase: Sendable, CustomTestStringConvertible {
    var name: String
    var steps: [String]
    /// The severities of the rule's findings.
    var says: [Finding.Severity]
    var tool = Tool.grdb

    /// The tool of the migrations.
    enum Tool: Sendable {
        /// Foreign keys off while a migration runs.
        case grdb
        /// Foreign keys on, one transaction per file.
        case d1
    }

    /// - Parameter steps: the migrations after `schema`.
    init(
        _ name: String, schema: String = LintCase.mail, _ steps: String..., says: [Finding.Severity] = [],
        tool: Tool = .grdb
    ) {
        self.name = name
        self.steps = [schema] + steps
        self.says = says
        self.tool = tool
    }

    var testDescription: String { name }

    static let mail = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT COLLATE NOCASE);
        CREATE TABLE email(
          id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
          subject TEXT NOT NULL DEFAULT '', body TEXT, is_spam INTEGER CHECK(is_spam IN (0, 1)));
        CREATE INDEX email_on_account ON email(account_id, subject);
        CREATE TRIGGER email_gone AFTER DELETE ON email BEGIN SELECT old.id; END;
        CREATE VIEW inbox AS SELECT id, subject FROM email;

        """

    /// Rows for `mail`: two in each table.
    static let rows = """
        INSERT INTO account VALUES (1, 'a@x', 'Ada'), (2, 'b@x', 'Ada');
        INSERT INTO email(account_id, subject, body, is_spam) VALUES (1, 'Hi', 'no json', 0), (2, 'Hi', NULL, 1);
        """

    @discardableResult
    func check(_ rule: Rule, _ configure: (inout LintRequest) -> Void = { _ in }) async throws -> [Finding] {
        let outcome = try await lint { request in
            // Rules that are off by default are turned on.
            if rule == .missingStrict || rule == .missingDown { request.severities[rule] = .warning }
            configure(&request)
        }
        let findings = outcome.report.findings.filter { $0.rule == rule }
        let comment = Comment(rawValue: outcome.report.findings.map(\.line).joined(separator: "\n"))
        #expect(findings.map(\.severity).sorted() == says.sorted(), comment)
        // A migration that does not run proves nothing about the rule.
        if rule != .migrationFailed {
            #expect(!outcome.report.findings.contains { $0.rule == .migrationFailed }, comment)
        }
        for finding in findings where finding.place?.line != nil {
            #expect(finding.place?.column != nil && finding.place?.lineText != nil)
        }
        return findings
    }

    func lint(_ configure: (inout LintRequest) -> Void = { _ in }) async throws -> LintOutcome {
        let folder = try write()
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        request.migrations.format = tool == .d1 ? "d1" : "drydock"
        configure(&request)
        return try await Linter(engine: GRDBDriver()).run(request)
    }

    func write() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (number, sql) in steps.enumerated() {
            try folder.write("Migrations/\(tool == .d1 ? "000\(number + 1)_x" : "v\(number + 1)").sql", sql)
        }
        return folder
    }

    /// Runs all migrations with rows in between, and returns SQLite's error for the last step; nil where it is
    /// accepted.
    func failure(rows: String = LintCase.rows) throws -> String? {
        let database = try PlainDatabase()
        for sql in steps.dropLast() { try database.execute(sql) }
        try database.execute(rows)
        do {
            try database.execute(steps.last ?? "")
            return nil
        } catch let failure as PlainDatabase.Failure {
            return failure.description
        }
    }
}
