import Drydock
import Foundation
import Testing

@testable import DrydockReport
@testable import SQLiteSchema

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What a diagram shows of a schema and of its changes.
@Suite struct EntityDiagramTests {
    private static let old = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, address TEXT NOT NULL, name TEXT);
        CREATE TABLE email(id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id), subject TEXT,
          snippet TEXT);
        CREATE TABLE attachment(id INTEGER PRIMARY KEY, email_id INTEGER REFERENCES email(id), name TEXT);
        CREATE TABLE legacy(id INTEGER PRIMARY KEY, email_id INTEGER REFERENCES email(id));
        """
    private static let new = """
        CREATE TABLE account(id INTEGER PRIMARY KEY, address TEXT NOT NULL, name TEXT);
        CREATE TABLE thread(id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES thread(id), gone_id REFERENCES gone);
        CREATE TABLE email(id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(id), subject TEXT NOT NULL,
          thread_id INTEGER REFERENCES thread(id) ON DELETE SET NULL);
        CREATE TABLE attachment(id INTEGER PRIMARY KEY, email_id INTEGER REFERENCES email(id), name TEXT);
        CREATE INDEX email_on_thread ON email(thread_id);
        """

    @Test func `a difference`() throws {
        let diagram = try diagram(Self.old, Self.new)
        let marks = Dictionary(uniqueKeysWithValues: diagram.boxes.map { ($0.name, $0.mark) })
        #expect(
            marks == [
                "account": .beside, "attachment": .beside, "email": .changed, "legacy": .dropped,
                "thread": .added, "gone": .missing,
            ])
        let email = try #require(diagram.boxes.first { $0.name == "email" })
        #expect(
            email.rows.map { ($0.mark.symbol ?? " ") + $0.key + " " + $0.name + " " + $0.type } == [
                " PK id INTEGER", " FK account_id INTEGER", "~ subject TEXT", "+FK thread_id INTEGER?",
                "− snippet TEXT", "+ index email_on_thread (thread_id) ",
            ])
        let edges = diagram.edges.map { edge in
            "\(diagram.boxes[edge.child].name) \(diagram.boxes[edge.parent].name) \(edge.mark)"
        }
        #expect(
            Set(edges) == [
                "thread thread added", "thread gone added", "email thread added", "email account plain",
                "attachment email plain", "legacy email dropped",
            ])
        try hold(diagram.node("What differs"), "diagram.svg.html")
    }

    @Test func `a schema without changes`() throws {
        let diagram = EntityDiagram(try schema(Self.new))
        #expect(diagram.boxes.allSatisfy { $0.mark == .plain || $0.mark == .missing })
        #expect(diagram.edges.count == 5)
        try hold(diagram.node("The schema"), nil)
    }

    @Test func `renamed, and rebuilt under the same name`() throws {
        let hints = RenameHints(tables: ["person": "account"], columns: ["person": ["mail": "email"]])
        let (old, new) = (
            try schema("CREATE TABLE person(id INTEGER PRIMARY KEY, mail TEXT)"),
            try schema("CREATE TABLE account(id INTEGER PRIMARY KEY, email TEXT)")
        )
        let changes = SchemaDiff(from: old, to: new, hints: hints).changes()
        let diagram = EntityDiagram(new, changes: changes)
        #expect(diagram.boxes.map(\.name) == ["account"] && diagram.boxes[0].mark == .changed)
        #expect(diagram.boxes[0].rows.map(\.name) == ["id", "email", "renamed from person"])
        #expect(diagram.boxes[0].rows[1].about == "renamed from mail")
        var text = ""
        diagram.node("x").write(to: &text)
        #expect(text.contains("renamed from mail"))
    }

    @Test func `a table that is dropped, and another that has its name`() throws {
        let (old, new) = (
            try schema("CREATE TABLE a(x)"), try schema("CREATE VIRTUAL TABLE a USING fts5(body)")
        )
        let diagram = EntityDiagram(new, changes: SchemaDiff(from: old, to: new).changes())
        #expect(diagram.boxes.map(\.mark) == [.dropped, .added])
        try hold(diagram.node("x"), nil)
    }

    @Test func `a limit leaves out what has the fewest foreign keys`() throws {
        let sql = (0..<30).map { "CREATE TABLE t\($0)(id INTEGER PRIMARY KEY, p REFERENCES t3(id));" }
        let diagram = EntityDiagram(try schema(sql.joined()), limit: 5)
        #expect(diagram.boxes.count == 5 && diagram.leftOut == 25)
        #expect(diagram.boxes.contains { $0.name == "t3" })
        var text = ""
        diagram.node("x").write(to: &text)
        #expect(text.contains("25 more tables are not drawn."))
    }

    @Test func `long tables and long names are cut`() throws {
        let long = String(repeating: "very_", count: 20)
        let columns = (0..<50).map { "c\($0) \(long)" }.joined(separator: ", ")
        let diagram = EntityDiagram(
            try schema("CREATE TABLE \(long)(\(long) INTEGER PRIMARY KEY, \(columns))"))
        #expect(diagram.boxes[0].rows.count == 24)
        #expect(diagram.boxes[0].rows.last?.name == "… 28 more columns")
        let layout = diagram.layout(width: 1000)
        #expect(layout.width < 420, "\(layout.width)")
        var text = ""
        diagram.node("x").write(to: &text)
        #expect(text.contains("…</tspan>") && text.contains("<title>\(long)"))
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "\"'&]]>", "a\u{202e}b\u{0007}", "表の名前が長い場合はどうなるのかな",
        "\u{1F468}\u{200D}\u{1F469}",
    ]) func `hostile names are text`(name: String) throws {
        let quoted = SQLName.quoted(name)
        let (old, new) = (
            try schema("CREATE TABLE \(quoted)(a)"),
            try schema(
                "CREATE TABLE \(quoted)(a, \(quoted) \(quoted) REFERENCES \(quoted), b REFERENCES \(quoted)(c))"
            )
        )
        let diagram = EntityDiagram(new, changes: SchemaDiff(from: old, to: new).changes())
        try hold(diagram.node(name), nil)
    }

    // MARK: - Helpers

    private func diagram(_ old: String, _ new: String) throws -> EntityDiagram {
        let (before, after) = (try schema(old), try schema(new))
        let changes = SchemaDiff(from: before, to: after).changes()
        let excerpt = SchemaReferences(after).excerpt(of: after, around: changes)
        return EntityDiagram(excerpt.schema, changes: changes, leftOut: excerpt.leftOut)
    }

    private func schema(_ sql: String) throws -> Schema {
        try SchemaParser().schema(of: SQLSource(name: "", sql))
    }

    private func hold(_ node: HTMLNode, _ golden: String?) throws {
        var text = ""
        node.write(to: &text)
        let parser = XMLParser(data: Data(text.utf8))
        let isWellFormed = parser.parse()
        #expect(isWellFormed, "\(String(describing: parser.parserError)): \(text)")
        #expect(!text.contains("<script") && !text.unicodeScalars.contains("\u{202e}"))
        guard let golden else { return }
        try Golden.hold(
            text.replacing("><g", with: ">\n<g").replacing("><text", with: ">\n  <text") + "\n",
            against: golden)
    }
}
