import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockLock
@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// Migrations without a snapshot.
struct ProbeReplayTests {
    private static let people = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
        CREATE TABLE pet (
          id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id) ON DELETE CASCADE,
          name TEXT NOT NULL, weight REAL);
        """
    private static let rebuild = """
        CREATE TABLE person_new (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, born TEXT);
        INSERT INTO person_new (id, email, name) SELECT id, email, name FROM person;
        DROP TABLE person;
        ALTER TABLE person_new RENAME TO person;
        """
    static let engines: [any Engine] = [GRDBDriver(), NIODriver()]

    private func verify(
        _ migrations: [String], _ engine: any Engine = GRDBDriver(),
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        let folder = try TemporaryFolder()
        for (index, sql) in migrations.enumerated() {
            try folder.write("Migrations/v\(index + 1).sql", sql)
        }
        return try await folder.verify(engine) {
            $0.snapshots.isFolderNamed = false
            configure(&$0)
        }
    }

    private let immediate = "-- drydock: foreign-keys immediate\n"

    @Test(arguments: [0, 1]) func `a cascade is found, and the fewest rows show it`(_ engine: Int)
        async throws
    {
        let report = try await verify([Self.people, immediate + Self.rebuild], Self.engines[engine])
        let finding = try report.finding(.rowsLost)
        #expect(finding.severity == .error && finding.table == "pet" && !finding.tags.contains(.probe))
        let example = try #require(finding.counterexample)
        #expect(example.isSmallest)
        #expect(example.inserts.count == 2, "\(example.inserts)")
        #expect(example.inserts[0].hasPrefix("INSERT INTO person "))
        #expect(example.inserts[1].hasPrefix("INSERT INTO pet "))
        // Pasted into SQLite's own shell, it shows the loss.
        let database = try PlainDatabase(":memory:")
        for sql in example.schema + example.inserts { try database.execute(sql) }
        #expect(try database.firstRow("SELECT count(*) FROM pet") { $0.integer(0) } == 1)
        for sql in example.migration { try database.execute(sql) }
        #expect(try database.firstRow("SELECT count(*) FROM pet") { $0.integer(0) } == 0)
        let replay = try #require(report.replays.first)
        #expect(replay.isProbe && replay.steps.count == 2 && replay.rowsGenerated >= 6)
    }

    @Test func `a good rebuild passes`() async throws {
        let report = try await verify([Self.people, Self.rebuild])
        report.expectNothing()
        #expect(report.hasPassed)
    }

    @Test func `what comes behind a migration that fails is checked as well`() async throws {
        let report = try await verify([
            Self.people, "ALTER TABLE pet ADD COLUMN species TEXT NOT NULL;", immediate + Self.rebuild,
        ])
        report.expect(errors: [.migrationFailed, .rowsLost])
        #expect(report.replays.map(\.name) == ["probe", "probe after v2"])
        let failure = try report.finding(.migrationFailed)
        #expect(failure.tags.contains(.dataDependent))
        // A pet does not come without a person.
        #expect(failure.counterexample?.inserts.count == 2)
    }

    @Test func `a migration that fails without rows ends the run`() async throws {
        let report = try await verify([Self.people, "DROP TABLE nothing;", Self.rebuild])
        #expect(report.rules(.error) == [.migrationFailed])
        #expect(report.replays.count == 1 && report.replays[0].pendingCount == 2)
        #expect(!report.notChecked.isEmpty)
    }

    @Test func `rare rows are a warning`() async throws {
        let report = try await verify([
            "CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT NOT NULL, name TEXT);",
            "CREATE UNIQUE INDEX person_email ON person (email);",
        ])
        report.expect(warnings: [.migrationFailed])
        let finding = try report.finding(.migrationFailed)
        #expect(finding.tags == [.probe] && report.hasPassed)
        #expect(finding.counterexample?.inserts.count == 2, "\(finding.counterexample?.inserts ?? [])")
    }

    @Test func `a table that a later migration empties gets rows again`() async throws {
        let report = try await verify([
            Self.people, "-- drydock: deletes from pet\nDELETE FROM pet;", "DELETE FROM pet;",
        ])
        report.expect(errors: [.rowsLost])
        #expect(try report.finding(.rowsLost).migration == "v3")
    }

    @Test func `a later foreign key to a table that does not exist yet is kept with NULL`() async throws {
        let report = try await verify([
            "CREATE TABLE cipher (id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner TEXT);",
            """
            CREATE TABLE owner (id TEXT NOT NULL PRIMARY KEY);
            CREATE TABLE cipher_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL, owner TEXT REFERENCES owner (id));
            INSERT INTO cipher_new SELECT id, name, owner FROM cipher;
            DROP TABLE cipher;
            ALTER TABLE cipher_new RENAME TO cipher;
            """,
        ])
        #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
    }

    @Test(arguments: [0, 1]) func `a loop that unusual rows make endless is not checked with them`(
        _ engine: Int
    ) async throws {
        let report = try await verify(
            [
                "CREATE TABLE line (id INTEGER PRIMARY KEY, quantity INTEGER NOT NULL CHECK (quantity > 0));",
                """
                CREATE TABLE ticket (id INTEGER PRIMARY KEY, line_id INTEGER NOT NULL);
                INSERT INTO ticket (line_id) WITH RECURSIVE n (id, i, last) AS (
                  SELECT id, 1, quantity FROM line UNION ALL SELECT id, i + 1, last FROM n WHERE i < last)
                SELECT id FROM n;
                """,
            ], Self.engines[engine]
        ) { $0.probes.edgeInstructionLimit = 5_000_000 }
        report.expect(notChecked: [.migrationFailed])
        #expect(report.notChecked[0].reason.contains("unusual rows"))
    }

    @Test(arguments: [0, 1])
    func `a loop that ordinary rows make endless is an error, and what follows is tried`(
        _ engine: Int
    ) async throws {
        let report = try await verify(
            [
                "CREATE TABLE line (id INTEGER PRIMARY KEY, quantity INTEGER NOT NULL);",
                """
                CREATE TABLE step AS WITH RECURSIVE n (i) AS (
                  SELECT quantity FROM line UNION ALL SELECT i + 1 FROM n WHERE i <> -1) SELECT i FROM n;
                """,
                "DELETE FROM line;",
            ], Self.engines[engine]
        ) { $0.probes.instructionLimit = 2_000_000 }
        let finding = try report.finding(.timeLimit)
        #expect(finding.severity == .error && finding.migration == "v2", "\(finding.line)")
        #expect(finding.message.contains("2 million instructions of SQLite, in "), "\(finding.message)")
        #expect(finding.place?.line == 1)
        #expect(report.rules(.error).contains(.rowsLost))
    }

    @Test(arguments: [
        ("DELETE FROM line WHERE id NOT IN (SELECT id FROM line ORDER BY id DESC LIMIT 1000)", "LIMIT 1000"),
        ("DELETE FROM line WHERE id IN (SELECT id FROM line LIMIT -1 OFFSET 3)", "OFFSET 3"),
        ("CREATE TABLE kept AS SELECT * FROM line LIMIT 5, 1", "LIMIT 5, 1"),
        ("CREATE TABLE kept AS SELECT * FROM line LIMIT 10000", "a snapshot may have enough"),
        ("DELETE FROM line WHERE id IN (SELECT id FROM line LIMIT 0)", nil),
        ("CREATE VIEW newest AS SELECT * FROM line LIMIT 1000", nil),
        (
            "INSERT INTO line SELECT i FROM (WITH RECURSIVE n (i) AS (SELECT 70000000 UNION ALL SELECT i + 1 FROM n) "
                + "SELECT i FROM n LIMIT 1000)", nil
        ),
    ])
    func `a limit beyond the generated rows is not checked`(_ sql: String, _ text: String?) async throws {
        let report = try await verify(["CREATE TABLE line (id INTEGER PRIMARY KEY);", sql + ";"])
        let reasons = report.notChecked.map(\.reason).filter {
            $0.contains("than a table has generated rows")
        }
        #expect(reasons.count == (text == nil ? 0 : 1), "\(reasons)")
        if let text { #expect(reasons.first?.contains(text) == true, "\(reasons)") }
    }

    @Test func `a limit is checked where there are more rows`() async throws {
        let sql = "DELETE FROM line WHERE id NOT IN (SELECT id FROM line ORDER BY id DESC LIMIT 10);"
        let report = try await verify(["CREATE TABLE line (id INTEGER PRIMARY KEY);", sql]) {
            $0.probes.rowCount = 11
        }
        #expect(try report.finding(.rowsLost).evidence?.rowCount == 1)
        #expect(report.notChecked.isEmpty, "\(report.notChecked)")
    }

    @Test func `every way of a cascade is named`() async throws {
        let report = try await verify([
            """
            CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE pet (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES Person (id) ON DELETE CASCADE);
            CREATE TABLE visit (id INTEGER PRIMARY KEY, pet_id INTEGER NOT NULL REFERENCES "PET" (id) ON DELETE CASCADE);
            CREATE TABLE bill (id INTEGER PRIMARY KEY, visit_id INTEGER REFERENCES visit (id) ON DELETE SET NULL);
            """,
            immediate + """
                CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT, born TEXT);
                INSERT INTO new (id, name) SELECT id, name FROM person;
                DROP TABLE person;
                ALTER TABLE new RENAME TO person;
                """,
        ]) { $0.migrations.format = "drydock" }
        let causes = report.findings.filter { $0.severity == .error }.reduce(into: [String: String]()) {
            $0[$1.table ?? ""] = String($1.message.split(separator: ": ", maxSplits: 1).last ?? "")
        }
        let start = "DROP TABLE person in line 4 deletes"
        #expect(causes["pet"] == "\(start) what they reference, and ON DELETE CASCADE acts on them")
        #expect(
            causes["visit"]
                == "\(start) what they reference (through pet), and ON DELETE CASCADE acts on them")
        #expect(
            causes["bill"]
                == "\(start) what they reference (through pet and visit), and ON DELETE SET NULL acts on them"
        )
    }

    @Test func `a view may name a column like itself`() async throws {
        let report = try await verify([
            "CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER); CREATE VIEW total AS SELECT sum(x) AS total FROM t;",
            "DROP VIEW total; ALTER TABLE t ADD COLUMN y TEXT;",
        ])
        report.expectNothing()
    }

    @Test func `a released migration that fails without rows hides nothing that comes after it`() async throws
    {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", "CREATE TABLE t (id INTEGER PRIMARY KEY); SELECT missing(1);")
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        var lock = LockRequest()
        lock.migrations.folder = folder.file("Migrations")
        lock.snapshotsFolder = folder.file("Snapshots")
        lock.path = folder.file("drydock.lock")
        _ = try await Locker(engine: GRDBDriver()).run(lock)
        try folder.write("Migrations/v2.sql", "DELETE FROM t;")
        let report = try await folder.verify {
            $0.snapshots.isFolderNamed = false
            $0.lock = lock.path
        }
        #expect(report.rules(.error) == [.nothingVerified], "\(report.findings.map(\.line))")
    }

    @Test func `a refused check of all foreign keys has its rows`() async throws {
        let report = try await verify([Self.people, "DELETE FROM person;"])
        let finding = try report.finding(.migrationFailed)
        #expect(finding.counterexample?.inserts.count == 2, "\(finding.counterexample?.inserts ?? [])")
    }

    @Test func `a failure for another reason is not taken for a counterexample`() async throws {
        let chain = (0..<70).map { number in
            "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, p INTEGER"
                + (number > 0 ? " REFERENCES t\(number - 1) (id));" : ");")
        }
        let report = try await verify([chain.joined(separator: "\n"), immediate + "DELETE FROM t9;"])
        let example = try #require(try report.finding(.migrationFailed).counterexample)
        #expect(example.inserts.count == 2, "\(example.inserts)")
    }

    @Test func `of very many columns only the needed ones remain`() async throws {
        let columns = (0..<300).map { "c\($0) TEXT NOT NULL DEFAULT 'x'" }.joined(separator: ", ")
        let report = try await verify([
            "CREATE TABLE t (id INTEGER PRIMARY KEY, \(columns));", "UPDATE t SET c7 = upper(c7);",
        ])
        let example = try #require(try report.finding(.valuesChanged).counterexample)
        // Any row will do, since the default changes too.
        #expect(example.inserts.count == 1 && example.inserts[0].count < 60, "\(example.inserts)")
    }

    @Test func `a table that nothing can fill is listed`() async throws {
        let report = try await verify([
            "CREATE TABLE sealed (id INTEGER PRIMARY KEY, x TEXT CHECK (x IS NULL AND x IS NOT NULL));",
            "ALTER TABLE sealed ADD COLUMN y TEXT;",
        ])
        report.expect(notChecked: [.rowsLost])
        #expect(report.notChecked[0].reason.hasPrefix("table sealed has no generated rows"))
    }

    @Test func `a schema that no migration makes is missing, and a base has it`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("sqldelight/com/P.sq", "CREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT, m TEXT);")
        try folder.write("sqldelight/com/1.sqm", "ALTER TABLE p ADD COLUMN m TEXT;")
        try folder.write("base.sql", "CREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT);")
        func verify(_ base: String?) async throws -> Report {
            try await folder.verify {
                $0.migrations.folder = folder.file("sqldelight")
                $0.snapshots.isFolderNamed = false
                $0.migrations.options.base = base.map { SchemaBase(path: folder.file($0)) }
            }
        }
        let missing = try await verify(nil)
        #expect(missing.rules(.error) == [.nothingVerified], "\(missing.findings.map(\.line))")
        let report = try await verify("base.sql")
        report.expectNothing()
        #expect(report.replays[0].rowsGenerated == 3 && report.steps == ["1"])
    }

    @Test func `a table that takes no unusual row is listed`() async throws {
        let report = try await verify([
            "CREATE TABLE settings (id INTEGER PRIMARY KEY CHECK (id = 1), theme TEXT);",
            "CREATE UNIQUE INDEX settings_theme ON settings (theme);",
        ])
        report.expect(notChecked: [.rowsLost])
        #expect(
            report.notChecked.first?.reason.hasPrefix("table settings has only ordinary rows before v2")
                == true,
            "\(report.notChecked.map(\.reason))")
    }

    @Test(arguments: ["(k TEXT PRIMARY KEY, v ANY) STRICT", "(k TEXT PRIMARY KEY, v)"])
    func `a column that keeps every class has numbers too`(_ columns: String) async throws {
        let report = try await verify([
            "CREATE TABLE s \(columns);",
            "UPDATE s SET v = CAST(v AS TEXT);",
        ])
        let finding = try report.finding(.valuesChanged)
        #expect(finding.severity == .warning)
        #expect(
            finding.evidence?.rows.contains { $0.before?.literal == "5" && $0.after?.literal == "'5'" }
                == true,
            "\(finding.message)")
    }

    @Test func `tables of a base get rows before the first migration`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("base.sql", Self.people)
        try folder.write("Migrations/v1.sql", immediate + Self.rebuild)
        let report = try await folder.verify {
            $0.snapshots.isFolderNamed = false
            $0.migrations.options.base = SchemaBase(path: folder.file("base.sql"))
        }
        report.expect(errors: [.rowsLost])
    }

    @Test func `a declaration that generated rows do not need is not unused`() async throws {
        let report = try await verify([
            Self.people,
            "-- drydock: deletes from pet where weight > 1e300\nDELETE FROM pet WHERE weight > 1e300;",
        ])
        report.expectNothing()
    }

    // MARK: - When

    @Test func `a named folder without a snapshot is an error`() async throws {
        let report = try await verify([Self.people, Self.rebuild]) {
            try? FileManager.default.createDirectory(
                atPath: $0.snapshots.folder, withIntermediateDirectories: true)
            $0.snapshots.isFolderNamed = true
        }
        report.expect(errors: [.nothingVerified])
    }

    @Test func `they are made beside snapshots if asked, and never if not wanted`() async throws {
        let scenario = Scenario(Self.people, steps: immediate + Self.rebuild)
        let alone = try await scenario.verify()
        #expect(alone.replays.map(\.isProbe) == [false] && alone.hasPassed)
        let both = try await scenario.verify { $0.probes.use = .always }
        #expect(both.replays.map(\.isProbe) == [false, true])
        both.expect(errors: [.rowsLost])
        await #expect(throws: RequestError.self) {
            try await verify([Self.people]) {
                $0.probes.use = .never
                $0.snapshots.folder += "/missing"
            }
        }
    }

    @Test func `what a snapshot shows is not said again of generated rows`() async throws {
        let scenario = Scenario(
            Self.people,
            rows: "INSERT INTO person VALUES (1, 'a@x', 'Ada'); INSERT INTO pet VALUES (1, 1, 'Rex', 2.5);",
            steps: "UPDATE person SET name = 'x';", "DELETE FROM pet WHERE weight > 100")
        let report = try await scenario.verify { $0.probes.use = .always }
        #expect(report.findings.filter { $0.rule == .valuesChanged }.map(\.snapshot?.isEmpty) == [false])
        #expect(report.findings.filter { $0.rule == .valuesChanged && $0.snapshot == "probe" }.isEmpty)
        // What no snapshot shows is.
        #expect(report.findings.contains { $0.rule == .rowsLost && $0.snapshot == "probe" })
    }

    @Test func `released migrations are checked only if asked`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", Self.people)
        try folder.write("Migrations/v2.sql", immediate + Self.rebuild)
        var lock = LockRequest()
        lock.migrations.folder = folder.file("Migrations")
        lock.snapshotsFolder = folder.file("Snapshots")
        lock.path = folder.file("drydock.lock")
        lock.migrations.format = "drydock"
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        _ = try await Locker(engine: GRDBDriver()).run(lock)
        func verify(_ all: Bool) async throws -> Report {
            try await folder.verify {
                $0.snapshots.isFolderNamed = false
                $0.lock = lock.path
                $0.probes.includesReleased = all
            }
        }
        try await verify(false).expect(warnings: [.nothingVerified])
        try await verify(true).expect(errors: [.rowsLost])
        try folder.write("Migrations/v3.sql", "DROP TABLE pet;")
        try await verify(false).expect(errors: [.tableDropped])
    }

    @Test func `the same seed gives the same report`() async throws {
        func once(_ seed: UInt64) async throws -> [[String]] {
            let report = try await verify([Self.people, immediate + Self.rebuild]) { $0.probes.seed = seed }
            return report.findings.map { [$0.message] + ($0.counterexample?.inserts ?? []) }
        }
        #expect(try await once(3) == once(3))
    }
}
