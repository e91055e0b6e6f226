import CSQLite
import Foundation
import TestTools
import Testing

@testable import OverlayVFS

/// The states that ``PowerCuts`` enumerates, against what real kills leave, and against what SQLite promises of them.
@Suite struct PowerCutTests {
    /// How a program writes.
    struct Writing: Sendable, CustomTestStringConvertible {
        var setup = ""
        var settings: String
        /// Whether SQLite promises that a power cut leaves all or nothing of each transaction.
        var isSafe = true

        var testDescription: String { "\(setup)\(settings)" }

        /// Three transactions, of which the second does not fit into the cache.
        static let transactions = [
            "UPDATE t SET x = x + 1 WHERE id % 3 = 0; CREATE INDEX t_y ON t(y)",
            """
            CREATE TABLE copy(id INTEGER PRIMARY KEY, y TEXT UNIQUE, z);
            INSERT INTO copy SELECT id, y || id, zeroblob(id % 3 * 300) FROM t; DROP TABLE t; ALTER TABLE copy RENAME TO t
            """,
            "DELETE FROM t WHERE id > 3",
        ]

        var sql: String {
            "\(settings)PRAGMA cache_size = 4;" + Self.transactions.map { "BEGIN;\($0);COMMIT;" }.joined()
        }

        func write(to folder: Folder) throws -> String {
            try folder.database(
                "a.db",
                """
                PRAGMA page_size = 1024;\(setup)
                CREATE TABLE t(id INTEGER PRIMARY KEY, x INTEGER, y TEXT);
                WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 6)
                INSERT INTO t SELECT n, n, hex(zeroblob(n % 5 * 9)) || n FROM s
                """)
        }

        static let all = [
            Writing(settings: ""),
            Writing(settings: "PRAGMA synchronous = EXTRA;"),
            Writing(settings: "PRAGMA journal_mode = TRUNCATE;"),
            Writing(settings: "PRAGMA journal_mode = PERSIST;"),
            Writing(setup: "PRAGMA auto_vacuum = FULL;", settings: ""),
            Writing(setup: "PRAGMA journal_mode = WAL;", settings: ""),
            Writing(setup: "PRAGMA journal_mode = WAL;", settings: "PRAGMA wal_autocheckpoint = 5;"),
            Writing(
                setup: "PRAGMA journal_mode = WAL;",
                settings: "PRAGMA synchronous = NORMAL;PRAGMA wal_autocheckpoint = 5;"),
            Writing(settings: "PRAGMA synchronous = OFF;", isSafe: false),
            Writing(settings: "PRAGMA journal_mode = MEMORY;", isSafe: false),
            Writing(settings: "PRAGMA journal_mode = OFF;", isSafe: false),
        ]
    }

    /// Returns the bytes of a database as the next program to open it reads them; nil where it cannot.
    private func content(_ database: Database) throws -> Data? {
        guard (try? database.value("PRAGMA schema_version")) != nil else { return nil }
        var size: sqlite3_int64 = 0
        guard let bytes = sqlite3_serialize(database.handle, "main", &size, 0) else { return nil }
        defer { sqlite3_free(bytes) }
        return Data(bytes: bytes, count: Int(size))
    }

    private func content(_ image: Image) throws -> Data? { try content(Database(try Overlay(image))) }

    private func record(_ sql: String, on path: String) throws -> (PowerCuts, Image) {
        let log = WriteLog()
        let overlay = try Overlay.$writeLog.withValue(log) { try Overlay(snapshot: path) }
        let start = overlay.freeze().image
        log.begin()
        try Database(overlay).execute(sql)
        #expect(!log.isFull)
        return (PowerCuts(log, from: start), start)
    }

    /// A transaction that spilled and was rolled back wrote what the file below holds already.
    @Test func `a state that was rolled back has the digest of the state before`() throws {
        let folder = Folder()
        let overlay = try Overlay(snapshot: try Writing(settings: "").write(to: folder))
        let database = try Database(overlay)
        var digests = ImageDigests()
        let before = digests.digest(overlay.freeze().image, isWhole: false)
        try database.execute("PRAGMA cache_size = 2; BEGIN; UPDATE t SET y = hex(zeroblob(900)); ROLLBACK")
        #expect(digests.digest(overlay.freeze().image, isWhole: false) == before)
        try database.execute("UPDATE t SET x = x + 1 WHERE id = 1")
        #expect(digests.digest(overlay.freeze().image, isWhole: false) != before)
    }

    // MARK: - How the states are made and chosen

    @Test(arguments: Writing.all)
    func `the shorter way leads to the same states`(writing: Writing) async throws {
        let folder = Folder()
        let (cuts, _) = try record(writing.sql, on: try writing.write(to: folder))
        var digests = ImageDigests()
        var states: [[ImageDigests.Digest]] = []
        for isShort in [true, false] {
            var made: [ImageDigests.Digest] = []
            try await PowerCuts.$takesShortcuts.withValue(isShort) {
                try await cuts.forEach(of: cuts.chosen(1500)) { made.append(digests.digest($1)) }
            }
            states.append(made)
        }
        #expect(states[0] == states[1])
        #expect(Set(states[0]).count > 20)
    }

