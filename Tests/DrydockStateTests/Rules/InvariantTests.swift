import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct InvariantTests {
    @Test(arguments: [
        RuleCase(
            "held",
            "-- drydock: preserves select count(*), sum(received_at) from email\nALTER TABLE email ADD COLUMN x"
        ),
        RuleCase(
            "broken although the rewrite is declared",
            """
            -- drydock: rewrites email.received_at
            -- drydock: preserves select count(*), sum(received_at) from email
            UPDATE email SET received_at = received_at * 1000
            """, errors: [.invariantBroken]),
        RuleCase(
            "another storage class is a different answer",
            """
            -- drydock: rewrites log.line
            -- drydock: preserves select sum(line) from log where at = '3'
            UPDATE log SET line = 1.0 WHERE at = '3'
            """, errors: [.invariantBroken]),
        RuleCase(
            "another order is a different answer",
            """
            -- drydock: rewrites email.received_at
            -- drydock: preserves select id from email order by received_at
            UPDATE email SET received_at = -received_at
            """, errors: [.invariantBroken]),
        RuleCase(
            "more rows are a different answer",
            """
            -- drydock: inserts into blank
            -- drydock: preserves select * from blank
            INSERT INTO blank VALUES (1, 'x')
            """, errors: [.invariantBroken]),
        RuleCase(
            "no longer runs",
            "-- drydock: preserves select sender from email\nALTER TABLE email RENAME sender TO origin",
            errors: [.invariantBroken]),
        RuleCase(
            "does not run before", "-- drydock: preserves select sendr from email\nSELECT 1",
            errors: [.invalidDeclaration]),
        RuleCase(
            "a later step does not fix it",
            """
            -- drydock: rewrites email.received_at
            -- drydock: preserves select sum(received_at) from email
            UPDATE email SET received_at = received_at * 2
            """, "-- drydock: rewrites email.received_at\nUPDATE email SET received_at = received_at / 2",
            errors: [.invariantBroken]),
        RuleCase(
            "one of two",
            """
            -- drydock: deletes from log
            -- drydock: preserves select count(*) from email
            -- drydock: preserves select count(*) from log
            DELETE FROM log WHERE line = 'b'
            """, errors: [.invariantBroken]),
        RuleCase(
            "a query with a comma, quotes and a semicolon",
            "-- drydock: preserves select max(id), \"subject\", 'a;b' from email;\nSELECT 1"),
    ])
    func queries(_ it: RuleCase) async throws { try await it.check() }

    @Test func theFindingShowsBothAnswers() async throws {
        let report = try await Scenario(
            Mail.schema, rows: Mail.rows,
            steps:
                "-- drydock: deletes from log\n-- drydock: preserves select 'n', count(*) from log\nDELETE FROM log WHERE line = 'b'"
        ).verify()
        let finding = try report.finding(.invariantBroken)
        #expect(finding.place?.line == 2)
        let row = try #require(finding.evidence?.rows.first)
        #expect((row.before?.literal, row.after?.literal) == ("6", "5"))
    }
}
