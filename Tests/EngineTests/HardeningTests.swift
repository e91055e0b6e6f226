import CSQLite
import DatabaseEngine
import Foundation
import GRDBEngine
import OverlayVFS
import Synchronization
import Testing

/// The moment when a statement started, if it has.
private final class Start: Sendable {
    let moment = Mutex<ContinuousClock.Instant?>(nil)
}

/// A limit on memory that refuses one allocation, or all from one on.
private final class Refusal: Sendable {
    private struct State {
        var left: Int?
        var hasHappened = false
    }

    private let state = Mutex(State())
    private let staysShut: Bool

    init(_ staysShut: Bool) { self.staysShut = staysShut }

    /// - Parameter count: how many allocations are granted before; nil for all.
    func set(after count: Int?) {
        state.withLock { state in
            state.left = count
            if count != nil { state.hasHappened = false }
        }
    }

    var hasHappened: Bool { state.withLock(\.hasHappened) }

    var limit: Int {
        state.withLock { state in
            guard let left = state.left else { return .max }
            state.left = left - 1
            guard left == 0 || left < 0 && staysShut else { return .max }
            state.hasHappened = true
            return 0
        }
    }
}

/// Untrusted SQL reaches neither the process nor its memory.
@Suite struct HardeningTests {
    @Test(
        arguments: Place.allCases,
        [
            "SELECT fts3_tokenizer('simple', x'4141414141414141')", "SELECT hex(fts3_tokenizer('simple'))",
            "SELECT fts3_tokenizer('simple', (SELECT x'4141414141414141'))",
            "SELECT \"FTS3_Tokenizer\"('porter')",
            "SELECT load_extension('x')", "SELECT load_extension('x', 'y')",
            "CREATE VIEW v AS SELECT fts3_tokenizer('simple') AS a; SELECT a FROM v",
            "CREATE TABLE w(a); CREATE TRIGGER r AFTER INSERT ON w BEGIN SELECT fts3_tokenizer('simple', x'41'); END; INSERT INTO w VALUES (1)",
            "CREATE TABLE d(a, b DEFAULT (fts3_tokenizer('simple'))); INSERT INTO d(a) VALUES (1)",
        ])
    func nativeCodeIsOutOfReach(_ place: Place, _ sql: String) async throws {
        let site = try Site(place)
        let database = try await site.open()
        let error = await #expect(throws: EngineError.self) { try await database.execute(sql) }
        #expect(error?.code == .error, "\(error?.message ?? "")")
        // The tokenizer is unchanged.
        try await database.execute(
            "CREATE VIRTUAL TABLE z USING fts3(a, tokenize=simple); INSERT INTO z VALUES ('b c'); DROP TABLE z"
        )
        try await database.close()
    }

    /// `json_valid()` does not fail if it is refused memory: it returns 0 for any text.
    @Test(arguments: Place.memory) func whatIsRefusedMemoryGivesNoResult(_ place: Place) async throws {
        let site = try Site(place)
        let polls = Mutex(0)
        let database = try await site.open { settings in
            settings.interrupt = {
                polls.withLock { count in
                    count += 1
                    return count > 100 && count.isMultiple(of: 2)
                }
            }
        }
        let (valid, interrupted) = try await database.withConnection { connection in
            var (valid, interrupted) = (0, 0)
            for _ in 0..<20_000 {
                do {
                    let value = try connection.firstRow("SELECT json_valid('[1, {\"a\": [2]}]')") {
                        $0.integer(0)
                    }
                    #expect(value == 1)
                    valid += 1
                } catch let error as EngineError where error.isInterrupt {
                    interrupted += 1
                }
            }
            return (valid, interrupted)
        }
        #expect(valid > 0 && interrupted > 0)
        polls.withLock { $0 = .min }
        try await database.close()
    }

