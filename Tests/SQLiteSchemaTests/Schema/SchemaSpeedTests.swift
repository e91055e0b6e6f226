import SQLiteSchema
import Testing

@Suite struct SchemaSpeedTests {
    private func script(tables: Int, type: String) -> String {
        (0..<tables).map { number in
            """
            CREATE TABLE IF NOT EXISTS "table_\(number)" (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                parent_id INTEGER REFERENCES table_\(number / 2) (id) ON DELETE CASCADE,
                name TEXT NOT NULL DEFAULT '' COLLATE NOCASE CHECK (length(name) < 100),
                amount \(type), note, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
                UNIQUE (name, parent_id)
            ); -- number \(number)
            CREATE INDEX index_\(number) ON table_\(number) (lower(name), created DESC) WHERE note IS NOT NULL;
            CREATE TRIGGER trigger_\(number) AFTER UPDATE OF name ON table_\(number) WHEN new.name <> old.name BEGIN
                UPDATE table_\(number / 2) SET note = new."name" WHERE id = new.parent_id;
            END;

            """
        }.joined()
    }

    /// Two schemas of 2,000 tables with an index and a trigger each, every table differing in one column. The
    /// bound is that of a debug build on a busy machine; a release build takes a tenth.
    @Test func `two thousand tables are read and compared`() throws {
        let tables = isOptimized ? 2_000 : 200
        let sources = ["REAL", "NUMERIC"].map { SQLSource(name: $0, script(tables: tables, type: $0)) }
        let clock = ContinuousClock()
        var count = 0
        let time = try clock.measure {
            let schemas = try sources.map { try SchemaParser().schema(of: $0) }
            count = SchemaDiff(from: schemas[0], to: schemas[1]).changes().count
        }
        #expect(count == tables)
        if isOptimized {
            print("parsing and comparing two schemas of \(tables) tables: \(time)")
            #expect(time < .seconds(1))
        }
    }

    private var isOptimized: Bool {
        var isDebug = false
        assert(
            {
                isDebug = true; return true
            }())
        return !isDebug
    }
}
