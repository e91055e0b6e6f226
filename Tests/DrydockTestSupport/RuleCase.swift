import Drydock
import Testing

/// A migration, and the expected findings.
struct RuleCase: Sendable, CustomTestStringConvertible {
    var name: String
    var scenario: Scenario
    var errors: [Rule]
    var warnings: [Rule]
    var notes: [Rule]

    /// - Parameter steps: the steps from `v2` on, on ``Mail``'s database unless another is given.
    init(
        _ name: String, _ steps: String..., schema: String = Mail.schema, rows: String? = nil,
        errors: [Rule] = [], warnings: [Rule] = [], notes: [Rule] = []
    ) {
        self.name = name
        self.scenario = Scenario(schema, rows: rows ?? (schema == Mail.schema ? Mail.rows : ""), steps: steps)
        self.errors = errors
        self.warnings = warnings
        self.notes = notes
    }

    var testDescription: String { name }

    @discardableResult
    func check() async throws -> Report {
        let report = try await scenario.verify()
        // Many checks are not made after a failed migration, and are listed as not checked.
        let stopped = errors.contains(.migrationFailed)
        report.expect(
            errors: errors, warnings: warnings, notChecked: stopped ? report.notChecked.map(\.rule) : [])
        #expect(report.rules(.note) == notes.inOrder, "\(report.findings.map(\.line))")
        return report
    }
}

/// A small mail client's database with a table of every kind.
enum Mail {
    static let email = """
        (
          id INTEGER PRIMARY KEY AUTOINCREMENT, account_id INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
          subject TEXT NOT NULL, sender TEXT NOT NULL, snippet TEXT, received_at REAL NOT NULL,
          is_spam INTEGER NOT NULL DEFAULT 0);
        """
    static let emailIndexes = "CREATE INDEX email_on_account ON email(account_id, received_at);"
    static let emailTriggers = """
        CREATE TRIGGER email_gone AFTER DELETE ON email BEGIN SELECT old.id; END;
        """

    /// `log` has no key, `setting` no rowid, `blank` no rows; the key of `stamp` is text.
    static let schema = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT);
        CREATE TABLE email\(email)
        \(emailIndexes)
        CREATE TABLE log(at TEXT, line);
        CREATE TABLE setting(name TEXT, scope TEXT, value, PRIMARY KEY(scope, name)) WITHOUT ROWID;
        CREATE TABLE blank(id INTEGER PRIMARY KEY, note TEXT);
        CREATE TABLE stamp(code TEXT PRIMARY KEY, size INTEGER, twice INTEGER AS (size * 2));
        \(emailTriggers)
        CREATE VIEW inbox AS SELECT email.id, subject, account.name FROM email JOIN account ON account.id = account_id;

        """

    /// Email 9 was deleted, so the AUTOINCREMENT mark is above the highest id; account 3 has no mail.
    static let rows = """
        INSERT INTO account VALUES (1, 'ada@example.org', 'Ada'), (2, 'bob@example.org', NULL), (3, 'Cy@example.org', 'Cy');
        INSERT INTO email(id, account_id, subject, sender, snippet, received_at, is_spam) VALUES
          (1, 1, 'Hi', 'x@a', '..', 1.5, 0), (2, 1, 'Spam', 'y@b', '', 2.5, 1), (3, 2, 'Re', 'z@c', 'hé', 3.25, 0),
          (9, 2, 'Gone', 'q@d', NULL, 4.0, 0);
        DELETE FROM email WHERE id = 9;
        DELETE FROM log;
        INSERT INTO log VALUES ('1', 'a'), ('1', 'a'), ('2', 'b'), (NULL, NULL), ('3', 1), ('4', x'00');
        INSERT INTO setting VALUES ('theme', 'app', 'dark'), ('theme', 'web', 1), ('size', 'app', 2.5);
        INSERT INTO stamp(code, size) VALUES ('a', 1), ('B', 2), ('', 3);
        """

    /// Rebuilds `email` correctly, with statements in between.
    static func rebuild(
        definition: String = email,
        copy: String = "INSERT INTO new_email SELECT * FROM email;",
        mark: String =
            "UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'email') WHERE name = 'new_email';",
        indexes: String = emailIndexes, triggers: String = emailTriggers
    ) -> String {
        """
        DROP VIEW inbox;
        CREATE TABLE new_email\(definition)
        \(copy)
        \(mark)
        DROP TABLE email;
        ALTER TABLE new_email RENAME TO email;
        \(indexes)
        \(triggers)
        CREATE VIEW inbox AS SELECT email.id, subject, account.name FROM email JOIN account ON account.id = account_id;
        """
    }
}
