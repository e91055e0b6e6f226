import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import NIOEngine
import Testing
import TestTools

@testable import DrydockTestSupport

/// `migrate: command`: the project's own command on private copies, with every rule on its before and after.
@Suite(.enabled(if: CommandCase.isPossible, "it needs python3 with its module sqlite3"))
struct ProjectCommandTests {
    private static let loss = "DELETE FROM person WHERE id = 5"

    /// A declaration as drydock.yml has it.
    private static func declared(_ migration: String, _ text: String) throws -> [String: [Declaration]] {
        let parsed = Declaration.parse(text, place: .init(file: "drydock.yml"), migration: migration)
        return [migration: try parsed.get()]
    }

    // MARK: - What a good and a bad migration give

    @Test(arguments: CommandCase.engines.indices) func aGoodProjectPasses(_ engine: Int) async throws {
        let report = try await CommandCase().verify(on: CommandCase.engines[engine])
        report.expectNothing()
        #expect(report.steps == ["0002_born", "0003_index"])
        #expect(report.replays[0].from == "0001_person" && report.replays[0].to == "0003_index")
        #expect(report.migrationFormat == "command")
        #expect(report.replays[0].steps.allSatisfy { $0.pagesWritten > 0 })
    }

    @Test(arguments: CommandCase.engines.indices, [true, false])
    func aLossIsFoundAtItsStep(_ engine: Int, _ isWhole: Bool) async throws {
        var project = CommandCase()
        project.steps.append(("0004_clean", Self.loss))
        let report = try await project.verify(on: CommandCase.engines[engine], isWhole: isWhole)
        report.expect(errors: [.rowsLost])
        let finding = try report.finding(.rowsLost)
        #expect(finding.migration == (isWhole ? "python3 migrate.py" : "0004_clean"))
        #expect(finding.message == "1 row of person is gone (of 3)")
        #expect(finding.evidence?.rows.first?.key.first?.value.literal == "5")
        #expect(finding.help.contains("declarations:") && !finding.help.contains("released"))
    }

    @Test func aDeclarationLetsItThrough() async throws {
        var project = CommandCase()
        project.steps.append(("0004_clean", Self.loss))
        let declarations = try Self.declared("0004_clean", "deletes from person where id = 5")
        let report = try await project.verify { $0.migrations.declarations = declarations }
        report.expectNothing()
    }

