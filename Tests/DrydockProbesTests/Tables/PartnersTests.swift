import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// Rows that statements join have partners, also without a foreign key.
struct PartnersTests {
    private func verify(_ migrations: [String]) async throws -> Report {
        let folder = try TemporaryFolder()
        for (index, sql) in migrations.enumerated() {
            try folder.write("Migrations/v\(index + 1).sql", sql)
        }
        return try await folder.verify(GRDBDriver()) { $0.snapshots.isFolderNamed = false }
    }

    private static let person =
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL);\n"
    private static let country =
        "CREATE TABLE country(id INTEGER PRIMARY KEY, code TEXT NOT NULL, title TEXT NOT NULL);\n"

    private static func rebuild(_ query: String) -> String {
        """
        -- drydock: drops column person.code
        CREATE TABLE person_new(id INTEGER PRIMARY KEY, name TEXT NOT NULL, country INTEGER NOT NULL);
        INSERT INTO person_new(id, name, country) \(query);
        DROP TABLE person;
        ALTER TABLE person_new RENAME TO person;
        """
    }

    private static let queries = [
        "SELECT p.id, NAME, c.id FROM person p JOIN country c ON p.code = c.code",
        "SELECT p.id, NAME, c.id FROM country c JOIN person p ON c.code = p.code",
        "SELECT p.id, NAME, c.id FROM person p INNER JOIN country AS c USING (code)",
        "SELECT p.id, NAME, c.id FROM person p, country c WHERE p.code = c.code",
        "SELECT p.id, NAME, c.id FROM person p JOIN country c ON lower(p.code) = lower(c.code)",
        "SELECT p.id, NAME, c.id FROM person p JOIN (SELECT code, max(id) AS id FROM country GROUP BY code) c ON c.code = p.code",
        "WITH c AS (SELECT code, max(id) AS id FROM country GROUP BY code) SELECT p.id, NAME, c.id FROM person p JOIN c USING (code)",
        "SELECT id, NAME, (SELECT id FROM country WHERE code = p.code) FROM person p",
        "SELECT id, NAME, (SELECT max(c.id) FROM country c WHERE c.code = person.code) FROM person",
    ]

    @Test(arguments: queries) func `an author may rely on partners, and is told`(query: String) async throws {
        let report = try await verify([
            Self.country + Self.person, Self.rebuild(query.replacing("NAME", with: "name")),
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        let warned = report.findings.filter { $0.severity == .warning && $0.tags.contains(.probe) }
        #expect(
            warned.contains { [.rowsLost, .migrationFailed].contains($0.rule) },
            "\(report.findings.map(\.line))")
    }

    @Test(arguments: queries) func `sabotage behind a join is seen on ordinary rows`(query: String)
        async throws
    {
        let report = try await verify([
            Self.country + Self.person, Self.rebuild(query.replacing("NAME", with: "lower(name) || '!'")),
        ])
        let found = report.findings.filter { $0.severity == .error }
        #expect(found.map(\.rule) == [.valuesChanged], "\(report.findings.map(\.line))")
    }

    @Test(arguments: [false, true]) func `the other table may come later`(isKey: Bool) async throws {
        let country =
            isKey
            ? Self.country.replacing("code TEXT NOT NULL", with: "code TEXT NOT NULL UNIQUE") : Self.country
        let query = Self.queries[0].replacing("NAME", with: "name")
        let report = try await verify([Self.person, country, Self.rebuild(query)])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        let broken = try await verify([
            Self.person, country, Self.rebuild(Self.queries[0].replacing("NAME", with: "c.title")),
        ])
        #expect(broken.rules(.error).contains(.valuesChanged), "\(broken.findings.map(\.line))")
    }

    @Test func `a NATURAL JOIN has partners in all columns of one name`() async throws {
        let land = "CREATE TABLE land(code TEXT NOT NULL, title TEXT NOT NULL);\n"
        let query = "SELECT id, NAME, title FROM person NATURAL JOIN land"
        let sound = try await verify([
            land + Self.person, Self.rebuild(query.replacing("NAME", with: "name")),
        ])
        #expect(sound.rules(.error).isEmpty, "\(sound.findings.map(\.line))")
        let broken = try await verify([
            land + Self.person, Self.rebuild(query.replacing("NAME", with: "lower(name) || '!'")),
        ])
        #expect(broken.rules(.error) == [.valuesChanged], "\(broken.findings.map(\.line))")
    }

    @Test func `an update from another table meets rows`() async throws {
        func steps(_ update: String) -> [String] {
            [
                Self.country + Self.person,
                "ALTER TABLE person ADD COLUMN country INTEGER;\n" + update,
                "CREATE TABLE p2(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL, country INTEGER NOT NULL); INSERT INTO p2 SELECT * FROM person; DROP TABLE person; ALTER TABLE p2 RENAME TO person;",
            ]
        }
        let sound = try await verify(
            steps("UPDATE person SET country = c.id FROM country c WHERE c.code = person.code;"))
        #expect(sound.rules(.error).isEmpty, "\(sound.findings.map(\.line))")
        let broken = try await verify(
            steps(
                "UPDATE person SET country = c.id, name = c.title FROM country c WHERE c.code = person.code;")
        )
        #expect(broken.rules(.error) == [.valuesChanged], "\(broken.findings.map(\.line))")
    }

    @Test func `rows without a partner are ordinary for a LEFT JOIN`() async throws {
        let query = "SELECT p.id, p.name, c.id FROM person p LEFT JOIN country c ON p.code = c.code"
        let report = try await verify([Self.country + Self.person, Self.rebuild(query)])
        #expect(report.rules(.error) == [.migrationFailed], "\(report.findings.map(\.line))")
        let filled = try await verify([
            Self.country + Self.person, Self.rebuild(query.replacing("c.id", with: "coalesce(c.id, 0)")),
        ])
        #expect(filled.rules(.error).isEmpty, "\(filled.findings.map(\.line))")
    }

    @Test func `some have one partner, some several, some none`() async throws {
        let outcome = try await RowCase(
            Self.country + Self.person,
            later:
                "INSERT INTO person SELECT p.id + 1000, c.title, p.code FROM person p JOIN country c ON p.code = c.code;"
        ).run(
            edges: true,
            asking: [
                "SELECT count(*) FROM person p WHERE id BETWEEN 1 AND 999999 AND NOT EXISTS (SELECT 1 FROM country c WHERE c.code = p.code)",
                "SELECT max(n) FROM (SELECT count(*) n FROM person WHERE id BETWEEN 1 AND 999999 GROUP BY code)",
                "SELECT count(*) > 0 FROM country c WHERE id < 1000000 AND NOT EXISTS (SELECT 1 FROM person p WHERE id < 1000000 AND c.code = p.code)",
                "SELECT count(*) > 0 FROM person p WHERE NOT EXISTS (SELECT 1 FROM country c WHERE c.code = p.code)",
                "SELECT max(n) > 1 FROM (SELECT p.id, count(*) n FROM person p JOIN country c ON p.code = c.code GROUP BY p.id)",
            ])
        #expect(outcome.answers == [["0"], ["2"], ["1"], ["1"], ["1"]])
    }

    @Test(arguments: [
        // A rebuild with REFERENCES on a column that was there.
        [
            country.replacing("code TEXT NOT NULL", with: "code TEXT NOT NULL UNIQUE") + person,
            "CREATE TABLE p2(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL REFERENCES country(code)); INSERT INTO p2 SELECT * FROM person; DROP TABLE person; ALTER TABLE p2 RENAME TO person;",
        ],
        // A column of another name that fills one.
        [
            country.replacing("code TEXT NOT NULL", with: "code TEXT NOT NULL UNIQUE") + person,
            "CREATE TABLE p2(id INTEGER PRIMARY KEY, name TEXT NOT NULL, land TEXT NOT NULL REFERENCES country(code)); INSERT INTO p2 SELECT id, name, code FROM person; DROP TABLE person; ALTER TABLE p2 RENAME TO person;",
        ],
        // The parent comes between.
        [
            person, "CREATE TABLE land(code TEXT PRIMARY KEY, title TEXT);",
            "CREATE TABLE p2(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL REFERENCES land); INSERT INTO p2 SELECT * FROM person; DROP TABLE person; ALTER TABLE p2 RENAME TO person;",
        ],
        // The parent is made of the column.
        [
            person.replacing("code TEXT NOT NULL", with: "code TEXT"),
            "CREATE TABLE land(code TEXT NOT NULL PRIMARY KEY); INSERT INTO land SELECT DISTINCT code FROM person; CREATE TABLE p2(id INTEGER PRIMARY KEY, name TEXT NOT NULL, code TEXT REFERENCES land); INSERT INTO p2 SELECT * FROM person; DROP TABLE person; ALTER TABLE p2 RENAME TO person;",
        ],
        // A number that becomes a reference.
        [
            "CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE pet(id INTEGER PRIMARY KEY, keeper INTEGER NOT NULL);",
            "CREATE TABLE pet2(id INTEGER PRIMARY KEY, keeper INTEGER NOT NULL REFERENCES owner(id)); INSERT INTO pet2 SELECT * FROM pet; DROP TABLE pet; ALTER TABLE pet2 RENAME TO pet;",
        ],
    ]) func `a column that becomes a foreign key has parents`(migrations: [String]) async throws {
        let report = try await verify(migrations)
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        #expect(report.replays.map(\.name) == ["probe"])
    }

    private static let feeds =
        "CREATE TABLE feed(id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE circle(id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, feeds TEXT NOT NULL);\n"
    private static let members =
        "CREATE TABLE member(circle TEXT NOT NULL REFERENCES circle(id), feed TEXT REFERENCES feed(id));\n"

    @Test(arguments: [
        "INSERT INTO member SELECT id, trim(feeds) FROM circle;",
        "INSERT INTO member SELECT c.id, substr(c.feeds, 1, instr(c.feeds || ',', ',') - 1) FROM circle AS c;",
        "INSERT INTO member(feed, circle) SELECT CAST(feeds AS TEXT), id FROM circle;",
        "INSERT INTO member SELECT id, CASE WHEN feeds = '' THEN NULL ELSE replace(feeds, ' ', '') END FROM circle;",
        "INSERT INTO member SELECT id, f FROM (SELECT id, rtrim(feeds, ',') AS f FROM circle);",
        "INSERT INTO member SELECT q.id, q.f FROM (SELECT c.id, rtrim(c.feeds, ',') f FROM circle c) AS q;",
        "WITH cut AS (SELECT id, rtrim(feeds, ',') AS f FROM circle), clean(id, f) AS (SELECT id, trim(f) FROM cut) INSERT INTO member SELECT c.id, c.f FROM clean c;",
        """
        WITH RECURSIVE split(circle, feed, rest) AS (
            SELECT
                id,
                trim(substr(feeds, 1, instr(feeds || ',', ',') - 1)),
                trim(substr(feeds, instr(feeds || ',', ',') + 1))
            FROM circle
            WHERE feeds IS NOT NULL AND feeds != ''
            UNION ALL
            SELECT
                circle,
                trim(substr(rest, 1, instr(rest || ',', ',') - 1)),
                trim(substr(rest, instr(rest || ',', ',') + 1))
            FROM split
            WHERE rest != ''
        )
        INSERT INTO member (circle, feed) SELECT circle, feed FROM split WHERE feed != '';
        """,
    ]) func `a column that fills a foreign key through functions and queries has parents`(fill: String)
        async throws
    {
        let report = try await verify([Self.feeds, Self.members + fill])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        // The rows do reach the statement: one that breaks each of them is an error.
        let broken = try await verify([
            Self.feeds, Self.members + fill + "UPDATE member SET feed = feed || '!';",
        ])
        #expect(broken.rules(.error).contains(.foreignKeyViolation), "\(broken.findings.map(\.line))")
    }

    @Test(arguments: ["id INTEGER PRIMARY KEY", "id INTEGER NOT NULL", "id INTEGER UNIQUE"])
    func `rows that are copied with others have one of them each`(key: String) async throws {
        let report = try await verify([
            "CREATE TABLE usr(id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE profile(\(key), bio TEXT NOT NULL);",
            """
            CREATE TABLE u2(id INTEGER PRIMARY KEY, name TEXT NOT NULL, bio TEXT NOT NULL);
            INSERT INTO u2 SELECT u.id, u.name, p.bio FROM usr u JOIN profile p ON p.id = u.id;
            DROP TABLE usr;
            ALTER TABLE u2 RENAME TO usr;
            """,
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        #expect(report.findings.contains { $0.rule == .rowsLost && $0.tags.contains(.probe) })
    }

    @Test func `an assignment that fills a foreign key has parents`() async throws {
        let report = try await verify([
            "CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE pet(id INTEGER PRIMARY KEY, keeper INTEGER NOT NULL);",
            "ALTER TABLE pet ADD COLUMN owner INTEGER REFERENCES owner(id); UPDATE pet SET owner = keeper;",
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test func `the same seed gives the same rows`() async throws {
        let sql = Self.country + Self.person
        let later = Self.rebuild(Self.queries[0].replacing("NAME", with: "name"))
        let first = try await RowCase(sql, later: later).run(edges: true, rounds: 2)
        let second = try await RowCase(sql, later: later).run(edges: true, rounds: 2)
        #expect(first.dump == second.dump)
    }
}
