import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

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
            "stale before and fixed", rebuildIndex, schema: external,
            rows: rows + "UPDATE note SET body = 'plum' WHERE id = 1;", notes: [.searchIndexStale]),
        RuleCase(
            "stale before and fixed, then stale again", rebuildIndex, rewrite, schema: external,
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
            "dropped and created again under another name",
            """
            DROP TABLE note_fts; CREATE VIRTUAL TABLE note_index USING fts5(body, content='note', content_rowid='id');
            INSERT INTO note_index(note_index) VALUES ('rebuild')
            """, schema: external, rows: rows),
    ])
    func indexes(_ it: RuleCase) async throws { try await it.check() }

    /// An index that the snapshot already has stale, of each kind: the step makes it worse, or leaves it as it was.
    @Test(arguments: [
        "fts5(body, content='note', content_rowid='id')",
        "fts5(body, content=note, detail=none, prefix='2 3')",
        "fts5(body, n UNINDEXED, content='note', content_rowid='id', tokenize='porter ascii')",
        "fts5(body, content='note', columnsize=0, detail=column)",
        "fts4(body, content='note')", "fts4(body, n, content=\"note\", notindexed=n, tokenize=porter)",
    ])
    func aStaleIndexCanGetWorse(module: String) async throws {
        let schema = """
            CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, n INTEGER);
            CREATE VIRTUAL TABLE note_fts USING \(module);
            """
        let rows = """
            INSERT INTO note VALUES (1, 'apple pie', 1), (2, 'pear', 2), (3, 'fig', 3); \(Self.rebuildIndex)
            INSERT INTO note VALUES (9, 'unindexed', 9);
            """
        let declared = "-- drydock: rewrites note.body, note.n\n-- drydock: drops table note\n"
        for worse in [
            "UPDATE note SET body = 'changed ' || id;",
            "DELETE FROM note_fts_\(module.hasPrefix("fts5") ? "data WHERE id > 10" : "segdir");",
            "DROP TABLE note;",
        ] {
            let report = try await Scenario(schema, rows: rows, steps: declared + worse).verify()
            #expect(
                report.rules(.error).contains(.searchIndexStale), "\(worse) \(report.findings.map(\.line))")
        }
        for same in ["UPDATE note SET n = n + 1;", "ALTER TABLE note ADD COLUMN z;", "ANALYZE;"] {
            let report = try await Scenario(schema, rows: rows, steps: declared + same).verify()
            #expect(report.rules(.error).isEmpty, "\(same) \(report.findings.map(\.line))")
            #expect(report.rules(.note).contains(.searchIndexStale), "\(same)")
        }
    }

    @Test(arguments: ["fts3(body)", "fts4(body)", "fts5(body)"])
    func anIndexThatDisagreesWithItsOwnTextCanGetWorse(module: String) async throws {
        let schema = "CREATE VIRTUAL TABLE x USING \(module);"
        let rows = """
            INSERT INTO x(rowid, body) VALUES (1, 'apple pie'), (2, 'pear'), (3, 'fig');
            UPDATE x_content SET c0\(module.hasPrefix("fts5") ? "" : "body") = 'plum' WHERE rowid = 3;
            """
        let wipe =
            module.hasPrefix("fts5")
            ? "DELETE FROM x_data WHERE id > 10; DELETE FROM x_idx;" : "DELETE FROM x_segdir;"
        let worse = try await Scenario(schema, rows: rows, steps: wipe).verify()
        #expect(worse.rules(.error).contains(.searchIndexStale), "\(worse.findings.map(\.line))")
        let more = try await Scenario(
            schema, rows: rows, steps: "-- drydock: inserts into x\nINSERT INTO x(body) VALUES ('date');"
        ).verify()
        #expect(more.rules(.error).isEmpty, "\(more.findings.map(\.line))")
    }

    private static let many = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO x(a) SELECT printf('w%d w%d w%d', i, i * 7, i * 13) FROM n;
        """
    private static let five = "CREATE VIRTUAL TABLE x USING fts5(a);"
    private static let four = "CREATE VIRTUAL TABLE x USING fts4(a);"
    private static let tree = "CREATE VIRTUAL TABLE x USING rtree(id, x0, x1, +note);"
    private static let places = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO x SELECT i, i, i + 1, i FROM n;
        """

    /// The data that a module keeps beside its content, changed without the module.
    @Test(arguments: [
        RuleCase(
            "FTS5, list of pages", "DELETE FROM x_idx;", schema: five, rows: many, errors: [.searchIndexStale]
        ),
        RuleCase(
            "FTS5, some pages", "DELETE FROM x_idx WHERE pgno > 8;", schema: five, rows: many,
            errors: [.searchIndexStale]),
        RuleCase(
            "FTS5, sizes", "DELETE FROM x_docsize;", schema: five, rows: many, errors: [.searchIndexStale]),
        RuleCase(
            "FTS5, averages", "DELETE FROM x_data WHERE id = 1;", schema: five, rows: many,
            errors: [.searchIndexStale]),
        RuleCase(
            "FTS5, fixed", "DELETE FROM x_idx;", "INSERT INTO x(x) VALUES ('rebuild');", schema: five,
            rows: many,
            warnings: [.searchIndexStale]),
        RuleCase(
            "FTS5 without text, list of pages", "DELETE FROM x_idx;",
            schema: "CREATE VIRTUAL TABLE x USING fts5(a, content='');", rows: many,
            errors: [.searchIndexStale]),
        RuleCase(
            "FTS4, sizes", "DELETE FROM x_docsize;", schema: four, rows: many, errors: [.searchIndexStale]),
        RuleCase(
            "FTS4, a size", "DELETE FROM x_docsize WHERE docid = 7;", schema: four, rows: many,
            errors: [.searchIndexStale]),
        RuleCase(
            "FTS4, a wrong size", "UPDATE x_docsize SET size = x'05' WHERE docid = 7;", schema: four,
            rows: many,
            errors: [.searchIndexStale]),
        RuleCase(
            "FTS4, totals", "DELETE FROM x_stat;", schema: four, rows: many, errors: [.searchIndexStale]),
        RuleCase(
            "FTS4, wrong totals", "UPDATE x_stat SET value = x'00' WHERE id = 0;", schema: four, rows: many,
            errors: [.searchIndexStale]),
        RuleCase(
            "FTS4 of another table, sizes", "DELETE FROM note_fts_docsize;",
            schema:
                "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE note_fts USING fts4(body, content='note');",
            rows: rows, errors: [.searchIndexStale]),
        RuleCase(
            "FTS4 that has few tables", "UPDATE x_stat SET value = x'00' WHERE id = 0;",
            schema: "CREATE VIRTUAL TABLE x USING fts4(a, matchinfo=fts3, order=desc);", rows: many,
            errors: [.searchIndexStale]),
        RuleCase(
            "used as it should be",
            "INSERT INTO x(a) VALUES ('new'); DELETE FROM x WHERE rowid = 5; UPDATE x SET a = 'other' WHERE rowid = 6; INSERT INTO x(x) VALUES ('optimize');",
            schema: "CREATE VIRTUAL TABLE x USING fts4(a, languageid=l, notindexed=a, prefix='1');",
            rows: many,
            errors: [.rowsLost, .valuesChanged], warnings: [.rowsAdded]),
        RuleCase(
            "R-Tree, rows", "DELETE FROM x_rowid WHERE rowid < 9;", schema: tree, rows: places,
            errors: [.searchIndexStale, .valuesChanged]),
        RuleCase(
            "R-Tree, parents", "DELETE FROM x_parent;", schema: tree, rows: places,
            errors: [.searchIndexStale]),
        RuleCase(
            "R-Tree of whole numbers, a parent", "DELETE FROM x_parent WHERE nodeno = 2;",
            schema: "CREATE VIRTUAL TABLE x USING rtree_i32(id, x0, x1);",
            rows: places.replacing(", i FROM", with: " FROM"), errors: [.searchIndexStale]),
        RuleCase(
            "R-Tree, used as it should be", "INSERT INTO x VALUES (1000, 5, 6, '');", schema: tree,
            rows: places,
            warnings: [.rowsAdded]),
    ])
    func damagedStores(_ it: RuleCase) async throws { try await it.check() }

    @Test func `an unreadable R-Tree is the fault of the step, not of the snapshot`() async throws {
        let report = try await Scenario(Self.tree, rows: Self.places, steps: "DELETE FROM x_node;").verify()
        report.expect(errors: [.searchIndexStale], notChecked: [.rowsLost])
        #expect(try report.finding(.searchIndexStale).migration == "v2")
    }

    @Test func `a damaged R-Tree is named with what rtreecheck says`() async throws {
        let finding = try await Scenario(
            Self.tree, rows: Self.places, steps: "SELECT 1", "DELETE FROM x_parent;"
        )
        .verify().finding(.searchIndexStale)
        #expect(finding.table == "x" && finding.migration == "v3" && finding.place?.line == 1)
        #expect(finding.message.hasPrefix("spatial index x is damaged: Mapping ("))
    }

    // MARK: - An index that starts to store its text

    private static let own = "DROP TABLE note_fts; CREATE VIRTUAL TABLE note_fts USING fts5(body);"
    private static let copy = "INSERT INTO note_fts(rowid, body) SELECT id, body FROM note"

    @Test(arguments: [
        RuleCase("left empty", own, schema: external, rows: rows, errors: [.searchIndexStale]),
        RuleCase(
            "half filled", own + copy + " WHERE id = 1;", schema: external, rows: rows,
            errors: [.searchIndexStale]),
        RuleCase("filled", own + copy + ";", schema: external, rows: rows),
        RuleCase(
            "filled by a later step", own, copy, schema: external, rows: rows, warnings: [.searchIndexStale],
            notes: [.rowsAdded]),
        RuleCase(
            "dropped, and made by a later step", "DROP TABLE note_fts;",
            "CREATE VIRTUAL TABLE note_fts USING fts5(body);", schema: external, rows: rows,
            errors: [.searchIndexStale], notes: [.tableDropped]),
        RuleCase(
            "made beside it and renamed",
            "CREATE VIRTUAL TABLE f USING fts5(body); DROP TABLE note_fts; ALTER TABLE f RENAME TO note_fts;",
            schema: external, rows: rows, errors: [.searchIndexStale]),
        RuleCase(
            "without any text now",
            "DROP TABLE note_fts; CREATE VIRTUAL TABLE note_fts USING fts5(body, content='');",
            schema: external,
            rows: rows, errors: [.searchIndexStale]),
        RuleCase(
            "FTS4", "DROP TABLE note_fts; CREATE VIRTUAL TABLE note_fts USING fts4(body);",
            schema:
                "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE note_fts USING fts4(body, content='note');",
            rows: rows, errors: [.searchIndexStale]),
        RuleCase(
            "the notes were deleted as declared",
            "-- drydock: deletes from note where id = 2\nDELETE FROM note WHERE id = 2;\n" + own
                + copy + ";", schema: external, rows: rows),
        RuleCase(
            "the notes are renamed", "ALTER TABLE note RENAME TO memo;" + own, schema: external, rows: rows,
            errors: [.searchIndexStale]),
        RuleCase(
            "it had nothing", own, schema: external, rows: "INSERT INTO note VALUES (1, 'apple');",
            notes: [.searchIndexStale]),
    ])
    func indexesThatStartToStoreText(_ it: RuleCase) async throws { try await it.check() }

    @Test func `the remedy for an index that starts to store its text works`() async throws {
        let scenario = Scenario(Self.external, rows: Self.rows, steps: Self.own + Self.copy + " WHERE id = 2")
        let finding = try await scenario.verify().finding(.searchIndexStale)
        #expect(
            finding.message
                == "full-text index note_fts has 1 of the 2 entries that searches used before")
        let remedy = try #require(finding.help.split(separator: "\n").first { $0.hasPrefix("  INSERT") })
        let again = try await Scenario(
            Self.external, rows: Self.rows, steps: Self.own + Self.copy + " WHERE id = 2;" + remedy
        ).verify()
        again.expectNothing()
    }

    @Test func theFindingShowsHowToRebuild() async throws {
        let report = try await Scenario(Self.external, rows: Self.rows, steps: Self.rewrite).verify()
        let finding = try report.finding(.searchIndexStale)
        #expect(finding.table == "note_fts")
        #expect(finding.migration == "v2")
        #expect(finding.help.contains("INSERT INTO note_fts(note_fts) VALUES('rebuild');"))
    }

    @Test func aFaultOfTheSnapshotIsPreExisting() async throws {
        let report = try await Scenario(
            Self.external, rows: Self.rows + "UPDATE note SET body = 'plum' WHERE id = 1;", steps: "SELECT 1"
        ).verify()
        #expect(try report.finding(.searchIndexStale).tags == [.preExisting])
    }

    /// A connection that opens the index fails; with a schema that is known already, none has to.
    @Test(arguments: ["DELETE FROM note_fts_config", "UPDATE note_fts_config SET v = 99"])
    func `what is said of an index that SQLite does not open does not depend on the snapshots before`(
        _ damage: String
    ) async throws {
        let folder = try Scenario(Self.external, rows: Self.rows, steps: "CREATE TABLE later(a)").write()
        let sound = folder.file("Snapshots/snapshot.sqlite")
        let damaged = ["a", "z"].map { folder.file("Snapshots/\($0).sqlite") }
        for path in damaged {
            try FileManager.default.copyItem(atPath: sound, toPath: path)
            try PlainDatabase(path).execute(damage)
        }
        var said: Set<[String]> = []
        for order in [[damaged[0]], [damaged[1]], [sound] + damaged] {
            let report = try await folder.verify { ($0.snapshots.paths, $0.jobs) = (order, 1) }
            #expect(!report.findings.contains { $0.snapshot == sound }, "\(report.findings.map(\.line))")
            for path in damaged where order.contains(path) {
                said.insert(
                    report.findings.filter { $0.snapshot == path }.map { "\($0.severity) \($0.message)" }
                        + report.notChecked.filter { $0.snapshot == path }.map { "\($0.rule) \($0.reason)" })
            }
        }
        #expect(said.count == 1 && said.first?.isEmpty == false, "\(said)")
    }
}
