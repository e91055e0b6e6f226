import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct CopiedConstantRuleTests {
    private static let song = "CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, artist TEXT);"

    /// A rebuild of `song` that is filled by a statement.
    private static func rebuild(
        _ copy: String, columns: String = "id INTEGER PRIMARY KEY, title TEXT, artist TEXT", more: String = ""
    ) -> String {
        "CREATE TABLE n(\(columns)); \(copy); \(more) DROP TABLE song; ALTER TABLE n RENAME TO song;"
    }

    private static func of(
        _ name: String, _ steps: String, says: [Finding.Severity] = [], schema: String = song,
        tool: LintCase.Tool = .grdb
    ) -> LintCase {
        LintCase(name, schema: schema, steps, says: says, tool: tool)
    }

    @Test(arguments: [
        of(
            "the name in single quotes",
            rebuild("INSERT INTO n(id, title, artist) SELECT id, 'title', artist FROM song"), says: [.error]),
        of("by position", rebuild("INSERT INTO n SELECT id, 'title', artist FROM song"), says: [.error]),
        of(
            "in another case, with an alias",
            rebuild("INSERT INTO n(id, title, artist) SELECT id, ('Title') AS title, artist FROM song"),
            says: [.error]),
        of(
            "two of them",
            rebuild("INSERT INTO n(id, title, artist) SELECT id, 'title', 'artist' FROM song"),
            says: [.error, .error]),
        of(
            "in a function",
            rebuild("INSERT INTO n(id, title, artist) SELECT id, coalesce('title', ''), artist FROM song"),
            says: [.error]),
        of(
            "the old table renamed first",
            """
            ALTER TABLE song RENAME TO old; CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, artist TEXT);
            INSERT INTO song(id, title, artist) SELECT id, 'title', artist FROM old; DROP TABLE old;
            """, says: [.error]),
        of(
            "CREATE TABLE AS",
            "CREATE TABLE n AS SELECT id, 'title' AS title, artist FROM song; DROP TABLE song; ALTER TABLE n RENAME TO song;",
            says: [.error]),
        of(
            "a part of a UNION",
            rebuild(
                "INSERT INTO n(id, title, artist) SELECT id, title, artist FROM song WHERE id < 9 UNION ALL SELECT id, 'title', artist FROM song WHERE id >= 9"
            ), says: [.error]),
        of(
            "into a temporary table",
            """
            CREATE TEMP TABLE kept(id, title, artist); INSERT INTO kept SELECT id, 'title', artist FROM song;
            DROP TABLE song; CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, artist TEXT);
            INSERT INTO song SELECT * FROM kept; DROP TABLE kept;
            """, says: [.error]),
        of(
            "out of a temporary table",
            """
            CREATE TEMP TABLE kept AS SELECT * FROM song; DROP TABLE song;
            CREATE TABLE song(id INTEGER PRIMARY KEY, title TEXT, artist TEXT);
            INSERT INTO song(id, title, artist) SELECT id, 'title', artist FROM kept; DROP TABLE kept;
            """, says: [.error]),
        of(
            "of a renamed column",
            rebuild(
                "INSERT INTO n(id, name, artist) SELECT id, 'title', artist FROM song",
                columns: "id INTEGER PRIMARY KEY, name TEXT, artist TEXT"), says: [.error]),
        of(
            "of a column that is declared renamed",
            "-- drydock: renames column song.title to song.name\n"
                + rebuild(
                    "INSERT INTO n(id, name, artist) SELECT id, 'title', artist FROM song",
                    columns: "id INTEGER PRIMARY KEY, name TEXT, artist TEXT"), says: [.error]),
        of(
            "a name in double quotes that no column has",
            rebuild(
                "INSERT INTO n(\"id\", \"title\", \"artist\", \"year\") SELECT \"id\", \"title\", \"artist\", \"year\" FROM song",
                columns: "id INTEGER PRIMARY KEY, title TEXT, artist TEXT, year TEXT"), says: [.error],
            tool: .d1),
        of(
            "into a table beside it",
            "CREATE TABLE words(song_id, title); INSERT INTO words(song_id, title) SELECT id, 'title' FROM song;",
            says: [.error]),
        of(
            "of a joined table",
            """
            CREATE TABLE m(id INTEGER PRIMARY KEY, title TEXT, name TEXT);
            INSERT INTO m(id, title, name) SELECT s.id, 'title', p.name FROM song s JOIN person p ON p.id = s.id;
            """, says: [.error], schema: song + "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);"),
        of(
            "in a table without rows",
            "CREATE TABLE a(id, title); CREATE TABLE b(id, title);"
                + "INSERT INTO b(id, title) SELECT id, 'title' FROM a", says: [.warning]),
    ]) func textInPlaceOfAName(_ it: LintCase) async throws { try await it.check(.copiedConstant) }

    @Test(arguments: [
        of(
            "an empty text", rebuild("INSERT INTO n(id, title, artist) SELECT id, '', artist FROM song"),
            says: [.warning]),
        of(
            "NULL", rebuild("INSERT INTO n(id, title, artist) SELECT id, NULL, artist FROM song"),
            says: [.warning]),
        of(
            "text in double quotes",
            rebuild("INSERT INTO n(id, title, artist) SELECT id, \"draft\", artist FROM song"),
            says: [.warning], tool: .d1),
        of(
            "by CREATE TABLE AS",
            "CREATE TABLE n AS SELECT id, 0 AS title, artist FROM song; DROP TABLE song; ALTER TABLE n RENAME TO song;",
            says: [.warning]),
    ]) func anotherValue(_ it: LintCase) async throws { try await it.check(.copiedConstant) }

    @Test(arguments: [
        of("the columns", rebuild("INSERT INTO n(id, title, artist) SELECT id, title, \"artist\" FROM song")),
        of(
            "a new column",
            rebuild(
                "INSERT INTO n(id, title, artist, kind) SELECT id, title, artist, 'song' FROM song",
                columns: "id INTEGER PRIMARY KEY, title TEXT, artist TEXT, kind TEXT")),
        of(
            "declared",
            "-- drydock: rewrites song.title\n"
                + rebuild("INSERT INTO n(id, title, artist) SELECT id, '', artist FROM song")),
        of(
            "text that is declared",
            "-- drydock: rewrites song.title\n"
                + rebuild("INSERT INTO n(id, title, artist) SELECT id, 'title', artist FROM song")),
        of(
            "filled afterwards",
            rebuild(
                "INSERT INTO n(id, title, artist) SELECT id, '', artist FROM song",
                more: "UPDATE n SET title = (SELECT title FROM song WHERE song.id = n.id);")),
        of(
            "moved to another column",
            rebuild(
                "INSERT INTO n(id, title, artist, name) SELECT id, NULL, artist, title FROM song",
                columns: "id INTEGER PRIMARY KEY, title TEXT, artist TEXT, name TEXT")),
        of(
            "a row for each column",
            """
            CREATE TABLE value(song_id, name, title);
            INSERT INTO value(song_id, name, title) SELECT id, 'title', title FROM song;
            """),
        of(
            "a row for each column, one of which has the name of the key",
            """
            CREATE TABLE value(song_id, title, value);
            INSERT INTO value(song_id, title, value) SELECT id, 'title', title FROM song;
            """),
        of(
            "copies of rows in their own table",
            "INSERT INTO song(title, artist) SELECT 'another', artist FROM song;"),
        of(
            "a log", "CREATE TABLE log(what, kind); INSERT INTO log(what, kind) SELECT id, 'title' FROM song;"
        ),
        of("values", "INSERT INTO song(title) VALUES ('title')"),
        of(
            "a name of a subquery",
            rebuild(
                "INSERT INTO n(id, title, artist) SELECT id, \"title\", \"who\" FROM (SELECT id, title, artist AS who FROM song)"
            ), tool: .d1),
    ]) func isSilent(_ it: LintCase) async throws { try await it.check(.copiedConstant) }

    @Test func theEditCopiesTheColumn() async throws {
        let copy = "INSERT INTO n(id, title, artist) SELECT id, 'title', artist FROM song"
        let it = Self.of("", Self.rebuild(copy), says: [.error])
        let finding = try #require(try await it.check(.copiedConstant).first)
        #expect(
            finding.message
                == "'title' is text: the copy writes this word into n.title of every row instead of the values of song.title"
        )
        #expect(finding.table == "song" && finding.column == "title")
        #expect(finding.help.contains("SELECT id, title, artist FROM song;"))
        try await Self.of("", it.steps[1].replacing("'title'", with: "title")).check(.copiedConstant)
    }

    /// One fact is one finding, and single quotes would keep the fault.
    @Test func aMisreadNameIsNotToBeQuotedOtherwise() async throws {
        let it = Self.of(
            "",
            Self.rebuild(
                "INSERT INTO n(id, title, artist, year) SELECT id, title, artist, \"year\" FROM song",
                columns: "id INTEGER PRIMARY KEY, title TEXT, artist TEXT, year TEXT"), says: [.error],
            tool: .d1)
        let finding = try #require(try await it.check(.copiedConstant).first)
        #expect(
            finding.message
                == "\"year\" is not a column of song: the copy writes this word into n.year of every row")
        try await Self.of("", it.steps[1], tool: .d1).check(.doubleQuotedString)
    }

    @Test func everyRowGetsTheWord() throws {
        for word in ["'title'", "\"heading\""] {
            let database = try PlainDatabase()
            try database.execute(Self.song + "INSERT INTO song VALUES (1, 'a', 'x'), (2, 'b', 'y');")
            try database.execute(
                Self.rebuild("INSERT INTO n(id, title, artist) SELECT id, \(word), artist FROM song"))
            let titles = try database.rows("SELECT DISTINCT title FROM song") { $0.string(0) }
            #expect(titles == [String(word.dropFirst().dropLast())])
        }
    }
}
