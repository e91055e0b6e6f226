import DatabaseEngine
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// Ordinary rows: what a person would type.
@Suite struct OrdinaryFillTests {
    private func filled(_ rowCase: RowCase) async throws -> RowCase.Outcome {
        let outcome = try await rowCase.run()
        #expect(outcome.faults.isEmpty, "\(outcome.faults)")
        #expect(outcome.result.empty.isEmpty, "\(outcome.result.empty)")
        for (table, rows) in outcome.dump { #expect(!rows.isEmpty, "\(table)") }
        return outcome
    }

    @Test(arguments: ["GRDB", "NIO"])
    func `both engines insert the same rows`(engine: String) async throws {
        var rowCase = RowCase(
            "CREATE TABLE person(id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT); CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id), weight REAL);"
        )
        rowCase.engine = engine == "GRDB" ? GRDBDriver() : NIODriver()
        let outcome = try await filled(rowCase)
        #expect(outcome.dump["person"]?.count == 3)
        #expect(Set(outcome.values("pet", "person_id")).isStrictSubset(of: outcome.values("person", "id")))
        #expect(Set(outcome.values("person", "id")).isDisjoint(with: outcome.values("pet", "id")))
        #expect(outcome.texts("person", "email").allSatisfy { $0.contains("@") })
        let expected = try await filled(RowCase(rowCase.present))
        #expect(outcome.dump == expected.dump)
    }

    @Test func `each value of an enumeration is used`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE a(id INTEGER PRIMARY KEY, s TEXT NOT NULL CHECK (s IN ('x','y','z','it''s')),
                  t TEXT CHECK (t = 'p' OR t = 'q'), n INTEGER CHECK (n IN (1, 2, -3)), u CHECK ("u" IN ('v', 'w')));
                """))
        #expect(Set(outcome.texts("a", "s")) == ["x", "y", "z", "it's"])
        #expect(Set(outcome.texts("a", "t")) == ["p", "q"])
        #expect(Set(outcome.values("a", "n")) == [1, 2, -3])
        #expect(Set(outcome.texts("a", "u")) == ["v", "w"])
        #expect(outcome.dump["a"]?.count ?? 0 > 4)
    }

    @Test func `an enumeration of a parent table with 30 values is used whole`() async throws {
        let values = (1...30).map { "'v\($0)'" }.joined(separator: ",")
        let outcome = try await filled(
            RowCase(
                "CREATE TABLE kind(k TEXT PRIMARY KEY CHECK (k IN (\(values)))) WITHOUT ROWID; CREATE TABLE item(id INTEGER PRIMARY KEY, k TEXT NOT NULL REFERENCES kind);"
            ))
        #expect(outcome.dump["kind"]?.count == 30)
        #expect(Set(outcome.values("item", "k")).count == 30)
    }

    @Test func `a reference to the own table has a root and several levels`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE c(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES c);
                CREATE TABLE n(id INTEGER PRIMARY KEY, up INTEGER NOT NULL REFERENCES n(id));
                CREATE TABLE l(id TEXT PRIMARY KEY, next TEXT UNIQUE REFERENCES l(id));
                CREATE TABLE plain(id INTEGER PRIMARY KEY, parent_id INTEGER);
                """))
        for table in ["c", "plain"] {
            let ids = outcome.values(table, "id")
            #expect(outcome.values(table, "parent_id") == [.null, ids[0], ids[1]])
        }
        #expect(outcome.values("n", "up")[0] == outcome.values("n", "id")[0])
        #expect(outcome.values("l", "next").filter { $0 == .null }.count == 1)
    }

    @Test func `a key that has the name of its table refers to nothing`() async throws {
        let outcome = try await filled(
            RowCase(
                "CREATE TABLE iconRepository(iconRepository_id TEXT PRIMARY KEY, slug TEXT); CREATE TABLE pet(id INTEGER PRIMARY KEY, iconRepository_id TEXT, pet_id INTEGER);"
            ))
        #expect(outcome.dump["iconRepository"]?.count == 3)
        #expect(
            Set(outcome.values("pet", "iconRepository_id"))
                .isStrictSubset(of: outcome.values("iconRepository", "iconRepository_id")))
    }

    @Test func `circles are closed`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE team(id INTEGER PRIMARY KEY, lead_id INTEGER REFERENCES member(id));
                CREATE TABLE member(id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES team(id));
                CREATE TABLE a(id INTEGER PRIMARY KEY, b TEXT NOT NULL REFERENCES b(id));
                CREATE TABLE b(id TEXT PRIMARY KEY, c INTEGER NOT NULL REFERENCES c(id));
                CREATE TABLE c(id INTEGER PRIMARY KEY, a INTEGER NOT NULL REFERENCES a(id));
                """))
        #expect(!outcome.values("team", "lead_id").contains(.null))
        #expect(outcome.dump["b"]?.count == 3)
    }

    @Test func `composite keys and one-to-one references are kept`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE t(tenant INTEGER NOT NULL, no INTEGER NOT NULL, title TEXT, PRIMARY KEY (tenant, no));
                CREATE TABLE d(id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, no INTEGER NOT NULL, FOREIGN KEY (tenant, no) REFERENCES t);
                CREATE TABLE one(t_id INTEGER PRIMARY KEY REFERENCES d(id), text TEXT);
                CREATE TABLE tag(id INTEGER PRIMARY KEY);
                CREATE TABLE tagged(d INTEGER NOT NULL REFERENCES d(id), tag INTEGER NOT NULL REFERENCES tag(id), PRIMARY KEY (d, tag)) WITHOUT ROWID;
                """))
        #expect(outcome.dump["one"]?.count == 3)
        #expect(Set(outcome.values("tagged", "tag")).count == 2)
    }

    @Test func `keys that a migration inserts are not taken`() async throws {
        var rowCase = RowCase(
            "CREATE TABLE role(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE); CREATE TABLE k(key TEXT PRIMARY KEY CHECK (key IN ('a', 'b')), v);"
        )
        let free = try await filled(rowCase)
        let first = free.values("role", "id").map { "\($0)".filter(\.isNumber) }
        rowCase.later = [
            "INSERT INTO role(id, name) VALUES (\(first[0]), 'admin'), (\(first[2]), 'guest'); INSERT INTO k VALUES ('a', 1);"
        ]
        let outcome = try await filled(rowCase)
        #expect(outcome.dump["role"]?.count == 3)
        #expect(
            Set(outcome.values("role", "id")).isDisjoint(with: [
                free.values("role", "id")[0], free.values("role", "id")[2],
            ]))
        #expect(outcome.texts("k", "key") == ["b"])
    }

    @Test func `no NULL, and no two texts alike`() async throws {
        let outcome = try await filled(
            RowCase(
                "CREATE TABLE p(id INTEGER PRIMARY KEY, a TEXT, b TEXT, c VARCHAR(20), d, n INTEGER, m INTEGER, r REAL, x BLOB, dec DECIMAL(10,2), flag BOOLEAN);"
            ))
        for row in outcome.dump["p"] ?? [] {
            #expect(!row.contains(.null))
            #expect(Set(row).count == row.count || row.last == row[5])
        }
        let texts = ["a", "b", "c", "d"].flatMap { outcome.texts("p", $0) }
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { Double($0) == nil })
        #expect(Set(outcome.values("p", "flag")) == [0, 1])
        #expect(
            outcome.values("p", "r").allSatisfy {
                if case .real(let value) = $0 { value != value.rounded() } else { false }
            })
        #expect(
            outcome.values("p", "x").allSatisfy {
                if case .blob(let bytes) = $0 { !bytes.isEmpty } else { false }
            })
    }

    @Test func `names and defaults say what a column is for`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE m(id INTEGER PRIMARY KEY, createdAt DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, updated_at INTEGER,
                  born_on TEXT, due DATE, seen_at TEXT DEFAULT (datetime('now')), made INTEGER DEFAULT (unixepoch()), made_at INTEGER DEFAULT (unixepoch()),
                  home_url TEXT, external_uuid TEXT, phone TEXT, zip TEXT, settings TEXT, tags TEXT DEFAULT '[]', "e-mail" TEXT);
                """))
        func all(_ column: String, _ isRight: (String) -> Bool) {
            for text in outcome.texts("m", column) { #expect(isRight(text), "\(column): \(text)") }
        }
        all("createdAt") { $0.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil }
        all("seen_at") { $0.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/) != nil }
        all("born_on") { $0.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil }
        all("due") { $0.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil }
        #expect(
            outcome.values("m", "updated_at").allSatisfy {
                if case .integer(let value) = $0 { value > 1_600_000_000 } else { false }
            })
        #expect(
            outcome.values("m", "made_at").allSatisfy {
                if case .integer(let value) = $0 { value > 1_600_000_000 } else { false }
            })
        all("home_url") { $0.hasPrefix("https://") }
        all("external_uuid") { UUID(uuidString: $0) != nil }
        all("zip") { $0.hasPrefix("0") }
        all("settings") { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) is [String: Any] }
        all("e-mail") { $0.contains("@") }
    }

    @Test func `constraints are satisfied`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE c(id INTEGER PRIMARY KEY CHECK (id > 0),
                  seats INTEGER NOT NULL CHECK (seats BETWEEN 1 AND 9), share REAL CHECK (share > 0 AND share < 1),
                  code TEXT NOT NULL UNIQUE CHECK (length(code) BETWEEN 3 AND 12), two TEXT CHECK (length(two) = 2),
                  isbn TEXT CHECK (isbn GLOB '[0-9][0-9][0-9]-[A-Z]*'), mail TEXT CHECK (mail LIKE '%_@_%'), slug TEXT CHECK (slug NOT GLOB '*[^a-z0-9-]*'),
                  low TEXT CHECK (low = lower(low)), up TEXT CHECK (up = upper(up)), filled TEXT CHECK (trim(filled) <> ''),
                  nospace TEXT CHECK (nospace NOT LIKE '% %'), at TEXT CHECK (instr(at, '@') > 0), j TEXT CHECK (json_valid(j)), l TEXT CHECK (json_type(l) = 'array'),
                  day TEXT CHECK (day IS date(day)), old INTEGER CHECK (old % 7 = 3), n CHECK (typeof(n) IN ('integer', 'null')),
                  ends_on TEXT NOT NULL, starts_on TEXT NOT NULL, lo INTEGER CHECK (lo BETWEEN 1 AND 9), hi INTEGER CHECK (hi BETWEEN 1 AND 9),
                  CHECK (starts_on <= ends_on), CHECK (lo < hi));
                CREATE TABLE pick(id INTEGER PRIMARY KEY, a INTEGER, b TEXT, kind TEXT NOT NULL, extra TEXT,
                  CHECK ((a IS NULL) <> (b IS NULL)),
                  CHECK ((kind = 'with' AND extra IS NOT NULL) OR (kind = 'without' AND extra IS NULL)));
                CREATE TABLE three(id INTEGER PRIMARY KEY, a TEXT, b TEXT, c TEXT, CHECK ((a IS NOT NULL) + (b IS NOT NULL) + (c IS NOT NULL) = 1));
                CREATE TABLE chosen(id INTEGER PRIMARY KEY, k TEXT, v INTEGER, CHECK (CASE k WHEN 'big' THEN v > 100 WHEN 'small' THEN v < 10 ELSE 0 END));
                CREATE TABLE single(id INTEGER PRIMARY KEY CHECK (id = 1), v TEXT);
                """))
        #expect(outcome.dump["c"]?.count ?? 0 >= 3)
        #expect(Set(outcome.values("c", "old")).count >= 1)
        #expect(Set(outcome.texts("pick", "kind")) == ["with", "without"])
        #expect(outcome.values("pick", "a").contains(.null) && outcome.values("pick", "b").contains(.null))
        #expect(["a", "b", "c"].allSatisfy { outcome.values("three", $0).contains { $0 != .null } })
        #expect(Set(outcome.texts("chosen", "k")) == ["big", "small"])
        #expect(outcome.dump["single"]?.count == 1)
    }

    @Test func `the usual forms of CHECK are satisfied`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE a1(id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36), d TEXT CHECK (datetime(d) IS d), e TEXT CHECK (json_extract(e, '$.a') IS NOT NULL));
                CREATE TABLE a2(id INTEGER PRIMARY KEY, mail TEXT CHECK (mail LIKE '%_@__%.__%'), code TEXT CHECK (length(code) = 5 AND code GLOB '[A-Z]*'),
                  cc TEXT UNIQUE CHECK (cc = upper(cc) AND length(cc) = 3), lat REAL CHECK (lat BETWEEN -90 AND 90), h BLOB UNIQUE CHECK (length(h) = 33));
                CREATE TABLE a3(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, CHECK (a + b = 100));
                CREATE TABLE a4(id INTEGER PRIMARY KEY, ts INTEGER CHECK (ts > 1600000000000), day TEXT CHECK (day GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'),
                  t TEXT CHECK (t LIKE '____-__-__T__:__:__Z'), num TEXT CHECK (CAST(num AS INTEGER) > 0), hex TEXT UNIQUE CHECK (hex NOT GLOB '*[^0-9a-f]*' AND length(hex) = 8));
                CREATE TABLE a5(id INTEGER PRIMARY KEY, status TEXT CHECK (status IN ('open', 'done')), done_at TEXT, CHECK ((status = 'done') = (done_at IS NOT NULL)));
                CREATE TABLE a6(id INTEGER PRIMARY KEY REFERENCES a2(id), a1 TEXT REFERENCES a1(id), a2 INTEGER REFERENCES a2(id), CHECK (a1 IS NOT NULL OR a2 IS NOT NULL), CHECK (a1 IS NULL OR a2 IS NULL));
                CREATE TABLE a7(x INTEGER, y INTEGER, px INTEGER, py INTEGER, PRIMARY KEY (x, y), FOREIGN KEY (px, py) REFERENCES a7(x, y));
                CREATE TABLE a8(id INTEGER PRIMARY KEY, owner INTEGER NOT NULL);
                CREATE TRIGGER fk BEFORE INSERT ON a8 BEGIN SELECT RAISE(ROLLBACK, 'violates fk') WHERE (SELECT id FROM a2 WHERE id = NEW.owner) IS NULL; END;
                CREATE TABLE a9(f INTEGER NOT NULL REFERENCES a2(id), t INTEGER NOT NULL REFERENCES a2(id), CHECK (f <> t), UNIQUE (f, t));
                """))
        for (table, rows) in outcome.dump { #expect(rows.count >= 3, "\(table)") }
        #expect(outcome.values("a6", "a1").contains(.null) && outcome.values("a6", "a2").contains(.null))
    }

    @Test func `triggers have their say`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE t(id INTEGER PRIMARY KEY, age INTEGER, name TEXT);
                CREATE TRIGGER t_age BEFORE INSERT ON t WHEN NEW.age > 150 BEGIN SELECT RAISE(ABORT, 'too old'); END;
                CREATE TRIGGER t_name BEFORE INSERT ON t BEGIN SELECT CASE WHEN NEW.name NOT LIKE 'Mr %' THEN RAISE(FAIL, 'no title') END; END;
                CREATE TRIGGER t_even BEFORE INSERT ON t BEGIN SELECT RAISE(IGNORE) WHERE NEW.age < 18; END;
                CREATE TABLE log(id INTEGER PRIMARY KEY, what TEXT);
                CREATE TRIGGER t_log AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES (NEW.name); END;
                """))
        #expect(outcome.dump["t"]?.count == 3)
        #expect(outcome.dump["log"]?.count ?? 0 >= 6)
    }

    @Test func `values that queries compare with occur, and others`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE task(id INTEGER PRIMARY KEY, status TEXT NOT NULL, priority INTEGER, note TEXT, label TEXT);
                CREATE UNIQUE INDEX one_open ON task(label) WHERE note = 'draft';
                CREATE VIEW v AS SELECT * FROM task t WHERE t.status = 'done';
                """,
                later:
                    "UPDATE task SET note = 'zzz' WHERE status IN ('old', 'older') AND priority = 7; UPDATE task SET label = CASE priority WHEN 8 THEN 'x' ELSE label END;",
                "CREATE TABLE other(id INTEGER PRIMARY KEY, status TEXT); DELETE FROM other WHERE status = 'foreign';"
            ))
        let states = outcome.texts("task", "status")
        #expect(Set(states).isSuperset(of: ["done", "old", "older"]))
        #expect(states.contains { !["done", "old", "older"].contains($0) })
        #expect(!states.contains("foreign"))
        #expect(Set(outcome.values("task", "priority")).isSuperset(of: [7, 8]))
        #expect(
            outcome.texts("task", "note").contains("draft") && !outcome.texts("task", "note").contains("zzz"))
    }

    @Test func `what later migrations demand is kept`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE owner(id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE t(id INTEGER PRIMARY KEY, state TEXT NOT NULL, doc TEXT, owner INTEGER, amount INTEGER, boss INTEGER REFERENCES t(id), kind TEXT CHECK (kind IN ('a','b','c')));
                """,
                later:
                    "CREATE INDEX t_doc ON t(json_extract(doc, '$.k')); CREATE UNIQUE INDEX t_one ON t(owner);",
                """
                CREATE TABLE t_new(id INTEGER PRIMARY KEY, status TEXT NOT NULL CHECK (status IN ('open', 'shut')), doc TEXT, owner INTEGER NOT NULL REFERENCES owner(id), amount INTEGER CHECK (amount BETWEEN 10 AND 20), boss INTEGER NOT NULL, kind TEXT CHECK (kind IN ('a','b')));
                DROP TABLE t; ALTER TABLE t_new RENAME TO t; ALTER TABLE t RENAME COLUMN status TO state2;
                """,
                "ALTER TABLE t RENAME COLUMN state2 TO status; ALTER TABLE t RENAME TO ticket;"))
        #expect(outcome.texts("t", "doc").allSatisfy { $0.contains("\"k\"") })
        #expect(outcome.values("t", "owner").allSatisfy(outcome.values("owner", "id").contains))
        #expect(Set(outcome.values("t", "owner")).count == outcome.dump["t"]?.count)
        #expect(
            outcome.values("t", "amount").allSatisfy {
                if case .integer(let value) = $0 { (10...20).contains(value) } else { false }
            })
        #expect(!outcome.values("t", "boss").contains(.null))
        #expect(Set(outcome.texts("t", "kind")).isSubset(of: ["a", "b"]))
    }

    @Test func `renamed columns keep what their new names demand`() async throws {
        let outcome = try await filled(
            RowCase(
                "CREATE TABLE a(id INTEGER PRIMARY KEY, s TEXT);",
                later: "ALTER TABLE a RENAME COLUMN s TO state; ALTER TABLE a RENAME TO b;",
                "CREATE TABLE b2(id INTEGER PRIMARY KEY, state TEXT CHECK (state IN ('on', 'off'))); INSERT INTO b2 SELECT * FROM b; DROP TABLE b; ALTER TABLE b2 RENAME TO b;"
            ))
        #expect(Set(outcome.texts("a", "s")) == ["on", "off"])
    }

    @Test func `a later demand that cannot be met is dropped`() async throws {
        let outcome = try await filled(
            RowCase(
                "CREATE TABLE a(id INTEGER PRIMARY KEY, s TEXT CHECK (s IN ('x', 'y')));",
                later:
                    "CREATE TABLE a2(id INTEGER PRIMARY KEY, s TEXT CHECK (s IN ('X', 'Y'))); DROP TABLE a; ALTER TABLE a2 RENAME TO a;"
            ))
        #expect(Set(outcome.texts("a", "s")) == ["x", "y"])
    }

    @Test func `STRICT, WITHOUT ROWID, generated columns, odd names and collations`() async throws {
        let outcome = try await filled(
            RowCase(
                """
                CREATE TABLE s(id INTEGER PRIMARY KEY, i INT, r REAL, t TEXT, b BLOB, x ANY, flag INTEGER, at TEXT) STRICT;
                CREATE TABLE w(a TEXT NOT NULL, b INTEGER NOT NULL, c REAL, PRIMARY KEY (a, b)) WITHOUT ROWID;
                CREATE TABLE g(id INTEGER PRIMARY KEY, price REAL, n INTEGER, total REAL AS (price * n) STORED UNIQUE, v TEXT AS (id || 'x'));
                CREATE TABLE "order ""x"" y"("select" TEXT NOT NULL, [a b] TEXT, `it's` INTEGER, "é" TEXT, rowid TEXT, CHECK ("select" <> ''));
                CREATE TABLE nc(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE, other TEXT, UNIQUE (other COLLATE RTRIM));
                CREATE TABLE k(a TEXT PRIMARY KEY, b);
                """))
        #expect(outcome.dump["s"]?.count == 3)
    }

    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func `UTF-16 databases are filled`(encoding: String) async throws {
        let outcome = try await filled(
            RowCase(
                "PRAGMA encoding = '\(encoding)'; CREATE TABLE a(name TEXT PRIMARY KEY, s TEXT CHECK (s IN ('ä', 'b'))); CREATE TABLE b(id INTEGER PRIMARY KEY, a TEXT NOT NULL REFERENCES a(name));"
            ))
        #expect(Set(outcome.values("b", "a")).isStrictSubset(of: outcome.values("a", "name")))
    }

    @Test func `virtual tables are filled as an app would`() async throws {
        let outcome = try await RowCase(
            """
            CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT);
            CREATE VIRTUAL TABLE kept USING fts5(title, body, content='note', content_rowid='id');
            CREATE TRIGGER ai AFTER INSERT ON note BEGIN INSERT INTO kept(rowid, title, body) VALUES (new.id, new.title, new.body); END;
            CREATE VIRTUAL TABLE built USING fts5(title, content='note', content_rowid='id');
            CREATE VIRTUAL TABLE own USING fts5(a, b UNINDEXED);
            CREATE VIRTUAL TABLE old USING fts4(a, b, tokenize=porter);
            CREATE VIRTUAL TABLE none USING fts5(a, content='');
            CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1, +label);
            CREATE VIRTUAL TABLE words USING fts5vocab(own, row);
            CREATE VIEW v AS SELECT * FROM note;
            """
        ).run(asking: [
            "SELECT count(*) FROM kept WHERE kept MATCH 'title'",
            "SELECT count(*) FROM built WHERE built MATCH 'title'",
            "SELECT count(*) FROM own", "SELECT count(*) FROM old",
            "SELECT count(*) FROM none WHERE none MATCH 'a'",
            "SELECT count(*) FROM box WHERE x0 <= x1 AND y0 <= y1 AND label IS NOT NULL",
        ])
        #expect(outcome.faults.isEmpty)
        #expect(outcome.answers == [["3"], ["3"], ["3"], ["3"], ["3"], ["3"]])
        #expect(outcome.result.empty.map(\.table) == ["words"])
        #expect(outcome.reason("words")?.contains("fts5vocab") == true)
    }

    @Test func `another round adds rows with other keys`() async throws {
        let outcome = try await RowCase(
            "CREATE TABLE a(id INTEGER PRIMARY KEY, name TEXT UNIQUE, x INTEGER UNIQUE); CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER UNIQUE REFERENCES a(id));"
        ).run(rounds: 3)
        #expect(outcome.faults.isEmpty)
        #expect(outcome.dump["a"]?.count == 9)
        #expect(outcome.dump["b"]?.count == 9)
    }

    @Test func `foreign keys are as before, and need not be enforced`() async throws {
        for isOn in [true, false] {
            var rowCase = RowCase(
                "CREATE TABLE a(id INTEGER PRIMARY KEY, b INTEGER NOT NULL REFERENCES b(id)); CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id)); CREATE TABLE c(id INTEGER PRIMARY KEY, x INTEGER REFERENCES missing(id));"
            )
            rowCase.foreignKeys = isOn
            let outcome = try await rowCase.run(asking: ["PRAGMA foreign_keys"])
            #expect(outcome.answers == [[isOn ? "1" : "0"]])
            #expect(outcome.faults.isEmpty)
            #expect(outcome.dump.values.allSatisfy { $0.count == 3 })
        }
    }
}
