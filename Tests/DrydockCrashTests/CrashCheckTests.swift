import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing

@testable import DrydockTestSupport

/// `crash-stuck`, `crash-loses` and `crash-diverges`: what a kill between two commits leads to.
@Suite struct CrashCheckTests {
    private static let goose = """
        CREATE TABLE goose_db_version(id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')));
        INSERT INTO goose_db_version(version_id, is_applied) VALUES (0, 1), (1, 1);
        """
    private static let prisma = """
        CREATE TABLE _prisma_migrations(id TEXT PRIMARY KEY NOT NULL, checksum TEXT NOT NULL, finished_at DATETIME, migration_name TEXT NOT NULL, logs TEXT, rolled_back_at DATETIME, started_at DATETIME NOT NULL DEFAULT current_timestamp, applied_steps_count INTEGER UNSIGNED NOT NULL DEFAULT 0);
        INSERT INTO _prisma_migrations(id, checksum, finished_at, migration_name) VALUES ('a', '', 1, '1_first');
        """

    /// A goose project, whose second file opens no transaction unless `isOpen` is false.
    private func goose(_ sql: String..., isOpen: Bool = true) throws -> TemporaryFolder {
        var files = ["00001_first.sql": "-- +goose Up\n" + ToolProject.one]
        for (index, text) in sql.enumerated() {
            files["0000\(index + 2)_step.sql"] =
                (isOpen ? "-- +goose NO TRANSACTION\n" : "") + "-- +goose Up\n\(text)\n"
        }
        return try ToolProject(files: files, history: Self.goose).write()
    }

    private func prisma(_ sql: String) throws -> TemporaryFolder {
        try ToolProject(
            files: [
                "1_first/migration.sql": ToolProject.one, "2_step/migration.sql": sql,
                "migration_lock.toml": "provider = \"sqlite\"\n",
            ], history: Self.prisma
        ).write()
    }

    private func crashes(
        _ folder: TemporaryFolder, _ engine: any Engine = GRDBDriver(),
        _ configure: (inout VerifyRequest) -> Void = { _ in }
    ) async throws -> Report {
        try await folder.verify(engine) { request in
            request.checks.crashes = true
            configure(&request)
        }
    }

    private func found(_ report: Report) -> [Finding] {
        report.findings.filter { $0.rule.rawValue.hasPrefix("crash-") }
    }

