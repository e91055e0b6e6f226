import DatabaseEngine
import Drydock
import Foundation
import GRDBEngine
import Testing

@testable import DrydockFindings
@testable import DrydockTestSupport

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
        request.migrations.folder = folder.file("Migrations")
        request.snapshots.folder = folder.file("Snapshots")
        configure(&request, folder)
        return await reason { _ = try await Verifier(engine: GRDBDriver()).run(request) }
    }

    @Test func `what is missing or cannot be read`() async throws {
        let folder = try await verify { $0.migrations.folder = $1.file("no") }
        let snapshot = try await verify { request, folder in request.snapshots.paths = [folder.file("no")] }
        let lock = try await verify { $0.lock = $1.file("no.lock") }
        #expect([folder, snapshot, lock] == [.notFound, .notFound, .notFound])
        let file = try await verify { request, _ in request.migrations.folder += "/v1.sql" }
        #expect(file == .unreadable)
    }

    @Test func `which tool the migrations belong to`() async throws {
        for name in ["gose", "custom"] {
            let unknown = try await verify { request, _ in request.migrations.format = name }
            #expect(unknown == .formatUnknown)
        }
        let folder = try TemporaryFolder()
        try folder.write("Migrations/1_people.sql", "-- +goose Up\n" + ToolProject.one)
        try folder.write("Migrations/2_born.sql", "-- migrate:up\n" + ToolProject.two)
        var request = LintRequest()
        request.migrations.folder = folder.file("Migrations")
        let lint = request
        let ambiguous = await reason { _ = try await Linter(engine: GRDBDriver()).run(lint) }
        #expect(ambiguous == .formatAmbiguous)
    }

    @Test func `settings, journals and locks that are not valid`() async throws {
        let setting = try await verify { request, _ in request.migrations.options.historyTable = "h" }
        #expect(setting == .settingInvalid)
        let health = try HealthCase()
        let check = await reason { _ = try await health.report { $0.only = ["integrty"] } }
        #expect(check == .settingInvalid)
        let journal = try await verify([
            "Migrations/0000_a.sql": "CREATE TABLE t(x);", "Migrations/meta/_journal.json": "{",
        ])
        #expect(journal == .migrationsInvalid)
        let files = ["Migrations/v1.sql": "CREATE TABLE t(x);", "drydock.lock": "x"]
        let lock = try await verify(files) { $0.lock = $1.file("drydock.lock") }
        #expect(lock == .lockInvalid)
    }

    @Test func `a database that is not one, is in use, or would not be safe`() async throws {
        let project = try MigrateCase()
        let path = project.path
        let text = project.folder.file("Migrations/v1.sql")
        let vacuum = Vacuum(engine: GRDBDriver())
        let missing = await reason { _ = try await project.migrate(.check) { $0.path += "x" } }
        #expect(missing == .notFound)
        let unreadable = await reason { _ = try await project.migrate(.check) { $0.path = text } }
        #expect(unreadable == .databaseUnreadable)
        do {
            let other = try PlainDatabase(path)
            try other.execute("BEGIN IMMEDIATE")
            var request = VacuumRequest(path: path)
            request.busyTimeout = .milliseconds(100)
            let now = request
            let busy = [
                await reason { _ = try await project.migrate(.apply) },
                await reason { _ = try await vacuum.run(now) },
            ]
            #expect(busy == [.databaseBusy, .databaseBusy])
        }
        var request = VacuumRequest(path: path)
        request.into = text
        let into = request
        let taken = await reason { _ = try await vacuum.run(into) }
        #expect(taken == .notWritable)
        try FileManager.default.linkItem(atPath: path, toPath: project.folder.file("other.sqlite"))
        let linked = await reason { _ = try await project.migrate(.apply) }
        #expect(linked == .refused)
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
