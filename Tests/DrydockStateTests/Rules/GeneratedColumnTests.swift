import Drydock
import GRDBEngine
import NIOEngine
import TestTools
import Testing

@testable import DrydockTestSupport

/// The conservation of the values of generated columns.
@Suite struct GeneratedColumnTests {
    /// A table in each storage format, with the same columns.
    enum Shape: String, CaseIterable, Sendable {
        case keyed = "id INTEGER PRIMARY KEY"
        case keyedByText = "id TEXT PRIMARY KEY"
        case withoutKey = "id"
        case withoutRowid = "id TEXT PRIMARY KEY) WITHOUT ROWID"

        func definition(_ name: String, _ columns: String) -> String {
            let parts = rawValue.split(separator: ")", maxSplits: 1)
            return "CREATE TABLE \(name)(\(parts[0]), \(columns))\(parts.count > 1 ? parts[1] : "");"
        }
    }

    static let columns = "price INT, qty INT, total INT AS (price * qty)"
    static let rows = "INSERT INTO t(id, price, qty) VALUES (1, 2, 5), (2, 3, 10), (3, NULL, 1);"

    static func schema(_ shape: Shape, _ storage: String = "") -> String {
        shape.definition("t", columns + storage)
    }

    static func rebuild(_ shape: Shape, _ columns: String, _ target: String, _ source: String) -> String {
        shape.definition("n", columns)
            + "INSERT INTO n(\(target)) SELECT \(source) FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;"
    }

    static let expectations: [(name: String, step: @Sendable (Shape) -> String, RuleCase.Expected)] = [
        (
            "made ordinary and left empty",
            { rebuild($0, "price INT, qty INT, total INT", "id, price, qty", "id, price, qty") },
            .init(errors: [.valuesChanged])
        ),
        (
            "made ordinary with its values",
            { rebuild($0, "price INT, qty INT, total INT", "id, price, qty, total", "*") }, .init()
        ),
        (
            "made ordinary with its values, its sources dropped as declared",
            {
                "-- drydock: drops columns t.price, t.qty\n"
                    + rebuild($0, "total INT", "id, total", "id, total")
            }, .init()
        ),
        (
            "made ordinary and left empty, its sources dropped as declared",
            { "-- drydock: drops columns t.price, t.qty\n" + rebuild($0, "total INT", "id", "id") },
            .init(errors: [.valuesChanged])
        ),
        (
            "made ordinary, with the values of another class",
            { rebuild($0, "price INT, qty INT, total TEXT", "id, price, qty, total", "*") },
            .init(errors: [.valuesChanged])
        ),
        (
            "made ordinary and renamed",
            {
                rebuild(
                    $0, "price INT, qty INT, amount INT", "id, price, qty, amount", "id, price, qty, total")
            }, .init(notes: [.columnDropped])
        ),
        (
            "made ordinary under another name and left empty: its sources are there",
            { rebuild($0, "price INT, qty INT, amount INT", "id, price, qty", "id, price, qty") },
            .init(warnings: [.columnDropped])
        ),
        (
            "gone with a source that is dropped as declared",
            { "-- drydock: drops column t.qty\n" + rebuild($0, "price INT", "id, price", "id, price") },
            .init(errors: [.columnDropped])
        ),
        (
            "gone with a source, both declared",
            {
                "-- drydock: drops columns t.qty, t.total\n"
                    + rebuild($0, "price INT", "id, price", "id, price")
            },
            .init()
        ),
        (
            "gone by ALTER with a source that is dropped as declared",
            { _ in
                "-- drydock: drops column t.qty\nALTER TABLE t DROP COLUMN total; ALTER TABLE t DROP COLUMN qty;"
            }, .init(errors: [.columnDropped])
        ),
        (
            "gone while a source is rewritten as declared",
            { _ in
                "-- drydock: rewrites t.qty\nALTER TABLE t DROP COLUMN total; UPDATE t SET qty = qty + 1;"
            }, .init(errors: [.columnDropped])
        ),
        (
            "gone alone", { _ in "ALTER TABLE t DROP COLUMN total;" }, .init(warnings: [.columnDropped])
        ),
        (
            "gone alone in a rebuild",
            { rebuild($0, "price INT, qty INT", "id, price, qty", "id, price, qty") },
            .init(warnings: [.columnDropped])
        ),
        (
            "gone alone while its source is renamed",
            { _ in "ALTER TABLE t RENAME COLUMN qty TO amount; ALTER TABLE t DROP COLUMN total;" },
            .init(warnings: [.columnDropped])
        ),
        (
            "gone alone, declared",
            { _ in "-- drydock: drops column t.total\nALTER TABLE t DROP COLUMN total;" },
            .init()
        ),
        (
            "dropped and added again as an ordinary one, empty",
            { _ in "ALTER TABLE t DROP COLUMN total; ALTER TABLE t ADD COLUMN total INT;" },
            .init(errors: [.valuesChanged])
        ),
        (
            "another expression with other values",
            {
                rebuild(
                    $0, "price INT, qty INT, total INT AS (price * qty + 1)", "id, price, qty",
                    "id, price, qty")
            }, .init(warnings: [.valuesChanged])
        ),
        (
            "another expression with other values by ALTER",
            { _ in "ALTER TABLE t DROP COLUMN total; ALTER TABLE t ADD COLUMN total INT AS (price + qty);" },
            .init(warnings: [.valuesChanged])
        ),
        (
            "another expression with other values, declared",
            { _ in
                "-- drydock: rewrites t.total\nALTER TABLE t DROP COLUMN total; ALTER TABLE t ADD COLUMN total INT AS (price + qty);"
            }, .init()
        ),
        (
            "another expression with the same values",
            {
                rebuild(
                    $0, "price INT, qty INT, total INT AS (qty * price) VIRTUAL", "id, price, qty",
                    "id, price, qty")
            }, .init()
        ),
        (
            "another expression, since a source is dropped as declared: the values are gone for good",
            {
                "-- drydock: drops column t.qty\n"
                    + rebuild($0, "price INT, total INT AS (price * 2)", "id, price", "id, price")
            }, .init(errors: [.valuesChanged])
        ),
        (
            "a declared change of a source is no finding of the column",
            { _ in "-- drydock: rewrites t.qty\nUPDATE t SET qty = qty + 1;" }, .init()
        ),
        (
            "renamed", { _ in "ALTER TABLE t RENAME COLUMN total TO amount;" }, .init()
        ),
        (
            "an ordinary column becomes generated with its values",
            {
                rebuild(
                    $0, "price INT, qty INT, total INT AS (price * qty)", "id, price, qty", "id, price, qty")
            }, .init()
        ),
        (
            "an ordinary column becomes generated with other values",
            {
                rebuild(
                    $0, "price INT AS (CAST(qty AS INT) * 0 + 2), qty INT, total INT AS (price * qty)",
                    "id, qty",
                    "id, qty")
            }, .init(errors: [.valuesChanged])
        ),
    ]