    @Test(arguments: Writing.all)
    func `where not all are tried, each kind is`(writing: Writing) async throws {
        let folder = Folder()
        let (cuts, _) = try record(writing.sql, on: try writing.write(to: folder))
        let all = cuts.cuts
        #expect(cuts.chosen(all.count) == all && cuts.chosen(.max) == all)
        for count in [1, 7, 64, all.count - 1] {
            let chosen = cuts.chosen(count)
            #expect(chosen.count == count && Set(chosen).count == count)
            #expect(chosen.map(\.done) == chosen.map(\.done).sorted())
        }
        let kinds = { (cuts: [PowerCuts.Cut]) in
            Set(
                cuts.map { cut in
                    if case .operation = cut.missing { 1 } else { cut.missing == .nothing ? 2 : 3 }
                })
        }
        #expect(kinds(cuts.chosen(all.count / 2)) == kinds(all))
    }

    @Test func `of two files that were not synced each may be lost alone`() throws {
        let folder = Folder()
        let writing = Writing(settings: "PRAGMA synchronous = OFF;", isSafe: false)
        let (cuts, _) = try record(writing.sql, on: try writing.write(to: folder))
        #expect(cuts.cuts.contains { if case .unsyncedOf = $0.missing { true } else { false } })
    }

    // MARK: - Real kills

    private static let program =
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/KilledWriter"

    @discardableResult
    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        let process = ChildProcess()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus,
            String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
        )
    }

    @Test(arguments: Writing.all)
    func `a program that is killed leaves a state that is enumerated`(writing: Writing) async throws {
        let folder = Folder()
        let path = try writing.write(to: folder)
        let original = try Data(contentsOf: URL(filePath: path))
        let (cuts, start) = try record(writing.sql, on: path)
        var states: Set<Data?> = [try content(start)]
        let kills = cuts.cuts.filter { cut in
            switch cut.missing {
            case .nothing, .end: true
            case .unsynced, .unsyncedOf, .operation: false
            }
        }
        try await cuts.forEach(of: kills) { _, image in states.insert(try content(image)) }
        let file = folder.file("killed.db")
        try original.write(to: URL(filePath: file))
        let count = try #require(Int(try run(file, writing.sql).output))
        #expect(count > 20)
        for seed in seeds(8, of: 40, soak: 1_000) {
            var random = SeededGenerator(seed: seed)
            for suffix in ["", "-journal", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: file + suffix)
            }
            try original.write(to: URL(filePath: file))
            let number = random.int(1...count)
            let sectors = random.chance(50) ? random.int(1...3) : 0
            let status = try run(file, writing.sql, "\(number)", "\(sectors)").status
            #expect(status == SIGKILL)
            let left = try content(Database(file.uri))
            #expect(states.contains(left), "operation \(number), \(sectors) sectors")
        }
    }

    // MARK: - Power cuts

    /// The databases between the transactions, as text.
    private func commits(_ writing: Writing) throws -> Set<String> {
        let folder = Folder()
        let database = try Database(try writing.write(to: folder).uri)
        var states: Set = [try dump(database)]
        try database.execute(writing.settings)
        for transaction in Writing.transactions {
            try database.execute("BEGIN;\(transaction);COMMIT")
            states.insert(try dump(database))
        }
        return states
    }

    private func dump(_ database: Database) throws -> String {
        do {
            guard try database.value("PRAGMA integrity_check") == "ok" else { return "damaged" }
            return try database.rows("SELECT sql FROM sqlite_schema ORDER BY name; SELECT * FROM t")
                .description
        } catch let error as SQLiteError {
            return "damaged: \(error.message)"
        }
    }

    @Test(arguments: Writing.all)
    func `after a power cut SQLite finds a commit, unless it was told to be careless`(writing: Writing)
        async throws
    {
        let folder = Folder()
        let (cuts, _) = try record(writing.sql, on: try writing.write(to: folder))
        let commits = try commits(writing)
        #expect(commits.count == 4 && !commits.contains("damaged"))
        var others: Set<String> = []
        var seen: Set<String> = []
        // Evenly spread where there are too many for every run: with DRYDOCK_SOAK each of them.
        let step = isSoak && writing.isSafe ? 1 : max(1, cuts.cuts.count / 300)
        let wanted = Swift.stride(from: 0, to: cuts.cuts.count, by: step).map { cuts.cuts[$0] }
        try await cuts.forEach(of: wanted) { cut, image in
            let left = try dump(Database(try Overlay(image)))
            seen.insert(left)
            if !commits.contains(left) { others.insert("\(cut): \(left)") }
        }
        #expect(others.isEmpty == writing.isSafe, "\(others.sorted().prefix(3))")
        #expect(seen.count > 1)
    }
}
