import DatabaseEngine
import Drydock
import DrydockFindings
import Foundation
import GRDBEngine
import NIOEngine
import Testing
import TestTools

@testable import DrydockMaintenance
@testable import DrydockTestSupport

/// A watcher sees whatever happens to a database, and leaves no trace. Nothing depends on how long something takes.
@Suite(.timeLimit(.minutes(20))) struct HealthWatcherTests {
    private static let modes = ["delete", "wal"]

    private func watch(
        _ it: HealthCase, _ engine: any Engine = GRDBDriver(),
        _ change: (inout HealthRequest) -> Void = { _ in }
    ) -> HealthWatcher.Iterator {
        var request = it.request
        change(&request)
        var watcher = HealthWatcher(engine: engine, request: request, every: .milliseconds(5))
        watcher.share = 1
        return watcher.makeAsyncIterator()
    }

    /// Returns the first update of which something is true.
    private func next(
        _ updates: inout HealthWatcher.Iterator, where isWanted: (HealthUpdate) -> Bool = { _ in true }
    ) async throws -> HealthUpdate {
        while true {
            let update = try #require(try await updates.next())
            if isWanted(update) { return update }
        }
    }

    @Test(arguments: modes, [GRDBDriver() as any Engine, NIODriver()])
    func commitsAreSeenWithTheGrowthOfTables(_ mode: String, _ engine: any Engine) async throws {
        let it = try HealthCase("PRAGMA journal_mode = \(mode); CREATE TABLE t(x); CREATE TABLE \"u v\"(x)")
        var updates = watch(it, engine)
        let first = try await next(&updates)
        #expect(first.exists && first.events.isEmpty && first.growth == 0)
        #expect(first.tables.map(\.name) == ["t", "u v"] && first.tables.allSatisfy { $0.growth == 0 })
        #expect(first.report.hasPassed)
        try it.execute("INSERT INTO \"u v\" VALUES (zeroblob(50000))")
        let second = try await next(&updates) { $0.tables.first?.growth != 0 }
        #expect(second.tables.first?.name == "u v")
        #expect(second.tables.first?.growth ?? 0 >= 49_152 && second.growth >= 49_152)
        try it.execute("DROP TABLE \"u v\"; CREATE TABLE n(x)")
        let third = try await next(&updates) { $0.tables.contains { $0.name == "n" } }
        #expect(third.tables.first { $0.name == "u v" }?.growth ?? 0 < 0)
        #expect(third.tables.first { $0.name == "n" }?.growth ?? 0 > 0 && third.tableCount == 2)
    }

    @Test(arguments: modes) func findingsComeAndGo(_ mode: String) async throws {
        let it = try HealthCase(
            "PRAGMA journal_mode = \(mode); CREATE TABLE p(i INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p); CREATE INDEX c_p ON c(p)"
        )
        var updates = watch(it)
        #expect(try await next(&updates).report.findings.allSatisfy { $0.severity == .note })
        try it.execute("INSERT INTO c VALUES (1)")
        let new = try await next(&updates) { !$0.events.isEmpty }
        guard case .new(let finding) = new.events.first?.kind else { Issue.record("\(new.events)"); return }
        #expect(finding.rule == .foreignKeyViolation && new.events.count == 1 && !new.report.hasPassed)
        // The same finding with another figure is neither new nor gone.
        try it.execute("INSERT INTO c VALUES (2)")
        let same = try await next(&updates) { $0.report.findings.contains { $0.evidence?.rowCount == 2 } }
        #expect(same.events.isEmpty)
        try it.execute("DELETE FROM c")
        let gone = try await next(&updates) { !$0.events.isEmpty }
        guard case .gone(let before) = gone.events.first?.kind else { Issue.record("\(gone.events)"); return }
        #expect(before.rule == .foreignKeyViolation && gone.report.hasPassed && gone.history.count == 2)
    }

    @Test func aFileThatGoesAndComesBackIsFollowed() async throws {
        let it = try HealthCase("CREATE TABLE t(x)")
        var updates = watch(it)
        _ = try await next(&updates)
        try FileManager.default.removeItem(atPath: it.path)
        let removed = try await next(&updates) { !$0.exists }
        guard case .removed = removed.events.first?.kind else { Issue.record("\(removed.events)"); return }
        #expect(removed.tables.isEmpty && removed.size == 0)
        // Made elsewhere, so that nobody sees half of it.
        try PlainDatabase(it.path + ".new").execute("CREATE TABLE other(x)")
        try FileManager.default.moveItem(atPath: it.path + ".new", toPath: it.path)
        let returned = try await next(&updates) { $0.exists }
        guard case .returned = returned.events.first?.kind else { Issue.record("\(returned.events)"); return }
        #expect(returned.tables.map(\.name) == ["other"] && returned.tables[0].growth == 0)
        try PlainDatabase(it.path + ".new").execute("CREATE TABLE third(x)")
        #expect(rename(it.path + ".new", it.path) == 0)
        let replaced = try await next(&updates) { !$0.events.isEmpty }
        guard case .replaced = replaced.events.first?.kind else { Issue.record("\(replaced.events)"); return }
        #expect(replaced.tables.map(\.name) == ["third"])
    }

    @Test(arguments: modes) func theFolderIsUnchanged(_ mode: String) async throws {
        let it = try HealthCase("PRAGMA journal_mode = \(mode); CREATE TABLE t(x); INSERT INTO t VALUES (1)")
        let before = try it.folder.copiedContents()
        let task = Task {
            var updates = self.watch(it)
            _ = try await self.next(&updates)
            // Nothing changes, so there is no second update.
            return try await updates.next() == nil
        }
        for _ in 0..<20 { try await Task.sleep(for: .milliseconds(10)) }
        task.cancel()
        #expect(try await task.value)
        #expect(try it.folder.copiedContents() == before)
    }

    @Test func whatAnotherProcessHasOpenIsSeen() async throws {
        let it = try HealthCase("PRAGMA journal_mode = wal; CREATE TABLE t(x)")
        let shell = ChildProcess(), input = Pipe()
        shell.executableURL = URL(filePath: "/usr/bin/env")
        shell.arguments = ["sqlite3", it.path]
        (shell.standardInput, shell.standardOutput) = (input, FileHandle.nullDevice)
        try shell.run()
        defer { input.fileHandleForWriting.closeFile() }
        var updates = watch(it)
        let first = try await next(&updates)
        input.fileHandleForWriting.write(Data("INSERT INTO t VALUES (1);\n".utf8))
        let seen = try await next(&updates) { $0.frames ?? 0 > 0 }
        #expect(first.exists && seen.logSize ?? 0 > 0 && seen.framesNotMoved ?? 0 > 0)
        // Both counts are of the log's index now.
        input.fileHandleForWriting.write(Data("INSERT INTO t VALUES (2);\n".utf8))
        #expect(try await next(&updates) { $0.commitsPerSecond ?? 0 > 0 }.exists)
    }

    @Test func onlyOneDatabaseIsFollowed() async throws {
        let it = try HealthCase()
        var updates = watch(it) { $0.databases = [it.path, it.path + "2"] }
        await #expect(throws: RequestError.self) { _ = try await updates.next() }
        var unknown = watch(it) { $0.only = ["no-check"] }
        await #expect(throws: RequestError.self) { _ = try await unknown.next() }
    }
}
