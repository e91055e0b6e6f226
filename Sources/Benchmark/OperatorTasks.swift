import Foundation

/// The tasks that compare `drydock stats`, `drydock health` and `drydock schema` with SQLite's own tools.
struct OperatorTasks {
    static let manyTables = "stats: many tables"
    static let start = "start"
    private static let tables = 4_000
    private static let analyzer = "sqlite3_analyzer"

    let drydock: String
    let database: BenchmarkDatabase

    var all: [BenchmarkTask] {
        [
            stats(
                "stats", "statistics of \(database.megabytes) MB, every page counted", database.snapshot,
                factor: 7),
            stats(
                Self.manyTables, "statistics of \(Self.tables) tables with an index each", tables.path,
                factor: 80, before: tables.make),
            BenchmarkTask(
                name: "health", summary: "all of health --deep beside integrity_check alone",
                contenders: [
                    Contender("drydock health --deep", [drydock, "health", "--deep", database.snapshot]),
                    Contender(
                        "sqlite3 integrity_check",
                        ["sqlite3", "-readonly", database.snapshot, "PRAGMA integrity_check"]),
                ],
                goals: [Goal("drydock health --deep", .times(0.35, of: "sqlite3 integrity_check"))]),
            BenchmarkTask(
                name: Self.start, summary: "a database of 1 MB, which shows what it costs to start",
                contenders: [
                    Contender("drydock stats", [drydock, "stats", small.snapshot], before: small.make),
                    Contender("drydock schema", [drydock, "schema", small.snapshot]),
                    Contender("sqlite3 .schema", ["sqlite3", small.snapshot, ".schema"]),
                    Contender(Self.analyzer, [Self.analyzer, small.snapshot]),
                ],
                goals: [Goal("drydock stats", .seconds(0.015)), Goal("drydock schema", .seconds(0.015))]),
        ]
    }

    private func stats(
        _ name: String, _ summary: String, _ path: String, factor: Double,
        before: @escaping () throws -> Void = {}
    ) -> BenchmarkTask {
        let (human, json) = ("drydock stats", "drydock stats --format json")
        return BenchmarkTask(
            name: name, summary: summary,
            contenders: [
                Contender(human, [drydock, "stats", path], before: before),
                Contender(json, [drydock, "stats", "--format", "json", path]),
                Contender(Self.analyzer, [Self.analyzer, path]),
            ],
            goals: [
                Goal(human, .faster(factor, than: Self.analyzer)),
                Goal(json, .faster(factor, than: Self.analyzer)),
                Goal(json, .times(1.3, of: human)),
            ])
    }

    private var small: BenchmarkDatabase {
        BenchmarkDatabase(folder: database.folder + "/small", megabytes: 1)
    }
    private var tables: TableDatabase { TableDatabase(folder: database.folder, tables: Self.tables) }
}

/// A database of many small tables.
struct TableDatabase {
    let folder: String
    let tables: Int

    var path: String { "\(folder)/tables-\(tables).sqlite" }

    /// Creates the database, unless it exists from an earlier run.
    func make() throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let statements = (0..<tables).map { number in
            """
            CREATE TABLE thing_\(number)(id INTEGER PRIMARY KEY, name TEXT, size INTEGER);
            CREATE INDEX thing_\(number)_on_name ON thing_\(number)(name);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 20)
            INSERT INTO thing_\(number) SELECT n, 'name ' || n, n FROM s;
            """
        }
        try BenchmarkDatabase(folder: folder, megabytes: 0).sqlite(
            path,
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;\n"
                + statements.joined(separator: "\n") + "\nCOMMIT;")
    }
}
