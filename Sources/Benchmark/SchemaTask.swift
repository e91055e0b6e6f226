import SQLiteSchema

/// The task that parses and compares two schemas of 2,000 tables with an index and a trigger each; every
/// table differs in one column.
enum SchemaTask {
    static let name = "schema"
    static let tables = 2_000

    static var task: BenchmarkTask {
        let sources = ["REAL", "NUMERIC"].map { SQLSource(name: $0, script(type: $0)) }
        return BenchmarkTask(
            name: name, summary: "parse and compare two schemas of \(tables) tables",
            contenders: [
                Contender("drydock") {
                    let schemas = try sources.map { try SchemaParser().schema(of: $0) }
                    let count = SchemaDiff(from: schemas[0], to: schemas[1]).changes().count
                    guard count == tables else { throw WrongAnswer("\(count) changes, not \(tables)") }
                }
            ])
    }

    private static func script(type: String) -> String {
        (0..<tables).map { number in
            """
            CREATE TABLE "table_\(number)" (
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
}

/// An error for a contender whose result is wrong.
struct WrongAnswer: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
