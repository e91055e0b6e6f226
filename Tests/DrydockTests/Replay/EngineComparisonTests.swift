import Drydock
import GRDBEngine
import NIOEngine
import Testing

/// What GRDB and SwiftNIO make of one migration.
@Suite struct EngineComparisonTests {
    private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b); CREATE INDEX i ON t(a);"
    private static let rows = "INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2.5), (3, NULL, x'00')"

    private func verify(_ steps: String...) async throws -> VerifyReport {
        try await Scenario(Self.schema, rows: Self.rows, steps: steps).write()
            .verify(comparingWith: NIODriver())
    }

    @Test func bothMakeTheSame() async throws {
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

    @Test func aFunctionThatOnlyGRDBAdds() async throws {
        let report = try await verify("-- drydock: rewrites t.a\nUPDATE t SET a = swiftUppercaseString(a)")
        #expect(
            try report.finding(.engineDivergence).message.hasSuffix("no such function: swiftUppercaseString"))
    }

    /// A rule of its own says that both refuse it.
    @Test func whatBothRefuseIsNoDivergence() async throws {
        let report = try await verify("INSERT INTO t(id) VALUES (1)")
        report.expect(errors: [.migrationFailed], notChecked: [.schemaMismatch])
    }

    @Test func whatOneEngineDoesNotMakeTwiceAlikeIsNotCompared() async throws {
        let report = try await verify("CREATE TABLE n(a, b); INSERT INTO n VALUES (1, random())")
        report.expect(notChecked: [.engineDivergence])
        #expect(report.notChecked[0].reason == "v2 does not make 'n'.'b' twice alike")
    }

    /// What is not the same every time hides nothing else.
    @Test func besidesWhatIsRandomTheRestIsCompared() async throws {
        let report = try await verify(
            """
            CREATE TABLE n(a INTEGER PRIMARY KEY, b, c);
            INSERT INTO n VALUES (1, random(), (SELECT count(*) FROM pragma_collation_list WHERE name LIKE 'swift%'));
            """)
        report.expect(errors: [.engineDivergence], notChecked: [.engineDivergence])
        #expect(
            try report.finding(.engineDivergence).message == "v2 leaves 'n'.'c' otherwise on nio than on grdb"
        )
    }

    /// Each step begins at what the first engine made.
    @Test func laterStepsAreComparedToo() async throws {
        let report = try await verify(
            "ALTER TABLE t ADD COLUMN c", "CREATE INDEX localized ON t(a COLLATE swiftLocalizedCompare)",
            "ALTER TABLE t ADD COLUMN d")
        // The last step's connection meets an index that it cannot order.
        #expect(report.findings.filter { $0.rule == .engineDivergence }.map(\.migration).first == "v3")
    }

    @Test func theWholeReplayRunsOnSwiftNIOAlone() async throws {
        let report = try await Scenario(
            Self.schema, rows: Self.rows,
            steps: "ALTER TABLE t ADD COLUMN c", "DELETE FROM t WHERE id = 1"
        ).write().verify(NIODriver())
        report.expect(errors: [.rowsLost])
    }
}
