import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockTestSupport

/// What happens to files, and what a watcher says of it.
@Suite(.timeLimit(.minutes(20))) struct WatcherTests {
    private static let schema = "CREATE TABLE t(a INTEGER PRIMARY KEY, b);"

    /// A watched project, one round at a time.
    private struct Rounds {
        let folder: TemporaryFolder
        private var iterator: AsyncStream<WatchEvent>.Iterator

        init(_ folder: TemporaryFolder, outputs: [String] = [], hasSettings: Bool = false) {
            self.folder = folder
            let (settings, path) = (folder.file("drydock.yml"), folder.path)
            iterator = Watcher(folder: path, settings: [settings]) {
                if hasSettings, FileManager.default.fileExists(atPath: settings) {
                    throw RequestError(.settingInvalid, "the settings are broken")
                }
                var (lint, verify) = (LintRequest(), VerifyRequest())
                (lint.migrations.folder, verify.migrations.folder) = (
                    path + "/Migrations", path + "/Migrations"
                )
                verify.snapshots.folder = path + "/Snapshots"
                verify.cacheFolder = path + "/cache"
                var project = WatchedProject(lint: lint, verify: verify, engine: GRDBDriver())
                project.outputs = outputs
                return project
            }.makeAsyncIterator()
        }

        init(_ folder: TemporaryFolder, _ watcher: Watcher) {
            (self.folder, iterator) = (folder, watcher.makeAsyncIterator())
        }

        /// What one round says.
        struct Round {
            var changed: [String] = []
            var stopped: RequestError?
            var lint: Result<Report, RequestError>?
            var verify: Result<Report, RequestError>?

            var rules: [Rule]? { (try? verify?.get())?.rules(.error) }
        }

        /// Returns the next round that comes to its end.
        mutating func next() async -> Round {
            var round = Round()
            while let event = await iterator.next() {
                switch event {
                // One that was given up is begun again.
                case .began(let changed): round = Round(changed: round.changed + changed)
                case .stopped(let error): round.stopped = error
                case .linted(let result): round.lint = result
                case .verifying: break
                case .verified(let result): round.verify = result
                case .ended: return round
                }
            }
            return round
        }

        /// Returns the first round of which something is true: a program may write a file in several steps.
        mutating func next(where isWanted: (Round) -> Bool) async -> Round {
            while true {
                let round = await next()
                if isWanted(round) { return round }
            }
        }
    }

    private func project() throws -> TemporaryFolder {
        try Scenario(Self.schema, rows: "INSERT INTO t VALUES (1, 'x'), (2, 'y');", steps: "SELECT 1;")
            .write()
    }

    @Test func theFirstRoundComesByItself() async throws {
        var rounds = Rounds(try project())
        let round = await rounds.next()
        #expect(round.changed.isEmpty && round.stopped == nil)
        #expect(try round.lint?.get().hasPassed == true)
        #expect(round.rules == [])
    }

    /// Every round has each way in which the migrations may be run.
    @Test func plainFilesAreWatchedAsEachToolRunsThem() async throws {
        let folder = try TemporaryFolder()
        let rebuild = """
            CREATE TABLE p2(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            INSERT INTO p2 SELECT id, name FROM person;
            DROP TABLE person;
            ALTER TABLE p2 RENAME TO person;
            """
        try folder.write("Migrations/0001_people.sql", ToolProject.one)
        try folder.write("Migrations/0002_rebuild.sql", rebuild)
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        try PlainDatabase(folder.file("Snapshots/new.sqlite")).execute("PRAGMA application_id = 7")
        var rounds = Rounds(folder)
        let round = await rounds.next()
        let cascade = try #require(
            try round.lint?.get().findings.first { $0.rule == .dropParentCascades })
        #expect(cascade.tags.contains(.reading("sqlx")))
        #expect(try round.verify?.get().readings.flatMap(\.formats).contains("sqlx") == true)
        try folder.write("Migrations/0002_rebuild.sql", ToolProject.two)
        let next = await rounds.next { $0.lint.flatMap { try? $0.get() }?.hasPassed == true }
        #expect(try next.verify?.get().steps == ["0001_people", "0002_rebuild"])
    }

    /// The ways in which programs save a file.
    enum Save: String, CaseIterable, CustomTestStringConvertible {
        case inPlace, overTemporary, throughBackup, removedFirst, truncatedFirst, withOldTimes

        var testDescription: String { rawValue }

        func write(_ text: String, to path: String) throws {
            let (data, url, files) = (Data(text.utf8), URL(filePath: path), FileManager.default)
            switch self {
            case .inPlace:
                let handle = try FileHandle(forWritingTo: url)
                try handle.truncate(atOffset: 0)
                try handle.write(contentsOf: data)
                try handle.close()
            // VS Code's atomic save, sed -i, jujutsu.
            case .overTemporary: try data.write(to: url, options: .atomic)
            // Vim with 'backup'.
            case .throughBackup:
                try files.moveItem(atPath: path, toPath: path + "~")
                try data.write(to: url)
                try files.removeItem(atPath: path + "~")
            // Git's checkout.
            case .removedFirst:
                try files.removeItem(atPath: path)
                try data.write(to: url)
            case .truncatedFirst:
                try Data().write(to: url)
                try data.write(to: url)
            // rsync -t, tar, cp -p: an older time than the one before.
            case .withOldTimes:
                try data.write(to: url)
                try files.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
            }
        }
    }

    @Test(arguments: Save.allCases)
    func aSavedEditGetsItsVerdict(_ save: Save) async throws {
        let folder = try project()
        var rounds = Rounds(folder)
        _ = await rounds.next()
        let path = folder.file("Migrations/v2.sql")
        try save.write("DELETE FROM t WHERE a = 2;", to: path)
        let bad = await rounds.next { $0.rules == [.rowsLost] }
        #expect(bad.changed.contains(path))
        // As long as the text before.
        try save.write("SELECT 1 FROM t WHERE a=2;", to: path)
        let good = await rounds.next { $0.rules == [] }
        #expect(good.changed.contains(path))
    }

    @Test func filesThatComeAndGoCount() async throws {
        let folder = try project()
        var rounds = Rounds(folder)
        _ = await rounds.next()
        try folder.write("Migrations/v3.sql", "DELETE FROM t;")
        _ = await rounds.next { $0.rules == [.rowsLost] }
        try folder.remove("Migrations/v3.sql")
        _ = await rounds.next { $0.rules == [] }
        try Scenario(Self.schema, rows: "INSERT INTO t VALUES (9, 'z')", steps: []).makeSnapshot(
            folder.file("Snapshots/second.sqlite"))
        let second = await rounds.next { (try? $0.verify?.get())?.replays.count == 2 }
        #expect(second.rules == [])
    }

    @Test func aFolderThatIsDeletedIsWaitedFor() async throws {
        let folder = try project()
        var rounds = Rounds(folder)
        _ = await rounds.next()
        try FileManager.default.moveItem(atPath: folder.file("Migrations"), toPath: folder.file("away"))
        let gone = await rounds.next { round in
            if case .failure? = round.verify { true } else { false }
        }
        guard case .failure(let error)? = gone.verify, case .failure? = gone.lint else {
            Issue.record("a report without migrations")
            return
        }
        #expect(error.description.contains("there is no folder"))
        try FileManager.default.moveItem(atPath: folder.file("away"), toPath: folder.file("Migrations"))
        _ = await rounds.next { $0.rules == [] }
        // The folder around it too.
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-away")
        _ = await rounds.next { round in
            if case .failure? = round.verify { true } else { false }
        }
        try FileManager.default.moveItem(atPath: folder.path + "-away", toPath: folder.path)
        _ = await rounds.next { $0.rules == [] }
    }

    @Test func settingsThatBreakAreWaitedFor() async throws {
        let folder = try project()
        var rounds = Rounds(folder, hasSettings: true)
        _ = await rounds.next()
        try folder.write("drydock.yml", "nonsense")
        let broken = await rounds.next { $0.stopped != nil }
        #expect(broken.stopped?.description == "the settings are broken" && broken.verify == nil)
        try folder.remove("drydock.yml")
        let repaired = await rounds.next { $0.stopped == nil }
        #expect(repaired.rules == [])
    }

    @Test func withOtherSettingsEveryStepIsVerifiedAgain() async throws {
        let folder = try Scenario(
            Self.schema, rows: "INSERT INTO t VALUES (1, 'x')", steps: "UPDATE t SET b = f(b);"
        ).write()
        try folder.write("drydock.yml", "other")
        let (path, settings) = (folder.path, folder.file("drydock.yml"))
        let watcher = Watcher(folder: path, settings: [settings]) {
            var verify = VerifyRequest()
            (verify.migrations.folder, verify.snapshots.folder) = (path + "/Migrations", path + "/Snapshots")
            verify.cacheFolder = path + "/cache"
            let text = try String(contentsOfFile: settings, encoding: .utf8)
            if text.isEmpty { throw RequestError(.settingInvalid, "the settings are being written") }
            verify.migrations.functions = [
                .init(
                    name: "f", argumentCount: nil, result: text == "same" ? .argument(0) : .constant("other"))
            ]
            return WatchedProject(verify: verify, engine: GRDBDriver())
        }
        var rounds = Rounds(folder, watcher)
        #expect(await rounds.next().rules == [.valuesChanged])
        try folder.write("drydock.yml", "same")
        #expect(await rounds.next { $0.stopped == nil }.rules == [])
    }

    @Test func whatIsWrittenAfterARoundBeginsNoOther() async throws {
        let folder = try project()
        let output = folder.file("Migrations/report.html")
        var rounds = Rounds(folder, outputs: [output])
        _ = await rounds.next()
        try folder.write("Migrations/report.html", "a")
        try folder.write("Migrations/.v2.sql.swp", "a")
        try folder.write("Migrations/v2.sql~", "a")
        try folder.write("Migrations/v2.sql", "DELETE FROM t WHERE a = 1;")
        let round = await rounds.next()
        #expect(round.changed == [folder.file("Migrations/v2.sql")])
        #expect(round.rules == [.rowsLost])
    }

    @Test func aTaskThatEndsEndsTheRounds() async throws {
        let folder = try project()
        let watcher = Watcher(folder: folder.path, settings: []) {
            var verify = VerifyRequest()
            (verify.migrations.folder, verify.snapshots.folder) = (
                folder.file("Migrations"), folder.file("Snapshots")
            )
            return WatchedProject(verify: verify, engine: GRDBDriver())
        }
        let task = Task {
            var count = 0
            for await event in watcher {
                if case .ended = event { count += 1 }
            }
            return count
        }
        task.cancel()
        #expect(await task.value <= 1)
    }
}