    /// Whichever allocation the limit on memory refuses, and whether it refuses all after it.
    @Test(.enabled(if: Place.memoryIsLimited), arguments: Place.memory, [false, true])
    func whatIsBeyondTheLimitGivesNoResult(_ place: Place, _ staysShut: Bool) async throws {
        let refusal = Refusal(staysShut)
        let database = try await Site(place).open { $0.memoryLimit = { refusal.limit } }
        try await database.execute("CREATE TABLE t(a); CREATE TABLE u(a CHECK (json_valid(a)))")
        let refused = try await database.withConnection { connection in
            var refused: Set<String> = []
            for (name, sql) in [
                ("query", "SELECT json_valid('[1, {\"a\": [2]}]') - 1"),
                ("write", "INSERT INTO t SELECT 1 WHERE NOT json_valid('[1, {\"a\": [2]}]')"),
                ("check", "INSERT INTO u VALUES ('[1, {\"a\": [2]}]')"),
            ] {
                for count in 0... {
                    refusal.set(after: count)
                    defer { refusal.set(after: nil) }
                    do {
                        if name == "query" {
                            #expect(try connection.firstRow(sql) { $0.integer(0) } == 0)
                        } else {
                            try connection.execute(sql)
                        }
                        // Otherwise SQLite did without.
                        #expect(!refusal.hasHappened)
                    } catch let error as EngineError {
                        #expect(error.memoryLimit == 0 && error.code == .outOfMemory, "\(error)")
                        refused.insert(name)
                    }
                    guard refusal.hasHappened else { break }
                }
            }
            return refused
        }
        #expect(refused == ["query", "write", "check"])
        try await database.close()
    }

    /// What a statement takes is counted until it is given back, and no longer, wherever that is.
    ///
    /// Runs in other processes, since the account is that of a whole process.
    @Test(.enabled(if: Place.memoryIsLimited), arguments: Place.memory.indices)
    func whatIsGivenBackIsNotCounted(_ index: Int) async {
        await #expect(processExitsWith: .success) { [index] in
            let database = try await Site(Place.memory[index]).open()
            let (before, most) = try await database.withConnection { connection in
                let before = AllocationGate.bytesInUse
                var most = 0
                for number in 0..<40 {
                    let statement = try connection.prepare("SELECT CAST(zeroblob(20000000) AS TEXT)")
                    #expect(try statement.step())
                    most = max(most, AllocationGate.bytesInUse - before)
                    // A statement that has ended gives back what it took, another when it is reset.
                    if number.isMultiple(of: 2) { #expect(try !statement.step()) }
                }
                return (before, most)
            }
            #expect((20_000_000..<60_000_000).contains(most), "\(most)")
            #expect((AllocationGate.bytesInUse - before).magnitude < 1_000_000)
            try await database.close()
        }
    }

    /// A transaction that has ended is not said to have failed, and one that has not is not said to have ended.
    @Test(
        .enabled(if: Place.memoryIsLimited), arguments: Place.allCases,
        ["COMMIT", "ROLLBACK", "ROLLBACK TO s", "RELEASE s"])
    func theEndOfATransactionIsKnown(_ place: Place, _ end: String) async throws {
        let refusal = Refusal(false)
        let site = try Site(place)
        let database = try await site.open { $0.memoryLimit = { refusal.limit } }
        try await database.execute("PRAGMA wal_autocheckpoint = 1; CREATE TABLE t(a, b)")
        let ended = try await database.withConnection { connection in
            var ended = 0
            for count in 0... {
                try connection.execute(
                    "BEGIN; SAVEPOINT s; INSERT INTO t VALUES (\(count), randomblob(20000))")
                refusal.set(after: count)
                do {
                    try connection.execute(end)
                    ended += 1
                    refusal.set(after: nil)
                    let rows = try connection.firstRow("SELECT count(*) FROM t WHERE a = \(count)") {
                        $0.integer(0)
                    }
                    #expect(rows == (end.hasPrefix("ROLLBACK") ? 0 : 1))
                    #expect(connection.isInTransaction == end.hasSuffix("s"))
                    if end == "RELEASE s" {
                        #expect(throws: EngineError.self) { try connection.execute("RELEASE s") }
                    }
                } catch let error as EngineError {
                    refusal.set(after: nil)
                    #expect(error.memoryLimit == 0, "\(error)")
                    if connection.isInTransaction { try connection.execute("ROLLBACK") }
                    let rows = try connection.firstRow("SELECT count(*) FROM t WHERE a = \(count)") {
                        $0.integer(0)
                    }
                    #expect(rows == 0)
                }
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                guard refusal.hasHappened else { break }
            }
            return ended
        }
        #expect(ended > 0)
        try await database.close()
    }

    @Test(arguments: Place.allCases) func openingThrowsIfItIsInterrupted(_ place: Place) async throws {
        let site = try Site(place)
        try await site.open().close()
        // SQLite polls at every 128th allocation whether memory is refused: one of these stops falls into
        // each step of opening.
        for patience in stride(from: 0, to: 60, by: 1) {
            let left = Mutex(patience)
            let isStopped: @Sendable () -> Bool = {
                left.withLock { count in
                    count -= 1
                    return count < 0
                }
            }
            do {
                let database = try await site.open { settings in
                    settings.interrupt = isStopped
                    settings.setup = ["CREATE TEMP TABLE s(a, b UNIQUE)", "SELECT * FROM s"]
                }
                try await database.close()
            } catch let error as EngineError {
                #expect(error.isInterrupt, "\(error)")
            }
        }
    }

