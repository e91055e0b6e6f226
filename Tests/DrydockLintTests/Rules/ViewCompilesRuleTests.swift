import DatabaseEngine
import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ViewCompilesRuleTests {
    @Test(arguments: [
        LintCase("a view", "CREATE VIEW v AS SELECT subjct FROM email", says: [.error]),
        LintCase(
            "a trigger", "CREATE TRIGGER t AFTER INSERT ON email BEGIN INSERT INTO log VALUES (new.id); END",
            says: [.error]),
        LintCase("made before what it names", "CREATE VIEW v AS SELECT a FROM later; CREATE TABLE later(a)"),
        LintCase("all there", "CREATE VIEW v AS SELECT subject FROM email"),
        LintCase(
            "a trigger of no column",
            "CREATE TRIGGER t AFTER UPDATE OF subjct, body ON email BEGIN SELECT 1; END", says: [.warning]),
        LintCase(
            "a trigger of columns",
            "CREATE TRIGGER t AFTER UPDATE OF \"Subject\", rowid ON email BEGIN SELECT 1; END"),
        LintCase(
            "a trigger of a column that is renamed",
            "CREATE TRIGGER t AFTER UPDATE OF body ON email BEGIN SELECT 1; END; ALTER TABLE email RENAME COLUMN body TO text"
        ),
        LintCase(
            "a view of an unknown function", "CREATE VIEW v AS SELECT nosuch(subject) FROM email",
            says: [.error]),
        LintCase(
            "a trigger of an unknown function",
            "CREATE TRIGGER t AFTER INSERT ON email BEGIN UPDATE email SET body = nosuch(new.body); END",
            says: [.error]),
        LintCase(
            "a trigger's condition",
            "CREATE TRIGGER t AFTER INSERT ON email WHEN nosuch(new.id) BEGIN SELECT 1; END",
            says: [.error]),
        LintCase(
            "a view of an unknown function that is dropped",
            "CREATE VIEW v AS SELECT nosuch(subject) FROM email",
            "DROP VIEW v"),
        LintCase("its table is gone", "DROP TABLE email", says: [.error]),
    ]) func cases(_ it: LintCase) async throws { try await it.check(.viewBroken) }

    @Test func functionsThatTheAppRegistersAreKnown() async throws {
        let it = LintCase("", "CREATE VIEW v AS SELECT nosuch(subject) FROM email", says: [.error])
        let finding = try #require(try await it.check(.viewBroken).first)
        #expect(finding.help.contains("nosuch: {returns: null}") && finding.migration == "v2")
        try await LintCase("", it.steps[1]).check(.viewBroken) {
            $0.migrations.functions = [
                FunctionStub(name: "nosuch", argumentCount: nil, result: .constant(.null))
            ]
        }
    }

    @Test func aViewBrokenLaterIsReportedThere() async throws {
        try await LintCase("", "DROP TABLE email", says: [.error]).check(.viewBroken) { $0.since = "v1" }
    }

    @Test func theStatementThatBrokeItIsNamed() async throws {
        let it = LintCase(
            "", "CREATE TABLE a(x)", "DROP TABLE email", "CREATE TABLE b(x)", says: [.error])
        let finding = try #require(try await it.check(.viewBroken) { $0.since = "v1" }.first)
        #expect(finding.migration == "v3" && finding.place?.line == 1)
    }

    @Test func theFindingIsIgnoredAtThatStatement() async throws {
        try await LintCase("", "-- drydock: ignore view-broken because it goes next\nDROP TABLE email")
            .check(.viewBroken) { $0.since = "v1" }
    }

    @Test func aViewThatWasBrokenBeforeIsNotReported() async throws {
        let it = LintCase("", "DROP TABLE email", "CREATE TABLE a(x)")
        try await it.check(.viewBroken) { $0.since = "v2" }
        try await it.check(.viewBroken) { $0.locked = ["v1", "v2"] }
    }

    @Test func aLintedMigrationBreaksAViewBetweenLockedOnes() async throws {
        try await LintCase("", "DROP TABLE email", "CREATE TABLE a(x)", says: [.error])
            .check(.viewBroken) { $0.locked = ["v1", "v3"] }
    }

    @Test func aTriggerOfAMissingColumnNeverFires() throws {
        let database = try PlainDatabase()
        try database.execute(
            "CREATE TABLE t(a); CREATE TABLE l(a); INSERT INTO t VALUES (1);"
                + "CREATE TRIGGER g AFTER UPDATE OF b ON t BEGIN INSERT INTO l VALUES (1); END;"
                + "CREATE TRIGGER h AFTER UPDATE OF a ON t BEGIN INSERT INTO l VALUES (2); END;"
                + "UPDATE t SET a = 2")
        #expect(try database.rows("SELECT a FROM l") { $0.integer(0) } == [2])
    }
}
