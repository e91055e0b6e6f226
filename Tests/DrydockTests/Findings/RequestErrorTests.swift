import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockFindings

/// Checks that a program can tell from an error's type what is in the way.
@Suite struct RequestErrorTests {
    private func reason(_ body: () async throws -> Void) async -> RequestError.Reason? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? RequestError)?.reason
        }
    }

    private func verify(
        _ files: [String: String] = ["Migrations/v1.sql": "CREATE TABLE t(x);"],
        _ configure: (inout VerifyRequest, TemporaryFolder) -> Void = { _, _ in }
    ) async throws -> RequestError.Reason? {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(name, text) }
        try FileManager.default.createDirectory(
            atPath: folder.file("Snapshots"), withIntermediateDirectories: true)
        var request = VerifyRequest()
        request.migrationsFolder = folder.file("Migrations")
        request.snapshotsFolder = folder.file("Snapshots")
        configure(&request, folder)
        return await reason { _ = try await Verifier(engine: GRDBDriver()).run(request) }
    }

    @Test func `what is missing or cannot be read`() async throws {
        #expect(
            try await verify { request, folder in request.migrationsFolder = folder.file("no") } == .notFound)
        #expect(try await verify { request, folder in request.snapshots = [folder.file("no")] } == .notFound)
        #expect(try await verify { request, _ in request.upTo = "v9" } == .notFound)
        #expect(try await verify { request, folder in request.lock = folder.file("no.lock") } == .notFound)
        #expect(
            try await verify { request, folder in request.migrationsFolder += "/v1.sql" } == .unreadable)
    }

    @Test func `which tool the migrations belong to`() async throws {
        #expect(try await verify { request, _ in request.migrationFormat = "gose" } == .formatUnknown)
        #expect(try await verify { request, _ in request.migrationFormat = "custom" } == .formatUnknown)
        let names = [
            "Migrations/V1__people.sql": ToolProject.one, "Migrations/V2__rebuild.sql": ToolProject.rebuild,
        ]
        let folder = try TemporaryFolder()
        for (name, text) in names { try folder.write(name, text) }
        var lint = LintRequest()
        lint.migrationsFolder = folder.file("Migrations")
        #expect(
            await reason { [lint] in _ = try await Linter(engine: GRDBDriver()).run(lint) }
                == .formatAmbiguous)
    }

    @Test func `settings, journals and locks that are not valid`() async throws {
        #expect(try await verify { request, _ in request.format.historyTable = "h" } == .settingInvalid)
        let health = try HealthCase()
        #expect(await reason { _ = try await health.report { $0.only = ["integrty"] } } == .settingInvalid)
        let journal = ["Migrations/0000_a.sql": "CREATE TABLE t(x);", "Migrations/meta/_journal.json": "{"]
        #expect(try await verify(journal) == .migrationsInvalid)
        #expect(await reason { _ = try Lock("x", path: "drydock.lock") } == .lockInvalid)
        var lock: [String: String] = ["Migrations/v1.sql": "CREATE TABLE t(x);"]
        lock["drydock.lock"] = "x"
        #expect(
            try await verify(lock) { request, folder in request.lock = folder.file("drydock.lock") }
                == .lockInvalid)
    }

    @Test func `a database that is not one, is in use, or would not be safe`() async throws {
        let project = try MigrateCase()
        let path = project.path
        let vacuum = Vacuum(engine: GRDBDriver())
        #expect(
            await reason { _ = try await project.migrate(.check) { $0.path += "/../Migrations/v1.sql" } }
                == .notFound)
        #expect(
            await reason {
                _ = try await project.migrate(.check) { $0.path = project.folder.file("Migrations/v1.sql") }
            } == .databaseUnreadable)
        do {
            let other = try PlainDatabase(path)
            try other.execute("BEGIN IMMEDIATE")
            #expect(await reason { _ = try await project.migrate(.apply) } == .databaseBusy)
            var request = VacuumRequest(path: path)
            request.busyTimeout = .milliseconds(100)
            #expect(await reason { [request] in _ = try await vacuum.run(request) } == .databaseBusy)
        }
        var into = VacuumRequest(path: path)
        into.into = project.folder.file("Migrations/v1.sql")
        #expect(await reason { [into] in _ = try await vacuum.run(into) } == .notWritable)
        try FileManager.default.linkItem(atPath: path, toPath: project.folder.file("other.sqlite"))
        #expect(await reason { _ = try await project.migrate(.apply) } == .refused)
    }

    /// The codes are https://www.sqlite.org/rescode.html's.
    @Test func `SQLite's and the system's codes`() {
        let reasons: [(Int32, RequestError.Reason)] = [
            (1, .other), (5, .databaseBusy), (6 | 1 << 8, .databaseBusy), (7, .limitReached),
            (8 | 3 << 8, .notWritable), (9, .limitReached), (10 | 2 << 8, .databaseUnreadable),
            (11, .databaseUnreadable), (13, .diskFull), (14, .databaseUnreadable), (19, .other),
            (26, .databaseUnreadable),
        ]
        for (code, reason) in reasons {
            #expect(RequestError.Reason(EngineError(extendedCode: code, message: "")) == reason, "\(code)")
        }
        #expect(RequestError.Reason.writing(ENOSPC) == .diskFull)
        #expect(RequestError.Reason.writing(EACCES) == .notWritable)
    }

    @Test func `an error that is made without a reason is still one`() {
        let error = RequestError("the fact", quote: "a line")
        #expect(error.reason == .other && "\(error)" == "the fact" && error.quote == "a line")
    }
}
