import DatabaseEngine
import DrydockReplay
import OverlayVFS
import SQLiteSchema

/// The tables on which a step's outcome depends, so that it can be tried on them alone: SQLite reads the whole schema
/// of each connection, and a step is tried many times.
struct StepExcerpt {
    private let schema: Schema
    /// The folded names of the tables that stay.
    let tables: Set<String>

    /// A schema as small as this is tried whole.
    private static let wholeSchema = 24

    /// - Returns: nil where the whole schema is hardly larger, or cannot be read.
    init?(_ step: StepTables, of schema: Schema) {
        guard schema.tables.count > Self.wholeSchema, schema.unparsed.isEmpty else { return nil }
        self.schema = schema
        tables = Self.closure(step, of: schema)
        guard tables.count < schema.tables.count / 2 else { return nil }
    }

    /// Returns the tables of a step, those that refer to them and that their triggers write to, at any distance, and
    /// the parents of all these.
    private static func closure(_ step: StepTables, of schema: Schema) -> Set<String> {
        var (children, triggered): ([String: [String]], [String: Set<String>]) = ([:], [:])
        for (name, table) in schema.tables {
            for key in table.foreignKeys { children[key.parent.foldedASCII, default: []].append(name) }
        }
        for trigger in schema.triggers.values {
            triggered[trigger.table.foldedASCII, default: []].formUnion(trigger.names)
        }
        // An external-content table is read with the one that has its text.
        let contents = schema.virtualTables.values.flatMap { table in
            table.arguments.flatMap(\.normalized.items).compactMap {
                if case .word(let name) = $0 { name } else { nil }
            }
        }
        let written = reached(from: step.named.union(contents), in: schema) { name in
            (children[name] ?? []) + (triggered[name] ?? [])
        }
        return reached(from: written, in: schema) { name in
            schema.tables[name]?.foreignKeys.map(\.parent.foldedASCII) ?? []
        }
    }

    private static func reached(
        from names: Set<String>, in schema: Schema, next: (String) -> [String]
    ) -> Set<String> {
        var (left, found) = (names, Set<String>())
        while let name = left.popFirst() {
            guard schema.tables[name] != nil, found.insert(name).inserted else { continue }
            left.formUnion(next(name))
        }
        return found
    }

    /// The folded names of the tables that do not stay, and of the views that read one of them.
    private var dropped: Set<String> {
        var gone = Set(schema.tables.keys).subtracting(tables)
        var views = schema.views
        while let name = views.first(where: { !$0.value.query.names.isDisjoint(with: gone) })?.key {
            views[name] = nil
            gone.insert(name)
        }
        return gone
    }

    /// Returns the fixture with a database whose schema has only these tables. Their pages, and so their rows, stay as
    /// they are.
    func excerpt(of fixture: StepFixture) async throws -> StepFixture {
        let gone = dropped
        let state = try await fixture.state(over: fixture.before) { connection in
            let kept = try connection.rows("SELECT rowid, tbl_name FROM main.sqlite_schema") {
                gone.contains($0.string(1).foldedASCII) ? nil : String($0.integer(0))
            }.compactMap(\.self)
            try connection.execute(
                """
                PRAGMA writable_schema = ON;
                DELETE FROM main.sqlite_schema WHERE rowid NOT IN (\(kept.joined(separator: ", ")))
                """)
            return true
        }
        guard let state else { return fixture }
        var excerpt = fixture
        excerpt.before = state
        return excerpt
    }
}
