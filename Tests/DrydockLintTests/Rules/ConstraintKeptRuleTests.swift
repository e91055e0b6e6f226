import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ConstraintKeptRuleTests {
    private static let schema = """
        CREATE TABLE agent(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE run(id INTEGER PRIMARY KEY, script INTEGER NOT NULL, code INTEGER CHECK (code IN (0, 1)),
          agent INTEGER REFERENCES agent ON DELETE CASCADE, UNIQUE (script, agent));
        """
    private static let whole =
        "script INTEGER NOT NULL, code INTEGER CHECK (code IN (0, 1)), agent INTEGER REFERENCES agent ON DELETE CASCADE, UNIQUE (script, agent)"

    private static func rebuild(_ columns: String, of list: String = "id, script, code, agent") -> String {
        "CREATE TABLE n(id INTEGER PRIMARY KEY, \(columns)); INSERT INTO n(\(list)) SELECT id, script, code, agent FROM run; DROP TABLE run; ALTER TABLE n RENAME TO run;"
    }

    private static func without(_ words: String, _ now: String = "") -> String {
        rebuild(whole.replacing(words, with: now))
    }

    @Test(arguments: [
        LintCase("UNIQUE", schema: schema, without(", UNIQUE (script, agent)"), says: [.warning]),
        LintCase("CHECK", schema: schema, without(" CHECK (code IN (0, 1))"), says: [.warning]),
        LintCase("a longer list", schema: schema, without("(0, 1)", "(0, 1, 2)"), says: [.note]),
        LintCase("NOT NULL", schema: schema, without(" NOT NULL"), says: [.warning]),
        LintCase(
            "REFERENCES", schema: schema, without(" REFERENCES agent ON DELETE CASCADE"), says: [.warning]),
        LintCase("its action", schema: schema, without(" ON DELETE CASCADE"), says: [.warning]),
        LintCase(
            "a column that is renamed in the copy", schema: schema,
            rebuild(
                whole.replacing("code INTEGER CHECK (code IN (0, 1))", with: "result INTEGER"),
                of: "id, script, result, agent"), says: [.warning]),
        LintCase(
            "CREATE TABLE AS", schema: schema,
            "CREATE TABLE n AS SELECT * FROM run; DROP TABLE run; ALTER TABLE n RENAME TO run;",
            says: [.warning, .warning, .warning, .warning, .warning]),
        LintCase(
            "CREATE TABLE AS, renamed first", schema: schema,
            "ALTER TABLE run RENAME TO o; CREATE TABLE run AS SELECT id, script, code, agent FROM o; DROP TABLE o;",
            says: [.warning, .warning, .warning, .warning, .warning]),
    ]) func says(_ it: LintCase) async throws { try await it.check(.constraintLost) }

    @Test(arguments: [
        LintCase("everything is there", schema: schema, rebuild(whole)),
        LintCase(
            "renamed by the copy", schema: schema,
            rebuild(whole.replacing("code", with: "result"), of: "id, script, result, agent")),
        LintCase(
            "an index in the place of UNIQUE", schema: schema,
            without(", UNIQUE (script, agent)") + "CREATE UNIQUE INDEX i ON run(script, agent);"),
        LintCase("a stricter CHECK", schema: schema, without("(0, 1)", "(1)")),
        LintCase(
            "renamed", schema: schema, "ALTER TABLE run RENAME TO job; ALTER TABLE agent RENAME TO person;"),
        LintCase(
            "the parent is rebuilt, too", schema: schema,
            "ALTER TABLE run RENAME COLUMN script TO program;"
                + "CREATE TABLE m(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE); INSERT INTO m SELECT * FROM agent; DROP TABLE agent; ALTER TABLE m RENAME TO agent;"
        ),
        LintCase("a dropped table", schema: schema, "-- drydock: drops table run\nDROP TABLE run;"),
        LintCase(
            "declared", schema: schema,
            "-- drydock: drops constraint unique (script, agent) of run\n"
                + without(", UNIQUE (script, agent)")),
        LintCase(
            "ignored", schema: schema,
            "-- drydock: ignore constraint-lost because nobody uses it\n"
                + without(", UNIQUE (script, agent)")),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.constraintLost) }

    @Test func aLaterMigrationRestoresIt() async throws {
        let it = LintCase(
            "", schema: Self.schema, Self.without(", UNIQUE (script, agent)"),
            "CREATE UNIQUE INDEX i ON run(script, agent)", says: [.note])
        try await it.check(.constraintLost)
    }

    @Test func oneFactHasOneIdentifier() async throws {
        let it = LintCase("", schema: Self.schema, Self.without(", UNIQUE (script, agent)"), says: [])
        try await it.check(.rebuildForgets)
    }
}
