import Drydock
import Testing

@testable import DrydockTestSupport

/// Tables created by the user with names that modules also use.
@Suite struct ShadowNameTests {
    private static let own = "CREATE TABLE note_NAME(id INTEGER PRIMARY KEY, body TEXT);"
    private static let rows = "INSERT INTO note_NAME VALUES (1, 'a'), (2, 'b');"

    /// A virtual table, and a name that its module does not use.
    static let cases: [(virtual: String, suffix: String)] = [
        ("fts3(body)", "stat"), ("fts3(body)", "docsize"), ("fts4(body, matchinfo=fts3)", "docsize"),
        ("fts4(body, matchinfo='FTS3')", "docsize"), ("fts4(body, content=\"\")", "content"),
        ("fts5(body)", "segments"), ("fts5(body)", "segdir"), ("fts5(body)", "stat"),
        ("fts5(body, columnsize=0)", "docsize"), ("fts5(body, columnsize = '0')", "docsize"),
        ("fts5(body, COL = 0)", "docsize"), ("fts5(body, content='')", "content"),
        ("fts5(body, co = \"\")", "content"), ("fts5(body, content='other table')", "content"),
        ("rtree(id, a, b)", "data"), ("rtree(id, a, b)", "stat"),
    ]

    @Test(arguments: cases.indices, [true, false])
    func `tables with such names are compared like any other`(index: Int, isFirst: Bool) async throws {
        let it = Self.cases[index]
        let virtual = "CREATE VIRTUAL TABLE note USING \(it.virtual);"
        let own = Self.own.replacing("NAME", with: it.suffix)
        let schema = "CREATE TABLE \"other table\"(body);" + (isFirst ? own + virtual : virtual + own)
        let rows = Self.rows.replacing("NAME", with: it.suffix)
        let name = "note_\(it.suffix)"
        for (step, errors) in [
            ("DELETE FROM \(name) WHERE id = 1", [Rule.rowsLost]),
            ("UPDATE \(name) SET body = 'x' WHERE id = 1", [.valuesChanged]),
            ("DROP TABLE \(name)", [.tableDropped]), ("CREATE TABLE unrelated(x)", []),
        ] {
            let report = try await Scenario(schema, rows: rows, steps: step).verify()
            let comment = Comment(
                rawValue: "\(it) \(step)\n" + report.findings.map(\.line).joined(separator: "\n"))
            #expect(report.rules(.error) == errors, comment)
            #expect(report.notChecked.isEmpty, "\(report.notChecked)")
        }
    }

    @Test(arguments: cases.indices)
    func `a virtual table that is created later takes none of them`(index: Int) async throws {
        let it = Self.cases[index]
        try await Scenario(
            "CREATE TABLE \"other table\"(body);" + Self.own.replacing("NAME", with: it.suffix),
            rows: Self.rows.replacing("NAME", with: it.suffix),
            steps: "CREATE VIRTUAL TABLE note USING \(it.virtual)",
            "INSERT INTO note_\(it.suffix) VALUES (3, 'c')"
        ).verify().expect(warnings: [.rowsAdded])
    }

    /// The connection that dropped the virtual table still takes these names for the module's.
    @Test(arguments: cases.indices)
    func `dropping the virtual table leaves them`(index: Int) async throws {
        let it = Self.cases[index]
        let name = "note_\(it.suffix)"
        let report = try await Scenario(
            "CREATE TABLE \"other table\"(body); CREATE VIRTUAL TABLE note USING \(it.virtual);"
                + Self.own.replacing("NAME", with: it.suffix),
            rows: Self.rows.replacing("NAME", with: it.suffix),
            steps:
                "CREATE TABLE new(id INTEGER PRIMARY KEY, body TEXT); INSERT INTO new SELECT * FROM \(name); DROP TABLE \(name); ALTER TABLE new RENAME TO \(name); DROP TABLE note"
        ).verify()
        // FTS4 drops tables with its names, whoever created them.
        if !it.virtual.hasPrefix("fts4") && !it.virtual.hasPrefix("fts3") {
            #expect(report.rules(.error).isEmpty, "\(report.findings.map(\.line))")
        }
    }

    @Test func `FTS4 uses an existing stat table, which remains the user's`() async throws {
        let schema = "CREATE TABLE note_stat(id INTEGER PRIMARY KEY, body TEXT, more);"
        let report = try await Scenario(
            schema, rows: "INSERT INTO note_stat VALUES (1, 'a', 'b');",
            steps: "CREATE VIRTUAL TABLE note USING fts4(body);", "DROP TABLE note;"
        ).verify()
        // Dropping the virtual table drops it as well.
        #expect(report.rules(.error).contains(.tableDropped))
        #expect(
            report.findings.filter { $0.rule == .tableDropped && $0.severity == .error }.map(\.migration) == [
                "v3"
            ])
    }

    @Test func `a table that the module creates when needed is its own`() async throws {
        try await Scenario(
            "CREATE VIRTUAL TABLE note USING fts3(body);",
            steps: "INSERT INTO note(note) VALUES ('automerge=2');",
            "INSERT INTO note(note) VALUES ('automerge=4');",
            "ALTER TABLE note RENAME TO memo;"
        ).verify().expectNothing()
    }
}
