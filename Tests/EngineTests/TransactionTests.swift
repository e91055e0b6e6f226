import CSQLite
import DatabaseEngine
import Foundation
import Testing

@Suite struct TransactionTests {
    @Test(arguments: Place.allCases) func transactionsAndSavepoints(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        try await database.withConnection { connection in
            #expect(!connection.isInTransaction)
            try connection.execute("BEGIN; INSERT INTO t VALUES (1)")
            #expect(connection.isInTransaction)
            try connection.execute(
                "SAVEPOINT s; INSERT INTO t VALUES (2); ROLLBACK TO s; INSERT INTO t VALUES (3); RELEASE s")
            try connection.execute("COMMIT")
            try connection.execute("BEGIN; DELETE FROM t; ROLLBACK")
            try connection.execute("SAVEPOINT outer; INSERT INTO t VALUES (4); RELEASE outer")
            #expect(!connection.isInTransaction)
        }
        #expect(try await database.values("SELECT a FROM t ORDER BY a") == [[1], [3], [4]])
        try await database.close()
    }

    @Test(arguments: Place.allCases, ["BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s"])
    func aTransactionLeftOpenIsRolledBackAndAnError(_ place: Place, _ begin: String) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        await #expect(throws: EngineError.self) {
            try await database.withConnection { try $0.execute("\(begin); INSERT INTO t VALUES (1)") }
        }
        #expect(try await database.value("SELECT count(*) FROM t") == 0)
        #expect(try await database.withConnection { $0.isInTransaction } == false)
        try await database.close()
    }

    @Test(arguments: Place.allCases) func anErrorInATransactionRollsItBack(_ place: Place) async throws {
        struct Own: Error {}
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        await #expect(throws: Own.self) {
            try await database.withConnection { connection in
                try connection.execute("BEGIN; INSERT INTO t VALUES (1)")
                throw Own()
            }
        }
        #expect(try await database.value("SELECT count(*) FROM t") == 0)
        try await database.close()
    }

    @Test(arguments: Place.allCases) func readsRefuseWrites(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        let error = await #expect(throws: EngineError.self) {
            try await database.read { try $0.execute("INSERT INTO t VALUES (1)") }
        }
        #expect(error?.code == .readOnly)
        #expect(try await database.value("SELECT count(*) FROM t") == 0)
        try await database.close()
    }

    @Test(arguments: Place.walFiles) func aReadSeesOneStateWhileAnotherWrites(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let counts = try await database.read { connection in
            let count = { try connection.firstRow("SELECT count(*) FROM t") { $0.integer(0) } }
            let first = try count()
            try site.bystander().execute("INSERT INTO t VALUES (2)")
            return [first, try count()]
        }
        #expect(counts == [1, 1])
        #expect(try await database.value("SELECT count(*) FROM t") == 2)
        try await database.close()
    }

    @Test(arguments: Place.allCases) func callsAfterCloseThrow(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        try await database.close()
        await #expect(throws: EngineError.self) { try await database.execute("INSERT INTO t VALUES (1)") }
    }

    /// Runs in other processes: GRDB's queue would crash.
    @Test func readsAndMigrationsAfterCloseThrow() async {
        await #expect(processExitsWith: .success) {
            for place in Place.memory {
                let database = try await Site(place).open()
                try await database.close()
                await #expect(throws: EngineError.self) {
                    try await database.read { _ = try $0.firstRow("SELECT 1") { $0.integer(0) } }
                }
                await #expect(throws: EngineError.self) {
                    try await database.apply(EngineMigration(identifier: "a") { _ in })
                }
            }
        }
    }
}
