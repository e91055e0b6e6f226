import DatabaseEngine
import Drydock
import GRDBEngine
import NIOEngine
import OverlayVFS
import Testing

@testable import DrydockTestSupport

/// The results of GRDB and SwiftNIO for one migration.
@Suite struct EngineComparisonTests {
    private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b); CREATE INDEX i ON t(a);"
    private static let rows = "INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2.5), (3, NULL, x'00')"

    private func verify(_ steps: String...) async throws -> Report {
        try await Scenario(Self.schema, rows: Self.rows, steps: steps).write()
            .verify(comparingWith: NIODriver())
    }

    @Test func bothEnginesHaveTheSameResult() async throws {
        try await verify(
            "ALTER TABLE t ADD COLUMN c DEFAULT 7",
            """
            -- drydock: drops column t.b
            CREATE TABLE n(id INTEGER PRIMARY KEY, a TEXT, c); INSERT INTO n SELECT id, a, c FROM t;
            DROP TABLE t; ALTER TABLE n RENAME TO t; CREATE INDEX i ON t(a);
            """,
            "CREATE TABLE made(a TEXT PRIMARY KEY) WITHOUT ROWID, STRICT"
        ).expectNothing()
    }

    @Test func textInDoubleQuotes() async throws {
        let report = try await verify("-- drydock: rewrites t.a\nUPDATE t SET a = \"text\" WHERE id = 1")
        let finding = try report.finding(.engineDivergence)
        #expect(finding.severity == .error)
        #expect(finding.message == "v2 passes on nio and fails on grdb: no such column: text")
        #expect(finding.help.contains("Write strings as 'text'."))
        #expect(finding.migration == "v2")
    }

    @Test func aCollationThatOnlyGRDBAdds() async throws {
        let report = try await verify("CREATE INDEX localized ON t(a COLLATE swiftLocalizedCompare)")
        let finding = try report.finding(.engineDivergence)
        #expect(
            finding.message
                == "v2 passes on grdb and fails on nio: no such collation sequence: swiftLocalizedCompare")
        #expect(finding.help.contains("collation sequence swiftLocalizedCompare"))
    }

    /// Where there is no snapshot, both engines run each step on generated rows.
    @Test(arguments: [
        ("UPDATE t SET b = swiftUppercaseString(a)", true), ("UPDATE t SET b = upper(a)", false),
    ]) func bothEnginesRunOnGeneratedRows(_ step: String, _ differs: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", Self.schema)
        try folder.write("Migrations/v2.sql", "-- drydock: rewrites t.b\n" + step)
        let report = try await folder.verify(GRDBDriver(), comparingWith: NIODriver()) {
            $0.snapshots.isFolderNamed = false
        }
        let found = report.findings.filter { $0.rule == .engineDivergence }.map(\.message)
        let message = "v2 passes on grdb and fails on nio: no such function: swiftUppercaseString"
        #expect(found == (differs ? [message] : []), "\(report.findings.map(\.line))")
        #expect(report.replays.contains { $0.isProbe && $0.rowsGenerated > 0 })
    }

    /// The finding is about the whole file. What is said of a later statement does not hide it.
    @Test func aDivergenceIsIgnoredAboveTheFirstStatement() async throws {
        let ignore = "-- drydock: ignore engine-divergence because the app has only one engine\n"
        let index = "CREATE INDEX localized ON t(a COLLATE swiftLocalizedCompare)"
        #expect(!(try await verify(ignore + index)).findings.contains { $0.rule == .engineDivergence })
        _ = try await verify("\(index);\n\(ignore)CREATE TABLE n(x)").finding(.engineDivergence)
    }

    @Test func aFunctionThatOnlyGRDBAdds() async throws {
        let report = try await verify("-- drydock: rewrites t.a\nUPDATE t SET a = swiftUppercaseString(a)")
        #expect(
            try report.finding(.engineDivergence).message.hasSuffix("no such function: swiftUppercaseString"))
    }

    /// Where only the second engine's run finds no room, the engines do not differ.
    @Test func aFullFolderForTemporaryFilesIsNoDivergence() async throws {
        let plan = FaultPlan(failing: 1, of: [.write, .growth], with: .refused, isArmed: false)
        let report = try await Overlay.$faults.withValue(plan) {
            try await Scenario(Self.schema, rows: Self.rows, steps: ["ALTER TABLE t ADD COLUMN c DEFAULT 7"])
                .write().verify(comparingWith: ArmingEngine(plan: plan))
        }
        #expect(plan.hits == 1)
        #expect(!report.findings.contains { $0.rule == .engineDivergence }, "\(report.findings.map(\.line))")
        let missing = report.notChecked.first { $0.rule == .engineDivergence }
        #expect(
            missing?.reason.contains("v2 was not compared to its end: what it writes cannot be stored")
                == true)
    }

    /// SwiftNIO's engine, from whose first database on a plan counts what fails.
    private struct ArmingEngine: Engine {
        let plan: FaultPlan
        let name = "nio"

        func open(_ location: DatabaseLocation, settings: ConnectionSettings) async throws -> any OpenDatabase
        {
            let database = try await NIODriver().open(location, settings: settings)
            plan.arm()
            return database
        }
    }

    /// Another rule reports that both refuse it.
    @Test func aStepThatBothRefuseIsNotADivergence() async throws {
        let report = try await verify("INSERT INTO t(id) VALUES (1)")
        report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
    }

    /// Both engines see the same time and the same random numbers.
    @Test(arguments: [
        "CREATE TABLE n(a, b); INSERT INTO n VALUES (1, random()), (2, abs(random()) % 2), (3, hex(randomblob(16)))",
        "CREATE TABLE n(a, b DEFAULT (random())); INSERT INTO n(a) SELECT id FROM t ORDER BY random()",
        "CREATE TABLE n(a, b DEFAULT CURRENT_TIMESTAMP); INSERT INTO n(a) VALUES (1)",
        "CREATE TABLE n(a, b); INSERT INTO n VALUES (strftime('%Y-%m-%d %H:%M:%f', 'now'), julianday())",
        """
        CREATE TABLE n(a, b);
        CREATE TRIGGER n_made AFTER INSERT ON t BEGIN INSERT INTO n VALUES (random(), strftime('%f', 'now')); END;
        -- drydock: inserts into t
        INSERT INTO t(id) VALUES (9);
        """,
    ])
    func timeAndRandomNumbersAreTheSame(step: String) async throws { try await verify(step).expectNothing() }

    /// Steps do not begin with the same random numbers.
    @Test func randomNumbersContinueAcrossSteps() async throws {
        try await verify(
            "CREATE TABLE n(a PRIMARY KEY); INSERT INTO n VALUES (randomblob(16))",
            "-- drydock: inserts into n\nINSERT INTO n VALUES (randomblob(16))"
        ).expectNothing()
    }

    /// Values that differ every time do not hide other differences.
    @Test func otherDifferencesThanRandomValuesAreFound() async throws {
        let report = try await verify(
            """
            CREATE TABLE n(a INTEGER PRIMARY KEY, b, c);
            INSERT INTO n VALUES (1, random(), (SELECT count(*) FROM pragma_collation_list WHERE name LIKE 'swift%'));
            """)
        report.expect(errors: [.engineDivergence])
        #expect(
            try report.finding(.engineDivergence).message == "after v2, nio and grdb differ in 'n'.'c'"
        )
    }

    /// Each step begins with the result of the first engine.
    @Test func laterStepsAreComparedToo() async throws {
        let report = try await verify(
            "ALTER TABLE t ADD COLUMN c", "CREATE INDEX localized ON t(a COLLATE swiftLocalizedCompare)",
            "ALTER TABLE t ADD COLUMN d")
        // The connection of the last step finds an index that it cannot sort.
        #expect(report.findings.filter { $0.rule == .engineDivergence }.map(\.migration).first == "v3")
    }

    @Test func theWholeReplayRunsOnlyOnSwiftNIO() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: "ALTER TABLE t ADD COLUMN c", "DELETE FROM t WHERE id = 1"
        ).write().verify(NIODriver())
        report.expect(errors: [.rowsLost])
    }
}