    /// Beyond the limit on a value's length printf() gives NULL and no error, so the limit is SQLite's own, whatever
    /// the connection is for.
    @Test(arguments: Place.memory, [false, true])
    func aValueMayBeAsLongAsSQLiteAccepts(_ place: Place, _ isDefensive: Bool) async throws {
        let site = try Site(place)
        let database = try await site.open { $0.isDefensive = isDefensive }
        let longest = try await database.withConnection {
            Int(sqlite3_limit($0.handle, SQLITE_LIMIT_LENGTH, -1))
        }
        let free = try await site.open { $0.limits = nil }
        #expect(
            try await free.withConnection { Int(sqlite3_limit($0.handle, SQLITE_LIMIT_LENGTH, -1)) }
                == longest)
        #expect(try await database.value("SELECT length(zeroblob(300000000))") == 300_000_000)
        #expect(try await database.value("SELECT length(printf('%.*c', 300000000, 'x'))") == 300_000_000)
        let error = await #expect(throws: EngineError.self) {
            try await database.execute("SELECT zeroblob(\(longest) + 1)")
        }
        #expect(error?.code == .tooBig)
        try await database.close()
        try await free.close()
    }

    @Test(arguments: Place.allCases) func theSchemaCanBeWrittenUnlessDefensive(_ place: Place) async throws {
        let site = try Site(place)
        let sql = """
            CREATE TABLE t(a); PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a, b)' WHERE name = 't'; PRAGMA writable_schema = RESET;
            SELECT b FROM t; DROP TABLE t
            """
        let open = try await site.open()
        try await open.execute(sql)
        try await open.close()
        let defended = try await site.open { $0.isDefensive = true }
        await #expect(throws: EngineError.self) { try await defended.execute(sql) }
        try await defended.close()
    }

    /// Compiling a query of views over views takes twice as long with each view, and is not polled: forty of them
    /// would take for ever.
    @Test(.enabled(if: Place.memoryIsLimited), arguments: Place.memory, [15, 40])
    func compilingAStatementCanBeStopped(_ place: Place, _ count: Int) async throws {
        let start = Start()
        let database = try await Site(place).open {
            $0.interrupt = {
                start.moment.withLock { $0 }.map { ContinuousClock.now > $0 + .seconds(1) } ?? false
            }
        }
        try await database.execute("CREATE TABLE t(a)")
        for number in 0..<count {
            let below = number == 0 ? "t" : "v\(number - 1)"
            try await database.execute(
                "CREATE VIEW v\(number) AS SELECT x.a FROM \(below) AS x JOIN \(below) AS y ON x.a = y.a")
        }
        start.moment.withLock { $0 = .now }
        let error = await #expect(throws: EngineError.self) {
            try await database.execute("SELECT * FROM v\(count - 1)")
        }
        #expect(error?.isInterrupt == true || count > 16, "\(error?.message ?? "")")
        start.moment.withLock { $0 = nil }
        // The connection is unchanged.
        try await database.execute("INSERT INTO t VALUES (1)")
        try await database.close()
    }

    @Test(arguments: Place.engines.map(\.name)) func aPathThatLooksLikeAURIIsAPath(_ name: String)
        async throws
    {
        let engine = try #require(Place.engines.first { $0.name == name })
        let folder = "engine-tests-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: "file:" + folder) }
        let database = try await engine.open(.live(path: "file:\(folder)"), settings: ConnectionSettings())
        try await database.execute("CREATE TABLE t(a)")
        try await database.close()
        #expect(FileManager.default.fileExists(atPath: "./file:" + folder))
    }

    @Test func anOldLibraryIsReported() {
        #expect(SQLiteLibrary.fault == nil)
        #expect(
            SQLiteLibrary.fault(of: 3_033_000, "3.33.0", at: "/lib/libsqlite3.so.0")?
                .hasPrefix("SQLite 3.33.0 is too old (/lib/libsqlite3.so.0): Drydock needs 3.34.0") == true)
        #expect(SQLiteLibrary.fault(of: SQLiteLibrary.oldest.number, SQLiteLibrary.oldest.name) == nil)
    }
}
