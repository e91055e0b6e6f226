import DrydockMigrations
import SQLiteSchema

@testable import DrydockConservation
@testable import DrydockState

/// A step that SQLite alone runs on a database in memory: the schemas on both sides, and what its statements say.
struct SQLStep {
    let before: Catalog
    let after: Catalog
    let lineage: TableLineage
    /// The database after the step.
    let database: PlainDatabase

    init(_ schema: String, _ step: String) throws {
        database = try PlainDatabase()
        try database.execute(schema)
        before = try Catalog(database, without: [], earlier: nil)
        try database.execute(step)
        after = try Catalog(database, without: [], earlier: nil)
        lineage = TableLineage(before, statements: Self.statements(step))
    }

    func match(_ declarations: [Declaration] = []) -> SchemaMatch {
        SchemaMatch(before: before, after: after, lineage: lineage, declarations: declarations)
    }

    static func statements(_ sql: String) -> [SQLStatement] {
        SQLSource(name: "v2.sql", sql).statements()
    }
}

extension Declaration {
    /// Parses declarations, a text for each.
    static func all(_ texts: [String]) throws -> [Declaration] {
        try texts.flatMap { text in
            try Declaration.parse(text, place: .init(file: "v2.sql"), migration: "v2").get()
        }
    }
}

extension SchemaMatch {
    /// Each pair of tables and each dropped table as a line: `t -> u: a, b -> c, d ~ e, derived f, gone g`, where `~` is
    /// a rename that values must confirm.
    var lines: [String] { pairs.map(\.line) + dropped.map { "gone \($0.name)" } }
}

extension TableMatch {
    fileprivate var line: String {
        let name = before.name == after.name ? before.name : "\(before.name) -> \(after.name)"
        let items =
            columns.map(\.text) + derived.map { "derived " + $0.text }
            + droppedColumns.map { "gone " + $0.name }
        return name + ": " + items.joined(separator: ", ")
    }
}

extension TableMatch.ColumnPair {
    fileprivate var text: String {
        if isGuess { return "\(before.name) ~ \(after.name)" }
        return before.name == after.name ? before.name : "\(before.name) -> \(after.name)"
    }
}
