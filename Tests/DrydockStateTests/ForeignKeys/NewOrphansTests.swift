import Drydock
import TestTools
import Testing

@testable import DrydockTestSupport

/// In a database that has rows without a parent, a row that loses its parent is found, whatever becomes of the others.
@Suite struct NewOrphansTests {
    /// A child with two references, and what tells its rows apart.
    struct Shape: Sendable, CustomTestStringConvertible {
        var name: String
        var child: String
        var options = ""

        var testDescription: String { name }

        static let all = [
            Shape(name: "rowid", child: "id INTEGER PRIMARY KEY, a REFERENCES p(id)"),
            Shape(name: "text key", child: "id TEXT PRIMARY KEY, a TEXT REFERENCES p(id)"),
            Shape(name: "no key", child: "id INTEGER, a INTEGER REFERENCES p(id)"),
            Shape(
                name: "without rowid",
                child: "id TEXT COLLATE NOCASE, b DEFAULT 5, a REFERENCES p(id), PRIMARY KEY(id, b)",
                options: " WITHOUT ROWID"
            ),
        ]
    }

    private static let rows = """
        INSERT INTO p VALUES (1, 'x'), (2, 'y'), (3, 'z'); INSERT INTO c(id, a) VALUES (1, 99), (2, 2), (3, NULL), (4, 3);
        """

    private static func project(_ shape: Shape, _ migration: String) -> ToolProject {
        var project = ToolProject(
            files: [
                "001_a.sql": GooseProject.file(schema(shape)),
                "002_b.sql": GooseProject.file(declared + migration),
            ], history: GooseProject.history)
        (project.schema, project.rows) = (schema(shape), rows)
        return project
    }

    private static func schema(_ shape: Shape) -> String {
        "CREATE TABLE p(id INTEGER PRIMARY KEY, n);\nCREATE TABLE c(\(shape.child))\(shape.options);\n"
    }

    private static let declared = """
        -- drydock: rewrites c
        -- drydock: deletes from c
        -- drydock: deletes from p
        -- drydock: inserts into p
        -- drydock: inserts into c

        """

    @Test(
        arguments: Shape.all,
        [
            "DELETE FROM c WHERE a = 99; DELETE FROM p WHERE id = 2;",
            "INSERT INTO p VALUES (99, 'n'); DELETE FROM p WHERE id = 2;",
            "UPDATE c SET a = 77 WHERE id = 2; UPDATE c SET a = NULL WHERE id = 1;",
            "UPDATE c SET a = CASE id WHEN 1 THEN 1 WHEN 2 THEN 98 ELSE a END;",
            "UPDATE c SET a = CASE id WHEN 1 THEN 1 WHEN 2 THEN 99 ELSE a END;",
        ])
    func `a row that loses its parent is an error`(_ shape: Shape, _ migration: String) async throws {
        let report = try await Self.project(shape, migration).verify()
        #expect(report.rules(.error) == [.foreignKeyViolation], "\(report.findings.map(\.line))")
        let finding = try #require(report.findings.first { $0.severity == .error })
        #expect(finding.message.hasPrefix("1 row of c (a) references no row of p"), "\(finding.message)")
        #expect(finding.evidence?.rows.first?.key.first?.value.literal.contains("2") == true)
        #expect(finding.place?.line ?? 0 > 1, "the place is the statement")
    }

    @Test(
        arguments: Shape.all,
        [
            "ALTER TABLE p ADD COLUMN q;", "UPDATE c SET a = 3 WHERE id = 2;", "DELETE FROM c WHERE a = 99;",
        ])
    func `a row that had no parent before is not`(_ shape: Shape, _ migration: String) async throws {
        let report = try await Self.project(shape, migration).verify()
        #expect(report.rules(.error) == [], "\(report.findings.map(\.line))")
    }

    @Test func `a row without a parent is given another that does not exist`() async throws {
        for shape in Shape.all {
            let report = try await Self.project(shape, "UPDATE c SET a = 98 WHERE id = 1;").verify()
            #expect(report.rules(.error) == [.foreignKeyViolation], "\(shape)")
        }
    }

    @Test func `a row that loses its parent takes the key of one that had none`() async throws {
        let project = Self.project(
            Shape.all[0],
            "DELETE FROM c WHERE id = 1; UPDATE c SET id = 1 WHERE id = 2; DELETE FROM p WHERE id = 2;")
        #expect(try await project.verify().rules(.error).contains(.foreignKeyViolation))
    }

