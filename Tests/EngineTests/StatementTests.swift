import DatabaseEngine
import Testing

@Suite struct StatementTests {
    @Test(arguments: Place.allCases) func aStatementCanBeReused(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a)")
        for number in 0..<5 {
            try await database.withConnection { connection in
                let insert = try connection.prepare("INSERT INTO t VALUES (?)")
                try insert.reset(binding: [.integer(Int64(number))])
                _ = try insert.step()
            }
        }
        // A parameter of the last use is cleared.
        try await database.withConnection { connection in
            let insert = try connection.prepare("INSERT INTO t VALUES (?)")
            try insert.reset(binding: [])
            _ = try insert.step()
        }
        #expect(try await database.values("SELECT a FROM t") == [[0], [1], [2], [3], [4], [.null]])
        try await database.close()
    }

    @Test(arguments: Place.allCases) func oneTextCanBeTwoStatementsAtOnce(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        let pairs = try await database.withConnection { connection in
            let sql = "SELECT 1 UNION ALL SELECT 2"
            return try connection.rows(sql) { outer in
                try connection.rows(sql) { [outer.integer(0), $0.integer(0)] }
            }
        }
        #expect(pairs == [[[1, 1], [1, 2]], [[2, 1], [2, 2]]])
        try await database.close()
    }

    @Test(arguments: Place.allCases) func columnsFollowTheSchema(_ place: Place) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let columns = { try await database.withConnection { try $0.prepare("SELECT * FROM t").columnCount } }
        #expect(try await columns() == 1)
        try await database.execute("ALTER TABLE t ADD COLUMN b")
        #expect(try await columns() == 2)
        try await database.execute("-- a remark\nALTER TABLE t ADD COLUMN c")
        #expect(try await columns() == 3)
        try await database.withConnection { _ = try $0.prepare("ALTER TABLE t DROP COLUMN c").step() }
        #expect(try await columns() == 2)
        try await database.withConnection { try $0.execute("BEGIN; ALTER TABLE t ADD COLUMN d; ROLLBACK") }
        #expect(try await columns() == 2)
        try await database.close()
    }

    @Test(arguments: Place.memory, ["", " ", "-- nothing", "SELECT 1; SELECT 2"])
    func prepareTakesOneStatement(_ place: Place, _ sql: String) async throws {
        let site = try Site(place)
        let database = try await site.open()
        await #expect(throws: EngineError.self) {
            try await database.withConnection { _ = try $0.prepare(sql) }
        }
        try await database.close()
    }

    @Test(arguments: Place.memory, ["", ";", " ;; -- nothing\n;", "SELECT 1;; -- two\nSELECT 2;"])
    func executeTakesAnyNumberOfStatements(_ place: Place, _ sql: String) async throws {
        let site = try Site(place)
        let database = try await site.open()
        try await database.execute(sql)
        try await database.close()
    }

    @Test(arguments: Place.files) func contentIsReplacedByThatOfAnotherFile(_ place: Place) async throws {
        let (site, other) = (try Site(place), try Site(place))
        try other.bystander().execute("CREATE TABLE t(a); INSERT INTO t VALUES (7)")
        let database = try await site.open()
        try await database.execute("CREATE TABLE old(a)")
        let path = other.path
        try await database.withConnection { try $0.replaceContent(withDatabaseAt: path) }
        #expect(try await database.values("SELECT * FROM t") == [[7]])
        #expect(try await database.value("SELECT count(*) FROM sqlite_schema WHERE name = 'old'") == 0)
        try await database.close()
        #expect(try site.bystander().text("SELECT a FROM t") == "7")
    }
}
