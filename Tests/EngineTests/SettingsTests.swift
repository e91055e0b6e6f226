import CSQLite
import DatabaseEngine
import Foundation
import GRDBEngine
import Synchronization
import Testing

@Suite struct SettingsTests {
    private static let family =
        "CREATE TABLE parent(id INTEGER PRIMARY KEY); CREATE TABLE child(p REFERENCES parent)"

    @Test(arguments: Place.allCases) func foreignKeysAreOnUnlessTurnedOff(_ place: Place) async throws {
        let site = try Site(place)
        let strict = try await site.open()
        try await strict.execute(Self.family)
        let error = await #expect(throws: EngineError.self) {
            try await strict.execute("INSERT INTO child VALUES (7)")
        }
        #expect(error?.isForeignKeyViolation == true)
        try await strict.close()
        let loose = try await site.open { $0.foreignKeys = false }
        if place.kind == .memory { try await loose.execute(Self.family) }
        try await loose.execute("INSERT INTO child VALUES (7)")
        try await loose.close()
    }

    @Test(arguments: Place.allCases) func doubleQuotedTextFollowsTheSetting(_ place: Place) async throws {
        let site = try Site(place)
        let strict = try await site.open { $0.doubleQuotedStrings = false }
        await #expect(throws: EngineError.self) { try await strict.execute("SELECT \"text\"") }
        await #expect(throws: EngineError.self) {
            try await strict.execute("CREATE TABLE q(a CHECK (a <> \"x\"))")
        }
        try await strict.close()
        let loose = try await site.open { $0.doubleQuotedStrings = true }
        #expect(try await loose.value("SELECT \"text\"") == "text")
        try await loose.close()
    }

    @Test(arguments: Place.allCases) func setupRunsOnce(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open {
            $0.setup = ["PRAGMA cache_size = 123", "PRAGMA case_sensitive_like = ON"]
        }
        #expect(try await database.value("PRAGMA cache_size") == 123)
        #expect(try await database.value("SELECT 'a' LIKE 'A'") == 0)
        try await database.close()
    }

    @Test(arguments: Place.files) func readOnlyRefusesWrites(_ place: Place) async throws {
        let site = try Site(place)
        try site.bystander().execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let bytes = FileManager.default.contents(atPath: site.path)
        let database = try await site.open { $0.readOnly = true }
        #expect(try await database.value("SELECT a FROM t") == 1)
        let error = await #expect(throws: EngineError.self) { try await database.execute("DELETE FROM t") }
        #expect(error?.code == .readOnly)
        try await database.close()
        #expect(FileManager.default.contents(atPath: site.path) == bytes)
    }

    @Test(arguments: Place.rollbackFiles, ["delete", "truncate", "persist", "wal"])
    func theJournalModeOfALiveFileStays(_ place: Place, _ mode: String) async throws {
        let site = try Site(place)
        try site.bystander().execute(
            "PRAGMA journal_mode = \(mode); CREATE TABLE t(a); INSERT INTO t VALUES (0)")
        let isWAL = mode == "wal"
        #expect(try site.bystander().text("PRAGMA journal_mode") == (isWAL ? "wal" : "delete"))
        let database = try await site.open()
        try await database.execute("INSERT INTO t VALUES (1)")
        _ = try await database.read { try $0.firstRow("SELECT count(*) FROM t") { $0.integer(0) } }
        try await database.apply(
            EngineMigration(identifier: "m") { try $0.execute("ALTER TABLE t ADD COLUMN b") })
        #expect(try await database.value("PRAGMA journal_mode") == (isWAL ? "wal" : "delete"))
        try await database.close()
        #expect(try site.bystander().text("PRAGMA journal_mode") == (isWAL ? "wal" : "delete"))
        // Bytes 18 and 19 of the header are the file format versions: 2 is WAL.
        let header = try #require(FileManager.default.contents(atPath: site.path))
        #expect(Array(header[18...19]) == (isWAL ? [2, 2] : [1, 1]))
    }

    @Test(arguments: Place.files) func waitingForALockTimesOut(_ place: Place) async throws {
        let site = try Site(place)
        let other = try site.bystander()
        try other.execute("CREATE TABLE t(a)")
        let database = try await site.open { $0.busyTimeout = .milliseconds(80) }
        try other.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
        let start = ContinuousClock.now
        let error = await #expect(throws: EngineError.self) {
            try await database.execute("INSERT INTO t VALUES (2)")
        }
        #expect(error?.code == .busy)
        #expect(ContinuousClock.now - start >= .milliseconds(60))
        try other.execute("COMMIT")
        try await database.execute("INSERT INTO t VALUES (2)")
        #expect(try other.text("SELECT group_concat(a) FROM t") == "1,2")
        try await database.close()
    }

    @Test(arguments: Place.memory) func databasesInMemoryAreSeparate(_ place: Place) async throws {
        let (first, second) = (try await Site(place).open(), try await Site(place).open())
        try await first.execute("CREATE TABLE t(a)")
        await #expect(throws: EngineError.self) { try await second.execute("SELECT * FROM t") }
    }

    // MARK: - Stubs

    @Test(arguments: Place.allCases) func functionStubs(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open {
            $0.functions = [
                FunctionStub(name: "missing", argumentCount: nil, result: .constant(.null)),
                FunctionStub(name: "answer", argumentCount: 0, result: .constant(42)),
                FunctionStub(name: "half", argumentCount: nil, result: .constant(0.5)),
                FunctionStub(name: "word", argumentCount: nil, result: .constant("wörd")),
                FunctionStub(name: "bytes", argumentCount: nil, result: .constant(.blob([0, 255]))),
                FunctionStub(name: "second", argumentCount: nil, result: .argument(1)),
            ]
        }
        let found = try await database.values(
            "SELECT missing(), missing(1, 2), answer(), half(1), word(), bytes(), second('a', x'00ff'), second('a'), SECOND(1, 2.5)"
        )
        #expect(found == [[.null, .null, 42, 0.5, "wörd", .blob([0, 255]), .blob([0, 255]), .null, 2.5]])
        await #expect(throws: EngineError.self) { try await database.execute("SELECT answer(1)") }
        // Deterministic, so that an index can use it.
        try await database.execute(
            "CREATE TABLE t(a); CREATE INDEX i ON t(second(a, a)); INSERT INTO t VALUES (1)")
        try await database.close()
    }

    @Test(arguments: Place.allCases) func collationStubs(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open {
            $0.collations = CollationStub.Order.allCases.map {
                CollationStub(name: "app_\($0.rawValue)", order: $0)
            }
        }
        let words = "'b', 'A', 'a', 'a ', 'É', 'é', 'B', '', ' ', 'Z', 'a' || char(0), '['"
        for order in CollationStub.Order.allCases {
            let sql = { (name: String) in
                "SELECT value FROM json_each(json_array(\(words))) ORDER BY value COLLATE \(name), hex(value)"
            }
            let (own, stub) = (
                try await database.values(sql(order.rawValue)),
                try await database.values(sql("app_\(order.rawValue)"))
            )
            #expect(own == stub, "\(order)")
            let pairs = { (name: String) in
                "SELECT count(*) FROM json_each(json_array(\(words))) AS a JOIN json_each(json_array(\(words))) AS b ON a.value = b.value COLLATE \(name)"
            }
            let (same, asStub) = (
                try await database.value(pairs(order.rawValue)),
                try await database.value(pairs("app_\(order.rawValue)"))
            )
            #expect(same == asStub, "\(order)")
        }
        try await database.close()
    }

    // MARK: - Stopping

    private static let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"

    private final class Switch: Sendable {
        let isOn = Atomic(false)
    }

    @Test(arguments: Place.allCases) func theInterruptClosureStopsAStatement(_ place: Place) async throws {
        let site = try Site(place)
        let (stop, start) = (Switch(), ContinuousClock.now)
        let database = try await site.open {
            $0.interrupt = {
                stop.isOn.load(ordering: .relaxed) || ContinuousClock.now - start > .milliseconds(200)
            }
        }
        let error = await #expect(throws: EngineError.self) { try await database.execute(Self.endless) }
        #expect(error?.isInterrupt == true)
        try await database.close()
    }

    @Test(arguments: Place.allCases) func anInterruptedMigrationIsRolledBack(_ place: Place) async throws {
        let site = try Site(place)
        let stop = Switch()
        let database = try await site.open { $0.interrupt = { stop.isOn.load(ordering: .relaxed) } }
        let error = await #expect(throws: EngineError.self) {
            try await database.apply(
                EngineMigration(identifier: "long") { connection in
                    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
                    stop.isOn.store(true, ordering: .relaxed)
                    try connection.execute(Self.endless)
                })
        }
        #expect(error?.isInterrupt == true)
        stop.isOn.store(false, ordering: .relaxed)
        #expect(try await database.value("SELECT count(*) FROM sqlite_schema WHERE name = 't'") == 0)
        #expect(try await database.value("SELECT count(*) FROM grdb_migrations") == 0)
        try await database.close()
    }

    @Test(arguments: Place.allCases) func aCancelledTaskStops(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        let task = Task { try await database.execute(Self.endless) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try await database.value("SELECT 1") == 1)
        try await database.close()
    }
}
