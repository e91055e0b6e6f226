import DatabaseEngine
import GRDB
import Synchronization
import Testing

/// `migrate` does the same as GRDB's `DatabaseMigrator`, which migrates the user's database.
@Suite struct MigrationTests {
    private static let family = """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(id INTEGER PRIMARY KEY, p INTEGER REFERENCES parent(id) ON DELETE CASCADE);
        INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES (1, 1), (2, 2);
        """

    private final class Runs: Sendable {
        let names = Mutex<[String]>([])
        func note(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    private static func content(_ database: any OpenDatabase) async throws -> [[SQLValue]] {
        try await database.values("SELECT type, name, sql FROM sqlite_schema ORDER BY name")
            + database.values("SELECT identifier FROM grdb_migrations ORDER BY rowid")
    }

    @Test(arguments: Place.allCases) func aMigrationIsRecordedAndRunsOnce(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        let runs = Runs()
        for name in ["v1", "v2", "v1", "Z", "v2"] {
            try await database.apply(
                EngineMigration(identifier: name) { connection in
                    runs.note(name)
                    try connection.execute("CREATE TABLE \"t\(name)\"(a)")
                    #expect(connection.isInTransaction)
                })
        }
        #expect(runs.all == ["v1", "v2", "Z"])
        #expect(
            try await database.values("SELECT identifier FROM grdb_migrations ORDER BY rowid") == [
                ["v1"], ["v2"], ["Z"],
            ])
        try await database.close()
    }

    /// What a migration does to the family tables, and whether it can be committed under each kind of check.
    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sql: String

        static let all = [
            Change(testDescription: "nothing", sql: "SELECT 1"),
            Change(testDescription: "a column", sql: "ALTER TABLE child ADD COLUMN name TEXT"),
            Change(testDescription: "an orphan", sql: "INSERT INTO child VALUES (3, 99)"),
            Change(
                testDescription: "an orphan that is deleted again",
                sql: "INSERT INTO child VALUES (3, 99); DELETE FROM child WHERE id = 3"),
            Change(testDescription: "a parent deleted", sql: "DELETE FROM parent WHERE id = 1"),
            Change(
                testDescription: "a parent deleted and inserted again",
                sql: "DELETE FROM parent WHERE id = 1; INSERT INTO parent VALUES (1)"),
            Change(
                testDescription: "a parent rebuilt",
                sql:
                    "CREATE TABLE new(id INTEGER PRIMARY KEY); INSERT INTO new SELECT * FROM parent; DROP TABLE parent; ALTER TABLE new RENAME TO parent"
            ),
            Change(testDescription: "a parent dropped", sql: "DROP TABLE parent"),
            Change(testDescription: "a syntax error", sql: "DELETE FROM child; SELEKT"),
            Change(
                testDescription: "foreign keys turned off without effect",
                sql: "PRAGMA foreign_keys = OFF; INSERT INTO child VALUES (3, 99)"),
            Change(
                testDescription: "a deferred check",
                sql:
                    "PRAGMA defer_foreign_keys = ON; INSERT INTO child VALUES (3, 99); DELETE FROM child WHERE id = 3"
            ),
        ]
    }

    @Test(arguments: Place.rollbackFiles, Change.all)
    func migrateMatchesGRDBsMigrator(_ place: Place, _ change: Change) async throws {
        for checks in [EngineMigration.ForeignKeyChecks.deferred, .immediate, .disabled] {
            try await compareWithGRDB(place, change, checks)
        }
    }

    private func compareWithGRDB(
        _ place: Place, _ change: Change, _ checks: EngineMigration.ForeignKeyChecks
    ) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.apply(EngineMigration(identifier: "v1") { try $0.execute(Self.family) })
        let failure: EngineError?
        do {
            try await database.apply(
                EngineMigration(identifier: "v2", foreignKeyChecks: checks) { try $0.execute(change.sql) })
            failure = nil
        } catch let error as EngineError {
            failure = error
        }
        let rows = "SELECT 'p', id, NULL FROM parent UNION ALL SELECT 'c', id, p FROM child"
        let hasParent =
            try await database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'parent'") == 1
        let found = try await Self.content(database) + (hasParent ? database.values(rows) : [])
        #expect(try await database.value("PRAGMA foreign_keys") == 1)
        try await database.close()

