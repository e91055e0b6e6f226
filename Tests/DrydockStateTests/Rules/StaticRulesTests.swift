import Drydock
import Testing

@testable import DrydockTestSupport

/// `transaction-ended` and `pragma-ignored`: what can be reported before a migration runs.
@Suite struct StaticRulesTests {
    @Test(arguments: [
        RuleCase(
            "COMMIT", "CREATE TABLE a(x); COMMIT; CREATE TABLE b(x)",
            errors: [.transactionEnded]),
        RuleCase(
            "END TRANSACTION", "CREATE TABLE a(x); END TRANSACTION",
            errors: [.transactionEnded]),
        RuleCase("ROLLBACK", "ROLLBACK", errors: [.transactionEnded]),
        RuleCase(
            "BEGIN and COMMIT around it all", "BEGIN; CREATE TABLE a(x); COMMIT;",
            errors: [.transactionEnded]),
        RuleCase("a savepoint", "SAVEPOINT s; CREATE TABLE a(x); RELEASE s"),
        RuleCase("back to a savepoint", "SAVEPOINT s; CREATE TABLE a(x); ROLLBACK TO s; RELEASE s"),
        RuleCase(
            "the BEGIN and END of a trigger",
            "CREATE TRIGGER t AFTER INSERT ON log BEGIN SELECT CASE WHEN 1 THEN 2 END; END"),
        RuleCase("COMMIT in a comment and in text", "-- COMMIT;\nSELECT 'COMMIT;' /* ROLLBACK; */"),
    ])
    func transactions(_ it: RuleCase) async throws {
        try await it.scenario.verify().expect(
            errors: it.errors, notChecked: it.errors.isEmpty ? [] : [.migrationFailed, .schemaMismatch])
    }

    @Test(arguments: [
        RuleCase(
            "foreign_keys, under the deferred check", "PRAGMA foreign_keys = OFF; " + Mail.rebuild(),
            warnings: [.pragmaIgnored]),
        RuleCase("foreign_keys(0)", "PRAGMA foreign_keys(0)", warnings: [.pragmaIgnored]),
        RuleCase(
            "foreign_keys off with foreign keys on, and rows to lose",
            "-- drydock: foreign-keys immediate\nPRAGMA foreign_keys = OFF; DELETE FROM blank",
            warnings: [.pragmaIgnored]),
        RuleCase(
            "foreign_keys off with foreign keys on, and rows of children are lost",
            """
            -- drydock: foreign-keys immediate
            -- drydock: deletes from account
            PRAGMA foreign_keys = OFF; DELETE FROM account WHERE id = 1
            """, errors: [.pragmaIgnored, .rowsLost]),
        RuleCase(
            "the children are saved and come back",
            """
            -- drydock: foreign-keys immediate
            PRAGMA foreign_keys = OFF;
            CREATE TEMP TABLE saved AS SELECT * FROM email;
            CREATE TABLE new(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT);
            INSERT INTO new SELECT * FROM account; DROP VIEW inbox; DROP TABLE account;
            ALTER TABLE new RENAME TO account; DELETE FROM email; INSERT INTO email SELECT * FROM saved; DROP TABLE saved;
            CREATE VIEW inbox AS SELECT email.id, subject, account.name FROM email JOIN account ON account.id = account_id;
            """, warnings: [.pragmaIgnored]),
        RuleCase(
            "the children are saved, and one does not come back",
            """
            -- drydock: foreign-keys immediate
            PRAGMA foreign_keys = OFF;
            CREATE TEMP TABLE saved AS SELECT * FROM email;
            CREATE TABLE new(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT);
            INSERT INTO new SELECT * FROM account; DROP VIEW inbox; DROP TABLE account;
            ALTER TABLE new RENAME TO account; DELETE FROM email; INSERT INTO email SELECT * FROM saved WHERE id > 1;
            DROP TABLE saved;
            CREATE VIEW inbox AS SELECT email.id, subject, account.name FROM email JOIN account ON account.id = account_id;
            """, errors: [.pragmaIgnored, .rowsLost]),
        RuleCase(
            "ignored",
            "-- drydock: ignore pragma-ignored because the other database needs it\nPRAGMA foreign_keys(0)"),
        RuleCase(
            "ignored for another statement",
            "-- drydock: ignore pragma-ignored because the other database needs it\nSELECT 1;\nPRAGMA foreign_keys(0)",
            warnings: [.pragmaIgnored]),
        RuleCase(
            "ignored, and what is lost is an error still",
            """
            -- drydock: foreign-keys immediate
            -- drydock: deletes from account
            -- drydock: ignore pragma-ignored because it looks good
            PRAGMA foreign_keys = OFF; DELETE FROM account WHERE id = 1
            """, errors: [.rowsLost]),
        RuleCase(
            "rows that are added are ignored",
            "-- drydock: ignore rows-added because the app knows them\nINSERT INTO blank VALUES (1, 'x')"),
        RuleCase(
            "nothing to ignore", "-- drydock: ignore rows-added because the app knows them\nSELECT 1",
            warnings: [.unusedDeclaration]),
        RuleCase(
            "a lost row cannot be ignored",
            "-- drydock: ignore rows-lost because who cares\nDELETE FROM log WHERE at = '1'",
            errors: [.invalidDeclaration, .rowsLost]),
        RuleCase(
            "foreign_keys off with foreign keys on, and nothing to lose",
            "-- drydock: foreign-keys immediate\nPRAGMA foreign_keys = OFF; CREATE TABLE a(x)",
            warnings: [.pragmaIgnored]),
        RuleCase(
            "foreign_keys on with foreign keys on",
            "-- drydock: foreign-keys immediate\nPRAGMA foreign_keys = ON; DELETE FROM blank",
            warnings: [.pragmaIgnored]),
        RuleCase(
            "off and on again", "PRAGMA foreign_keys = OFF; PRAGMA foreign_keys = ON",
            warnings: [.pragmaIgnored, .pragmaIgnored]),
        RuleCase("auto_vacuum", "PRAGMA auto_vacuum = FULL", warnings: [.pragmaIgnored]),
        RuleCase("page_size", "PRAGMA main.page_size = 8192", warnings: [.pragmaIgnored]),
        RuleCase(
            "user_version has an effect", "PRAGMA user_version = 7", warnings: [.headerMarkChanged]),
        RuleCase("a query changes nothing", "PRAGMA foreign_keys; PRAGMA page_size"),
        RuleCase("foreign_key_check", "PRAGMA foreign_key_check"),
        RuleCase("defer_foreign_keys", "PRAGMA defer_foreign_keys = ON"),
    ])
    func pragmas(_ it: RuleCase) async throws { try await it.check() }

    @Test func thePlaceIsTheStatement() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows, steps: "CREATE TABLE a(x);\nPRAGMA page_size = 8192;\n  commit;"
        ).verify()
        #expect(try report.finding(.transactionEnded).place?.line == 3)
        #expect(try report.finding(.transactionEnded).place?.column == 3)
        #expect(try report.finding(.pragmaIgnored).place?.line == 2)
        // The migration was not run, and the effects of statements before the COMMIT do not exist.
        #expect(report.replays[0].steps.isEmpty)
    }

    @Test func migrationsThatNoSnapshotReplaysAreNotChecked() async throws {
        let report = try await Scenario(
            migrations: [
                ("v1", "PRAGMA page_size = 8192; CREATE TABLE n(a)"), ("v2", "ALTER TABLE n ADD COLUMN b"),
            ], at: 1
        ).verify()
        report.expectNothing()
    }
}
