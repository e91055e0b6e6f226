import Drydock
import Testing

@testable import DrydockTestSupport

@Suite struct ChangeSummaryTests {
    private static let schema = "CREATE TABLE p(id INTEGER PRIMARY KEY, age);\n"
    /// 98 numbers as text, and two texts near the end that are not numbers.
    private static let ages = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO p SELECT i, CASE WHEN i IN (60, 99) THEN 'unknown' ELSE '21' END FROM n;
        """
    private static let cast = "UPDATE p SET age = CAST(age AS INTEGER)"

    @Test(arguments: [true, false])
    func valuesThatCannotBeRecoveredComeFirst(_ readsPages: Bool) async throws {
        let finding = try await PageReading.$isOn.withValue(readsPages) {
            try await Scenario(Self.schema, rows: Self.ages, steps: Self.cast).verify()
                .finding(.valuesChanged)
        }
        #expect(
            finding.message
                == "p.age changed in 100 rows: 98 only changed storage class ('21' to 21), 2 were replaced ('unknown' to 0)"
        )
        #expect(
            finding.sentence.redacted
                == "p.age changed in 100 rows: 98 only changed storage class (text(2 bytes) to integer), 2 were replaced "
                + "(text(7 bytes) to integer)")
        let rows = finding.evidence?.rows ?? []
        #expect(rows.map { $0.key[0].value.literal } == ["60", "99", "1", "2", "3"])
        #expect(finding.evidence?.rowCount == 100)
        #expect(finding.help.contains("That allows the loss of the 2 replaced values too."))
    }

    @Test(arguments: [true, false])
    func theProposedConditionKeepsThem(_ readsPages: Bool) async throws {
        let finding = try await Scenario(Self.schema, rows: Self.ages, steps: Self.cast).verify()
            .finding(.valuesChanged)
        let condition = finding.proposedSQL
        let kept = try await PageReading.$isOn.withValue(readsPages) {
            try await Scenario(Self.schema, rows: Self.ages, steps: Self.cast + " WHERE " + condition)
                .verify().finding(.valuesChanged)
        }
        #expect(kept.message == "p.age changed in 98 rows")
        try await Scenario(
            Self.schema, rows: Self.ages, steps: kept.proposedDeclarations + Self.cast + " WHERE " + condition
        ).verify().expectNothing()
    }

    /// The values change places, so that a conversion of some of them explains nothing.
    @Test(arguments: [
        ("UPDATE p SET id = -id; UPDATE p SET id = 5 + id;", "UPDATE changes p.id"),
        ("UPDATE p SET \"ID\" = id + 10; UPDATE main.p SET id = 15 - id;", "UPDATE changes p.ID and p.id"),
        (
            "CREATE TABLE q AS SELECT * FROM p; UPDATE p SET age = (SELECT age FROM q WHERE q.id = 5 - p.id);",
            nil
        ),
    ]) func rowsThatExchangeTheirKeysGetNoCondition(_ step: String, _ said: String?) async throws {
        let finding = try await Scenario(
            Self.schema, rows: "INSERT INTO p VALUES (1, 1), (2, 2.5), (3, x'00'), (4, '1');", steps: step
        ).verify().finding(.valuesChanged)
        #expect(!finding.help.contains("CAST"), "\(finding.help)")
        #expect(finding.help.contains(said ?? "cannot be recovered"), "\(finding.help)")
    }

    /// A trigger may write what the statement does not name.
    @Test func aTriggerMayWriteTheColumn() async throws {
        let finding = try await Scenario(
            Self.schema
                + "CREATE TRIGGER t AFTER UPDATE OF id ON p BEGIN UPDATE p SET age = 'x' WHERE id = new.id; END;",
            rows: "INSERT INTO p VALUES (1, 1), (2, 2.5);", steps: "UPDATE p SET id = id + 0"
        ).verify().finding(.valuesChanged)
        #expect(!finding.help.contains("no statement writes"), "\(finding.help)")
    }

    /// The rows before, the change by the step, and the message.
    @Test(arguments: [
        ("'021'", "21", ""), ("'21'", "21", ""), ("1", "1.0", ""),
        ("9007199254740993", "9007199254740992.0", ""),
        ("NULL", "''", ""), ("'a'", "x'61'", ""),
    ])
    func aSingleKindIsNotCountedSeparately(_ old: String, _ new: String, _ said: String) async throws {
        let finding = try await Scenario(
            Self.schema, rows: "INSERT INTO p VALUES (1, \(old))", steps: "UPDATE p SET age = \(new)"
        ).verify().finding(.valuesChanged)
        #expect(
            finding.message
                == "p.age changed in 1 row\(said): UPDATE in line 1 writes \(new) to every row")
        #expect(!finding.help.contains("replaced"))
    }

    /// Whether an old value can be recovered from the new one.
    @Test(arguments: [
        ("'021'", "21", false), ("'21'", "21", true), ("' 21'", "21", false), ("'1.5'", "1.5", true),
        ("'1.50'", "1.5", false), ("'2.0'", "2.0", true), ("'1.0e+20'", "1e20", true), ("1", "1.0", true),
        ("1.0", "1", true), ("1.5", "1", false), ("9007199254740993", "9007199254740992.0", false),
        ("7", "'7'", true),
        ("0.5", "'0.5'", true), ("'a'", "x'61'", true), ("x'61'", "'a'", true), ("x'61'", "'b'", false),
        ("'a'", "NULL", false), ("-0.0", "0", false), ("'é'", "CAST('é' AS BLOB)", true),
    ])
    func castsBackAreExact(_ old: String, _ new: String, _ isConversion: Bool) async throws {
        for pragma in ["PRAGMA encoding = 'UTF-8'", "PRAGMA encoding = 'UTF-16be'"] {
            var scenario = Scenario(
                "CREATE TABLE p(id INTEGER PRIMARY KEY, age);",
                rows: "INSERT INTO p VALUES (1, NULL), (2, \(old));",
                steps: "UPDATE p SET age = CASE id WHEN 1 THEN 'filled' ELSE \(new) END")
            scenario.pragmas = [pragma]
            let finding = try await scenario.verify().finding(.valuesChanged)
            let kind = isConversion ? "1 only changed storage class" : "1 was replaced"
            // The same blob is a different text in another encoding.
            if old + new == "x'61''a'" || old + new == "'a'x'61'", pragma.contains("16") { continue }
            #expect(finding.message.contains(kind), "\(finding.message)")
            #expect(finding.message.contains("1 was NULL (now 'filled')"), "\(finding.message)")
            // The filled row is shown after a replaced one.
            #expect(finding.evidence?.rows.first?.key[0].value.literal == (isConversion ? "1" : "2"))
        }
    }

    @Test func aRebuildIsCountedInTheSameWay() async throws {
        let steps = """
            CREATE TABLE q(id INTEGER PRIMARY KEY, age INTEGER NOT NULL);
            INSERT INTO q SELECT id, CAST(age AS INTEGER) FROM p;
            DROP TABLE p; ALTER TABLE q RENAME TO p;
            """
        for readsPages in [true, false] {
            let finding = try await PageReading.$isOn.withValue(readsPages) {
                try await Scenario(Self.schema, rows: Self.ages, steps: steps).verify()
                    .finding(.valuesChanged)
            }
            #expect(finding.message.contains("98 only changed storage class"))
            #expect(finding.evidence?.rows.first?.before?.literal == "'unknown'")
        }
    }

    @Test func tablesWithoutKeyOrRowidAreCountedInTheSameWay() async throws {
        for definition in ["age, id", "id PRIMARY KEY, age) WITHOUT ROWID; CREATE TABLE x(a"] {
            let finding = try await Scenario(
                "CREATE TABLE p(\(definition));",
                rows: "INSERT INTO p(id, age) VALUES (1, '1'), (2, 'x'), (3, '3');", steps: Self.cast
            ).verify().finding(.valuesChanged)
            #expect(
                finding.message.hasSuffix(
                    "2 only changed storage class ('1' to 1), 1 was replaced ('x' to 0)"),
                "\(finding.message)")
        }
    }
}