    @Test(
        arguments: few(
            40, of: Shape.allCases.flatMap { shape in expectations.indices.map { (shape, $0) } }))
    func `the values of generated columns are conserved`(shape: Shape, index: Int) async throws {
        let it = Self.expectations[index]
        for storage in [" VIRTUAL", " STORED"] {
            // Neither comparison of a rowid table without a key can identify rows when all their values change.
            let scenario = Scenario(
                Self.schema(shape, storage), rows: Self.rows, steps: [it.step(shape)])
            for readsPages in [true, false] {
                let report = try await PageReading.$isOn.withValue(readsPages) { try await scenario.verify() }
                let comment = Comment(
                    rawValue: "\(it.name)\(storage), pages \(readsPages)\n"
                        + report.findings.map(\.line).joined(separator: "\n"))
                #expect(report.rules(.error) == it.2.errors, comment)
                #expect(report.rules(.warning) == it.2.warnings, comment)
                #expect(report.rules(.note) == it.2.notes, comment)
                #expect(report.notChecked.isEmpty, "\(report.notChecked.map(\.reason))")
            }
        }
    }

    @Test func `the finding shows the old values`() async throws {
        let report = try await Scenario(
            Self.schema(.keyed), rows: Self.rows,
            steps: Self.rebuild(.keyed, "price INT, qty INT, total INT", "id, price, qty", "id, price, qty")
        ).verify()
        let finding = try report.finding(.valuesChanged)
        #expect(finding.column == "total")
        #expect(finding.evidence?.rowCount == 2)
        #expect(finding.evidence?.rows.map { $0.before?.literal } == ["10", "30"])
        #expect(finding.evidence?.rows.map { $0.after?.literal } == ["NULL", "NULL"])
    }