    @Test(arguments: ["ALTER TABLE c RENAME TO kid", "ALTER TABLE p RENAME TO person"])
    func `a rename is not to blame for the snapshot's rows`(rename: String) async throws {
        let report = try await Scenario(Self.schema(Shape.all[0]), rows: Self.rows, steps: rename).verify()
        let finding = try report.finding(.migrationFailed)
        #expect(finding.tags.contains(.preExisting), "\(finding.message)")
    }

    @Test func `of the snapshot's rows only those are counted that are left`() async throws {
        let report = try await Scenario(
            Self.schema(Shape.all[0]), rows: Self.rows + "INSERT INTO c(id, a) VALUES (5, 98);",
            steps: Self.declared + "DELETE FROM c WHERE a = 98;"
        ).verify()
        #expect(
            try report.finding(.migrationFailed).message.contains(": 1 row of c (a) references no row of p"))
    }

    /// All keys are renumbered, and the references with them, those without a parent too.
    @Test(arguments: [
        ("UPDATE n SET id = id + 100, up = up + 100", false),
        ("UPDATE n SET id = id + 1, up = up + 1", false),
        ("UPDATE n SET id = -id, up = -up", false),
        ("UPDATE n SET id = id * 10 + 3, up = up * 10 + 3", false),
        ("UPDATE n SET id = id + 100; UPDATE n SET up = up + 100", false),
        (
            "CREATE TABLE m(id INTEGER PRIMARY KEY, up REFERENCES m(id)); INSERT INTO m SELECT id + 7, up + 7 FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n",
            false
        ),
        ("UPDATE n SET id = id + 100", true), ("UPDATE n SET id = id + 100, up = up + 101", true),
        ("UPDATE n SET id = id + 100, up = CASE id WHEN 3 THEN 198 ELSE up + 100 END", true),
        (
            "UPDATE n SET id = id + 100, up = CASE id WHEN 3 THEN 101 WHEN 4 THEN 199 ELSE up + 100 END", true
        ),
    ])
    func `a table that references itself is renumbered`(change: String, isBroken: Bool) async throws {
        var project = Self.project(Shape.all[0], "")
        project.schema = "CREATE TABLE n(id INTEGER PRIMARY KEY, up INT REFERENCES n(id));\n"
        project.rows = "INSERT INTO n VALUES (1, NULL), (2, 1), (3, 99), (4, 2);"
        project.files = [
            "001_a.sql": GooseProject.file(project.schema),
            "002_b.sql": GooseProject.file(
                "-- drydock: rewrites n.id, n.up\n-- drydock: deletes from n\n-- drydock: inserts into n\n\(change);"
            ),
        ]
        let report = try await project.verify()
        #expect(
            report.rules(.error).contains(.foreignKeyViolation) == isBroken, "\(report.findings.map(\.line))")
    }

    @Test(arguments: [
        ("UPDATE p SET id = id + 100; UPDATE c SET a = a + 100", false),
        ("UPDATE p SET id = -id; UPDATE c SET a = -a, id = id", false),
        ("UPDATE p SET id = id + 100; UPDATE c SET a = a + 100 WHERE a <> 99", false),
        ("UPDATE p SET id = id + 100; UPDATE c SET a = a + 101", true),
        (
            "DELETE FROM p WHERE id = 1; INSERT INTO p VALUES (4, 'n'); UPDATE c SET a = a + 1 WHERE id = 1",
            true
        ),
    ])
    func `parents are renumbered with their children's references`(change: String, isBroken: Bool)
        async throws
    {
        let report = try await Self.project(Shape.all[0], change + ";").verify()
        #expect(
            report.rules(.error).contains(.foreignKeyViolation) == isBroken, "\(report.findings.map(\.line))")
    }

    /// A composite key with an orphan, and rebuilds of the child that spell the key in another way.
    @Test(arguments: [
        ("FOREIGN KEY(b, a) REFERENCES p(b, a)", "SELECT * FROM c", false),
        ("FOREIGN KEY(a, b) REFERENCES p", "SELECT * FROM c", false),
        ("FOREIGN KEY(\"B\", [A]) REFERENCES P(b, a)", "SELECT * FROM c", false),
        ("FOREIGN KEY(a, b) REFERENCES p(b, a)", "SELECT * FROM c", true),
        ("FOREIGN KEY(b, a) REFERENCES p(b, a)", "SELECT id, b, a FROM c", true),
    ])
    func `a key that names its columns in another order is the same key`(
        key: String, rows: String, isBroken: Bool
    ) async throws {
        let schema = "CREATE TABLE p(a, b, PRIMARY KEY(a, b)); "
        var project = Self.project(
            Shape.all[0],
            "CREATE TABLE d(id INTEGER PRIMARY KEY, a, b, \(key)); INSERT INTO d \(rows); DROP TABLE c; ALTER TABLE d RENAME TO c;"
        )
        project.schema =
            schema + "CREATE TABLE c(id INTEGER PRIMARY KEY, a, b, FOREIGN KEY(a, b) REFERENCES p(a, b));"
        project.files["001_a.sql"] = GooseProject.file(project.schema)
        project.rows =
            "INSERT INTO p VALUES (1, 2), (3, 4); INSERT INTO c VALUES (1, 1, 2), (2, 7, 8), (3, 3, 4);"
        let report = try await project.verify()
        #expect(
            report.rules(.error) == (isBroken ? [.foreignKeyViolation] : []), "\(report.findings.map(\.line))"
        )
    }

    /// A parent that gets another name by copies, in one file or several.
    @Test(arguments: ["", " WHERE id <> 2"])
    func `a key that is given a copy of its parent has the orphans it had`(condition: String) async throws {
        let steps = [
            "CREATE TABLE person(id INTEGER PRIMARY KEY, n); INSERT INTO person SELECT * FROM p\(condition);",
            "CREATE TABLE d(id INTEGER PRIMARY KEY, a REFERENCES person(id)); INSERT INTO d SELECT * FROM c; DROP TABLE c; ALTER TABLE d RENAME TO c;",
            "DROP TABLE p;",
        ]
        for files in [steps, [steps.joined(separator: "\n")], [steps[0] + steps[1], steps[2]]] {
            var project = Self.project(Shape.all[0], "")
            for (index, text) in files.enumerated() {
                project.files["00\(index + 2)_b.sql"] = GooseProject.file(Self.declared + text)
            }
            let report = try await project.verify()
            let errors = report.findings.filter { $0.severity == .error && $0.rule == .foreignKeyViolation }
            #expect(errors.isEmpty == condition.isEmpty, "\(files) \(report.findings.map(\.line))")
            #expect(errors.allSatisfy { $0.message.hasPrefix("1 row of c (a)") }, "\(errors.map(\.message))")
        }
    }

    @Test func `a new key beside one with orphans counts all of its rows`() async throws {
        let project = Self.project(
            Shape.all[0],
            """
            CREATE TABLE q(id INTEGER PRIMARY KEY); INSERT INTO q VALUES (2);
            ALTER TABLE c ADD COLUMN b REFERENCES q(id); UPDATE c SET b = a;
            """)
        let report = try await project.verify()
        #expect(
            report.findings.first { $0.severity == .error }?.message.hasPrefix(
                "2 rows of c (b) reference no row of q")
                == true, "\(report.findings.map(\.line))")
    }

    @Test func `rows that are renumbered, or copied without a key, are paired by value`() async throws {
        let renumbered = Self.project(Shape.all[0], "UPDATE c SET id = id + 100;")
        #expect(try await renumbered.verify().rules(.error) == [])
        let copied = """
            CREATE TABLE d(\(Shape.all[2].child)); INSERT INTO d SELECT * FROM c ORDER BY id DESC; DROP TABLE c;
            ALTER TABLE d RENAME TO c;
            """
        #expect(try await Self.project(Shape.all[2], copied).verify().rules(.error) == [])
        let lost = Self.project(
            Shape.all[2], copied + "DELETE FROM p WHERE id = 3; DELETE FROM c WHERE a = 99;")
        #expect(try await lost.verify().rules(.error) == [.foreignKeyViolation])
    }

    @Test func `the check before the commit blames the step for the rows of the step alone`() async throws {
        let scenario = Scenario(
            Self.schema(Shape.all[0]), rows: Self.rows,
            steps: Self.declared + "DELETE FROM c WHERE a = 99;\nDELETE FROM p WHERE id = 2;\n")
        let finding = try await scenario.verify().finding(.migrationFailed)
        #expect(!finding.tags.contains(.preExisting))
        #expect(finding.message.contains("1 row of c (a) references no row of p"), "\(finding.message)")
        #expect(finding.place?.line == 7)
        #expect(!finding.help.contains("UPDATE c SET a = NULL"), "\(finding.help)")
    }

    /// The rows of random steps against rows that are compared one by one.
    @Test(arguments: seeds(12, of: 40))
    func `random steps agree with a comparison row by row`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var parents = Set([1, 2, 3, 4])
        var children = Dictionary(
            uniqueKeysWithValues: (1...6).map { ($0, random.pick([1, 2, 3, 4, 8, 9])) })
        let (before, parentsBefore) = (children, parents)
        var steps: [String] = []
        for _ in 0..<(1 + random.below(4)) {
            switch random.below(3) {
            case 0:
                let gone = random.pick([1, 2, 3, 4])
                parents.remove(gone)
                steps.append("DELETE FROM p WHERE id = \(gone)")
            case 1:
                let made = random.pick([8, 9])
                parents.insert(made)
                steps.append("INSERT OR IGNORE INTO p VALUES (\(made), '')")
            default:
                let (id, value) = (1 + random.below(6), random.pick([1, 2, 8, 9]))
                children[id] = value
                steps.append("UPDATE c SET a = \(value) WHERE id = \(id)")
            }
        }
        let lost = children.filter { id, value in
            !parents.contains(value) && before[id].map { parentsBefore.contains($0) || $0 != value } == true
        }
        var project = Self.project(random.pick(Shape.all), steps.map { $0 + ";" }.joined(separator: "\n"))
        project.rows =
            parentsBefore.map { "INSERT INTO p VALUES (\($0), '');" }.joined()
            + before.map { "INSERT INTO c(id, a) VALUES (\($0.key), \($0.value));" }.joined()
        let report = try await project.verify()
        #expect(
            report.rules(.error) == (lost.isEmpty ? [] : [.foreignKeyViolation]),
            "\(steps) \(report.findings.map(\.line))")
        #expect(
            report.findings.first { $0.severity == .error }?.evidence?.rowCount ?? 0 == lost.count, "\(steps)"
        )
    }
}