    @Test func aCommandThatAppliesAllIsNoStep() async throws {
        var project = CommandCase()
        project.before = "os.environ.pop('DRYDOCK_MIGRATION', None)"
        let finding = try await project.verify().finding(.migrationFailed)
        #expect(
            finding.message == "0002_born: 'python3 migrate.py' applied 0003_index too, which comes later")
        #expect(finding.help.contains("Remove 'list'"))
    }

    @Test func aPlainQueryNamesTheTableOfTheHistory() async throws {
        let history = CommandHistory(query: "SELECT name FROM knex_migrations ORDER BY id")
        try await CommandCase().verify { $0.command?.history = history }.expectNothing()
        let folder = try CommandCase().write()
        try FileManager.default.removeItem(atPath: folder.file("Snapshots"))
        let generated = try await folder.verifyCommand {
            $0.command?.history = history
            $0.snapshots.isFolderNamed = false
        }
        #expect(
            generated.findings.filter { $0.severity > .note }.isEmpty, "\(generated.findings.map(\.line))")
    }

    @Test func aRenameIsDeclared() async throws {
        var project = CommandCase()
        project.steps.append(("0004_rename", "ALTER TABLE person RENAME TO people"))
        let undeclared = try await project.verify()
        #expect(undeclared.rules(.error).contains(.tableDropped), "\(undeclared.findings.map(\.line))")
        let declarations = try Self.declared("0004_rename", "renames table person to people")
        let report = try await project.verify { $0.migrations.declarations = declarations }
        report.expectNothing()
    }

    @Test func aRenamedColumnIsDeclared() async throws {
        var project = CommandCase()
        project.steps.append(("0004_rename", "ALTER TABLE person RENAME COLUMN name TO called"))
        try await project.verify().expect(errors: [.columnDropped])
        let declarations = try Self.declared("0004_rename", "renames column person.name to called")
        try await project.verify { $0.migrations.declarations = declarations }.expectNothing()
    }

    @Test func changedValuesAndForeignKeys() async throws {
        var project = CommandCase()
        project.steps += [
            ("0004_pet", "CREATE TABLE pet(person_id REFERENCES person(id)); INSERT INTO pet VALUES (77)"),
            ("0005_upper", "UPDATE person SET name = upper(name) WHERE id = 2"),
        ]
        let report = try await project.verify()
        report.expect(errors: [.foreignKeyViolation, .valuesChanged])
    }

    @Test func aDatabaseThatIsUpToDate() async throws {
        let report = try await CommandCase(at: 3).verify(isWhole: true)
        #expect(report.steps.isEmpty)
        report.expect(warnings: [.nothingVerified])
    }

    @Test(arguments: [true, false]) func aSnapshotOfANewerRelease(_ isWhole: Bool) async throws {
        var project = CommandCase(at: 3)
        project.rows += "; INSERT INTO knex_migrations(name, batch) VALUES ('0009_later', 2)"
        let report = try await project.verify(isWhole: isWhole)
        #expect(
            report.findings.contains { $0.rule == .unknownMigration && $0.message.contains("0009_later") })
    }

    @Test func aNewDatabaseIsComparedWith() async throws {
        var project = CommandCase()
        // As an app that makes the newest schema where there is nothing.
        project.after = """
            if not done: connection.execute("CREATE TABLE extra(a)")
            """
        let report = try await project.verify(isWhole: true)
        let finding = try report.finding(.schemaMismatch)
        #expect(finding.message.contains("extra"))
    }

    @Test func upToStopsThere() async throws {
        let report = try await CommandCase().verify { $0.upTo = "0002_born" }
        report.expectNothing()
        #expect(report.steps == ["0002_born"])
    }

    @Test func anotherEngineWouldRunTheSame() async throws {
        let report = try await CommandCase().verify(comparingWith: NIODriver())
        report.expect(notChecked: [.engineDivergence])
    }

    @Test func theVariablesOfAStep() async throws {
        var project = CommandCase()
        project.before = """
            with open(here / "log" / "steps.txt", "a") as log:
                print(os.environ.get("DRYDOCK_STEP"), os.environ.get("DRYDOCK_MIGRATION"), os.environ["URL"] == "sqlite:///" + database, os.environ["DATABASE_URL"] == "file:" + database, file=log)
            """
        let folder = try project.write()
        let report = try await folder.verifyCommand { request in
            request.command?.environment = ["URL": "sqlite:///${DRYDOCK_DATABASE}"]
            request.command?.database = ProjectCommand.Passing("file:$DRYDOCK_DATABASE")
        }
        report.expectNothing()
        let lines = try String(contentsOfFile: folder.file("log/steps.txt"), encoding: .utf8)
        #expect(lines == "None None True True\n2 0002_born True True\n3 0003_index True True\n")
    }

    // MARK: - Kinds of databases

    @Test(arguments: CommandCase.engines.indices) func aWriteAheadLogCounts(_ engine: Int) async throws {
        var project = CommandCase()
        project.rows = ""
        project.steps.append(("0004_clean", Self.loss))
        // The command ends without closing, so that its commits are in the log as well.
        project.after = "connection.execute('PRAGMA wal_autocheckpoint = 0'); os._exit(0)"
        let folder = try project.write()
        let source = try TemporaryFolder()
        let path = folder.file("Snapshots/first.sqlite")
        try FileManager.default.moveItem(atPath: path, toPath: source.file("live.sqlite"))
        let live = try PlainDatabase(source.file("live.sqlite"))
        try live.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" + CommandCase.ada)
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: source.file("live.sqlite\(ending)"), toPath: path + ending)
        }
        let before = try folder.contents().filter { $0.key.hasPrefix("Snapshots") }
        let report = try await folder.verifyCommand(on: CommandCase.engines[engine])
        report.expect(errors: [.rowsLost])
        #expect(try report.finding(.rowsLost).evidence?.rows.first?.key.first?.value.literal == "5")
        #expect(try folder.contents().filter { $0.key.hasPrefix("Snapshots") } == before)
    }

    @Test(arguments: CommandCase.engines.indices) func aHotJournalIsRolledBack(_ engine: Int) async throws {
        var project = CommandCase()
        project.after = """
            connection.execute("PRAGMA cache_size = 1"); connection.execute("BEGIN")
            connection.execute("DELETE FROM person")
            connection.execute("CREATE TABLE big(a)")
            for _ in range(200): connection.execute("INSERT INTO big VALUES (randomblob(3000))")
            os._exit(0)
            """
        try await project.verify(on: CommandCase.engines[engine]).expectNothing()
    }

    @Test(arguments: ["PRAGMA page_size = 1024; VACUUM", "VACUUM", "PRAGMA journal_mode = WAL"])
    func theFormOfTheFileChanges(_ sql: String) async throws {
        var project = CommandCase()
        project.after = "for sql in '\(sql)'.split(';'): connection.execute(sql)"
        try await project.verify().expectNothing()
        project.steps.append(("0004_clean", Self.loss))
        try await project.verify().expect(errors: [.rowsLost])
    }

    @Test func otherEncodingsAndTables() async throws {
        var project = CommandCase(
            [
                ("1", "CREATE TABLE \"a b\"(k TEXT, n INTEGER, v, PRIMARY KEY(k, n)) WITHOUT ROWID, STRICT"),
                ("2", "DELETE FROM \"a b\" WHERE v IS NULL"),
            ].map { ($0.0, $0.1.replacing(", v,", with: ", v ANY,")) },
            rows: "INSERT INTO \"a b\" VALUES ('ä', 1, 'x'), ('ö', 2, NULL)")
        project.snapshotName = "ein Stand.sqlite"
        let report = try await project.verify()
        report.expect(errors: [.rowsLost])
    }

    @Test func anAtomicRenameIsFine() async throws {
        var project = CommandCase()
        project.after = """
            connection.close(); os.system(f'cp "{database}" "{database}.new"'); os.rename(database + ".new", database)
            """
        try await project.verify().expectNothing()
    }

    // MARK: - Commands that fail

    private static let failures: [(script: String, says: [String])] = [
        ("print('one'); sys.exit('no such thing')", ["ended with exit status 1", "no such thing"]),
        ("os.kill(os.getpid(), 9)", ["signal 9"]),
        ("os.remove(database)", ["deleted the database"]),
        ("os.remove(database); os.mkdir(database)", ["replaced the database with something else"]),
        (
            "os.remove(database); os.symlink('/etc/passwd', database)",
            ["replaced the database with something else"]
        ),
        ("open(database, 'w').write('x' * 5000)", ["cannot be read"]),
        ("sys.exit()", ["changed nothing: does it open $DRYDOCK_DATABASE?"]),
        (
            "subprocess.Popen(['sleep', '771'])", ["left processes running", "sleep 771"]
        ),
        (
            "subprocess.Popen(['sleep', '772'], start_new_session=True, stdout=-3, stderr=-3)",
            ["left processes running", "sleep 772"]
        ),
    ]

    @Test(arguments: failures.indices) func aFailureIsReported(_ index: Int) async throws {
        #if !os(Linux)
        if index == Self.failures.count - 1 { return }
        #endif
        var project = CommandCase()
        let failure = Self.failures[index]
        // Only where it has something to lose.
        project.after = "if os.environ.get('DRYDOCK_MIGRATION') == '0003_index':\n    " + failure.script
        if failure.script == "sys.exit()" {
            project.after = ""
            project.before = "if os.environ.get('DRYDOCK_MIGRATION') == '0003_index': sys.exit()"
        }
        if failure.says[0].contains("cannot be read") {
            project.after = project.after.replacing("open(", with: "connection.close(); open(")
        }
        let report = try await project.verify()
        let finding = try report.finding(.migrationFailed)
        let text = ([finding.message] + (finding.evidence?.details ?? [])).joined(separator: "\n")
        for words in failure.says { #expect(text.contains(words), "\(text)") }
        #expect(finding.migration == "0003_index" && !report.hasPassed)
        #expect(report.steps == ["0002_born"])
        // Nothing that was left running still runs.
        guard let name = failure.says.last, name.hasPrefix("sleep") else { return }
        let search = ChildProcess()
        search.executableURL = URL(filePath: "/bin/sh")
        search.arguments = ["-c", "ps -eo args | grep -q '^\(name)'"]
        try search.run()
        search.waitUntilExit()
        #expect(search.terminationStatus != 0)
    }

    @Test func aCommandThatTouchesNothingIsRunOnce() async throws {
        var project = CommandCase()
        project.before = "sys.exit()"
        let folder = try project.write()
        let report = try await folder.verifyCommand(isWhole: true)
        #expect(try report.finding(.migrationFailed).message.contains("did not open the database"))
        #expect(report.replays.isEmpty && !report.hasPassed)
        let copies = try String(contentsOfFile: folder.file("log/copies.txt"), encoding: .utf8)
        #expect(copies.split(separator: "\n").count == 1)
    }

    @Test func aHistoryThatLacksTheStep() async throws {
        var project = CommandCase()
        project.after = "connection.execute(\"DELETE FROM knex_migrations WHERE name = '0003_index'\")"
        let report = try await project.verify()
        #expect(try report.finding(.migrationFailed).message.contains("does not have 0003_index"))
    }

    @Test(arguments: [true, false]) func aCommandThatHangs(_ isOnEmptyDatabase: Bool) async throws {
        var project = CommandCase()
        let condition = isOnEmptyDatabase ? "True" : "os.environ.get('DRYDOCK_MIGRATION')"
        project.before = """
            if \(condition):
                print("waiting for Godot", flush=True)
                open(here / "log" / "pids.txt", "a").write(f"{os.getpid()} {subprocess.Popen(['sleep', '3600']).pid} ")
                time.sleep(3600)
            """
        let folder = try project.write()
        // The limit may pass before a busy machine has started the command.
        var report = try await folder.verifyCommand { $0.timeout = .seconds(3) }
        for limit in [12, 60, 300] where !FileManager.default.fileExists(atPath: folder.file("log/pids.txt"))
        {
            report = try await folder.verifyCommand { $0.timeout = .seconds(limit) }
        }
        let finding = try report.finding(.timeLimit)
        #expect(finding.message.contains("'python3 migrate.py' was running"))
        #expect(finding.evidence?.details == ["waiting for Godot"])
        let numbers = try String(contentsOfFile: folder.file("log/pids.txt"), encoding: .utf8).split(
            separator: " ")
        #expect(numbers.count == 2)
        for number in numbers { #expect(!CommandCase.isRunning(number), "\(number) still runs") }
    }

    @Test func outputIsBounded() async throws {
        var project = CommandCase()
        project.before = """
            if os.environ.get("DRYDOCK_MIGRATION"):
                for number in range(200000): print("line", number, "x" * 50)
                sys.exit(3)
            """
        let finding = try await project.verify().finding(.migrationFailed)
        #expect(finding.message.contains("exit status 3"))
        #expect(finding.evidence?.details.count == 20)
        #expect(finding.evidence?.details.last?.hasPrefix("line 199999") == true)
    }

    // MARK: - Lists and histories

    private static let refusals: [(list: String, says: String)] = [
        ("true", "printed nothing"),
        ("echo a; echo b; echo a", "'a' twice"),
        ("echo '[X] app.0001'; echo '[ ] app.0002'", "the history '0001_person'"),
    ]

    @Test(arguments: refusals.indices) func aListThatDoesNotFit(_ index: Int) async throws {
        let refusal = Self.refusals[index]
        let error = await #expect(throws: RequestError.self) {
            _ = try await CommandCase().verify { $0.command?.list = refusal.list }
        }
        #expect(error?.description.contains(refusal.says) == true, "\(error?.description ?? "")")
    }

    @Test func aListThatFails() async throws {
        let report = try await CommandCase().verify { $0.command?.list = "echo broken >&2; exit 4" }
        let finding = try report.finding(.migrationFailed)
        #expect(finding.message.contains("exit status 4") && finding.evidence?.details == ["broken"])
    }

    @Test func aHistoryOfItsOwn() async throws {
        let folder = try CommandCase().write()
        let script = folder.file("migrate.py")
        let text = try String(contentsOfFile: script, encoding: .utf8).replacing(
            "knex_migrations", with: "steps_done")
        try folder.write("migrate.py", text)
        let snapshot = try PlainDatabase(folder.file("Snapshots/first.sqlite"))
        try snapshot.execute("ALTER TABLE knex_migrations RENAME TO steps_done")
        let error = await #expect(throws: RequestError.self) { _ = try await folder.verifyCommand() }
        #expect(error?.description.contains("'migrate: history'") == true)
        let report = try await folder.verifyCommand {
            $0.command?.history = CommandHistory(query: "SELECT name FROM steps_done", table: "steps_done")
        }
        report.expectNothing()
        #expect(report.steps == ["0002_born", "0003_index"])
        // Without a list, the command runs on everything.
        let whole = try await folder.verifyCommand(isWhole: true)
        #expect(whole.steps == ["python3 migrate.py"] && whole.rules(.error).isEmpty)
        #expect(whole.notChecked.map(\.rule) == [.notIdempotent])
    }

    @Test func commandsThatNeedAName() async throws {
        var project = CommandCase()
        project.before = "os.environ['DRYDOCK_MIGRATION']"
        let report = try await project.verify()
        report.expectNothing()
        #expect(report.steps.count == 2)
    }

    @Test func namesAreRead() throws {
        let text = "\n[X]  contenttypes.0001_initial\n[ ]  notes.0002_a  \n0003 b\r\n"
        #expect(
            try ProjectCommand.names(in: text) == ["contenttypes.0001_initial", "notes.0002_a", "0003 b"])
    }

    @Test(arguments: [
        ("$DB_PATH", "DB_PATH", "/x"), ("${DB_PATH}", "DB_PATH", "/x"), ("DB_PATH", "DB_PATH", "/x"),
        ("$DRYDOCK_DATABASE", "DRYDOCK_DATABASE", "/x"),
        ("sqlite:///$DRYDOCK_DATABASE", "DATABASE_URL", "sqlite:////x"),
        ("sqlite:///${DRYDOCK_DATABASE}?mode=rw", "DATABASE_URL", "sqlite:////x?mode=rw"),
    ]) func waysToPassThePath(_ text: String, _ variable: String, _ value: String) throws {
        var command = ProjectCommand(command: "true")
        command.database = ProjectCommand.Passing(text)
        #expect(command.variables(database: "/x", migration: nil)[variable] == value)
    }

    @Test(arguments: ["db.sqlite3", "sqlite:///db.sqlite3", "1A", ""])
    func whatPassesNoPath(_ text: String) { #expect(ProjectCommand.Passing(text) == nil) }
}

