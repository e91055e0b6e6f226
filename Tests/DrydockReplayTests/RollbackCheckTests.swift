import Drydock
import Testing

@testable import DrydockTestSupport

/// `rollback-failed` and `rollback-mismatch`: every step is undone and run again.
@Suite struct RollbackCheckTests {
    private func verify(up: String, down: String?) async throws -> Report {
        let scenario = Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b)", rows: "INSERT INTO n VALUES (1, 2)", steps: [up])
        let folder = try scenario.write()
        if let down { try folder.write("Migrations/v2.down.sql", down) }
        return try await folder.verify { $0.checks.rollback = true }
    }

    @Test func stepsAreUndoneAndRunAgain() async throws {
        let report = try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "ALTER TABLE n DROP COLUMN c")
        report.expectNothing()
    }

    @Test func rowsThatTheWayBackDeletesAreANote() async throws {
        let report = try await verify(
            up: "CREATE TABLE m(a); INSERT INTO m SELECT a FROM n", down: "DROP TABLE m")
        report.expectNothing()
        let note = try report.finding(.tableDropped)
        #expect(note.severity == .note)
        #expect(note.message == "undoing v2: table m is gone, with its 1 row")
    }

    @Test(arguments: [
        ("ALTER TABLE n ADD COLUMN c DEFAULT 5", "DELETE FROM n; ALTER TABLE n DROP COLUMN c", Rule.rowsLost),
        ("CREATE TABLE m AS SELECT * FROM n", "DROP TABLE m; UPDATE n SET b = NULL", .valuesChanged),
        (
            "CREATE TABLE m(a INTEGER PRIMARY KEY, b); INSERT INTO m SELECT * FROM n; DROP TABLE n",
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b); DROP TABLE m", .rowsLost
        ),
        ("ALTER TABLE n RENAME TO m", "DROP TABLE m; CREATE TABLE n(a INTEGER PRIMARY KEY, b)", .rowsLost),
        (
            "ALTER TABLE n RENAME COLUMN b TO c",
            "CREATE TABLE m(a INTEGER PRIMARY KEY, b); INSERT INTO m(a) SELECT a FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n",
            .columnDropped
        ),
    ])
    func whatExistedBeforeMustComeBack(_ up: String, _ down: String, _ rule: Rule) async throws {
        let report = try await verify(up: up, down: down)
        let errors = report.findings.filter { $0.severity == .error }
        #expect(
            !errors.isEmpty && errors.allSatisfy { [rule, .valuesChanged].contains($0.rule) },
            "\(report.findings.map(\.line))")
        #expect(
            errors.allSatisfy {
                $0.message.hasPrefix("undoing v2: ") && $0.place?.file.contains("/v2.") == true
            })
    }

    @Test(arguments: [
        (
            "CREATE TABLE m(a INTEGER PRIMARY KEY, b); INSERT INTO m SELECT * FROM n; DROP TABLE n",
            "CREATE TABLE n(a INTEGER PRIMARY KEY, b); INSERT INTO n SELECT * FROM m; DROP TABLE m"
        ),
        (
            "ALTER TABLE n RENAME TO m; ALTER TABLE m RENAME b TO c",
            "ALTER TABLE m RENAME c TO b; ALTER TABLE m RENAME TO n"
        ),
        ("-- drydock: rewrites n.b\nUPDATE n SET b = b + 1", "UPDATE n SET b = b - 1"),
        ("-- drydock: rewrites n.b\nUPDATE n SET b = 0", "UPDATE n SET b = 1"),
        ("-- drydock: deletes from n where b = 2\nDELETE FROM n WHERE b = 2", "SELECT 1"),
        ("-- drydock: drops column n.b\nALTER TABLE n DROP COLUMN b", "ALTER TABLE n ADD COLUMN b"),
        (
            "-- drydock: drops column n.b\nCREATE TABLE m(a INTEGER PRIMARY KEY); INSERT INTO m SELECT a FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n",
            "ALTER TABLE n ADD COLUMN b"
        ),
        ("-- drydock: drops table n\nDROP TABLE n", "CREATE TABLE n(a INTEGER PRIMARY KEY, b)"),
        ("-- drydock: inserts into n\nINSERT INTO n VALUES (5, 6)", "DELETE FROM n WHERE a = 5"),
    ])
    func whatTheMigrationAddedOrLetGoNeedNotComeBack(_ up: String, _ down: String) async throws {
        try await verify(up: up, down: down).expectNothing()
    }

    struct Way: Sendable {
        var schema: String
        var rows: String
        var up: String
        var down: String
        var errors: [Rule] = []
        var warnings: [Rule] = []
    }

    private static let counted = (
        schema: "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a)",
        rows: "INSERT INTO t VALUES (1, 'a'), (7, 'q'); DELETE FROM t WHERE id = 7"
    )
    private static let searched = (
        schema:
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='id')",
        rows: "INSERT INTO t VALUES (1, 'one'), (2, 'two'); INSERT INTO f(f) VALUES ('rebuild')"
    )
    private static let families = (
        schema:
            "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(id))",
        rows: "INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (1, 1), (2, 2)"
    )

    /// Both ways together may do no more than a step may.
    @Test(arguments: [
        // The marks of AUTOINCREMENT.
        Way(
            schema: counted.schema, rows: counted.rows, up: "ALTER TABLE t ADD COLUMN z",
            down:
                "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO n SELECT id, a FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t",
            errors: [.autoincrementReset]),
        Way(
            schema: counted.schema, rows: counted.rows, up: "CREATE INDEX i ON t(a)",
            down: "DROP INDEX i; DELETE FROM sqlite_sequence", errors: [.autoincrementReset]),
        Way(
            schema: counted.schema, rows: counted.rows, up: "ALTER TABLE t ADD COLUMN z",
            down:
                "CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO n SELECT id, a FROM t; DELETE FROM sqlite_sequence WHERE name = 'n'; INSERT INTO sqlite_sequence(name, seq) SELECT 'n', seq FROM sqlite_sequence WHERE name = 't'; DROP TABLE t; ALTER TABLE n RENAME TO t"
        ),
        // Search indexes.
        Way(
            schema: searched.schema, rows: searched.rows,
            up:
                "DROP TABLE f; CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='id', tokenize='porter'); INSERT INTO f(f) VALUES ('rebuild')",
            down: "DROP TABLE f; CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='id')",
            errors: [.searchIndexStale]),
        Way(
            schema: searched.schema, rows: searched.rows, up: "CREATE INDEX i ON t(a)",
            down: "DROP INDEX i; INSERT INTO f(f) VALUES ('delete-all')", errors: [.searchIndexStale]),
        // Rows.
        Way(
            schema: families.schema, rows: families.rows, up: "CREATE INDEX i ON c(p)",
            down: "DROP INDEX i; INSERT INTO p VALUES (7)", warnings: [.rowsAdded]),
        Way(
            schema: families.schema, rows: families.rows, up: "INSERT INTO p SELECT max(id) + 1 FROM p",
            down: "SELECT 1", warnings: [.rowsAdded]),
        Way(
            schema: families.schema, rows: families.rows,
            up: "-- drydock: inserts into p\nINSERT INTO p VALUES (3)", down: "DELETE FROM p WHERE id = 3"),
        // References.
        Way(
            schema: families.schema, rows: families.rows, up: "CREATE INDEX i ON c(p)",
            down: "DROP INDEX i; DELETE FROM p WHERE id = 2", errors: [.foreignKeyViolation, .rowsLost]),
        // The header.
        Way(
            schema: families.schema,
            rows: families.rows + "; PRAGMA user_version = 5; PRAGMA application_id = 77",
            up: "CREATE INDEX i ON c(p)",
            down: "DROP INDEX i; PRAGMA user_version = 0; PRAGMA application_id = 1",
            warnings: [.headerMarkChanged, .headerMarkChanged]),
        // Constraints that the file's own rows break.
        Way(
            schema: "CREATE TABLE t(a NOT NULL, b)", rows: "INSERT INTO t VALUES (1, 2)",
            up: "ALTER TABLE t ADD COLUMN c",
            down:
                "ALTER TABLE t DROP COLUMN c; PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a, b)' WHERE name = 't'; PRAGMA writable_schema = RESET; UPDATE t SET a = NULL; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a NOT NULL, b)' WHERE name = 't'; PRAGMA writable_schema = RESET",
            errors: [.integrityFailure, .valuesChanged]),
    ])
    func bothWaysAreAStep(_ way: Way) async throws {
        let folder = try Scenario(way.schema, rows: way.rows, steps: [way.up]).write()
        try folder.write("Migrations/v2.down.sql", way.down)
        let report = try await folder.verify { $0.checks.rollback = true }
        report.expect(errors: way.errors, warnings: way.warnings)
        if !way.errors.isEmpty {
            #expect(
                report.findings.filter { $0.severity == .error }.allSatisfy {
                    $0.message.hasPrefix("undoing v2: ") && $0.place?.file.hasSuffix("v2.down.sql") == true
                }, "\(report.findings.map(\.line))")
        }
    }

    /// Both ways rebuild the table under the same name; only the way back leaves a row out.
    @Test func theCauseOfMissingParentsIsInTheWayBack() async throws {
        func rebuild(_ columns: String, _ rows: String) -> String {
            "CREATE TABLE m(\(columns));\nINSERT INTO m(a) SELECT a FROM n\(rows);\nDROP TABLE n;\nALTER TABLE m RENAME TO n;\n"
        }
        let folder = try Scenario(
            "CREATE TABLE n(a INTEGER PRIMARY KEY); CREATE TABLE kid(id INTEGER PRIMARY KEY, n REFERENCES n(a));",
            rows: "INSERT INTO n VALUES (1), (2); INSERT INTO kid VALUES (1, 1), (2, 2)",
            steps: [rebuild("a INTEGER PRIMARY KEY, b", "")]
        ).write()
        try folder.write("Migrations/v2.down.sql", rebuild("a INTEGER PRIMARY KEY", " WHERE a <> 2"))
        let report = try await folder.verify { $0.checks.rollback = true }
        let finding = try report.finding(.foreignKeyViolation)
        #expect(finding.message.contains(": line 2 recreates n without"), "\(finding.message)")
    }

    @Test func aLossOfTheMigrationIsReportedOnce() async throws {
        let report = try await verify(up: "DELETE FROM n", down: "SELECT 1")
        report.expect(errors: [.rowsLost])
    }

    @Test func aDifferentSchemaThanBefore() async throws {
        let report = try await verify(
            up: "ALTER TABLE n ADD COLUMN c; CREATE INDEX i ON n(b)", down: "DROP INDEX i")
        #expect(report.rules(.error) == [.rollbackFailed, .rollbackMismatch])
        #expect(try report.finding(.rollbackFailed).message.contains("cannot be run again"))
    }

    @Test func aWayBackThatDoesNotRun() async throws {
        let report = try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "SELECT 1;\nDROP TABLE m")
        report.expect(errors: [.rollbackFailed])
        #expect(try report.finding(.rollbackFailed).place?.line == 2)
    }

    @Test func missingAndEmptyWaysBackAreListed() async throws {
        try await verify(up: "ALTER TABLE n ADD COLUMN c", down: nil).expect(notChecked: [.rollbackMismatch])
        try await verify(up: "ALTER TABLE n ADD COLUMN c", down: "-- no").expect(notChecked: [
            .rollbackMismatch
        ])
    }

    /// For `custom:`, where it is not known how the tool removes a migration's record: the record stays unchanged.
    @Test(
        arguments: [
            ("DROP TABLE toy;", []), ("SELECT 1;", [Rule.rollbackFailed, .rollbackMismatch]),
            ("ALTER TABLE toy ADD COLUMN b;", [.rollbackFailed, .rollbackMismatch]),
        ] as [(String, [Rule])])
    func theRecordStaysWhereItsRemovalIsUnknown(_ down: String, _ errors: [Rule]) async throws {
        var format = CustomFormat(
            files: #"(?<version>[0-9]+)_[a-z]*(?<down>\.down)?\.sql"#, query: "SELECT version FROM applied")
        format.historyTable = "applied"
        format.setup = ["CREATE TABLE IF NOT EXISTS applied(version TEXT PRIMARY KEY)"]
        format.record = ["INSERT INTO applied VALUES (:version)"]
        let project = ToolProject(
            files: [
                "1_people.sql": ToolProject.one, "2_toys.sql": "CREATE TABLE toy(a);",
                "2_toys.down.sql": down,
            ],
            history: "CREATE TABLE applied(version TEXT PRIMARY KEY); INSERT INTO applied VALUES ('1');")
        let report = try await project.verify { [format] in
            $0.migrations.options.custom = format
            $0.checks.rollback = true
        }
        #expect(Set(report.rules(.error)) == Set(errors), "\(report.findings.map(\.line))")
        #expect(report.rules(.warning).isEmpty, "\(report.findings.map(\.line))")
    }
}
