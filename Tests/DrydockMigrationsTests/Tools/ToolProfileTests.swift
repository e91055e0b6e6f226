import SQLiteSchema
import Testing

@testable import DrydockMigrations

/// What each tool's profile says must agree with its format.
@Suite struct ToolProfileTests {
    @Test func noTwoToolsHaveOneName() {
        let names = ToolProfile.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    /// The tables that are left out of the app's schema are those whose columns are known.
    @Test(arguments: ToolProfile.all.compactMap(\.format).map(\.name))
    func theTablesOfAFormatAreInItsProfile(_ name: String) throws {
        let tool = try #require(ToolProfile.all.first { $0.name == name })
        let tables = Set(tool.tables.keys.map(\.foldedASCII))
        #expect(tables == Set((tool.format?.ownTables ?? []).map(\.foldedASCII)))
    }

    /// Names are compared folded.
    @Test func theColumnsOfATableAreFolded() {
        for columns in ToolProfile.all.flatMap(\.tables.values) {
            #expect(columns == Set(columns.map(\.foldedASCII)))
        }
    }

    /// A table is the tool's under any name if it has all of the tool's columns.
    @Test func columnsAreOfATool() {
        #expect(ToolProfile.ownColumns(of: "Schema_Migrations", ["VERSION", "note"]) == ["version"])
        let goose = ["id", "version_id", "is_applied", "tstamp", "note"]
        #expect(
            ToolProfile.ownColumns(of: "versions", goose) == ["id", "version_id", "is_applied", "tstamp"])
        #expect(ToolProfile.ownColumns(of: "note", ["id", "text"]).isEmpty)
        #expect(ToolProfile.ownColumns(of: "flyway_schema_history", ["installed_by"]).isEmpty)
    }

    /// A table that a command's history names is one of the tool's.
    @Test func theHistoryOfACommandIsInATableOfTheTool() {
        for tool in ToolProfile.all {
            guard let history = tool.history, let table = history.table else { continue }
            #expect(tool.tables[table] != nil, "\(tool.name)")
        }
    }
}
