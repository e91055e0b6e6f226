import SQLiteSchema
import Testing

/// Tests with many objects; the benchmark measures the time.
@Suite struct BigSchemaTests {
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

    @Test func `two schemas of hundreds of tables are read and compared`() throws {
        let schemas = try ["REAL", "NUMERIC"].map {
            try SchemaParser().schema(of: SQLSource(name: $0, script(tables: 300, type: $0)))
        }
        #expect(SchemaDiff(from: schemas[0], to: schemas[1]).changes().count == 300)
        #expect(SchemaDiff(from: schemas[0], to: schemas[0]).changes().isEmpty)
    }
}
