import Drydock
import Testing

@testable import DrydockTestSupport

/// Names refer to what earlier migrations have created, not to what another file contains.
@Suite struct SchemaAtStepTests {
    private static let events = "CREATE TABLE event(id INTEGER PRIMARY KEY, body TEXT, kind TEXT);"
    private static let guarded =
        "CREATE TABLE event(id INTEGER PRIMARY KEY, body TEXT CHECK (json_valid(body)), kind TEXT);"
    private static let jsonIndex = "CREATE INDEX i ON event(json_extract(body, '$.a'))"
    private static let pair =
        "CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(id) ON DELETE CASCADE);"
    private static let rebuild =
        "CREATE TABLE n(id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO n(id, code) SELECT id, code FROM p; DROP TABLE p; ALTER TABLE n RENAME TO p"
    private static let renamesFirst =
        "ALTER TABLE p RENAME TO o; CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); INSERT INTO p(id, code) SELECT id, code FROM o; DROP TABLE o"

    @Test(arguments: [
        (
            Rule.addColumnFails,
            LintCase(
                "a renamed table", "ALTER TABLE email RENAME TO mail",
                "ALTER TABLE mail ADD COLUMN x NOT NULL",
                says: [.error])
        ),
        (
            .addColumnFails,
            LintCase(
                "a view is no table any more", "DROP VIEW inbox; CREATE TABLE inbox(a)",
                "ALTER TABLE inbox ADD COLUMN x NOT NULL", says: [.error])
        ),
        (
            .uniqueOverExisting,
            LintCase(
                "a renamed key", "ALTER TABLE account RENAME COLUMN email TO address",
                "CREATE UNIQUE INDEX i ON account(address, name)")
        ),
        (
            .uniqueOverExisting,
            LintCase(
                "a key that is gone", schema: "CREATE TABLE a(x, y); CREATE UNIQUE INDEX i ON a(x)",
                "DROP INDEX i", "CREATE UNIQUE INDEX j ON a(x, y)", says: [.warning])
        ),
        (.expressionIndexFails, LintCase("a CHECK", schema: guarded, jsonIndex)),
        (.expressionIndexFails, LintCase("no CHECK", schema: events, jsonIndex, says: [.warning])),
        (
            .destructiveUndeclared,
            LintCase(
                "a renamed table", "ALTER TABLE account RENAME TO person", "DELETE FROM person",
                says: [.error])
        ),
        (
            .destructiveUndeclared,
            LintCase(
                "a renamed column", "ALTER TABLE account RENAME COLUMN name TO title",
                "-- drydock: rewrites account.title\nUPDATE account SET title = ''")
        ),
        (
            .positionalCopy,
            LintCase(
                "an added column", "ALTER TABLE account ADD COLUMN x",
                "CREATE TABLE n(id, email, x, name); INSERT INTO n SELECT * FROM account", says: [.error])
        ),
        (
            .copiedConstant,
            LintCase(
                "a renamed column", "ALTER TABLE account RENAME COLUMN name TO title",
                "CREATE TABLE n(id, title); INSERT INTO n(id, title) SELECT id, 'title' FROM account",
                says: [.error])
        ),
        (
            .copiedConstant,
            LintCase(
                "the column's old name", "ALTER TABLE account RENAME COLUMN name TO title",
                "CREATE TABLE n(id, name); INSERT INTO n(id, name) SELECT id, 'name' FROM account")
        ),
        (
            .searchIndexStale,
            LintCase(
                "a renamed table",
                schema: "CREATE TABLE p(a TEXT PRIMARY KEY); CREATE VIRTUAL TABLE f USING fts5(a)",
                "ALTER TABLE f RENAME TO g", "DELETE FROM g_data; DELETE FROM p WHERE 0", says: [.error])
        ),
        (
            .rebuildForgets,
            LintCase(
                "an added index", schema: pair, "CREATE INDEX i ON p(code, id)", rebuild, says: [.warning])
        ),
        (
            .rebuildForgets,
            LintCase(
                "an index that is gone", schema: pair + "CREATE INDEX i ON p(code, id)", "DROP INDEX i",
                rebuild)
        ),
        (.rebuildRenamesFirst, LintCase("a child", schema: pair, renamesFirst, says: [.error])),
        (.rebuildRenamesFirst, LintCase("the child is gone", schema: pair, "DROP TABLE c", renamesFirst)),
        (.dropParentCascades, LintCase("a child", schema: pair, rebuild, says: [.error], tool: .d1)),
        (
            .dropParentCascades,
            LintCase("the child is gone", schema: pair, "DROP TABLE c", rebuild, tool: .d1)
        ),
        (
            .doubleQuotedString,
            LintCase(
                "no such column", "UPDATE email SET subject = \"draft\"", says: [.warning], tool: .d1)
        ),
        (
            .doubleQuotedString,
            LintCase(
                "an added column", "ALTER TABLE email ADD COLUMN draft",
                "UPDATE email SET subject = \"draft\"", tool: .d1)
        ),
        (
            .foreignKeyWithoutIndex,
            LintCase(
                "an index that is gone", schema: pair + "CREATE INDEX i ON c(p)", "DROP INDEX i",
                says: [.note])
        ),
        (
            .foreignKeyParent,
            LintCase(
                "a renamed parent", schema: pair, "ALTER TABLE p RENAME TO q",
                "CREATE TABLE d(p REFERENCES p(code))", says: [.error])
        ),
        (
            .duplicateIndex,
            LintCase(
                "an index that is gone", "DROP INDEX email_on_account",
                "CREATE INDEX i ON email(account_id, subject)")
        ),
        (
            .redundantIndex,
            LintCase(
                "a renamed column", "ALTER TABLE email RENAME COLUMN account_id TO owner",
                "CREATE INDEX i ON email(owner)", says: [.note])
        ),
        (.viewBroken, LintCase("a view follows", "ALTER TABLE email RENAME COLUMN subject TO title")),
        (
            .missingStrict,
            LintCase(
                "it is there", schema: "CREATE TABLE a(x TEXT) STRICT", "CREATE TABLE IF NOT EXISTS a(x)")
        ),
    ]) func usesTheSchemaAtTheStep(_ rule: Rule, _ it: LintCase) async throws { try await it.check(rule) }
}