/// A key that references a table that does not exist.
@Suite struct MissingParentTests {
    private static let schema = """
        CREATE TABLE p(id INTEGER PRIMARY KEY, n); CREATE TABLE c(id INTEGER PRIMARY KEY, a REFERENCES p(id));

        """
    private static let follows = """
        ALTER TABLE p RENAME TO p_old; CREATE TABLE p(id INTEGER PRIMARY KEY, n);
        INSERT INTO p SELECT * FROM p_old; DROP TABLE p_old;
        """

    @Test(arguments: [
        RuleCase(
            "followed a rename, and no row needs it", follows, schema: schema,
            rows: "INSERT INTO p VALUES (1, 'x'); INSERT INTO c VALUES (1, NULL);",
            errors: [.foreignKeyViolation]),
        RuleCase(
            "repaired by the next migration", "-- drydock: drops table p\nDROP TABLE p",
            "CREATE TABLE p(id INTEGER PRIMARY KEY, n)",
            schema: schema, notes: [.foreignKeyViolation]),
        RuleCase(
            "its table is dropped, and no row needs it", "-- drydock: drops table p\nDROP TABLE p",
            schema: schema, warnings: [.foreignKeyViolation]),
        RuleCase("of a new table", "CREATE TABLE d(x REFERENCES nobody)", warnings: [.foreignKeyViolation]),
        RuleCase(
            "of a new table, and the parent comes later", "CREATE TABLE d(x REFERENCES later(id))",
            "CREATE TABLE later(id INTEGER PRIMARY KEY)", notes: [.foreignKeyViolation]),
        RuleCase(
            "of the same migration",
            "CREATE TABLE d(x REFERENCES e(id)); CREATE TABLE e(id INTEGER PRIMARY KEY)"),
        RuleCase(
            "the snapshot has it already", "CREATE TABLE d(x)",
            schema: schema + "CREATE TABLE e(x REFERENCES nobody);",
            notes: [.foreignKeyViolation]),
    ])
    func keys(_ it: RuleCase) async throws { try await it.check() }
}
