import Foundation
import TestTools
import Testing

@testable import DrydockTestSupport

/// Kills a live migration at any instant: the database is at a complete migration, a second run finishes, and no commit
/// is lost.
@Suite struct MigrateKillTests {
    private static let kills = isSoak ? 400 : 8

    enum Writer: CaseIterable {
        case rollbackJournal
        /// The writer keeps the log open.
        case logHeldOpen
        /// The writer opens the database for each write.
        case logOpenedAnew
    }

    /// Writes one more migration for each round, so that something is pending.
    private func write(_ round: Int, to folder: TemporaryFolder) throws {
        let sql =
            round == 0 ? "" : "-- drydock: drops table step_\(round - 1)\nDROP TABLE step_\(round - 1);\n"
        try folder.write(
            "Migrations/m\(round).sql",
            sql
                + "CREATE TABLE step_\(round)(id INTEGER PRIMARY KEY, x); INSERT INTO step_\(round) SELECT id, x FROM t;"
        )
    }

    @Test(arguments: Writer.allCases)
    func `nothing is lost when a run is killed while others write`(kind: Writer) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let schema =
            "CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE TABLE u(id INTEGER PRIMARY KEY, y UNIQUE);"
        try folder.write("Migrations/a.sql", schema)
        try write(0, to: folder)
        var writer: PlainDatabase? = try PlainDatabase(path)
        try writer?.execute(
            """
            PRAGMA journal_mode = \(kind == .rollbackJournal ? "delete" : "wal"); PRAGMA synchronous = OFF; \(schema)
            CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('a');
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 200)
            INSERT INTO t SELECT n, randomblob(900) FROM s; INSERT INTO u SELECT id, hex(id) FROM t
            """)
        if kind == .logOpenedAnew { writer = nil }
        var (first, last, killed, round) = (1, 200, 0, 0)
        // On a busy machine some runs finish before they are killed.
        while killed < Self.kills, round < 4 * Self.kills {
            round += 1
            try write(round, to: folder)
            let reader = kind == .logHeldOpen ? try Reader(path) : nil
            let process = try start(folder, "--apply", round % 5 == 0 ? "--no-backup" : "--quiet")
            var sight = Sight(folder, round)
            while process.isRunning, !sight.isReached {
                guard !sight.isClose else { continue }
                let database = try writer ?? PlainDatabase(path)
                last += 1
                try database.execute("INSERT INTO u VALUES (\(last), hex(\(last)))")
                try database.execute("DELETE FROM u WHERE id = \(first)")
                first += 1
                usleep(2000)
            }
            if process.isRunning {
                kill(process.processIdentifier, SIGKILL)
                killed += 1
            }
            process.waitUntilExit()
            try reader?.check("round \(round)")
            try check(path, first, last, "round \(round)")
            if let writer, kind == .logHeldOpen, round % 3 == 0 {
                // The log becomes as short as ever.
                let isBusy = try writer.firstRow("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) == 1 }
                let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
                #expect(isBusy == false && size == 0, "round \(round)")
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
            where name.hasSuffix(".backup") {
                try folder.remove(name)
            }
        }
        #expect(killed > 0)
        let end = try Tool(folder: folder).run("migrate", "live.sqlite", "--apply")
        #expect(end.status == 0, "\(end)")
        #expect(try check(path, first, last, "the end") == round)
        // The next run removes what killed runs left beside the database.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.filter { $0.contains("drydock-migrate-") }.isEmpty, "\(left)")
    }

    private func start(_ folder: TemporaryFolder, _ options: String...) throws -> ChildProcess {
        let process = ChildProcess()
        process.executableURL = URL(filePath: Tool.path)
        process.arguments = ["migrate", "live.sqlite"] + options
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        try process.run()
        return process
    }

    /// - Returns: The newest migration.
    @discardableResult
    private func check(_ path: String, _ first: Int, _ last: Int, _ moment: Comment) throws -> Int {
        let reader = try PlainDatabase(path)
        let row = try reader.firstRow("SELECT count(*), min(id), max(id) FROM u") { row in
            (0..<3).map { Int(row.integer($0)) }
        }
        #expect(row == [last - first + 1, first, last], moment)
        #expect(try reader.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 200, moment)
        #expect(try reader.firstRow("PRAGMA integrity_check") { $0.string(0) } == "ok", moment)
        // The history and the schema agree: only the newest step's table exists, with all its rows.
        let applied = try reader.rows("SELECT identifier FROM grdb_migrations") { $0.string(0) }
        let newest = applied.compactMap { Int($0.dropFirst()) }.max() ?? -1
        #expect(applied.count == newest + 2, moment)
        let tables = try reader.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'step%'") {
            $0.string(0)
        }
        #expect(tables == (newest < 0 ? [] : ["step_\(newest)"]), moment)
        if newest >= 0 {
            #expect(
                try reader.firstRow("SELECT count(*) FROM step_\(newest)") { $0.integer(0) } == 200, moment)
        }
        return newest
    }
}

/// A reader in a transaction, in which nothing may change.
private struct Reader {
    private static let queries = [
        "SELECT name, sql FROM sqlite_schema", "SELECT * FROM t", "SELECT * FROM u",
        "SELECT * FROM grdb_migrations",
    ]

    private let connection: PlainDatabase
    private let content: [[[String]]]

    init(_ path: String) throws {
        connection = try PlainDatabase(path)
        try connection.execute("BEGIN")
        content = try Self.queries.map(connection.literals)
    }

    func check(_ moment: Comment) throws {
        #expect(try Self.queries.map(connection.literals) == content, moment)
        try connection.execute("COMMIT")
    }
}

/// When to kill: after something is seen of the run, not after a time, and then some steps of a counter later.
private struct Sight {
    private let folder: String
    private let round: Int
    private var random: SeededGenerator
    private var steps: Int
    private var isNear = false

    init(_ folder: TemporaryFolder, _ round: Int) {
        self.folder = folder.path
        self.round = round
        random = SeededGenerator(seed: UInt64(round))
        steps = random.below(60)
    }

    /// Whether the backup exists, so that the installation begins: the test then only watches.
    var isClose: Bool { isNear }

    var isReached: Bool {
        mutating get {
            if !isNear {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                // A third of the runs are killed somewhere on the way, the others while the pages are written.
                isNear = round % 3 == 0 ? steps < 30 : names.contains { $0.hasSuffix(".backup") }
                if round % 3 == 0 { steps -= 1 }
                guard isNear else { return false }
                steps = round % 3 == 0 ? 0 : random.below(40)
            }
            steps -= 1
            usleep(100)
            return steps < 0
        }
    }
}
