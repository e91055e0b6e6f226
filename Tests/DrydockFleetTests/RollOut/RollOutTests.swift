import Drydock
import DrydockReport
import Foundation
import GRDBEngine
import Testing

@testable import DrydockFleet
@testable import DrydockTestSupport

/// Many databases are migrated in waves; each is the old or the new one, and the log says which.
@Suite struct RollOutTests {
    /// Three tenants at v1, and more at other versions.
    struct Case {
        let folder: TemporaryFolder
        let paths: [String]
        static let migrations = [
            (name: "v1", sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x);"),
            (name: "v2", sql: "ALTER TABLE t ADD COLUMN y;"),
            (name: "v3", sql: "CREATE UNIQUE INDEX t_x ON t(x);"),
        ]

        init(_ versions: [Int], edits: [Int: String] = [:]) throws {
            folder = try TemporaryFolder()
            for (name, sql) in Self.migrations { try folder.write("Migrations/\(name).sql", sql) }
            paths = versions.indices.map { [folder] in folder.file("tenant-\($0).sqlite") }
            for (index, version) in versions.enumerated() {
                var scenario = Scenario(
                    migrations: Self.migrations, at: version,
                    rows: "INSERT INTO t(id, x) VALUES (1, 1), (2, 2);")
                scenario.schemaEdit = edits[index] ?? ""
                try scenario.makeSnapshot(paths[index])
            }
        }

        @discardableResult func run(
            _ mode: MigrateRequest.Mode = .apply, _ change: (inout RollOutRequest) -> Void = { _ in }
        ) async throws -> (report: Report, summary: RollOutSummary) {
            var migrate = MigrateRequest(path: "")
            migrate.mode = mode
            migrate.verify.migrations.folder = folder.file("Migrations")
            migrate.busyTimeout = .milliseconds(100)
            (migrate.backup, migrate.temporaryFolder) = (MigrateRequest.Backup.none, folder.path)
            var request = RollOutRequest(databases: paths, migrate: migrate)
            request.log = folder.file("log.jsonl")
            change(&request)
            let report = try await RollOut(engine: GRDBDriver()).run(request)
            return (report, try #require(report.rollOut))
        }

        var log: [RollOutLog.Entry] {
            get throws {
                let path = folder.file("log.jsonl")
                return try RollOutLog.entries(in: Data(contentsOf: URL(filePath: path)), path)
            }
        }

        /// The number of migrations that a database has, by its history and by its schema.
        func version(_ index: Int) throws -> Int {
            let database = try PlainDatabase(paths[index])
            let count =
                try database.firstRow("SELECT count(*) FROM grdb_migrations") { Int($0.integer(0)) } ?? 0
            let columns = try database.rows("PRAGMA table_info(t)") { $0.string(1) }.count
            let indexes = try database.rows("PRAGMA index_list(t)") { _ in }.count
            #expect(columns == (count > 1 ? 3 : 2) && indexes == (count > 2 ? 1 : 0))
            return count
        }
    }

    /// Two rows with the same value, so that v3 fails.
    private static let twins = "INSERT INTO t(id, x) VALUES (3, 1);"

    @Test func `all are migrated, and once`() async throws {
        let it = try Case([1, 2, 3, 1, 2])
        let (report, summary) = try await it.run { ($0.canary, $0.jobs) = (2, 2) }
        #expect(report.hasPassed, "\(report.findings.map(\.line))")
        #expect(summary.count(.applied) == 4 && summary.count(.upToDate) == 1)
        #expect(try it.paths.indices.map(it.version) == [3, 3, 3, 3, 3])
        #expect(summary.waves.map(\.name) == ["canary", "100%"])
        #expect(summary.versions.map(\.count) == [5])
        let log = try it.log
        #expect(log.first?.event == .start && log.last?.event == .end)
        #expect(log.filter { $0.event == .begin }.count == 4)
        #expect(Set(log.filter { $0.event == .applied }.compactMap(\.version)) == ["v3"])
        let again = try await it.run().summary
        #expect(again.count(.upToDate) == 5 && again.waves.isEmpty)
        #expect(try it.log.filter { $0.event == .begin }.count == 4)
    }

