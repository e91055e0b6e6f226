import Drydock
import Foundation
import Testing

@testable import DrydockReport
@testable import SQLiteSchema

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The timeline of a schema on a page.
@Suite struct HTMLHistoryTests {
    private static let steps = [
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);",
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);",
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);",
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT); CREATE VIEW old AS SELECT id FROM person;",
        "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT); CREATE TABLE pet(id INTEGER PRIMARY KEY, owner REFERENCES person(id)); CREATE VIEW old AS SELECT name FROM person;",
    ]

    @Test func `the newest is first, and what is pending is open`() throws {
        var history = try history(Self.steps)
        history.unknown = [.init(name: "v6", file: "Migrations/v6.sql", isReleased: false)]
        history.failure = "v6 fails on an empty database: no such table: x"
        history.versions[4].migrations[0].isReleased = false
        let text = page(history)
        let order = ["v6 fails", ">v5<", ">v4<", "2 migrations changed no schema", ">v1<"].compactMap {
            text.range(of: $0)?.lowerBound
        }
        #expect(order.count == 5 && order == order.sorted(), "\(text)")
        #expect(text.components(separatedBy: "<details open").count == 2)
        #expect(text.components(separatedBy: ">pending<").count == 3)
        #expect(text.contains("2 are pending; the others are released."))
        // A view's query is shown clause by clause.
        #expect(text.contains("view old: query") && text.contains("SELECT name"))
        #expect(text.contains("After v5: 2 tables and 1 view."))
        try expectWellFormed(text)
        let start = try #require(text.range(of: "<section id=\"history\""))
        let end = try #require(text.range(of: "<footer"))
        try Golden.hold(
            text[start.lowerBound..<end.lowerBound].replacing("><g", with: ">\n<g").replacing(
                "><li", with: ">\n<li")
                + "\n", against: "history.html")
    }

    @Test func `nothing is said of what is not known`() throws {
        var history = try history(Self.steps)
        for index in history.versions.indices { history.versions[index].migrations[0].isReleased = nil }
        let text = page(history)
        #expect(!text.contains(">pending<") && !text.contains(">released<") && !text.contains("released."))
        #expect(!page(nil).contains("id=\"history\""))
        #expect(!page(SchemaHistory()).contains("id=\"history\""))
    }

    @Test func `a thousand migrations of a thousand tables make a small page`() throws {
        var tables = (0..<1000).map {
            "CREATE TABLE t\($0)(id INTEGER PRIMARY KEY, a TEXT, parent_id REFERENCES t\($0 / 3)(id));"
        }
        let parser = SchemaParser()
        var schema = try parser.schema(of: SQLSource(name: "", tables.joined()))
        var history = SchemaHistory()
        let references = SchemaReferences(schema)
        func add(_ number: Int, _ changes: [SchemaChange]) {
            history.versions.append(
                .init(
                    migrations: [.init(name: "v\(number)", file: "m/v\(number).sql")], changes: changes,
                    excerpt: references.excerpt(of: schema, around: changes)))
        }
        add(0, SchemaDiff(from: Schema(), to: schema).changes())
        for number in 1..<1000 {
            tables[number] = tables[number].replacing("a TEXT", with: "a TEXT, b\(number) TEXT")
            let table = try parser.schema(of: SQLSource(name: "", tables[number])).tables["t\(number)"]
            guard let column = table?.columns[2] else { continue }
            schema.tables["t\(number)"] = table
            add(number, [.table("t\(number)", .columnAdded(column))])
        }
        history.schema = schema
        let text = page(history)
        try expectWellFormed(text)
        #expect(text.utf8.count < 3_000_000, "\(text.utf8.count)")
        #expect(text.contains("Its diagram is left out") && text.contains("880 more tables are not drawn."))
    }

    // MARK: - Helpers

    /// Returns the history in which each script is the whole schema after a migration.
    private func history(_ scripts: [String]) throws -> SchemaHistory {
        var history = SchemaHistory()
        for (index, sql) in scripts.enumerated() {
            let next = try SchemaParser().schema(of: SQLSource(name: "", sql))
            let changes = SchemaDiff(from: history.schema, to: next).changes()
            history.schema = next
            history.versions.append(
                .init(
                    migrations: [
                        .init(name: "v\(index + 1)", file: "Migrations/v\(index + 1).sql", isReleased: true)
                    ],
                    changes: changes, excerpt: SchemaReferences(next).excerpt(of: next, around: changes)))
        }
        return history
    }

    private func page(_ history: SchemaHistory?) -> String {
        HTMLRenderer().render(
            Report(.verify(VerifySummary(replays: SampleReport.passed.replays, history: history))),
            RenderOptions())
    }

    private func expectWellFormed(_ text: String) throws {
        let parser = XMLParser(data: Data(text.utf8))
        let isWellFormed = parser.parse()
        #expect(isWellFormed, "line \(parser.lineNumber): \(String(describing: parser.parserError))")
    }
}