/// The command line and drydock.yml.
@Suite(.enabled(if: CommandCase.isPossible, "it needs python3 with its module sqlite3"))
struct ProjectCommandToolTests {
    private static let settings = """
        migrate:
          command: python3 migrate.py
          list: python3 migrate.py list
          writable: [log]
          database: $DRYDOCK_DATABASE

        """

    @Test(arguments: ["grdb", "nio"]) func drydockYmlIsEnough(_ engine: String) throws {
        let folder = try CommandCase().write()
        try folder.write("drydock.yml", Self.settings)
        let tool = Tool(folder: folder)
        let result = try tool.run("verify", "--no-cache", "--engine", engine)
        #expect(result.status == 0 && result.output.contains("2 steps as command"), "\(result)")
        try folder.write("steps/0003_index.sql", "DELETE FROM person")
        let losing = try tool.run("verify", "--no-cache", "--engine", engine)
        #expect(losing.status == 1 && losing.output.contains("error[rows-lost] 3 rows of person are gone"))
        folder.expectNoCopies()
    }

    @Test func itRunsInTheFolderOfDrydockYml() throws {
        let folder = try CommandCase().write()
        try folder.write("drydock.yml", Self.settings)
        try folder.write("deep/down/here.txt", "")
        let result = try Tool(folder: folder).run("verify", "--no-cache", "--config", "./drydock.yml")
        #expect(result.status == 0, "\(result)")
        let running = ChildProcess()
        running.executableURL = URL(filePath: Tool.path)
        running.arguments = ["verify", "--no-cache", "-q"]
        running.currentDirectoryURL = URL(filePath: folder.file("deep/down"))
        try running.run()
        running.waitUntilExit()
        #expect(running.terminationStatus == 0)
    }

