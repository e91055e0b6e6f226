import DatabaseEngine
import DrydockFindings
import DrydockProbes
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Makes databases that have a part of a state's schema and of its rows only those of the migration tool, so that a step
/// can be tried on few rows.
package struct TrialDatabase: Sendable {
    package let fixture: StepFixture
    package let schema: Schema
    /// The state whose schema it is.
    package let state: DatabaseState

    package init(fixture: StepFixture, schema: Schema, state: DatabaseState) {
        self.fixture = fixture
        self.schema = schema
        self.state = state
    }

    /// The tables that say what is applied.
    package var recordingTables: [String] {
        let format = fixture.context.set.format
        let recording = fixture.context.command?.format.recordingTables ?? []
        return Set(format.ownTables + recording).sorted()
    }

    package struct Definition: Sendable {
        package var rank: Int
        package var sql: String
        /// Whether it makes a table of the migration tool.
        package var isHistory = false

        package init(rank: Int, sql: String, isHistory: Bool = false) {
            self.rank = rank
            self.sql = sql
            self.isHistory = isHistory
        }
    }

    /// Returns the statements that make the tables, with what belongs to them.
    /// - Parameter tables: nil for all.
    package func definitions(of tables: Set<String>?) async throws -> [Definition] {
        let catalog = state.catalog
        let isWanted: @Sendable (String, String) -> Bool = { name, table in
            tables.map { $0.contains(table.foldedASCII) || $0.contains(name.foldedASCII) } ?? true
        }
        let views = schema.views.filter { view in
            tables.map { !view.value.query.names.isDisjoint(with: $0) } ?? true
        }.keys
        return try await fixture.inspector.withConnection(to: state.image) { connection in
            var found: [Definition] = []
            try connection.forEachRow(
                "SELECT type, name, tbl_name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
            ) { row in
                let (type, name, table) = (row.string(0), row.string(1), row.string(2))
                switch type {
                case "table":
                    let folded = name.foldedASCII
                    let isHistory = catalog.tables[folded] == nil
                    guard let known = catalog.table(name), !folded.hasPrefix("sqlite_"),
                        isHistory || isWanted(name, name)
                    else { return }
                    found.append(
                        .init(rank: known.module == nil ? 0 : 1, sql: row.string(3), isHistory: isHistory))
                case "index" where isWanted(name, table): found.append(.init(rank: 2, sql: row.string(3)))
                case "view" where views.contains(name.foldedASCII):
                    found.append(.init(rank: 3, sql: row.string(3)))
                case "trigger" where isWanted(name, table): found.append(.init(rank: 4, sql: row.string(3)))
                default: break
                }
            }
            return found.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
                .map(\.element)
        }
    }

    /// Returns a database with the schema and the tool's history, and without rows; nil where it cannot be made.
    /// - Parameter edits: statements that run after the definitions.
    package func bare(_ definitions: [String], then edits: [String] = []) async throws -> DatabaseState? {
        let overlay = try Overlay(emptyNamed: "counterexample.sqlite")
        var settings = fixture.context.settings(fixture.watchdog)
        settings.foreignKeys = false
        settings.doubleQuotedStrings = true
        let own = recordingTables
        let (source, catalog) = (overlay.attach(state.image), state.catalog)
        do {
            try await fixture.context.engine.use(overlay, settings: settings) { database in
                try await database.withConnection { connection in
                    try connection.execute("PRAGMA encoding = '\(catalog.encoding.rawValue)'")
                    for sql in definitions + edits { try connection.execute(sql) }
                    for (mark, value) in catalog.marks {
                        try connection.execute("PRAGMA \(mark.rawValue) = \(value)")
                    }
                    try connection.execute("ATTACH \(quotedText(source)) AS source")
                    for name in own where catalog.table(name) != nil {
                        let table = quotedName(name)
                        try connection.execute(
                            "INSERT INTO main.\(table) SELECT * FROM source.\(table)")
                    }
                    try connection.execute("DETACH source")
                    try connection.checkpoint()
                }
            }
        } catch let error as EngineError where !error.isInterrupt {
            return nil
        }
        return try await fixture.inspector.inspect(overlay.freeze().image, earlier: nil)
    }

    /// Returns what is recorded as applied.
    package func historyRows() async throws -> [GeneratedRow] {
        let (catalog, tables) = (state.catalog, recordingTables)
        return try await fixture.inspector.withConnection(to: state.image) { connection in
            try tables.flatMap { name -> [GeneratedRow] in
                guard let table = catalog.table(name), table.module == nil else { return [] }
                let columns = table.storedColumns.map(\.name)
                let list = columns.map(quotedName).joined(separator: ", ")
                return try connection.rows("SELECT \(list) FROM main.\(quotedName(table.name))") { row in
                    GeneratedRow(
                        table: table.name, columns: columns, values: columns.indices.map(row.value))
                }
            }
        }
    }
}
