import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// Migrations that several tools may run are verified as each of them would run them.
@Suite struct ReadingsTests {
    /// Loses the pets where foreign keys are on.
    private static let rebuild = """
        CREATE TABLE new_person(id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '');
        INSERT INTO new_person(id, name) SELECT id, name FROM person;
        DROP TABLE person;
        ALTER TABLE new_person RENAME TO person;

        """

    private func folder(_ second: String, first: String = ToolProject.one) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/0001_people.sql", first)
        try folder.write("Migrations/0002_second.sql", second)
        return folder
    }

    private func verify(
        _ folder: TemporaryFolder, _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        var request = VerifyRequest()
        request.migrations.folder = folder.file("Migrations")
        request.snapshots.folder = folder.file("Snapshots")
        request.snapshots.isFolderNamed = false
        request.probes.use = .whereNoSnapshot
        configure(&request)
        return try await Verifier(engine: GRDBDriver()).run(request)
    }

    @Test func aLossUnderOnlyOneToolFails() async throws {
        let report = try await verify(try folder(Self.rebuild))
        #expect(!report.hasPassed)
        let loss = try #require(report.findings.first { $0.rule == .rowsLost })
        #expect(loss.severity == .error && loss.table == "pet" && loss.migration == "0002_second")
        #expect(loss.tags.contains(.reading("sqlx")) && !loss.tags.contains(.reading("drydock")))
        #expect(loss.message.hasPrefix("as sqlx"), "\(loss.message)")
        #expect(loss.message.contains("foreign keys on") && loss.help.contains("--migration-format"))
        #expect(report.migrationFormat == "drydock" && report.readings.first?.formats == ["drydock"])
        // A replay is one of the snapshot, however many ways there are to run it.
        #expect(report.replays.count == 1)
        #expect(try await verify(folder(Self.rebuild)) { $0.migrations.format = "drydock" }.hasPassed)
    }

    /// Whether results are kept, and however many readings are verified at once.
    @Test(arguments: [1, 4], [false, true])
    func eachReadingHasItsOwnRows(_ jobs: Int, _ keeps: Bool) async throws {
        let report = try await verify(try folder(Self.rebuild)) { request in
            request.jobs = jobs
            if keeps { request.keeping = KeptReplays(KeptResults()) }
        }
        let losses = report.findings.filter { $0.rule == .rowsLost }
        #expect(losses.map(\.tags) == [[.reading("sqlx"), .reading("d1")]], "\(report.findings.map(\.line))")
    }

    @Test func whatAllFindIsSaidOnce() async throws {
        let report = try await verify(try folder("DELETE FROM pet;\n"))
        let losses = report.findings.filter { $0.rule == .rowsLost }
        #expect(losses.count == 1 && losses[0].tags.isEmpty, "\(report.findings.map(\.line))")
        // The tools have other names for the migration.
        let failure = try await verify(try folder("INSERT INTO nothing VALUES (1);\n"))
        let failures = failure.findings.filter { $0.rule == .migrationFailed }
        #expect(failures.count == 1 && failures[0].message.contains("0002_second"), "\(failures.map(\.line))")
    }

    /// A tool whose version is only the beginning of the names is not meant.
    @Test(arguments: [
        ["2024-01-01_a.sql", "2024-02-01_b.sql"],
        ["2024_01_01_a.sql", "2025_02_01_b.sql", "2025_02_02_c.sql"],
        ["1.0.0_a.sql", "1.0.1_b.sql"], ["v1.0.sql", "v1.1.sql"],
    ]) func datesAreNotVersions(_ names: [String]) async throws {
        let folder = try TemporaryFolder()
        for (number, name) in names.enumerated() {
            try folder.write("Migrations/\(name)", "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY);\n")
        }
        let report = try await verify(folder)
        #expect(report.hasPassed && report.migrationFormat == "drydock", "\(report.findings.map(\.line))")
    }

    @Test func readingsThatAgreeNeedNoSetting() async throws {
        let report = try await verify(try folder(ToolProject.two))
        #expect(report.hasPassed && report.readings.count > 1, "\(report.findings.map(\.line))")
        let plain = "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);\n"
        #expect(try await verify(try folder(ToolProject.two, first: plain)).readings.isEmpty)
    }

    /// A declaration that only one reading needs is not unused.
    @Test func aDeclarationCountsForTheReadingThatNeedsIt() async throws {
        let declared = "-- drydock: deletes from pet\n" + Self.rebuild
        let report = try await verify(try folder(declared))
        #expect(report.hasPassed, "\(report.findings.map(\.line))")
        #expect(!report.findings.contains { $0.rule == .unusedDeclaration })
    }

    @Test(arguments: [
        ("sqlx", SqlxProject.history(), false),
        (
            "drydock",
            "CREATE TABLE grdb_migrations(identifier TEXT PRIMARY KEY); INSERT INTO grdb_migrations VALUES ('0001_people');",
            true
        ),
    ]) func aHistoryNamesTheTool(_ format: String, _ history: String, _ passes: Bool) async throws {
        let folder = try folder(Self.rebuild)
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/first.sqlite")).execute(
            ToolProject.one + ToolProject.rows + ";" + history)
        let report = try await verify(folder)
        #expect(report.migrationFormat == format && report.readings.isEmpty)
        #expect(report.hasPassed == passes, "\(report.findings.map(\.line))")
        #expect(report.findings.allSatisfy { !$0.message.contains("runs them") })
    }

    /// A snapshot is complete when all readings of it are, and its line has what each of them found.
    @Test func eventsComeOnceForEachSnapshot() async throws {
        let folder = try folder(Self.rebuild)
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/empty.sqlite")).execute("PRAGMA user_version = 0;")
        var request = VerifyRequest()
        request.migrations.folder = folder.file("Migrations")
        request.snapshots.folder = folder.file("Snapshots")
        let counts = EventCounts()
        _ = try await Verifier(engine: GRDBDriver()) { counts.add($0) }.run(request)
        #expect(counts.begun == 1 && counts.replayed == 1)
    }

    /// One step after the other is made by the tool's own bookkeeping, whatever the migrations are called in reports.
    @Test func aCrashIsFollowedByTheToolsOwnHistory() async throws {
        let report = try await verify(try folder(ToolProject.two)) { $0.checks.crashes = true }
        #expect(report.hasPassed, "\(report.findings.map(\.line))")
    }

    @Test func aLiveDatabaseIsMigratedInOneWay() async throws {
        let folder = try folder(Self.rebuild)
        try PlainDatabase(folder.file("live.sqlite")).execute("PRAGMA application_id = 7;")
        let before = try Data(contentsOf: URL(filePath: folder.file("live.sqlite")))
        for mode in [MigrateRequest.Mode.check, .rehearsal, .apply] {
            var request = MigrateRequest(path: folder.file("live.sqlite"))
            request.verify.migrations.folder = folder.file("Migrations")
            request.mode = mode
            do {
                _ = try await Migrator(engine: GRDBDriver()).run(request)
                Issue.record("it was migrated")
            } catch let error as RequestError {
                #expect(error.reason == .formatAmbiguous && error.description.contains("--migration-format"))
                #expect(error.description.contains("sqlx") && error.description.contains("drydock"))
                #expect(error.choices.map(\.format).contains("d1"))
                #expect(error.description.count < 400 + folder.path.count, "\(error.description)")
            }
        }
        #expect(try Data(contentsOf: URL(filePath: folder.file("live.sqlite"))) == before)
    }

    /// Even where all would run the same, each keeps a history of its own, which is not to be guessed.
    @Test func aHistoryIsNotWrittenOnAGuess() async throws {
        let folder = try folder(
            ToolProject.two, first: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);\n")
        try PlainDatabase(folder.file("live.sqlite")).execute("PRAGMA application_id = 7;")
        var request = MigrateRequest(path: folder.file("live.sqlite"))
        request.verify.migrations.folder = folder.file("Migrations")
        request.mode = .apply
        await #expect(throws: RequestError.self) { try await Migrator(engine: GRDBDriver()).run(request) }
        request.verify.migrations.format = "sqlx"
        #expect(try await Migrator(engine: GRDBDriver()).run(request).hasPassed)
    }

    @Test(arguments: ["human", "json", "sarif", "junit", "html", "markdown", "tap", "github", "gitlab"])
    func everyReportNamesTheReading(_ format: String) throws {
        let result = try Tool(folder: try folder(Self.rebuild)).run("verify", "--format", format)
        #expect(result.status == 1 && result.output.contains("foreign keys on"), "\(result)")
        if format == "human" { #expect(result.output.contains(" as drydock, as sqlx"), "\(result)") }
        if format == "json" { #expect(result.output.contains("\"as-sqlx\""), "\(result)") }
    }
}

private final class EventCounts: @unchecked Sendable {
    private let lock = NSLock()
    private var counts = (begun: 0, replayed: 0)

    var begun: Int { lock.withLock { counts.begun } }
    var replayed: Int { lock.withLock { counts.replayed } }

    func add(_ event: VerifyEvent) {
        lock.withLock {
            switch event {
            case .began: counts.begun += 1
            case .replayed: counts.replayed += 1
            case .step: break
            }
        }
    }
}
