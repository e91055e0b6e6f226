import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import TestTools
import Testing

@testable import DrydockReplay
@testable import DrydockShrink
@testable import DrydockTestSupport
@testable import DrydockVerify

/// What a finding is made small to has the cause that it had: the statement, and what that did to the rows.
@Suite struct FindingCauseTests {
    static let engines: [any Engine] = [GRDBDriver(), NIODriver()]

    /// People of whom some share an e-mail address or have none, and a pet for each.
    private static func people(_ count: Int = 300, email: String = "email TEXT") -> Scenario {
        Scenario(
            """
            CREATE TABLE person(id INTEGER PRIMARY KEY, \(email), name TEXT);
            CREATE TABLE pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id), weight TEXT);
            """,
            rows: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                    INSERT INTO person SELECT i, 'person' || (i % (\(count) - 6)) || '@example.com', 'Person number ' || i FROM n;
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                    INSERT INTO pet SELECT i, i, CASE WHEN i = 200 THEN '200.5 kg' ELSE i || '.5' END FROM n
                """)
    }

    private static func rebuild(_ definition: String, _ copy: String) -> String {
        """
        CREATE TABLE person_new(\(definition));
        \(copy) person_new SELECT id, email, name FROM person;
        DROP TABLE person;
        ALTER TABLE person_new RENAME TO person;
        """
    }

    private func shrink(
        _ scenario: Scenario, _ target: ShrinkTarget = ShrinkTarget(), _ engine: any Engine = GRDBDriver(),
        keepsValues: Bool = false
    ) async throws -> (shrunk: ShrunkFinding, folder: TemporaryFolder) {
        let folder = try scenario.write()
        var verify = VerifyRequest()
        verify.migrations.folder = folder.file("Migrations")
        verify.snapshots.folder = folder.file("Snapshots")
        var request = ShrinkRequest(verify, folder: folder.file("found"))
        (request.target, request.timeout, request.keepsValues) = (target, nil, keepsValues)
        let shrunk = try await Verifier(engine: engine).shrink(request)
        try ScriptCheck(shrunk, in: folder.file("found")).run()
        return (shrunk, folder)
    }

    private func inserts(_ shrunk: ShrunkFinding) throws -> [String] {
        try #require(shrunk.finding.counterexample?.inserts)
    }

    /// A row that the copy passes over is gone once its table is only dropped, too.
    @Test(arguments: engines) func aCopyThatIgnoresConflicts(_ engine: any Engine) async throws {
        var scenario = Self.people(email: "email TEXT NOT NULL")
        scenario.migrations.append(
            (
                "v2",
                Self.rebuild(
                    "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT", "INSERT OR IGNORE INTO")
            ))
        let (shrunk, _) = try await shrink(scenario, ShrinkTarget(rule: .migrationFailed), engine)
        #expect(shrunk.finding.message.contains("OR IGNORE"), "\(shrunk.finding.message)")
        #expect(shrunk.statements.after == 4 && shrunk.isSameCause && shrunk.project.isVerified)
        #expect(shrunk.rowCount == 3 && shrunk.project.others.isEmpty)
    }

    /// Two rows that share an address stay two rows: one without any would be passed over as well.
    @Test(arguments: engines) func aConflictStaysThatConflict(_ engine: any Engine) async throws {
        var scenario = Self.people()
        scenario.migrations.append(
            (
                "v2",
                Self.rebuild(
                    "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT", "INSERT OR IGNORE INTO")
            ))
        let (shrunk, _) = try await shrink(scenario, ShrinkTarget(), engine)
        #expect(shrunk.rowCount == 3 && shrunk.isSameCause)
        let people = try inserts(shrunk).filter { $0.contains("INTO person") }
        #expect(people.count == 2 && people.allSatisfy { $0.contains("email") }, "\(people)")
    }

    /// Without anything that refers to them, the rows are lost.
    @Test(arguments: ["INSERT OR IGNORE INTO", "INSERT OR REPLACE INTO", "REPLACE INTO"])
    func rowsThatACopyLoses(copy: String) async throws {
        var scenario = Self.people()
        scenario.rows += ";DELETE FROM pet"
        scenario.migrations.append(
            ("v2", Self.rebuild("id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT", copy)))
        let (shrunk, _) = try await shrink(scenario, ShrinkTarget(rule: .rowsLost))
        #expect(shrunk.finding.table == "person" && shrunk.finding.place?.line == 2)
        #expect(shrunk.rowCount == 2 && shrunk.isSameCause && shrunk.project.isVerified)
        let made = try inserts(shrunk)
        #expect(made.allSatisfy { $0.contains("email") }, "\(made)")
    }

    /// Where a definition says what is done with a conflict, no statement does.
    @Test func aTableThatIgnoresConflicts() async throws {
        var scenario = Self.people()
        scenario.rows += ";DELETE FROM pet"
        scenario.migrations.append(
            (
                "v2",
                Self.rebuild(
                    "id INTEGER PRIMARY KEY, email TEXT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT IGNORE, name TEXT",
                    "INSERT INTO")
            ))
        let (shrunk, _) = try await shrink(scenario, ShrinkTarget(rule: .rowsLost))
        #expect(shrunk.rowCount == 2 && shrunk.isSameCause)
        let made = try inserts(shrunk)
        #expect(made.allSatisfy { $0.contains("email") }, "\(made)")
    }

    /// Of values that changed, the one that is lost stays.
    @Test(arguments: engines, [true, false])
    func aReplacedValueStaysReplaced(_ engine: any Engine, keepsValues: Bool) async throws {
        var scenario = Self.people()
        scenario.migrations.append(
            (
                "v2",
                """
                CREATE TABLE pet_new(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id), weight REAL);
                INSERT INTO pet_new SELECT id, person_id, CAST(weight AS REAL) FROM pet;
                DROP TABLE pet;
                ALTER TABLE pet_new RENAME TO pet;
                """
            ))
        let (shrunk, _) = try await shrink(
            scenario, ShrinkTarget(rule: .valuesChanged), engine, keepsValues: keepsValues)
        #expect(shrunk.finding.column == "weight" && shrunk.isSameCause && shrunk.project.isVerified)
        // What was left out of the schema is nothing that verify finds there.
        #expect(shrunk.project.others.isEmpty, "\(shrunk.project.others)")
        let change = try #require(shrunk.finding.evidence?.rows.first)
        let (before, after) = (try #require(change.before?.literal), try #require(change.after?.literal))
        #expect(before != "'\(after)'", "\(before) only changed its storage class")
    }

    /// A message of SQLite names one of two constraints that the same statement may break.
    @Test(arguments: engines) func aConstraintStaysThatConstraint(_ engine: any Engine) async throws {
        let scenario = Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
            rows: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
                    INSERT INTO t SELECT i, 'first ' || (i % 48), 'second ' || (i % 48) FROM n
                """,
            steps:
                "CREATE TABLE u(id INTEGER PRIMARY KEY, b TEXT UNIQUE, a TEXT UNIQUE);\nINSERT INTO u SELECT id, b, a FROM t;"
        )
        let message = try #require(
            try await scenario.verify().findings.first { $0.rule == .migrationFailed }?.message)
        let (shrunk, _) = try await shrink(scenario, ShrinkTarget(rule: .migrationFailed), engine)
        let constraint = try #require(message.firstMatch(of: /UNIQUE constraint failed: [a-z.]+/)?.output)
        #expect(shrunk.finding.message.contains(constraint), "\(shrunk.finding.message)")
    }

    /// A rebuild loses two indexes; the first of them is what is made small.
    @Test func anIndexStaysThatIndex() async throws {
        let scenario = Scenario(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);CREATE INDEX x_b ON t(b);CREATE INDEX y_a ON t(a)",
            rows: "INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)",
            steps: """
                CREATE TABLE u(id INTEGER PRIMARY KEY, a, b);
                INSERT INTO u SELECT id, a, b FROM t;
                DROP TABLE t;
                ALTER TABLE u RENAME TO t;
                """)
        let message = try #require(
            try await scenario.verify().findings.first { $0.rule == .objectLost }?.message)
        let (shrunk, _) = try await shrink(scenario, ShrinkTarget(rule: .objectLost))
        #expect(shrunk.finding.message == message && shrunk.project.isVerified)
    }

    /// The time can be over before the cause is known.
    @Test func aSearchWithoutTimeSaysSo() async throws {
        var scenario = Self.people(3000)
        scenario.migrations.append(
            (
                "v2",
                Self.rebuild(
                    "id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT", "INSERT OR IGNORE INTO")
            ))
        let folder = try scenario.write()
        var verify = VerifyRequest()
        verify.migrations.folder = folder.file("Migrations")
        verify.snapshots.folder = folder.file("Snapshots")
        var request = ShrinkRequest(verify, folder: folder.file("found"))
        request.timeout = .microseconds(1)
        let (verifier, wanted) = (Verifier(engine: GRDBDriver()), request)
        let error = await #expect(throws: RequestError.self) { try await verifier.shrink(wanted) }
        #expect(error?.description.contains("--search-time") == true, "\(error?.description ?? "")")
        #expect(!FileManager.default.fileExists(atPath: folder.file("found")))
    }

    // MARK: - Any rebuild

    /// Whatever a rebuild does to rows, the smallest rows are lost, changed or refused in the same words, by the same
    /// statement, and the script makes the rows of the folder.
    @Test(arguments: seeds(4, of: 15)) func anyRebuild(seed: Int) async throws {
        var random = SeededGenerator(seed: seed)
        var scenario = Self.people(
            60,
            email: random.pick([
                "email TEXT", "email TEXT NOT NULL", "email TEXT DEFAULT (hex(randomblob(4)))",
            ]))
        let verb = random.pick(["INSERT INTO", "INSERT OR IGNORE INTO", "REPLACE INTO"])
        let email = random.pick([
            "email", "substr(email, 1, 8)", "CAST(email AS INTEGER)", "nullif(email, 'person7@example.com')",
        ])
        let condition = random.pick([
            "", "", " WHERE id <> 33", " WHERE name NOT LIKE '%7'", " GROUP BY email",
        ])
        let constraint = random.pick([
            "", "UNIQUE", "NOT NULL", "NOT NULL UNIQUE", "CHECK (length(email) > 5)",
        ])
        if random.chance(30) { scenario.rows += ";DELETE FROM pet WHERE id > 20" }
        scenario.migrations.append(
            (
                "v2",
                """
                CREATE TABLE other(a);
                CREATE TABLE person_new(id INTEGER PRIMARY KEY, email TEXT \(constraint), name TEXT);
                \(verb) person_new SELECT id, \(email), name FROM person\(condition);
                DROP TABLE person;
                ALTER TABLE person_new RENAME TO person;
                UPDATE pet SET weight = weight;
                """
            ))
        let errors = try await scenario.verify().findings.filter { $0.severity == .error }
        guard let first = errors.first else { return }
        let (shrunk, _) = try await shrink(
            scenario, ShrinkTarget(rule: first.rule, table: first.table), random.pick(Self.engines))
        #expect(shrunk.isSameCause && shrunk.project.isVerified && shrunk.isScriptExact)
        #expect(shrunk.finding.place?.statement == first.place?.statement)
        #expect(Self.words(shrunk.finding) == Self.words(first))
        let made = try inserts(shrunk)
        #expect(shrunk.rowCount <= 4, "\(made)")
        // The rebuild may also lose constraints, whatever the rows are.
        #expect(
            shrunk.project.others.allSatisfy { $0 == .constraintLost } || errors.count > 1,
            "\(shrunk.project.others)")
    }

    /// What a message says beside numbers and values; of values that changed, the worst.
    private static func words(_ finding: Finding) -> String {
        // What follows are values of rows.
        if let failed = finding.message.firstMatch(of: /constraint failed: [^:]+/) {
            return String(failed.output)
        }
        var text = finding.message.replacing(/'[^']*'|\b[0-9.]+\b/, with: "")
        text.replace(/\brows?\b/, with: "row")
        text.replace(/\b(are|is|were|was|have|has|references?)\b/, with: "")
        if finding.rule == .valuesChanged {
            let isReplaced =
                finding.message.contains("replaced") || !finding.message.contains("storage class")
            text = "\(finding.column ?? "") \(isReplaced)"
        }
        return text.split(whereSeparator: \.isWhitespace).prefix(12).joined(separator: " ")
    }
}

/// Runs the rows of a script in plain SQLite, where they must be those of the folder's snapshot.
struct ScriptCheck {
    let example: Counterexample
    let folder: String

    init(_ shrunk: ShrunkFinding, in folder: String) throws {
        (example, self.folder) = (try #require(shrunk.finding.counterexample), folder)
    }

    func run() throws {
        let plain = try PlainDatabase()
        for sql in example.schema + example.inserts { try plain.execute(sql) }
        let snapshot = try PlainDatabase(folder + "/Snapshots/shrunk.sqlite")
        let names = try plain.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite%'"
        ) { $0.string(0) }
        for name in names {
            let query = "SELECT * FROM \"\(name)\" ORDER BY 1"
            #expect(try plain.literals(query) == snapshot.literals(query), "\(name)")
        }
    }
}
