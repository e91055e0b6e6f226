import Drydock
import Testing

@Suite struct SearchIndexRuleTests {
    private static let external = """
        CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT);
        CREATE VIRTUAL TABLE note_fts USING fts5(body, content='note', content_rowid='id');
        """
    private static let rows = """
        INSERT INTO note VALUES (1, 'apple pie'), (2, 'pear'); INSERT INTO note_fts(note_fts) VALUES ('rebuild');
        """
    private static let rewrite =
        "-- drydock: rewrites note.body\nUPDATE note SET body = 'quince' WHERE id = 1;"
    private static let rebuildIndex = "INSERT INTO note_fts(note_fts) VALUES ('rebuild');"

    @Test(arguments: [
        RuleCase(
            "content changed, the index not", rewrite, schema: external, rows: rows,
            errors: [.searchIndexStale]),
        RuleCase(
            "content deleted, the index not", "-- drydock: deletes from note\nDELETE FROM note WHERE id = 1",
            schema: external, rows: rows, errors: [.searchIndexStale]),
        RuleCase(
            "content added, the index not",
            "-- drydock: inserts into note\nINSERT INTO note VALUES (3, 'fig')",
            schema: external, rows: rows, errors: [.searchIndexStale]),
        RuleCase("rebuilt in the same step", rewrite + rebuildIndex, schema: external, rows: rows),
        RuleCase(
            "rebuilt by a later step, a warning", rewrite, rebuildIndex, schema: external, rows: rows,
            warnings: [.searchIndexStale]),
        RuleCase(
            "stale before already, a note", "SELECT 1", schema: external,
            rows: rows + "UPDATE note SET body = 'plum' WHERE id = 1;", notes: [.searchIndexStale]),
        RuleCase(
            "stale before and mended", rebuildIndex, schema: external,
            rows: rows + "UPDATE note SET body = 'plum' WHERE id = 1;", notes: [.searchIndexStale]),
        RuleCase(
            "stale before and mended, then stale again", rebuildIndex, rewrite, schema: external,
            rows: rows + "UPDATE note SET body = 'plum' WHERE id = 1;", errors: [.searchIndexStale],
            notes: [.searchIndexStale]),
        RuleCase(
            "an index that was never filled",
            "CREATE VIRTUAL TABLE note_fts USING fts5(body, content='note', content_rowid='id')",
            schema: "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT);",
            rows: "INSERT INTO note VALUES (1, 'a');",
            errors: [.searchIndexStale]),
        RuleCase(
            "over a table whose rowids a rebuild renumbers",
            "CREATE TABLE new(body TEXT); INSERT INTO new SELECT body FROM note ORDER BY body DESC; DROP TABLE note; ALTER TABLE new RENAME TO note",
            schema:
                "CREATE TABLE note(body TEXT); CREATE VIRTUAL TABLE note_fts USING fts5(body, content='note');",
            rows: "INSERT INTO note VALUES ('a'), ('b'); INSERT INTO note_fts(note_fts) VALUES ('rebuild');",
            errors: [.searchIndexStale]),
        RuleCase(
            "FTS4, content changed",
            "-- drydock: rewrites note.body\nUPDATE note SET body = 'quince' WHERE id = 1;",
            schema:
                "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE note_fts USING fts4(body, content='note');",
            rows: rows, errors: [.searchIndexStale]),
        RuleCase(
            "FTS4, rebuilt",
            "-- drydock: rewrites note.body\nUPDATE note SET body = 'quince' WHERE id = 1;" + rebuildIndex,
            schema:
                "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE note_fts USING fts4(body, content='note');",
            rows: rows),
        RuleCase(
            "an index with content of its own keeps itself", "INSERT INTO note VALUES ('c')",
            schema: "CREATE VIRTUAL TABLE note USING fts5(body);",
            rows: "INSERT INTO note VALUES ('a'), ('b');",
            warnings: [.rowsAdded]),
        RuleCase(
            "its content edited behind its back", "UPDATE note_content SET c0 = 'zzz' WHERE id = 1",
            schema: "CREATE VIRTUAL TABLE note USING fts5(body);",
            rows: "INSERT INTO note VALUES ('a'), ('b');",
            errors: [.searchIndexStale, .valuesChanged]),
        RuleCase(
            "a contentless index has nothing to agree with", "INSERT INTO note(rowid, body) VALUES (3, 'c')",
            schema: "CREATE VIRTUAL TABLE note USING fts5(body, content='');",
            rows: "INSERT INTO note(rowid, body) VALUES (1, 'a');", warnings: [.rowsAdded]),
        RuleCase(
            "dropped and made again under another name",
            """
            DROP TABLE note_fts; CREATE VIRTUAL TABLE note_index USING fts5(body, content='note', content_rowid='id');
            INSERT INTO note_index(note_index) VALUES ('rebuild')
            """, schema: external, rows: rows),
    ])
    func indexes(_ it: RuleCase) async throws { try await it.check() }

    @Test func theFindingShowsHowToRebuild() async throws {
        let report = try await Scenario(Self.external, rows: Self.rows, steps: Self.rewrite).verify()
        let finding = try report.finding(.searchIndexStale)
        #expect(finding.table == "note_fts")
        #expect(finding.migration == "v2")
        #expect(finding.help.contains("INSERT INTO note_fts(note_fts) VALUES('rebuild');"))
    }

    @Test func whatTheSnapshotHadIsPreExisting() async throws {
        let report = try await Scenario(
            Self.external, rows: Self.rows + "UPDATE note SET body = 'plum' WHERE id = 1;", steps: "SELECT 1"
        ).verify()
        #expect(try report.finding(.searchIndexStale).tags == [.preExisting])
    }
}
