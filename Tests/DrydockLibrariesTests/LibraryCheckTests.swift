import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockLibraries
@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import DrydockVerify

/// `--sqlite-library`: steps that are repeated on another SQLite library.
@Suite struct LibraryCheckTests {
    /// The library of this process, which is one that can be given anywhere.
    private static let own = SQLiteLibrary.path ?? ""

    /// Returns a library of a version, where the environment names folders that have it.
    private static func library(_ isWanted: (SQLiteVersion) -> Bool) -> String? {
        OtherLibraries.usable.first { $0.number.map(isWanted) ?? false }?.path
    }

    private func verify(
        _ folder: TemporaryFolder, on libraries: String..., engine: any Engine = GRDBDriver(),
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        try await folder.verify(engine) { request in
            (request.checks.sqliteLibraries, request.checks.libraryProgram) = (libraries, Tool.path)
            configure(&request)
        }
    }

    private func own(_ step: String, _ snapshot: String = "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)")
        throws
        -> TemporaryFolder
    {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/v1.sql", snapshot + ";\n")
        try folder.write("Migrations/v2.sql", step)
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/first.sqlite")).execute(
            snapshot + """
                ;INSERT INTO t(b) VALUES ('one'), ('two');
                CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                INSERT INTO grdb_migrations VALUES ('v1');
                """)
        return folder
    }

    // MARK: - With the system's own library

    /// The whole way: a child process, the state there and back, the comparison.
    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func theSameLibraryAgrees(_ engine: any Engine) async throws {
        let folder = try own(
            """
            CREATE TABLE u(a INTEGER PRIMARY KEY, b TEXT, c BLOB DEFAULT (randomblob(8)), d TEXT DEFAULT CURRENT_TIMESTAMP);
            INSERT INTO u(a, b) SELECT a, b FROM t;
            -- drydock: inserts into u
            ALTER TABLE t ADD COLUMN r INTEGER;
            UPDATE t SET r = random();
            """)
        let before = try folder.contents()
        let report = try await verify(folder, on: Self.own, engine: engine)
        #expect(
            report.findings.filter { $0.rule == .libraryDivergence }.isEmpty, "\(report.findings.map(\.line))"
        )
        #expect(
            !report.notChecked.contains { $0.rule == .libraryDivergence },
            "\(report.notChecked.map(\.reason))")
        #expect(report.findings.allSatisfy { $0.rule != .migrationFailed })
        #expect(report.replays.first?.sqliteVersions == [SQLiteLibrary.version])
        #expect(try folder.contents() == before)
    }

    /// A view that compiles nowhere stops nothing.
    @Test func aBrokenViewHidesNoLoss() async throws {
        let folder = try own(
            "DELETE FROM t;",
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); CREATE VIEW v AS SELECT q FROM gone")
        let report = try await verify(folder, on: Self.own)
        #expect(report.findings.contains { $0.rule == .rowsLost }, "\(report.findings.map(\.line))")
        #expect(!report.findings.contains { $0.rule == .snapshotUnreadable })
    }

    /// Each library gets the state as it was, whatever another made of it.
    /// A link to a library is the same library.
    @Test func aLibraryThatIsGivenTwiceIsRunOnce() async throws {
        let folder = try own("CREATE TABLE u(a);\n")
        let link = folder.file("libsqlite3.so.0")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: Self.own)
        let report = try await verify(folder, on: Self.own, link)
        #expect(report.replays.first?.sqliteVersions == [SQLiteLibrary.version])
    }

    @Test func severalLibrariesAgree() async throws {
        let folder = try own("UPDATE t SET b = b || '!';\n-- drydock: rewrites t.b\n")
        try folder.write("Migrations/v3.sql", "CREATE TABLE w(a);\n")
        let link = folder.file("libsqlite3.so.0")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: Self.own)
        let report = try await verify(folder, on: Self.own, link)
        #expect(report.findings.filter { $0.severity > .note }.isEmpty, "\(report.findings.map(\.line))")
        #expect(
            !report.notChecked.contains { $0.rule == .libraryDivergence },
            "\(report.notChecked.map(\.reason))")
    }

    /// What a tool does around a file is done there as well.
    @Test func toolsAreImitated() async throws {
        let project = ToolProject(
            files: [
                "00001_first.sql": "-- +goose Up\n" + ToolProject.one,
                "00002_step.sql": "-- +goose NO TRANSACTION\n-- +goose Up\n" + ToolProject.two
                    + ToolProject.rebuild,
            ], history: OtherLibraries.goose)
        let report = try await verify(try project.write(), on: Self.own)
        #expect(report.findings.filter { $0.severity > .note }.isEmpty, "\(report.findings.map(\.line))")
        #expect(!report.notChecked.contains { $0.rule == .libraryDivergence })
    }

    @Test func generatedRowsAreRepeated() async throws {
        let folder = try own("UPDATE t SET b = upper(b);\n-- drydock: rewrites t.b\n")
        let report = try await verify(folder, on: Self.own) { $0.probes.use = .always }
        #expect(
            report.findings.filter { $0.rule == .libraryDivergence }.isEmpty, "\(report.findings.map(\.line))"
        )
    }

    /// What is stopped here is not begun there: only the time limit of the whole run would end it.
    @Test func anEndlessMigrationIsNotRepeated() async throws {
        let folder = try own(
            "UPDATE t SET b = (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n);\n"
        )
        try FileManager.default.removeItem(atPath: folder.file("Snapshots"))
        let report = try await verify(folder, on: Self.own) { request in
            request.snapshots.isFolderNamed = false
            request.probes.use = .always
            request.probes.instructionLimit = 1_000_000
        }
        #expect(report.findings.contains { $0.rule == .timeLimit }, "\(report.findings.map(\.line))")
        let missing = try #require(report.notChecked.first { $0.rule == .libraryDivergence })
        #expect(missing.reason.hasPrefix("v2 was stopped here"), "\(missing.reason)")
    }

    /// What fails here and there alike is reported once.
    @Test func aCommonFailureIsReportedOnce() async throws {
        let report = try await verify(try own("INSERT INTO gone VALUES (1);\n"), on: Self.own)
        #expect(report.findings.filter { $0.rule == .migrationFailed }.count == 1)
        #expect(report.findings.allSatisfy { $0.rule != .libraryDivergence })
    }

    /// A migration cannot reach more of the machine there than here.
    @Test func theSandboxHoldsThere() async throws {
        let secret = try TemporaryFolder()
        try PlainDatabase(secret.file("secret.sqlite")).execute("CREATE TABLE s(a); INSERT INTO s VALUES (1)")
        let folder = try own("ATTACH '\(secret.file("secret.sqlite"))' AS other;\n")
        let report = try await verify(folder, on: Self.own)
        #expect(report.findings.filter { $0.rule == .migrationFailed }.count == 1)
        #expect(try secret.contents().count == 1)
    }

    // MARK: - Files that are not usable

    @Test func aMissingFileIsRefused() async throws {
        await refuses(
            "/nowhere/libsqlite3.so.0", "the SQLite library '/nowhere/libsqlite3.so.0' does not exist")
    }

    @Test func aTextFileIsRefused() async throws {
        let folder = try TemporaryFolder()
        try folder.write("libsqlite3.so.0", "not a library")
        await refuses(folder.file("libsqlite3.so.0"), "cannot be loaded: ")
    }

    /// A library, and not SQLite.
    @Test func anotherLibraryIsRefused() async throws {
        let found = ["/lib/x86_64-linux-gnu/libz.so.1", "/lib/aarch64-linux-gnu/libz.so.1"].first {
            FileManager.default.fileExists(atPath: $0)
        }
        guard let found else { return }
        await refuses(found, "is not a SQLite library")
    }

    private func refuses(_ path: String, _ text: String) async {
        do {
            let report = try await verify(try own("SELECT 1;\n"), on: path)
            Issue.record("a report was made: \(report.findings.map(\.line))")
        } catch let error as RequestError {
            #expect(error.description.contains(text), "\(error.description)")
        } catch {
            Issue.record("\(error)")
        }
    }

    /// A program that is not linked with libsqlite3 dynamically gives itself away.
    @Test func anotherAnswerIsRefused() throws {
        let build = SQLiteBuild(path: Self.own, version: "3.1.0", sourceID: "", options: [])
        var own = build
        own.version = SQLiteLibrary.version
        #expect(throws: SQLiteBuildFault.self) {
            try LibraryProcess.check(LibraryJob.Answer(library: own), is: build)
        }
    }

    // MARK: - Other versions

    @Test(.enabled(if: library { $0 < SQLiteVersion(35) } != nil, OtherLibraries.reason))
    func newSyntaxIsFoundOnOldLibraries() async throws {
        let old = try #require(Self.library { $0 < SQLiteVersion(35) })
        let folder = try own("ALTER TABLE t DROP COLUMN b;\n-- drydock: drops column t.b\n")
        let report = try await verify(folder, on: old)
        let finding = try report.finding(.migrationFailed)
        #expect(finding.severity == .error && finding.place?.line == 1)
        #expect(finding.message.hasPrefix("v2 fails on SQLite 3.") && finding.message.contains(old))
        #expect(finding.tags.map(\.rawValue).contains { $0.hasPrefix("sqlite-3.") })
    }

    /// ALTER TABLE takes any expression; only the use of the table shows that it has an unknown function.
    @Test(
        .enabled(
            if: library { $0 < SQLiteVersion(48) } != nil
                && SQLiteVersion(SQLiteLibrary.version)! >= SQLiteVersion(48),
            OtherLibraries.reason))
    func aGeneratedColumnIsFoundOnOldLibraries() async throws {
        let old = try #require(Self.library { $0 < SQLiteVersion(48) && $0 >= SQLiteVersion(31) })
        let folder = try own("ALTER TABLE t ADD COLUMN c TEXT AS (if(b = 'one', 1, 2));\n")
        let report = try await verify(folder, on: old)
        let finding = try report.finding(.libraryDivergence)
        #expect(finding.message.contains("no such function: if"), "\(finding.message)")
    }

    /// Later steps are not blamed for what an earlier one could not do.
    @Test(.enabled(if: library { $0 < SQLiteVersion(35) } != nil, OtherLibraries.reason))
    func nothingFollowsAFailure() async throws {
        let old = try #require(Self.library { $0 < SQLiteVersion(35) })
        let folder = try own("ALTER TABLE t DROP COLUMN b;\n-- drydock: drops column t.b\n")
        try folder.write("Migrations/v3.sql", "CREATE TABLE w(a);\n")
        let report = try await verify(folder, on: old)
        #expect(report.findings.filter { $0.rule == .migrationFailed }.count == 1)
        let missing = try #require(report.notChecked.first { $0.rule == .libraryDivergence })
        #expect(missing.reason.hasPrefix("the migrations after v2 on SQLite 3."), "\(missing.reason)")
    }

    /// A row that leaves a column out calls its default.
    @Test(.enabled(if: library { $0 < SQLiteVersion(38) } != nil, OtherLibraries.reason))
    func aDefaultThatIsUnknownThereIsFound() async throws {
        let old = try #require(Self.library { $0 < SQLiteVersion(38) })
        let folder = try own(
            "CREATE TABLE n(id INTEGER PRIMARY KEY, at INTEGER NOT NULL DEFAULT (unixepoch()));")
        let finding = try await verify(folder, on: old).finding(.libraryDivergence)
        #expect(finding.message.contains("INSERT INTO main.\"n\" DEFAULT VALUES"), "\(finding.message)")
    }

    /// A fault that a snapshot has, or an earlier step made, is not one of the next step.
    @Test(.enabled(if: library { $0 < SQLiteVersion(38) } != nil, OtherLibraries.reason))
    func anEarlierFaultIsNotBlamedOnALaterStep() async throws {
        let old = try #require(Self.library { $0 < SQLiteVersion(38) })
        let trigger = { (name: String) in
            "CREATE TRIGGER \(name) AFTER INSERT ON t BEGIN UPDATE t SET b = unixepoch(); END"
        }
        let folder = try own(
            "CREATE TABLE u(x);", "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); \(trigger("one"))")
        try folder.write("Migrations/v3.sql", "ALTER TABLE t ADD COLUMN c;\n")
        try folder.write("Migrations/v4.sql", "CREATE VIEW w AS SELECT unixepoch() AS now;\n")
        try folder.write("Migrations/v5.sql", "CREATE TABLE z(x);\n")
        let found = try await verify(folder, on: old).findings.filter { $0.rule == .libraryDivergence }
        #expect(found.map(\.migration) == ["v4"], "\(found.map(\.line))")
    }

    @Test(.enabled(if: library { $0 >= SQLiteVersion(53) } != nil, OtherLibraries.reason))
    func otherValuesOfAStoredColumnAreFound() async throws {
        let new = try #require(Self.library { $0 >= SQLiteVersion(53) })
        let folder = try own(
            "CREATE TABLE g(id INTEGER PRIMARY KEY, r REAL, s TEXT AS ('v' || r) STORED); INSERT INTO g(id, r) VALUES (1, 1e15);"
        )
        let finding = try await verify(folder, on: new).finding(.libraryDivergence)
        #expect(finding.message.hasSuffix("differ in 'g'.'s'"), "\(finding.message)")
    }

    /// They are computed where they are read.
    @Test(.enabled(if: library { $0 >= SQLiteVersion(53) } != nil, OtherLibraries.reason))
    func otherValuesOfAVirtualColumnAreFound() async throws {
        let new = try #require(Self.library { $0 >= SQLiteVersion(53) })
        let folder = try own(
            "CREATE TABLE g(id INTEGER PRIMARY KEY, r REAL, s TEXT AS ('v' || r)); INSERT INTO g(id, r) VALUES (1, 1e15);"
        )
        try folder.write(
            "Migrations/v3.sql", "INSERT INTO g(id, r) VALUES (2, 5);\n-- drydock: inserts into g\n")
        let found = try await verify(folder, on: new).findings.filter { $0.rule == .libraryDivergence }
        #expect(found.map(\.migration) == ["v2"], "\(found.map(\.line))")
        #expect(found.first?.message.hasSuffix("differ in 'g'.'s'") == true)
        #expect(found.first?.evidence?.rows.first?.before?.literal == "'v1.0e+15'")
        #expect(
            found.first?.advice.text.contains("-- drydock: ignore library-divergence because REASON") == true)
    }

    @Test(.enabled(if: library { $0 >= SQLiteVersion(53) } != nil, OtherLibraries.reason))
    func aDivergenceCanBeDeclared() async throws {
        let new = try #require(Self.library { $0 >= SQLiteVersion(53) })
        let folder = try own(
            "-- drydock: rewrites t.b\n-- drydock: ignore library-divergence because both are read alike\nUPDATE t SET b = 'v' || 1e15;\n"
        )
        let found = try await verify(folder, on: new).findings
        #expect(!found.contains { $0.rule == .libraryDivergence }, "\(found.map(\.line))")
        #expect(!found.contains { $0.rule == .unusedDeclaration })
    }

    /// Before 3.26 a rename leaves the table's reference to itself alone, and GRDB's check refuses the migration.
    @Test(
        .enabled(if: library { $0 < SQLiteVersion(26) } != nil, OtherLibraries.reason),
        arguments: [GRDBDriver() as any Engine, NIODriver()])
    func theCheckOfForeignKeysIsMadeThere(_ engine: any Engine) async throws {
        let old = try #require(Self.library { $0 < SQLiteVersion(26) })
        let node = "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, up INTEGER REFERENCES t(a))"
        let folder = try own(
            """
            CREATE TABLE new_t(a INTEGER PRIMARY KEY, b TEXT NOT NULL, up INTEGER REFERENCES new_t(a));
            INSERT INTO new_t SELECT a, b, 1 FROM t;
            DROP TABLE t;
            ALTER TABLE new_t RENAME TO t;
            -- drydock: rewrites t.up
            """, node)
        let finding = try await verify(folder, on: old, engine: engine).finding(.migrationFailed)
        #expect(finding.message.contains("its foreign-key check"), "\(finding.message)")
        #expect(finding.advice.text.hasPrefix("Before SQLite 3.26"))
    }

    /// What GRDB refuses here is repeated all the same, and nothing more is said.
    @Test func aMigrationThatItsCheckRefusesIsRefusedThereToo() async throws {
        let folder = try own(
            "CREATE TABLE c(id INTEGER PRIMARY KEY, t INTEGER REFERENCES t(a)); INSERT INTO c VALUES (1, 99);\n"
        )
        let report = try await verify(folder, on: Self.own)
        #expect(
            report.findings.filter { $0.rule == .migrationFailed }.count == 1,
            "\(report.findings.map(\.line))")
        #expect(!report.findings.contains { $0.rule == .libraryDivergence })
        #expect(report.replays.first?.sqliteVersions == [])
    }

    @Test(.enabled(if: library { $0 >= SQLiteVersion(53) } != nil, OtherLibraries.reason))
    func aRowThatDiffersIsShown() async throws {
        let new = try #require(Self.library { $0 >= SQLiteVersion(53) })
        let folder = try own(
            "-- drydock: rewrites t.b\nUPDATE t SET b = 'v' || 1e15 WHERE a = 2;\n")
        let finding = try await verify(folder, on: new).finding(.libraryDivergence)
        let row = try #require(finding.evidence?.rows.first)
        #expect(row.key.map(\.column) == ["a"])
        #expect(
            row.before?.literal == "'v1.0e+15'" && row.after?.literal == "'v1000000000000000.0'",
            "\(row)")
    }

    /// A library on which a migration never ends is named, and so are those whose turn never came.
    @Test(.enabled(if: library { $0 < SQLiteVersion(40) } != nil, OtherLibraries.reason))
    func aLibraryOnWhichItNeverEndsIsNamed() async throws {
        let old = try #require(Self.library { $0 < SQLiteVersion(40) })
        let folder = try own(
            """
            CREATE TABLE n AS WITH RECURSIVE n(x) AS (
                SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE sqlite_version() <> '\(SQLiteLibrary.version)')
            SELECT max(x) FROM n;
            """)
        // On a busy machine a short limit runs out before the library's turn comes.
        var (limit, missing) = (Duration.seconds(2), [String]())
        repeat {
            let timeout = limit
            let report = try await verify(folder, on: old, Self.own) { $0.timeout = timeout }
            missing = report.notChecked.filter { $0.rule == .libraryDivergence }.map(\.reason)
            limit *= 2
        } while !missing.contains(where: { $0.hasPrefix("v2 on SQLite ") }) && limit < .seconds(300)
        #expect(
            missing.contains { $0.hasPrefix("v2 on SQLite ") && !$0.contains(SQLiteLibrary.version) },
            "\(missing)")
    }

    /// Plain migrations give the same everywhere.
    @Test(.enabled(if: !OtherLibraries.usable.isEmpty, OtherLibraries.reason))
    func plainMigrationsAgreeEverywhere() async throws {
        let folder = try own(
            """
            CREATE TABLE n(a INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x', c REAL);
            INSERT INTO n(a, b, c) SELECT a, b, a / 3.0 FROM t;
            -- drydock: inserts into m
            CREATE INDEX n_b ON n(b);
            ALTER TABLE n RENAME TO m;
            ALTER TABLE t ADD COLUMN d TEXT DEFAULT (1);
            """)
        let report = try await folder.verify(GRDBDriver()) { request in
            request.checks.sqliteLibraries = OtherLibraries.usable.map(\.path)
            request.checks.libraryProgram = Tool.path
        }
        #expect(
            report.findings.filter { $0.rule == .libraryDivergence }.isEmpty, "\(report.findings.map(\.line))"
        )
        #expect(report.findings.filter { $0.severity == .error }.isEmpty, "\(report.findings.map(\.line))")
        #expect(
            !report.notChecked.contains { $0.rule == .libraryDivergence },
            "\(report.notChecked.map(\.reason))")
    }
}