    @Test func `through other generated columns`() async throws {
        let schema = """
            CREATE TABLE t(id INTEGER PRIMARY KEY, "the price" INT, qty INT, net INT AS ("the price" * qty), gross INT AS ([net] * 2), flag AS (1));
            """
        let rows = "INSERT INTO t(id, \"the price\", qty) VALUES (1, 2, 5), (2, 3, 10);"
        let gone = try await Scenario(
            schema, rows: rows,
            steps: """
                -- drydock: drops columns t.qty, t.net
                ALTER TABLE t DROP COLUMN gross; ALTER TABLE t DROP COLUMN net; ALTER TABLE t DROP COLUMN qty;
                """
        ).verify()
        gone.expect(errors: [.columnDropped])
        #expect(try gone.finding(.columnDropped).message.contains("2 values"))
        let kept = try await Scenario(
            schema, rows: rows, steps: "ALTER TABLE t DROP COLUMN gross; ALTER TABLE t DROP COLUMN flag;"
        ).verify()
        kept.expect(warnings: [.columnDropped, .columnDropped])
        let inner = try await Scenario(
            schema, rows: rows,
            steps: """
                CREATE TABLE n(id INTEGER PRIMARY KEY, "the price" INT, qty INT, net INT AS ("the price" + qty), gross INT AS ([net] * 2), flag AS (1));
                INSERT INTO n SELECT id, "the price", qty FROM t; DROP TABLE t; ALTER TABLE n RENAME TO t;
                """
        ).verify()
        inner.expect(warnings: [.valuesChanged, .valuesChanged])
    }

    static let json = """
        CREATE TABLE t(id TEXT PRIMARY KEY, payload TEXT, note TEXT);
        INSERT INTO t VALUES ('a', '{"kind":"x"}', 'n'), ('b', 'no JSON', 'm'), ('c', '{"kind":"y"}', 'o');
        ALTER TABLE t ADD COLUMN kind AS (json_extract(payload, '$.kind'));
        """

    @Test(arguments: ["UTF-8", "UTF-16le"], [true, false])
    func `a row without a value has none to lose, and the others are compared`(
        encoding: String, isNIO: Bool
    ) async throws {
        func verify(_ step: String) async throws -> Report {
            var scenario = Scenario(Self.json, steps: step)
            scenario.pragmas = ["PRAGMA encoding = '\(encoding)'"]
            return try await scenario.write().verify(isNIO ? NIODriver() : GRDBDriver())
        }
        let copied = """
            CREATE TABLE n(id TEXT PRIMARY KEY, payload TEXT, kind, note TEXT);
            INSERT INTO n SELECT id, payload, iif(json_valid(payload), payload ->> '$.kind', NULL), note FROM t;
            DROP TABLE t; ALTER TABLE n RENAME TO t;
            """
        try await verify(copied).expect(notChecked: [.valuesChanged])
        let emptied = try await verify(
            copied.replacing("payload ->> '$.kind'", with: "NULL").replacing(
                "note FROM", with: "upper(note) FROM"))
        emptied.expect(errors: [.valuesChanged, .valuesChanged], notChecked: [.valuesChanged])
        let finding = try #require(emptied.findings.first { $0.column == "kind" && $0.severity == .error })
        #expect(finding.evidence?.rowCount == 2)
        #expect(finding.evidence?.rows.first?.key.first?.value.literal == "'a'")
        let dropped = try await verify(
            "-- drydock: drops column t.payload\nALTER TABLE t DROP COLUMN kind; ALTER TABLE t DROP COLUMN payload;"
        )
        dropped.expect(errors: [.columnDropped], notChecked: [.valuesChanged])
        #expect(try dropped.finding(.columnDropped).message.contains("2 values"))
        // The step repairs a fault of the snapshot.
        try await verify("ALTER TABLE t DROP COLUMN kind;").expect(warnings: [.columnDropped])
    }
}

extension RuleCase {
    /// The expected rules of each severity.
    struct Expected: Sendable {
        var errors: [Rule] = []
        var warnings: [Rule] = []
        var notes: [Rule] = []
    }
}