    private static let rebuild = """
        CREATE TABLE new_pet(id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person(id) ON DELETE CASCADE, name TEXT);
        INSERT INTO new_pet SELECT id, person_id, name FROM pet;
        DROP TABLE pet;
        ALTER TABLE new_pet RENAME TO pet;
        """

    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func aRebuildWithoutTransactionIsStuck(_ engine: any Engine) async throws {
        let report = try await crashes(try goose(Self.rebuild), engine)
        let finding = try report.finding(.crashStuck)
        #expect(finding.severity == .error)
        #expect(
            finding.message == "2: killed after line 3, it never runs again: table \"new_pet\" already exists"
                || finding.message
                    == "2: killed after line 3, it never runs again: table new_pet already exists"
        )
        #expect(finding.place?.line == 3)
        // Four kills, and after the last, which the next start survives, four more.
        #expect(report.replays.first?.crashStates == 8)
        #expect(found(report).count == 1, "\(report.findings.map(\.line))")
    }

    /// What the help proposes is tried.
    @Test func inATransactionItIsNot() async throws {
        let help = try await crashes(try goose(Self.rebuild)).finding(.crashStuck).help
        #expect(help.hasPrefix("Remove what makes goose run the file without a transaction"))
        let report = try await crashes(try goose(Self.rebuild, isOpen: false))
        #expect(found(report).isEmpty && report.replays.first?.crashStates == 0)
    }

    /// The next start drops the only copy of the rows before it finds that the table is gone.
    @Test func aStartThatDropsTheOnlyCopyLoses() async throws {
        let report = try await crashes(try goose("DROP TABLE IF EXISTS new_pet;\n" + Self.rebuild))
        let finding = try report.finding(.crashLoses)
        #expect(
            finding.message.hasSuffix(
                "and started again, it drops the rows of pet, of which this was the only copy, and fails: no such table: pet"
            ), "\(finding.message)")
        #expect(finding.severity == .error && finding.place?.line == 6)
        #expect(found(report).count == 1, "\(report.findings.map(\.line))")
    }

    @Test func statementsThatMayRunTwiceAreNot() async throws {
        let report = try await crashes(
            try goose(
                "CREATE TABLE IF NOT EXISTS tag(a); CREATE INDEX IF NOT EXISTS i ON pet(name); INSERT OR IGNORE INTO person(id, name) VALUES (9, 'Zoe');"
            ))
        #expect(found(report).isEmpty, "\(report.findings.map(\.line))")
        #expect(report.replays.first?.crashStates == 3)
    }

    @Test func doubledRowsAreALoss() async throws {
        let report = try await crashes(
            try goose("CREATE TABLE IF NOT EXISTS log(line TEXT); INSERT INTO log SELECT name FROM pet;"))
        let finding = try report.finding(.crashLoses)
        #expect(
            finding.message.contains(
                "killed after line 3 and started again, it ends with other data: rows of 'log'"))
    }

    @Test func aLaterMigrationMayFailOnWhatWasDoubled() async throws {
        let report = try await crashes(
            try goose(
                "CREATE TABLE IF NOT EXISTS log(line TEXT); INSERT INTO log SELECT name FROM pet;",
                "CREATE UNIQUE INDEX IF NOT EXISTS log_line ON log(line);"))
        #expect(found(report).map(\.rule) == [.crashStuck, .crashLoses])
        let stuck = try report.finding(.crashStuck)
        #expect(
            stuck.message
                == "2: killed after line 3 and started again, 3 never runs: UNIQUE constraint failed: log.line"
        )
        #expect(stuck.migration == "2" && stuck.severity == .error)
        // Where the later one fails on any database, the crash is not to blame.
        let broken = try await crashes(
            try goose(
                "CREATE TABLE IF NOT EXISTS log(line TEXT); INSERT INTO log SELECT name FROM pet;",
                "INSERT INTO nowhere VALUES (1);"))
        #expect(found(broken).map(\.rule) == [.crashLoses], "\(broken.findings.map(\.line))")
    }

    @Test func anotherSchemaDiverges() async throws {
        // Started again after the last statement, `snap` gets the columns of the new table.
        let report = try await crashes(
            try goose(
                "CREATE TABLE IF NOT EXISTS label(a);",
                """
                DROP TABLE IF EXISTS snap;
                CREATE TABLE snap AS SELECT * FROM label;
                DROP TABLE label;
                CREATE TABLE label(a, b);
                """))
        #expect(
            found(report).map(\.rule) == [.crashStuck, .crashDiverges], "\(report.findings.map(\.line))")
        #expect(
            try report.finding(.crashDiverges).message
                == "3: killed after line 6 and started again, it ends with another schema or history: table 'snap'"
        )
    }

    @Test func whatIsRandomIsNotCompared() async throws {
        let report = try await crashes(
            try goose(
                "CREATE TABLE IF NOT EXISTS token(a); DELETE FROM token; INSERT INTO token VALUES (hex(randomblob(8)));"
            ))
        #expect(found(report).isEmpty, "\(report.findings.map(\.line))")
        #expect(report.notChecked.contains { $0.rule == .crashLoses && $0.reason.contains("token") })
    }

    /// Both fail at first: the second is what remains of a crash while the first was under way.
    @Test func onlyTheMigrationUnderWayIsBlamed() async throws {
        let report = try await crashes(
            try goose("ALTER TABLE person ADD COLUMN a TEXT;", "CREATE TABLE IF NOT EXISTS b(x);"))
        let finding = try report.finding(.crashStuck)
        #expect(finding.migration == "2" && finding.message.hasSuffix("duplicate column name: a"))
    }

    @Test func beyondALimitNothingCounts() async throws {
        let report = try await crashes(try goose(Self.rebuild)) { $0.checks.crashStates = 2 }
        #expect(report.replays.first?.crashStates == 2)
        #expect(
            report.notChecked.contains {
                $0.rule == .crashStuck
                    && $0.reason.contains(
                        "tried 2 of the 4 states that a kill during 2 can leave (--crash-states)")
            })
    }

    @Test func withoutTheFlagNothingIsTried() async throws {
        let report = try await goose(Self.rebuild).verify()
        #expect(found(report).isEmpty && report.replays.first?.crashStates == nil)
    }

    @Test func anIgnoredOneIsLeftOut() async throws {
        let report = try await crashes(
            try goose("-- drydock: ignore crash-stuck because the app makes a backup first\n" + Self.rebuild))
        #expect(found(report).isEmpty, "\(report.findings.map(\.line))")
    }

    // MARK: - Tools that refuse to start

    @Test func prismaNeedsAPersonAtLeast() async throws {
        let report = try await crashes(try prisma("CREATE TABLE tag(a INTEGER PRIMARY KEY);"))
        let finding = try report.finding(.crashStuck)
        #expect(finding.severity == .warning)
        #expect(
            finding.message.hasSuffix(
                "until someone runs 'prisma migrate resolve --rolled-back 2_step' or 'prisma migrate resolve --applied 2_step'"
            ), "\(finding.message)")
    }

    @Test func prismaHalfWayIsAnError() async throws {
        let report = try await crashes(try prisma(Self.rebuild))
        let errors = found(report).filter { $0.severity == .error }
        #expect(errors.map(\.rule) == [.crashStuck], "\(report.findings.map(\.line))")
        #expect(errors.first?.help.contains("write BEGIN; before the statements") == true)
        let words = "it never runs again, not even after 'prisma migrate resolve --rolled-back 2_step': "
        #expect(errors.first?.message.contains(words) == true, "\(errors.map(\.message))")
        // What the help proposes.
        let wrapped = try await crashes(try prisma("BEGIN;\n" + Self.rebuild + "\nCOMMIT;\n"))
        #expect(found(wrapped).allSatisfy { $0.severity == .warning }, "\(wrapped.findings.map(\.line))")
    }

    // MARK: - Generated rows

    @Test func generatedRowsShowItToo() async throws {
        let folder = try goose(Self.rebuild)
        try folder.remove("Snapshots/first.sqlite")
        let report = try await crashes(folder) {
            $0.snapshots.isFolderNamed = false
            $0.probes.use = .always
        }
        #expect(report.findings.contains { $0.rule == .crashStuck && $0.migration == "2" })
    }

    // MARK: - Between two migrations

    /// What an earlier file left on its connection is gone on the next start.
    @Test(arguments: [
        ("PRAGMA foreign_keys = ON;", "DELETE FROM person WHERE id = 1;", Rule.crashLoses),
        ("PRAGMA legacy_alter_table = ON;", rebuildOfParent, .crashDiverges),
        ("CREATE TEMP TABLE k(a);", "CREATE TABLE kept AS SELECT a FROM k;", .crashStuck),
        (
            "CREATE TEMP TRIGGER g AFTER INSERT ON person BEGIN DELETE FROM pet WHERE person_id = 1; END;",
            "INSERT INTO person(id, name) VALUES (9, 'Zoe');", .crashLoses
        ),
    ])
    func aConnectionIsNotThereAgain(earlier: String, later: String, rule: Rule) async throws {
        let report = try await crashes(
            try goose(earlier, "-- drydock: allow all\n\(later)", isOpen: true))
        let finding = try report.finding(rule)
        #expect(finding.message.hasPrefix("3: killed between 2 and 3"), "\(report.findings.map(\.line))")
        #expect(finding.help.hasPrefix("What 2 leaves on its connection"))
    }

    /// A later file fails on what a kill between two earlier ones leads to.
    @Test func aKillBetweenTwoIsFollowed() async throws {
        let report = try await crashes(
            try goose(
                "CREATE TEMP TABLE done AS SELECT name FROM person;",
                """
                -- drydock: allow all
                CREATE TABLE IF NOT EXISTS seen(name TEXT);
                INSERT INTO seen SELECT name FROM person WHERE EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'done');
                """,
                """
                -- drydock: allow all
                CREATE TABLE IF NOT EXISTS must(n INTEGER CHECK(n > 0));
                INSERT INTO must SELECT count(*) FROM seen;
                """))
        let stuck = report.findings.filter { $0.rule == .crashStuck && $0.migration == "3" }
        #expect(
            stuck.map(\.message) == [
                "3: killed between 2 and 3 and started again, 4 never runs: CHECK constraint failed: n > 0"
            ], "\(report.findings.map(\.line))")
        #expect(stuck.first?.help.hasPrefix("What 2 leaves on its connection") == true)
    }

    private static let rebuildOfParent = """
        ALTER TABLE person RENAME TO old_person;
        CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        INSERT INTO person SELECT id, name FROM old_person;
        DROP TABLE old_person;
        """

    /// A setting that changes nothing for the later file, and values that no two runs make alike, say nothing.
    @Test func aConnectionThatIsNotMissedIsNoFault() async throws {
        let report = try await crashes(
            try goose(
                "PRAGMA cache_size = 100; CREATE TEMP TABLE k(a);",
                "CREATE TABLE IF NOT EXISTS stamp(t DEFAULT CURRENT_TIMESTAMP, r DEFAULT (random()), n UNIQUE); "
                    + "INSERT OR IGNORE INTO stamp(n) VALUES (1);"))
        #expect(found(report).isEmpty, "\(report.findings.map(\.line))")
        // It was not compared, and that is said.
        #expect(
            report.notChecked.contains { $0.rule == .crashLoses && $0.reason.contains("stamp") },
            "\(report.notChecked)")
    }

    /// golang-migrate deletes and inserts its version in one transaction: no lock leaves it without one.
    @Test func whatAToolNotesIsOneTransaction() async throws {
        let folder = try ToolProject(
            files: ["1_first.up.sql": ToolProject.one, "2_step.up.sql": "CREATE TABLE tag(a);"],
            history: """
                CREATE TABLE schema_migrations (version uint64, dirty bool);
                CREATE UNIQUE INDEX version_unique ON schema_migrations (version);
                INSERT INTO schema_migrations VALUES (1, 0);
                """
        ).write()
        let finding = try await crashes(folder).finding(.crashStuck)
        #expect(finding.severity == .warning)
        let details = finding.evidence?.details ?? []
        #expect(!details.isEmpty && !details.contains { $0.contains("marked as begun") }, "\(details)")
    }

    // MARK: - What SQLite makes of it

    /// A RELEASE that fails leaves SQLite in the transaction that its commit hook has ended.
    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func aSavepointIsATransaction(_ engine: any Engine) async throws {
        let report = try await crashes(
            try goose("SAVEPOINT s;\nINSERT INTO person(name) VALUES ('Zoe');\nRELEASE s;"), engine)
        #expect(try report.finding(.crashLoses).message.hasPrefix("2: killed after line 5 and started again"))
    }

    /// The edit of the schema is made twice.
    @Test func aSchemaThatCannotBeReadIsStuck() async throws {
        let report = try await crashes(
            try goose(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT', 'name TEXT, y TEXT') WHERE name = 'pet';
                PRAGMA writable_schema = RESET;
                CREATE TABLE IF NOT EXISTS later(a);
                """))
        let finding = try report.finding(.crashStuck)
        #expect(
            finding.message.contains("it never runs again: malformed database schema"), "\(finding.message)")
    }

    /// What a file needs, or does by itself, is not advised against.
    @Test(arguments: [
        ("VACUUM;\nINSERT INTO person(name) VALUES ('Zoe');", "VACUUM (line 3) cannot run in a transaction"),
        (
            "BEGIN;\nINSERT INTO person(name) VALUES ('Zoe');\nCOMMIT;",
            "Remove what makes goose run the file without a transaction, and the file's own BEGIN and COMMIT"
        ),
    ])
    func theAdviceCanBeTaken(sql: String, advice: String) async throws {
        let finding = try await crashes(try goose(sql)).finding(.crashLoses)
        #expect(finding.help.hasPrefix(advice), "\(finding.help)")
    }
}