    /// Where the folder may be of two tools, each database's own history says which one it is.
    @Test func `databases of several tools are each migrated by their own`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/0001_t.sql", "CREATE TABLE t(id INTEGER PRIMARY KEY, x);")
        try folder.write("Migrations/0002_y.sql", "ALTER TABLE t ADD COLUMN y;")
        let paths = (0..<6).map { folder.file("\($0).sqlite") }
        for (index, path) in paths.enumerated() {
            let history =
                index % 2 == 0
                ? "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY); INSERT INTO grdb_migrations VALUES('0001_t');"
                : """
                CREATE TABLE d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
                applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
                INSERT INTO d1_migrations(name) VALUES('0001_t.sql');
                """
            try PlainDatabase(path).execute(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES(1, \(index));" + history)
        }
        var migrate = MigrateRequest(path: "")
        migrate.mode = .apply
        migrate.backup = MigrateRequest.Backup.none
        migrate.temporaryFolder = folder.path
        migrate.verify.migrations.folder = folder.file("Migrations")
        let report = try await RollOut(engine: GRDBDriver()).run(
            RollOutRequest(databases: paths, migrate: migrate))
        #expect(report.hasPassed, "\(report.findings.map(\.line))")
        for (index, path) in paths.enumerated() {
            let table = index % 2 == 0 ? "grdb_migrations" : "d1_migrations"
            let rows: [Void] = try PlainDatabase(path).rows("SELECT * FROM \(table)") { _ in }
            #expect(rows.count == 2, "\(path)")
            #expect(try PlainDatabase(path).rows("SELECT y FROM t") { _ in }.count == 1)
        }
    }

    @Test func `a failure stops it, and the same command goes on`() async throws {
        let it = try Case([1, 1, 1, 1], edits: [1: Self.twins])
        let (report, summary) = try await it.run()
        #expect(!report.hasPassed)
        #expect(summary.databases.map(\.outcome) == [.applied, .failed, .notReached, .notReached])
        #expect(summary.stopped != nil)
        #expect(report.findings.contains { $0.severity == .error && $0.snapshot == it.paths[1] })
        #expect(try it.paths.indices.map(it.version) == [3, 1, 1, 1])
        try PlainDatabase(it.paths[1]).execute("DELETE FROM t WHERE id = 3")
        let after = try await it.run()
        #expect(after.report.hasPassed)
        #expect(try it.paths.indices.map(it.version) == [3, 3, 3, 3])
    }

    @Test func `so many failures may happen as are allowed`() async throws {
        let it = try Case([1, 1, 1], edits: [0: Self.twins])
        let summary = try await it.run { $0.maxFailures = 2 }.summary
        #expect(summary.databases.map(\.outcome) == [.failed, .applied, .applied])
        #expect(summary.stopped == nil)
    }

    @Test func `what cannot be read is a failure that stops the rest`() async throws {
        let it = try Case([1, 1])
        let summary = try await it.run { $0.databases.append(it.folder.file("missing.sqlite")) }.summary
        #expect(summary.databases.map(\.outcome) == [.notReached, .notReached, .failed])
        #expect(summary.stopped != nil)
        #expect(try it.paths.indices.map(it.version) == [1, 1])
    }

    @Test func `what cannot be read has no version, and no migration is blamed`() async throws {
        let it = try Case([1])
        let other = try it.folder.write("other.sqlite", String(repeating: "no database ", count: 100))
        let (report, summary) = try await it.run(.check) { $0.databases.append(other) }
        #expect(summary.unread == 1 && summary.versions.map(\.version) == ["v1"])
        let finding = try #require(report.findings.first { $0.snapshot == other })
        #expect(finding.why == "Whether it runs for users is not known.")
        let text = HumanRenderer().render(report, RenderOptions())
        #expect(text.contains("1 not read") && !text.contains("no version"), "\(text)")
    }

    @Test func `the log names what cannot be migrated`() async throws {
        let it = try Case([1, 1])
        let missing = it.folder.file("missing.sqlite")
        _ = try await it.run {
            $0.databases.append(missing)
            $0.maxFailures = 9
        }
        let failed = try it.log.filter { $0.event == .failed }
        #expect(failed.map(\.database) == [missing])
        #expect(failed.first?.reason?.contains("there is no database") == true)
        #expect(try it.log.filter { $0.event == .applied }.count == 2)
    }

    @Test func `one that is held is tried again at the end`() async throws {
        let it = try Case([1, 1])
        let holder = try PlainDatabase(it.paths[0])
        try holder.execute("BEGIN EXCLUSIVE")
        var (report, summary) = try await it.run { $0.jobs = 1 }
        #expect(summary.databases.map(\.outcome) == [.busy, .applied])
        #expect(!report.hasPassed)
        try holder.execute("ROLLBACK")
        (report, summary) = try await it.run()
        #expect(report.hasPassed)
    }

