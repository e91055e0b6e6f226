import CSQLite
import DatabaseEngine
import Foundation
import GRDBEngine
import Testing

@Suite struct ErrorTests {
    private func error(
        _ sql: String, in place: Place, _ configure: (inout ConnectionSettings) -> Void = { _ in }
    ) async throws -> EngineError {
        let site = try Site(place)
        let database = try await site.open(configure)
        try await database.execute(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b NOT NULL DEFAULT 1 CHECK (b > 0)); INSERT INTO t VALUES (1, 'x', 1)"
        )
        return try #require(await #expect(throws: EngineError.self) { try await database.execute(sql) })
    }

    @Test(arguments: Place.allCases) func aSyntaxErrorHasItsOffset(_ place: Place) async throws {
        let error = try await error("SELECT id,\n  nope FROM t", in: place)
        #expect(error.extendedCode == SQLITE_ERROR)
        #expect(error.message == "no such column: nope")
        #expect(error.sql == "SELECT id,\n  nope FROM t")
        #expect(error.offset == 13)
        #expect(error.description == "no such column: nope")
    }

    @Test(arguments: Place.memory) func theOffsetCountsBytes(_ place: Place) async throws {
        #expect(try await error("SELECT 'é', nope FROM t", in: place).offset == 13)
    }

    @Test(arguments: Place.memory) func theFailingStatementIsNamed(_ place: Place) async throws {
        let error = try await error("INSERT INTO t(a) VALUES (2); SELEKT 1; DELETE FROM t", in: place)
        #expect(error.message == "near \"SELEKT\": syntax error")
        #expect(error.sql?.contains("SELEKT") == true)
    }

    private static let violations: [(sql: String, code: Int32, message: String)] = [
        ("INSERT INTO t(a) VALUES ('x')", SQLITE_CONSTRAINT | (8 << 8), "UNIQUE constraint failed: t.a"),
        ("INSERT INTO t(id) VALUES (1)", SQLITE_CONSTRAINT | (6 << 8), "UNIQUE constraint failed: t.id"),
        (
            "INSERT INTO t(a, b) VALUES ('y', NULL)", SQLITE_CONSTRAINT | (5 << 8),
            "NOT NULL constraint failed: t.b"
        ),
        (
            "INSERT INTO t(a, b) VALUES ('y', -1)", SQLITE_CONSTRAINT | (1 << 8),
            "CHECK constraint failed: b > 0"
        ),
    ]

    @Test(arguments: Place.memory) func constraintErrorsHaveExtendedCodes(_ place: Place) async throws {
        for (sql, code, message) in Self.violations {
            let error = try await error(sql, in: place)
            #expect(error.extendedCode == code)
            #expect(error.code == .constraint)
            #expect(error.message == message)
            #expect(error.sql == sql)
        }
    }

    @Test(arguments: Place.memory) func aFailingStepThrows(_ place: Place) async throws {
        let database = try await Site(place).open()
        let error = await #expect(throws: EngineError.self) {
            try await database.withConnection {
                _ = try $0.rows("SELECT abs(-9223372036854775808)") { $0.integer(0) }
            }
        }
        #expect(error?.message == "integer overflow")
    }

    @Test(arguments: Place.rollbackFiles) func aFileThatIsNotADatabase(_ place: Place) async throws {
        let site = try Site(place)
        try Data(repeating: 65, count: 4096).write(to: URL(filePath: site.path))
        let error = await #expect(throws: EngineError.self) {
            let database = try await site.open()
            _ = try await database.value("SELECT count(*) FROM sqlite_schema")
        }
        #expect(error?.isCorruption == true)
        #expect(error?.code == .notADatabase)
    }

    @Test(arguments: Place.memory) func aMissingFolder(_ place: Place) async throws {
        let error = await #expect(throws: EngineError.self) {
            _ = try await place.engine.open(
                .live(path: "/nowhere/at/all.sqlite"), settings: ConnectionSettings())
        }
        #expect(error?.code == .cannotOpen)
    }

    @Test(arguments: Place.memory) func aFailingSetupStatement(_ place: Place) async throws {
        await #expect(throws: EngineError.self) { _ = try await Site(place).open { $0.setup = ["SELEKT"] } }
    }
}
