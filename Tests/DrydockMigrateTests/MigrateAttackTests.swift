import Drydock
import Foundation
import GRDBEngine
import OverlayVFS
import Synchronization
import Testing

@testable import DrydockTestSupport

/// Repeats what deliberate attempts to break a live migration found.
@Suite struct MigrateAttackTests {
    @Test(arguments: ["delete", "wal"])
    func `a database with two names is not written`(journal: String) async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = \(journal)")
        let other = project.folder.file("backups/other.sqlite")
        try FileManager.default.linkItem(atPath: project.path, toPath: other)
        let before = try project.folder.contents()
        let refusal = try await project.refusal(.apply)
        #expect(refusal.contains("has 2 names (hard links)") && refusal.contains("-samefile"), "\(refusal)")
        let tool = try project.tool("--apply")
        #expect(tool.status == 2 && tool.errors.contains("2 names"), "\(tool)")
        let report = try await project.migrate(.rehearsal)
        #expect(report.hasPassed && report.migrate?.notes.contains { $0.contains("2 names") } == true)
        for pages in [nil, 10] {
            var vacuum = VacuumRequest(path: project.path)
            vacuum.incrementalPages = pages
            await #expect { _ = try await Vacuum(engine: GRDBDriver()).run(vacuum) } throws: {
                ($0 as? RequestError)?.description.contains("2 names") == true
            }
        }
        #expect(try project.folder.contents() == before)
        var into = VacuumRequest(path: project.path)
        into.into = project.folder.file("backups/own.sqlite")
        #expect(try await Vacuum(engine: GRDBDriver()).run(into).vacuum?.method == .into)
        try FileManager.default.removeItem(atPath: other)
        #expect(try await project.migrate(.apply).migrate?.outcome == .applied)
    }

    @Test func `a message that leaves a backup behind names it`() async throws {
        let project = try MigrateCase()
        let before = try MigrateCase.content(project.path)
        let journal = project.path + "-journal"
        let message: String
        do {
            let report = try await project.migrate(
                .apply,
                onEvent: { event in
                    // Something already exists where the journal is to be written.
                    guard case .installing(0, _) = event else { return }
                    try? FileManager.default.createDirectory(
                        atPath: journal, withIntermediateDirectories: false)
                })
            Issue.record("\(String(describing: report.migrate))")
            return
        } catch let error as RequestError {
            message = error.description
        }
        try FileManager.default.removeItem(atPath: journal)
        let backup = try #require(try project.names().first { $0.hasSuffix(".backup") })
        #expect(message.contains("is unchanged") && message.contains(backup), "\(message)")
        #expect(try MigrateCase.content(project.path) == before)
    }

    @Test(arguments: ["delete", "wal"], [true, false])
    func `the second of two runs at once finds nothing pending`(journal: String, isEarly: Bool) async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = \(journal)")
        let first = Mutex<Tool.Result?>(nil)
        let report = try await project.migrate(
            .apply,
            onEvent: { event in
                switch event {
                case .copying where isEarly: break
                case .step where !isEarly: break
                default: return
                }
                first.withLock { $0 = $0 ?? (try? project.tool("--apply", "--no-backup")) }
            })
        #expect(first.withLock { $0?.status } == 0, "\(first.withLock { String(describing: $0) })")
        let summary = try #require(report.migrate)
        #expect(summary.outcome == .upToDate && summary.pending.isEmpty && report.hasPassed)
        #expect(summary.backup == nil && report.findings.isEmpty, "\(report.findings.map(\.line))")
        #expect(try project.names() == MigrateCase.plainNames)
    }

    @Test(arguments: [
        ("SELECT 1;\nATTACH 'other.sqlite' AS o;", 2, "writes to another file"),
        ("PRAGMA journal_mode = wal;", 1, "journal mode"),
    ])
    func `a refusal is a finding with its place`(sql: String, line: Int, message: String) async throws {
        var goose = GooseProject.project.files
        goose["003_index.sql"] = "-- +goose NO TRANSACTION\n-- +goose Up\n" + sql
        let folder = try ToolProject(files: goose, history: GooseProject.history).write()
        for mode in [MigrateRequest.Mode.rehearsal, .apply] {
            var request = MigrateRequest(path: folder.file("Snapshots/first.sqlite"))
            (request.mode, request.verify.migrations.folder) = (mode, folder.file("Migrations"))
            request.temporaryFolder = folder.path
            let report = try await Migrator(engine: GRDBDriver()).run(request)
            #expect(report.migrate?.outcome == .refused)
            let finding = try #require(report.findings.first { $0.severity == .error })
            #expect(finding.rule == .migrationFailed && finding.message.contains(message), "\(finding.line)")
            #expect(finding.place?.file.hasSuffix("003_index.sql") == true)
            #expect(finding.place?.line == line + 2 && finding.snapshot == request.path)
        }
    }

    @Test func `every run removes what killed runs left`() async throws {
        let project = try MigrateCase()
        let name = "live.sqlite.drydock-migrate-0123456789abcde"
        func leave() throws {
            for folder in ["", "tmp/"] { try project.folder.write(folder + name + "0", "left") }
        }
        try project.folder.write("tmp/\(name)1", "held")
        let held = open(project.folder.file("tmp/\(name)1"), O_RDWR)
        defer { close(held) }
        #expect(flock(held, LOCK_EX | LOCK_NB) == 0)
        let modes: [MigrateRequest.Mode] = [.check, .rehearsal, .apply, .check, .rehearsal, .apply]
        for mode in modes {
            try leave()
            _ = try await project.migrate(mode) { $0.backup = MigrateRequest.Backup.none }
            #expect(try project.names() == MigrateCase.plainNames)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: project.folder.file("tmp")) == [
                    name + "1"
                ])
        }
    }

    @Test func `a full temporary folder is not blamed on a migration`() async throws {
        let project = try MigrateCase()
        let before = try project.folder.contents()
        let counting = FaultPlan()
        let passed = try await Overlay.$faults.withValue(counting) { try await project.migrate(.rehearsal) }
        #expect(passed.hasPassed)
        var hits = 0
        for number in stride(from: 1, through: counting.count, by: max(1, counting.count / 4)) {
            for mode in [MigrateRequest.Mode.rehearsal, .apply] {
                let plan = FaultPlan(failing: number, with: .diskFull, lasts: true)
                do {
                    let report = try await Overlay.$faults.withValue(plan) { try await project.migrate(mode) }
                    #expect(plan.hits == 0 && report.hasPassed, "\(number): \(report.findings.map(\.line))")
                    return
                } catch let error as RequestError {
                    hits += 1
                    #expect(error.description.contains("No space left"), "\(error)")
                    #expect(try project.folder.contents() == before)
                }
            }
        }
        #expect(hits > 0)
    }

    @Test func `pages that are only in the log need space in the file`() async throws {
        let project = try MigrateCase(pragmas: "PRAGMA journal_mode = wal")
        let source = project.folder.file("tmp/source.sqlite")
        try FileManager.default.copyItem(atPath: project.path, toPath: source)
        let writer = try PlainDatabase(source)
        try writer.execute(
            """
            PRAGMA wal_autocheckpoint = 0; CREATE TABLE ballast(x); INSERT INTO ballast VALUES (zeroblob(900000))
            """)
        for suffix in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: project.path + suffix)
            try FileManager.default.copyItem(atPath: source + suffix, toPath: project.path + suffix)
        }
        let summary = try #require(try await project.migrate(.rehearsal).migrate)
        let need = try #require(summary.needs.first { $0.purpose.contains("pages in the log") })
        #expect(need.bytes > 800_000 && need.bytes < 1_200_000, "\(summary.needs)")
        #expect(try await project.migrate(.apply).migrate?.outcome == .applied)
        #expect(
            try PlainDatabase(project.path).firstRow("SELECT length(x) FROM ballast") { $0.integer(0) }
                == 900_000)
    }
}
