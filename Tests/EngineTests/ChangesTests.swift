import CSQLite
import DatabaseEngine
import Foundation
import Testing
import TestTools

/// Nothing here waits for a time to pass: a change is awaited for as long as it takes, and what must not be reported is
/// followed by something that must.
@Suite(.timeLimit(.minutes(20))) struct ChangesTests {
    /// Returns the next change of a sequence that must have one.
    private func next(_ changes: inout DatabaseChanges.Iterator) async throws -> DatabaseChange {
        try #require(await changes.next())
    }

    private func open(_ site: Site, _ setup: String = "") async throws -> any OpenDatabase {
        let database = try await site.open { $0.busyTimeout = .seconds(60) }
        try await database.execute("CREATE TABLE t(a); CREATE TABLE u(a); INSERT INTO t VALUES (1); \(setup)")
        return database
    }

    private static let interval = Duration.milliseconds(5)

    @Test(arguments: Place.allCases) func ownCommitsAreSeenWithTheirTables(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        for (sql, tables) in [
            ("INSERT INTO t VALUES (2)", ["t"]),
            ("BEGIN; DELETE FROM u; UPDATE t SET a = 3; COMMIT", ["t", "u"]),
            ("SAVEPOINT s; INSERT INTO u VALUES (1); RELEASE s", ["u"]),
        ] as [(String, Set<String>)] {
            try await database.execute(sql)
            #expect(try await next(&changes) == DatabaseChange(tables: tables), "\(sql)")
        }
        try await database.close()
    }

    @Test(arguments: Place.allCases) func preparedStatementsAreSeen(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        let insert: @Sendable (any Connection) throws -> Void = { connection in
            let statement = try connection.prepare("INSERT INTO t VALUES (?)")
            try statement.reset(binding: [7])
            _ = try statement.step()
        }
        // The statement is compiled before anyone observes, and comes from a cache afterwards.
        try await database.withConnection(insert)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        for _ in 0..<3 {
            try await database.withConnection(insert)
            #expect(try await next(&changes) == DatabaseChange(tables: ["t"]))
        }
        // The first row is returned before the commit.
        try await database.withConnection {
            _ = try $0.firstRow("INSERT INTO u VALUES (1), (2) RETURNING a") { $0.integer(0) }
        }
        #expect(try await next(&changes).concerns("u"))
        try await database.close()
    }

    /// Neither SQLite's update hook nor its row counters show these.
    @Test(
        arguments: Place.allCases,
        [
            ("CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID", "INSERT INTO w VALUES (1, 2)", "w"),
            ("", "DELETE FROM t", "t"),
            (
                "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES (new.a); END",
                "INSERT INTO t VALUES (5)", "u"
            ),
            ("CREATE TABLE \"a \"\"b\"(x)", "INSERT INTO \"a \"\"b\" VALUES (1)", "a \"b"),
            (
                "CREATE TABLE p(i INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p ON DELETE CASCADE);"
                    + "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1)", "DELETE FROM p WHERE i = 1", "c"
            ),
            ("", "CREATE TABLE n(a)", DatabaseChange.schemaTable),
            ("", "DROP TABLE u", DatabaseChange.schemaTable),
            ("", "BEGIN; DROP TABLE u; INSERT INTO t VALUES (1); COMMIT", DatabaseChange.schemaTable),
            ("", "BEGIN; DROP TABLE u; INSERT INTO t VALUES (1); COMMIT", "u"),
            ("", "ALTER TABLE u ADD COLUMN b", DatabaseChange.schemaTable),
            ("", "CREATE INDEX i ON t(a)", DatabaseChange.schemaTable),
            ("", "PRAGMA user_version = 5", "t"), ("", "VACUUM", "t"),
        ]
    ) func everyKindOfCommitIsSeen(_ place: Place, _ example: (String, String, String)) async throws {
        let (setup, sql, table) = example
        let site = try Site(place)
        let database = try await open(site, setup)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        try await database.execute(sql)
        let change = try await next(&changes)
        #expect(change.concerns(table))
        #expect(!change.isFromOthers)
        try await database.close()
    }

    /// The engine does not see such a statement, and the number of the schema shows it.
    @Test(arguments: Place.allCases) func definitionsThatAHandleChangesAreSeen(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        try await database.withConnection { connection in
            try connection.execute("BEGIN; INSERT INTO t VALUES (2)")
            #expect(sqlite3_exec(connection.handle, "CREATE TABLE n(a)", nil, nil, nil) == SQLITE_OK)
            try connection.execute("COMMIT")
        }
        #expect(try await next(&changes) == DatabaseChange(tables: ["t", DatabaseChange.schemaTable]))
        try await database.close()
    }

    @Test(
        arguments: Place.allCases,
        [
            "BEGIN; INSERT INTO t VALUES (9); ROLLBACK",
            "SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s",
            "SELECT * FROM t", "BEGIN; COMMIT", "CREATE TEMP TABLE x(a); INSERT INTO x VALUES (1)",
            "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING; ROLLBACK",
        ]
    ) func whatWasNotCommittedIsNotSeen(_ place: Place, _ sql: String) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        let isRefused = sql.hasSuffix("NOTHING; ROLLBACK")
        if isRefused {
            await #expect(throws: EngineError.self) {
                try await database.execute(
                    "INSERT INTO t SELECT 1 UNION ALL SELECT abs(-9223372036854775807 - 1)")
            }
        } else {
            try await database.execute(sql)
        }
        try await database.execute("INSERT INTO u VALUES (1)")
        var change = try await next(&changes)
        // SQLite commits a transaction whose savepoints were rolled back; that it wrote nothing is not known.
        while change.tables?.contains("u") == false { change = try await next(&changes) }
        #expect(change.tables?.contains("u") == true)
        // GRDB does not say that a statement outside a transaction failed.
        #expect(sql.hasPrefix("SAVEPOINT") || isRefused || change.tables == ["u"])
        try await database.close()
    }

    @Test(arguments: Place.files) func otherConnectionsAreSeen(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        let other = try site.bystander()
        try other.execute("PRAGMA busy_timeout = 60000")
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        for sql in [
            "INSERT INTO t VALUES (2)", "CREATE TABLE n(a)", "DROP TABLE n", "PRAGMA user_version = 3",
            "DELETE FROM t",
        ] {
            try other.execute(sql)
            #expect(try await next(&changes) == .ofOthers, "\(sql)")
        }
        // Own commits are not taken for those of others.
        try await database.execute("INSERT INTO u VALUES (1)")
        #expect(try await next(&changes) == DatabaseChange(tables: ["u"]))
        try await database.close()
    }

    @Test(arguments: Place.files) func otherProcessesAreSeen(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", "-cmd", ".timeout 60000", site.path, "INSERT INTO t VALUES (2)"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        #expect(try await next(&changes) == .ofOthers)
        #expect(try await database.value("SELECT count(*) FROM t") == 2)
        await Task.detached { process.waitUntilExit() }.value
        #expect(process.terminationStatus == 0)
        try await database.close()
    }

    @Test(arguments: Place.files) func manyChangesAreMerged(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        let sequence = try await database.changes(every: Self.interval)
        var changes = sequence.makeAsyncIterator()
        for _ in 0..<200 { try await database.execute("INSERT INTO t VALUES (1); INSERT INTO u VALUES (1)") }
        #expect(try await next(&changes) == DatabaseChange(tables: ["t", "u"]))
        // What another connection wrote does not hide behind own commits.
        try site.bystander().execute("PRAGMA busy_timeout = 60000; INSERT INTO u VALUES (2)")
        try await database.execute("INSERT INTO t VALUES (1)")
        var isFromOthers = false
        while !isFromOthers { isFromOthers = try await next(&changes).isFromOthers }
        try await database.close()
        #expect(try await changes.next() == nil)
    }

    @Test(arguments: Place.allCases) func twoConsumersSeeEveryChange(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var first = try await database.changes(every: Self.interval).makeAsyncIterator()
        try await database.execute("INSERT INTO t VALUES (1)")
        // The second begins after the first change, and takes nothing from the first.
        var second = try await database.changes(every: .seconds(3600)).makeAsyncIterator()
        try await database.execute("INSERT INTO u VALUES (1)")
        #expect(try await next(&second) == DatabaseChange(tables: ["u"]))
        var seen: Set<String> = []
        while seen != ["t", "u"] { seen.formUnion(try await next(&first).tables ?? []) }
        try await database.close()
    }

    @Test(arguments: Place.allCases) func cancellingEndsTheSequenceAlone(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        let consumer = Task {
            var count = 0
            for try await _ in try await database.changes(every: Self.interval) { count += 1 }
            return count
        }
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        consumer.cancel()
        // Cancelled before it began to observe, it throws as any call does.
        do { #expect(try await consumer.value == 0) } catch is CancellationError {}
        try await database.execute("INSERT INTO t VALUES (1)")
        #expect(try await next(&changes) == DatabaseChange(tables: ["t"]))
        try await database.close()
    }

    /// The hooks are SQLite's own on SwiftNIO; GRDB keeps its own in any case.
    @Test(arguments: Place.memory) func theHooksAreRemoved(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        func hasHook() async throws -> Bool {
            try await database.withConnection { connection in
                let context = sqlite3_rollback_hook(connection.handle, nil, nil)
                return context != nil
            }
        }
        if site.engine.name == "nio" {
            let sequence = try await database.changes(every: Self.interval)
            #expect(try await hasHook())
            withExtendedLifetime(sequence) {}
        }
        do { _ = try await database.changes(every: Self.interval) }
        // Observed again, everything works.
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        try await database.execute("INSERT INTO t VALUES (1)")
        #expect(try await next(&changes) == DatabaseChange(tables: ["t"]))
        try await database.close()
    }

    @Test(arguments: Place.allCases) func closingEndsTheSequence(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var changes = try await database.changes(every: .seconds(3600)).makeAsyncIterator()
        try await database.execute("INSERT INTO t VALUES (1)")
        try await database.close()
        // What was committed before is still delivered.
        #expect(try await next(&changes) == DatabaseChange(tables: ["t"]))
        #expect(try await changes.next() == nil)
        await #expect(throws: EngineError.self) { _ = try await database.changes() }
    }

    /// The sequence does not keep the database open.
    @Test(arguments: Place.files) func aFreedDatabaseEndsTheSequence(_ place: Place) async throws {
        let site = try Site(place)
        var changes = try await site.open().changes(every: Self.interval).makeAsyncIterator()
        #expect(try await changes.next() == nil)
    }

    @Test(arguments: Place.files, [false, true])
    func aLostFileIsReported(_ place: Place, _ isReplaced: Bool) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        if isReplaced {
            let other = site.folder + "/other.sqlite"
            try Bystander(other).execute("CREATE TABLE t(a)")
            #expect(rename(other, site.path) == 0)
        } else {
            #expect(unlink(site.path) == 0)
        }
        let error = await #expect(throws: LostFile.self) {
            while try await changes.next() != nil {}
        }
        let path = URL(fileURLWithPath: site.path).resolvingSymlinksInPath().path
        #expect(error == (isReplaced ? .replaced(path: path) : .removed(path: path)))
        try await database.close()
    }

    /// A look does not wait for a lock, and what it could not see then it sees later.
    @Test(arguments: Place.rollbackFiles) func anExclusiveLockOnlyDelays(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await open(site)
        var changes = try await database.changes(every: Self.interval).makeAsyncIterator()
        let other = try site.bystander()
        try other.execute("PRAGMA busy_timeout = 60000; BEGIN EXCLUSIVE; INSERT INTO t VALUES (8)")
        for _ in 0..<5 { try await Task.sleep(for: Self.interval) }
        try other.execute("COMMIT")
        #expect(try await next(&changes) == .ofOthers)
        #expect(try await database.value("PRAGMA busy_timeout") == 60_000)
        try await database.close()
    }

    @Test func changesAreMergedWithoutLoss() {
        var change = DatabaseChange(tables: ["t"])
        change.merge(DatabaseChange(tables: ["u"]))
        #expect(change == DatabaseChange(tables: ["t", "u"]))
        #expect(change.concerns("T") && !change.concerns("w"))
        change.merge(.ofOthers)
        change.merge(DatabaseChange(tables: ["t"]))
        #expect(change == .ofOthers && change.concerns("w"))
        #expect(DatabaseChange(tables: [DatabaseChange.schemaTable]).concerns("t"))
    }
}