        // The same migration, run by GRDB.
        let other = try Site(place)
        let queue = try DatabaseQueue(path: other.path)
        var migrator = DatabaseMigrator()
        if checks == .disabled { migrator = migrator.disablingDeferredForeignKeyChecks() }
        migrator.registerMigration("v1") { try $0.execute(sql: Self.family) }
        migrator.registerMigration("v2", foreignKeyChecks: checks == .immediate ? .immediate : .deferred) {
            try $0.execute(sql: change.sql)
        }
        var wanted: DatabaseError?
        do { try migrator.migrate(queue) } catch let error as DatabaseError { wanted = error }
        try queue.close()
        #expect(failure?.extendedCode == wanted?.extendedResultCode.rawValue)
        // GRDB's deferred check also names the row.
        if failure?.isForeignKeyViolation != true { #expect(failure?.message == wanted?.message) }
        let reopened = try await other.open()
        #expect(try await Self.content(reopened) + (hasParent ? reopened.values(rows) : []) == found)
        try await reopened.close()
    }

    @Test(arguments: Place.allCases) func theDeferredCheckSeesTheWholeDatabase(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute(Self.family)
        try await database.execute(
            "PRAGMA foreign_keys = OFF; INSERT INTO child VALUES (9, 99); PRAGMA foreign_keys = ON")
        let add: @Sendable (any Connection) throws -> Void = { connection in
            try connection.execute("ALTER TABLE child ADD COLUMN x")
        }
        let error = await #expect(throws: EngineError.self) {
            try await database.apply(EngineMigration(identifier: "a", body: add))
        }
        #expect(error?.isForeignKeyViolation == true)
        try await database.apply(EngineMigration(identifier: "b", foreignKeyChecks: .disabled, body: add))
        #expect(try await database.values("SELECT identifier FROM grdb_migrations") == [["b"]])
        try await database.close()
    }

    @Test(arguments: Place.allCases) func aMigrationThatThrowsChangesNothing(_ place: Place) async throws {
        struct Own: Error {}
        let site = try Site(place)
        let database = try await site.open()
        await #expect(throws: Own.self) {
            try await database.apply(
                EngineMigration(identifier: "v1") { connection in
                    try connection.execute("CREATE TABLE t(a)")
                    throw Own()
                })
        }
        #expect(try await database.value("SELECT count(*) FROM sqlite_schema WHERE name = 't'") == 0)
        #expect(try await database.value("SELECT count(*) FROM grdb_migrations") == 0)
        try await database.apply(EngineMigration(identifier: "v1") { try $0.execute("CREATE TABLE t(a)") })
        #expect(try await database.values("SELECT identifier FROM grdb_migrations") == [["v1"]])
        try await database.close()
    }

    @Test(arguments: Place.allCases) func pendingMigrationsRunAfterReopening(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        let runs = Runs()
        let set = ["v1", "v2", "v3"].map { name in EngineMigration(identifier: name) { _ in runs.note(name) }
        }
        try await database.apply(set[0])
        try await database.apply(set[1])
        #expect(try await database.migrate(Array(set[..<2])).map(\.identifier) == [])
        #expect(try await database.migrate(set).map(\.identifier) == ["v3"])
        try await database.execute("DELETE FROM grdb_migrations WHERE identifier = 'v1'")
        #expect(try await database.migrate(set).map(\.identifier) == ["v1"])
        #expect(runs.all == ["v1", "v2", "v3", "v1"])
        try await database.close()
    }

    @Test(arguments: Place.memory) func twoMigrationsWithOneNameAreAnError(_ place: Place) async throws {
        let database = try await Site(place).open()
        let twice = [EngineMigration(identifier: "v1") { _ in }, EngineMigration(identifier: "v1") { _ in }]
        let error = await #expect(throws: EngineError.self) { _ = try await database.migrate(twice) }
        #expect(error?.message == "two migrations are called 'v1'")
    }

    @Test(arguments: Place.memory) func aHistoryThatIsAheadIsUnchanged(_ place: Place) async throws {
        let database = try await Site(place).open()
        for name in ["v1", "v2", "v3"] {
            try await database.apply(EngineMigration(identifier: name) { _ in })
        }
        // GRDB would trap if its target were below what is applied.
        try await database.apply(EngineMigration(identifier: "v1") { _ in Issue.record("it ran again") })
        #expect(
            try await database.migrate([EngineMigration(identifier: "v2") { _ in }]).map(\.identifier) == [])
    }

    @Test(arguments: Place.memory) func endingTheTransactionIsAnError(_ place: Place) async throws {
        let database = try await Site(place).open()
        await #expect(throws: EngineError.self) {
            try await database.apply(
                EngineMigration(identifier: "v1") { try $0.execute("CREATE TABLE t(a); COMMIT") })
        }
        #expect(try await database.value("SELECT 1") == 1)
    }
}
