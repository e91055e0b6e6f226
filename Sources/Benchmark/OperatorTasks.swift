import Foundation

/// The tasks that compare `drydock stats` and `drydock health` with SQLite's own tools.
struct OperatorTasks {
    static let manyTables = "stats: many tables"
    private static let tables = 4_000

    let drydock: String
    let database: BenchmarkDatabase

    var all: [BenchmarkTask] {
        [
            task("stats", "every page counted; the goal is 6 times faster", on: database.snapshot),
            BenchmarkTask(
                name: Self.manyTables,
                summary:
                    "statistics of \(Self.tables) tables with an index each; the goal is 50 times faster",
                contenders: [
                    Contender("drydock stats", [drydock, "stats", tablesPath], before: makeTables),
                    Contender("sqlite3_analyzer", ["sqlite3_analyzer", tablesPath]),
                ]),
            BenchmarkTask(
                name: "health",
                summary:
                    "all of health --deep beside integrity_check alone; the goal is at most 1.1 times its time",
                contenders: [
                    Contender("drydock health --deep", [drydock, "health", "--deep", database.snapshot]),
                    Contender(
                        "sqlite3 integrity_check",
                        ["sqlite3", "-readonly", database.snapshot, "PRAGMA integrity_check"]),
                ]),
        ]
    }

    private func task(_ name: String, _ summary: String, on path: String) -> BenchmarkTask {
        BenchmarkTask(
            name: name, summary: "statistics of \(database.megabytes) MB: \(summary)",
            contenders: [
                Contender("drydock stats", [drydock, "stats", path]),
                Contender("sqlite3_analyzer", ["sqlite3_analyzer", path]),
            ])
    }

    private var tablesPath: String { database.folder + "/tables.sqlite" }

    /// Creates the database, unless it exists from an earlier run.
    private func makeTables() throws {
        guard !FileManager.default.fileExists(atPath: tablesPath) else { return }
        try FileManager.default.createDirectory(atPath: database.folder, withIntermediateDirectories: true)
        let statements = (0..<Self.tables).map { number in
            """
            CREATE TABLE thing_\(number)(id INTEGER PRIMARY KEY, name TEXT, size INTEGER);
            CREATE INDEX thing_\(number)_on_name ON thing_\(number)(name);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 20)
            INSERT INTO thing_\(number) SELECT n, 'name ' || n, n FROM s;
            """
        }
        try database.sqlite(
            tablesPath,
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;\n"
                + statements.joined(separator: "\n") + "\nCOMMIT;")
    }
}