    @Test func lintSaysThatItReadsNothing() throws {
        let folder = try CommandCase().write()
        try folder.write("drydock.yml", "migrate: {command: touch ran.txt}\n")
        let result = try Tool(folder: folder).run("lint", "--format", "json")
        #expect(result.status == 0 && result.output.contains("\"notChecked\""), "\(result)")
        #expect(result.output.contains("which lint cannot read"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("ran.txt")))
    }

    @Test func settingsWithoutACommand() throws {
        let folder = try CommandCase().write()
        try folder.write("drydock.yml", "migrate: {list: ls}\n")
        let result = try Tool(folder: folder).run("verify")
        #expect(result.status == 2 && result.errors.contains("'migrate' has no 'command'"), "\(result)")
        try folder.write("drydock.yml", "migrate: {command: 'true', database: db.sqlite3}\n")
        let path = try Tool(folder: folder).run("verify")
        #expect(path.status == 2 && path.errors.contains("drydock.yml:1"), "\(path)")
    }

    @Test func outputIsRedacted() throws {
        var project = CommandCase()
        project.before = "print('Ada is here'); sys.exit(1)"
        let folder = try project.write()
        try folder.write("drydock.yml", Self.settings)
        for format in ["human", "json"] {
            let hidden = try Tool(folder: folder).run("verify", "--no-cache", "--redact", "--format", format)
            #expect(hidden.status == 1 && !hidden.output.contains("Ada is here"), "\(hidden)")
            let shown = try Tool(folder: folder).run(
                "verify", "--no-cache", "--no-redact", "--format", format)
            #expect(shown.status == 1 && shown.output.contains("Ada is here"), "\(shown)")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalLeavesNothing(_ signal: Int32) throws {
        var project = CommandCase()
        project.before = """
            open(here / "log" / "pids.txt", "a").write(f"{os.getpid()} {subprocess.Popen(['sleep', '88']).pid}\\n")
            time.sleep(88)
            """
        let folder = try project.write()
        try folder.write("drydock.yml", Self.settings)
        let running = try Tool(folder: folder).start(["verify", "--no-cache"])
        let pids = folder.file("log/pids.txt")
        for _ in 0..<1000
        where !((try? String(contentsOfFile: pids, encoding: .utf8))?.hasSuffix("\n") ?? false) {
            usleep(20_000)
        }
        kill(running.process.processIdentifier, signal)
        let result = try running.result()
        #expect(result.status == 130, "\(result)")
        folder.expectNoCopies()
        for number in try String(contentsOfFile: pids, encoding: .utf8).split(whereSeparator: \.isWhitespace)
        {
            #expect(!CommandCase.isRunning(number), "\(number) still runs")
        }
    }
}