    @Test func `a check says who has what version, and whose schema is another`() async throws {
        let it = try Case([1, 2, 3, 3], edits: [1: "CREATE TABLE odd(a);", 3: "CREATE TABLE odd(a);"])
        let (report, summary) = try await it.run(.check)
        #expect(summary.databases.map(\.outcome) == [.pending, .pending, .upToDate, .upToDate])
        #expect(summary.databases.map(\.hasDrifted) == [false, true, false, true])
        #expect(summary.databases.map(\.version) == ["v1", "v2", "v3", "v3"])
        let drift = report.findings.filter { $0.rule == .schemaMismatch }
        #expect(drift.compactMap(\.snapshot) == [it.paths[1], it.paths[3]])
        #expect(Set(drift.map(\.message)).count == 1)
        #expect(try it.paths.indices.map(it.version) == [1, 2, 3, 3])
    }

    @Test func `a rehearsal writes nothing`() async throws {
        let it = try Case([1, 2, 3])
        let before = try it.folder.contents()
        let (report, summary) = try await it.run(.rehearsal)
        #expect(report.hasPassed, "\(report.findings.map(\.line))")
        #expect(summary.databases.map(\.outcome) == [.rehearsed, .rehearsed, .upToDate])
        #expect(try it.folder.contents() == before)
    }

    @Test func `what a killed run began is looked at`() async throws {
        let it = try Case([1, 3, 1])
        let log = try RollOutLog(it.folder.file("log.jsonl"))
        for path in it.paths.prefix(2) { try log.add(.init(.begin, path)) }
        withExtendedLifetime(log) {}
        try await goOn(it)
    }

    private func goOn(_ it: Case) async throws {
        // A kill in the middle of a line.
        let path = it.folder.file("log.jsonl")
        let copy = it.folder.file("copy.jsonl")
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.append(contentsOf: Array("{\"event\":\"app".utf8))
        try bytes.write(to: URL(filePath: copy))
        let summary = try await it.run { $0.log = copy }.summary
        #expect(summary.count(.applied) == 2 && summary.count(.upToDate) == 1)
        let entries = try RollOutLog.entries(in: Data(contentsOf: URL(filePath: copy)), copy)
        #expect(entries.filter { $0.event == .found }.map(\.version) == ["v1", "v3"])
        #expect(entries.last?.event == .end)
        for line in try String(contentsOfFile: copy, encoding: .utf8).split(separator: "\n") {
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
    }

    @Test(arguments: ["{", "{\"count\":1,\"event\":\"sta"]) func `a first line may be cut short`(
        _ text: String
    ) async throws {
        let it = try Case([1])
        try it.folder.write("log.jsonl", text)
        try await it.run()
        #expect(try it.log.first?.event == .start)
    }

    @Test(arguments: ["{\"name\": 1", "{\"count\":1}", "{\"name\": 1}"])
    func `another file of JSON is no log`(_ text: String) async throws {
        let it = try Case([1])
        try it.folder.write("log.jsonl", text)
        await #expect(throws: RequestError.self) { try await it.run() }
        #expect(try String(contentsOfFile: it.folder.file("log.jsonl"), encoding: .utf8) == text)
    }

    @Test func `a file that is not a log is not written`() async throws {
        let it = try Case([1])
        try it.folder.write("log.jsonl", "notes of mine\n")
        await #expect(throws: RequestError.self) { try await it.run() }
        #expect(try String(contentsOfFile: it.folder.file("log.jsonl"), encoding: .utf8) == "notes of mine\n")
        #expect(try it.version(0) == 1)
    }

    @Test func `waves are shares of all, whatever was done before`() throws {
        let items = (0..<100).map {
            RollOutPlan.Item(
                index: $0, path: "\($0)", version: "v\($0 % 2)", schema: $0 % 4, bytes: 1000 - $0)
        }
        let waves = try RollOutWave.list("1%,10%,100%")
        let plan = RollOutPlan(items, done: 0, canary: 5, waves: waves)
        #expect(plan.waves.map(\.name) == ["canary", "10%", "100%"])
        #expect(plan.waves.map(\.items.count) == [5, 5, 90])
        #expect(Set(plan.waves[0].items.prefix(4).map(\.schema)) == [0, 1, 2, 3])
        #expect(Set(plan.waves[0].items.map(\.index)) == [95, 96, 97, 98, 99], "the smallest of each kind")
        #expect(Set(plan.waves.flatMap(\.items).map(\.index)).count == 100)
        let later = RollOutPlan(Array(items.dropFirst(20)), done: 20, migrated: 20, canary: 5, waves: waves)
        #expect(later.waves.map(\.items.count) == [80])
        #expect(RollOutPlan([], done: 3, canary: 1, waves: waves).waves.isEmpty)
        for text in ["", "10", "10%,5%", "0%", "101%", "x%"] {
            #expect(throws: RequestError.self, "\(text)") { try RollOutWave.list(text) }
        }
        #expect(try RollOutWave.list("5%").map(\.text) == ["5%", "100%"])
    }
}
