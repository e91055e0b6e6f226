import Drydock
import DrydockVerify
import Foundation
import Testing

@testable import DrydockTestSupport

/// Checks that locked migrations must stay unchanged, and that new ones are allowed.
@Suite struct LockMigrationTests {
    static let first = """
        -- why it is there
        CREATE TABLE a(id INTEGER PRIMARY KEY, t TEXT DEFAULT 'x''y');
        CREATE INDEX a_on_t ON a(t);

        """
    static let scenario = Scenario(
        migrations: [
            ("v1", first), ("v2", "ALTER TABLE a ADD COLUMN n INTEGER;\n"), ("v10", "CREATE TABLE b(x);\n"),
        ], at: 1)

    private func locked() async throws -> TemporaryFolder {
        let folder = try Self.scenario.write()
        let report = try await folder.lock()
        report.expectNothing()
        #expect(report.lock?.added == ["v1", "v2", "v10", "Snapshots/snapshot.sqlite"])
        return folder
    }

    @Test func `an unchanged project passes, and locking it again changes nothing`() async throws {
        let folder = try await locked()
        let text = try folder.text("drydock.lock")
        try await folder.checkLock().expectNothing()
        try await folder.lock { $0.date = "2027-12-31" }.expectNothing()
        #expect(try folder.text("drydock.lock") == text)
        try await folder.verify { $0.lock = folder.file("drydock.lock") }.expectNothing()
    }

    @Test(arguments: [
        Edit("line endings") { $0.replacing("\n", with: "\r\n") },
        Edit("trailing space") { $0.replacing("\n", with: "  \t\n") },
        Edit("a comment") { $0.replacing("why it is there", with: "since 2019 /* */") },
        Edit("no comment") { $0.replacing("-- why it is there\n", with: "") },
        Edit("a declaration") { "-- drydock: preserves select count(*) from a\n" + $0 },
        Edit("a block comment inside") { $0.replacing("TABLE a", with: "TABLE /* the first */ a") },
        Edit("a byte order mark") { "\u{FEFF}" + $0 },
        Edit("white space") { $0.replacing("(id", with: " (\n  id").replacing(", ", with: " ,") },
        Edit("no last semicolon") { $0.replacing("a(t);\n", with: "a(t)") },
    ]) func `what SQLite does not read may change`(_ edit: Edit) async throws {
        let folder = try await locked()
        try folder.edit("Migrations/v1.sql", edit.change)
        try await folder.checkLock().expectNothing()
        try await folder.lock().expectNothing()
    }

    @Test(arguments: [
        Edit("a name") { $0.replacing("a_on_t", with: "a_by_t") },
        Edit("a string") { $0.replacing("'x''y'", with: "'x'' y'") },
        Edit("a line ending in a string") { $0.replacing("'x''y'", with: "'x''\r\ny'") },
        Edit("a case") { $0.replacing("TEXT", with: "text") },
        Edit("a statement") { $0 + "DROP INDEX a_on_t;" },
        Edit("a comment that opens") { $0.replacing("CREATE INDEX", with: "-- CREATE INDEX") },
        Edit("a comment that parts a word") { $0.replacing("INTEGER PRIMARY", with: "INT/**/EGER PRIMARY") },
        Edit("a semicolon") { $0.replacing(");\nCREATE", with: ")\nCREATE") },
        Edit("nothing is left") { _ in "" },
    ]) func `what SQLite reads may not`(_ edit: Edit) async throws {
        let folder = try await locked()
        let text = try folder.text("drydock.lock")
        try folder.edit("Migrations/v1.sql", edit.change)
        let report = try await folder.checkLock()
        report.expect(errors: [.migrationEdited])
        let finding = try report.finding(.migrationEdited)
        #expect(finding.migration == "v1" && finding.place?.file == folder.file("Migrations/v1.sql"))
        #expect(finding.message.contains("its SQL has changed"))
        // Locking does not paper over it.
        try await folder.lock().expect(errors: [.migrationEdited])
        #expect(try folder.text("drydock.lock") == text)
        let replaced = try await folder.lock("v1")
        replaced.expectNothing()
        #expect(replaced.lock?.replaced == ["v1"])
        try await folder.checkLock().expectNothing()
    }

    @Test func `a file that can no longer be read is edited`() async throws {
        let folder = try await locked()
        try folder.write("Migrations/v2.sql", [0xFF, 0xFE])
        try await folder.checkLock().expect(errors: [.migrationEdited])
        // Nor is its entry rewritten.
        let report = try await folder.lock("v2")
        #expect(report.lock?.replaced == [] && report.rules(.error) == [.migrationFailed])
    }

    @Test func `a locked migration may not be removed without --replace`() async throws {
        let folder = try await locked()
        try folder.remove("Migrations/v2.sql")
        let report = try await folder.checkLock()
        report.expect(errors: [.migrationRemoved])
        #expect(try report.finding(.migrationRemoved).message == "v2 is locked but missing")
        #expect(try report.finding(.migrationRemoved).place?.line == 6)
        try await folder.lock().expect(errors: [.migrationRemoved])
        let dropped = try await folder.lock("v2")
        dropped.expectNothing()
        #expect(dropped.lock?.removed == ["v2"])
        #expect(try Lock.load(folder.file("drydock.lock"))?.migrationIdentifiers == ["v1", "v10"])
    }

    @Test func `a renamed locked migration is reported`() async throws {
        let folder = try await locked()
        try folder.write("Migrations/v10_b.sql", "-- renamed\n" + folder.text("Migrations/v10.sql"))
        try folder.remove("Migrations/v10.sql")
        let report = try await folder.checkLock()
        report.expect(errors: [.migrationRemoved])
        #expect(try report.finding(.migrationRemoved).message.hasSuffix("v10_b has the same SQL"))
    }

    @Test(arguments: [
        (Finding.Severity.error, Finding.Severity.error, 1), (.error, .warning, 1), (.warning, .error, 2),
    ])
    func `what a replay reports at least as badly is not reported again`(
        replayed: Finding.Severity, locked: Finding.Severity, count: Int
    ) {
        var report = Report(.verify(VerifySummary()))
        report.findings = [Finding(.migrationEdited, replayed, "v1 was edited", migration: "v1")]
        report.add(locked: [Finding(.migrationEdited, locked, "v1 differs", migration: "v1")])
        #expect(report.findings.count == count)
    }

    @Test func `another locked migration with the same SQL is not the new name`() async throws {
        let folder = try await locked()
        try folder.write("Migrations/v11.sql", folder.text("Migrations/v10.sql"))
        try await folder.lock().expectNothing()
        try folder.remove("Migrations/v11.sql")
        #expect(
            try await folder.checkLock().finding(.migrationRemoved).message == "v11 is locked but missing")
    }

    @Test func `a new migration is added after the others`() async throws {
        let folder = try await locked()
        let before = try folder.text("drydock.lock")
        try folder.write("Migrations/v11.sql", "CREATE TABLE c(x);")
        let check = try await folder.checkLock()
        check.expectNothing()
        #expect(check.lock?.unlocked == ["v11"])
        try await folder.lock().expectNothing()
        let lines = Set(before.split(separator: "\n"))
        let after = try folder.text("drydock.lock").split(separator: "\n")
        #expect(after.filter { !lines.contains($0) }.count == 1 && after.count == lines.count + 1)
        #expect(try Lock.load(folder.file("drydock.lock"))?.migrations.last?.identifier == "v11")
    }

    @Test func `a new migration that sorts before a locked one is reported, as after a merge`() async throws {
        let folder = try await locked()
        try folder.write("Migrations/v9.sql", "CREATE TABLE c(x);")
        let report = try await folder.checkLock()
        report.expect(warnings: [.migrationOutOfOrder])
        let message = try report.finding(.migrationOutOfOrder).message
        #expect(message == "v9 is new and sorts before v10, which is locked")
        try await folder.lock().expect(warnings: [.migrationOutOfOrder])
        try await folder.checkLock().expectNothing()
        let names = try Lock.load(folder.file("drydock.lock"))?.migrations.map(\.identifier)
        #expect(names == ["v1", "v2", "v9", "v10"])
    }

    @Test func `the order of locked migrations counts`() async throws {
        let folder = try await locked()
        try folder.edit("drydock.lock") { text in
            var lines = text.components(separatedBy: "\n")
            let (i, j) = (
                lines.firstIndex { $0.contains("migration v2") },
                lines.firstIndex { $0.contains("migration v10") }
            )
            if let i, let j { lines.swapAt(i, j) }
            return lines.joined(separator: "\n")
        }
        let report = try await folder.checkLock()
        report.expect(warnings: [.migrationOutOfOrder])
        #expect(
            try report.finding(.migrationOutOfOrder).message == "v2 was locked after v10 and sorts before it"
        )
        let fixed = try await folder.lock("v2")
        fixed.expectNothing()
        #expect(fixed.lock?.replaced == ["v2"] && fixed.lock?.unchanged == [])
        try await folder.checkLock().expectNothing()
    }

    @Test func `a lock with its lines in reverse order is read`() async throws {
        let folder = try await locked()
        let lock = try Lock.load(folder.file("drydock.lock"))
        try folder.edit("drydock.lock") {
            $0.split(separator: "\n").reversed().joined(separator: "\n") + "\n"
        }
        let report = try await folder.checkLock()
        // The migrations are in the order of their lines.
        #expect(report.rules(.error).isEmpty && Set(report.rules(.warning)) == [.migrationOutOfOrder])
        #expect(try Lock.load(folder.file("drydock.lock"))?.snapshots == lock?.snapshots)
    }

    @Test func `an entry replaced by an equal one is unchanged`() async throws {
        let folder = try await locked()
        let text = try folder.text("drydock.lock")
        let report = try await folder.lock("v2", "snapshot.sqlite") { $0.date = "2027-12-31" }
        report.expectNothing()
        #expect(report.lock?.replaced == [])
        #expect(report.lock?.unchanged == ["v2", "Snapshots/snapshot.sqlite"])
        #expect(try folder.text("drydock.lock") == text)
        try folder.edit("Migrations/v2.sql") { "-- why\n" + $0 }
        let edited = try await folder.lock("v1", "v2")
        #expect(edited.lock?.replaced == ["v2"] && edited.lock?.unchanged == ["v1"])
    }

    @Test func `verify checks the lock, and reports once what a history shows too`() async throws {
        let folder = try await locked()
        try folder.edit("Migrations/v2.sql") { $0.replacing("INTEGER", with: "TEXT") }
        let lock = folder.file("drydock.lock")
        try await folder.verify { $0.lock = lock }.expect(errors: [.migrationEdited])
        try await folder.verify().expectNothing()
        try folder.remove("Migrations/v10.sql")
        try await folder.verify { $0.lock = lock }.expect(errors: [.migrationEdited, .migrationRemoved])
    }

    @Test func `a lock of other migrations is reported as not checked`() async throws {
        let folder = try await locked()
        for name in ["v1", "v2", "v10"] {
            try folder.write("Other/\(name).sql", try folder.text("Migrations/\(name).sql") + ";SELECT 1;")
        }
        let report = try await folder.verify {
            $0.lock = folder.file("drydock.lock")
            $0.migrations.folder = folder.file("Other")
        }
        report.expect(notChecked: [.migrationEdited])
        let refusal = try await folder.lockRefusal { $0.migrations.folder = folder.file("Other") }
        #expect(refusal.contains("is of the migrations in '\(folder.file("Migrations"))', not of those in"))
        // If the folder does not exist, the message says that instead.
        let nowhere = try await folder.lockRefusal { $0.migrations.folder = folder.file("Nowhere") }
        #expect(nowhere == "there is no folder '\(folder.file("Nowhere"))'")
        try folder.edit("drydock.lock") { $0.replacing("migrations Migrations", with: "migrations Moved") }
        #expect(try await folder.lockRefusal().contains("correct the line 'migrations' of the lock"))
    }

    @Test func `a lock that cannot be made is refused with the reason`() async throws {
        let folder = try await locked()
        for (name, near) in [("v3", "v1"), ("snapshot.sqlit", "snapshot.sqlite")] {
            let refusal = try await folder.lockRefusal { $0.replace = [name] }
            #expect(refusal.contains("did you mean '\(near)'?"), "\(refusal)")
        }
        let absent = try await folder.lockRefusal {
            $0.path = folder.file("other.lock")
            $0.isCheck = true
        }
        #expect(absent.contains("write it with: drydock lock"))
        try folder.edit("drydock.lock") { "<<<<<<< ours\n" + $0 }
        #expect(try await folder.lockRefusal().contains("drydock.lock:1: a merge left its conflict markers"))
    }

    @Test func `a line that was edited by hand is reported with its place`() async throws {
        let folder = try await locked()
        let text = try folder.text("drydock.lock")
        let edits: [(String) -> String] = [
            { $0.replacing(/(migration v2 .*tokens=)[0-9a-f]{8}/) { $0.output.1 + "00000000" } },
            { $0.replacing(/(migration v2 .*bytes=)[0-9a-f]{8}/) { $0.output.1 + "00000000" } },
            { $0.replacing(/(migration v2 .*marks=)none/) { $0.output.1 + "0123456789abcdef" } },
        ]
        for edit in edits {
            try folder.edit("drydock.lock", edit)
            let refusal = try await folder.lockRefusal()
            #expect(refusal.contains("drydock.lock:6: the line was edited by hand"), "\(refusal)")
            try folder.write("drydock.lock", text)
        }
        // A line of an older lock has no checksum.
        try folder.edit("drydock.lock") { text in
            text.replacing(/(migration v2 .*tokens=)[0-9a-f]{8}(.*) #.*/) {
                $0.output.1 + "00000000" + $0.output.2
            }
        }
        let report = try await folder.checkLock()
        report.expect(errors: [.migrationEdited])
        let finding = try report.finding(.migrationEdited)
        #expect(finding.message.hasPrefix("v2 is byte for byte what is locked"))
        #expect(finding.place?.file == folder.file("drydock.lock") && finding.place?.line == 6)
    }

    @Test func `lines that a merge duplicated count once`() async throws {
        let folder = try await locked()
        let text = try folder.text("drydock.lock")
        try folder.write(
            "drydock.lock", text + text.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n")
        try await folder.checkLock().expectNothing()
        #expect(try Lock.load(folder.file("drydock.lock"))?.text == text)
    }

    @Test func `the lock keeps its permissions, and nothing is left beside it`() async throws {
        let folder = try await locked()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: folder.file("drydock.lock"))
        try folder.write("Migrations/v11.sql", "CREATE TABLE c(x);")
        try await folder.lock().expectNothing()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("drydock.lock"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
        #expect(try folder.contents().keys.allSatisfy { !$0.hasSuffix(".tmp") })
    }

    @Test func `names may have any character of a file name`() async throws {
        let folder = try await locked()
        let names = ["v11 with spaces", "v12 \"quoted\" 'twice'", "v13 é 🛳️ = #1", "v14 \\ \u{202E}x"]
        for (index, name) in names.enumerated() {
            try folder.write("Migrations/\(name).sql", "CREATE TABLE t\(index)(x);")
        }
        try await folder.lock().expectNothing()
        try await folder.checkLock().expectNothing()
        #expect(try Lock.load(folder.file("drydock.lock"))?.migrations.suffix(4).map(\.identifier) == names)
        try folder.remove("Migrations/\(names[1]).sql")
        try await folder.checkLock().expect(errors: [.migrationRemoved])
        try await folder.lock(names[1]).expectNothing()
    }

    @Test func `an empty folder cannot be locked`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("Migrations/readme", "")
        let report = try await folder.lock { $0.snapshotsFolder = nil }
        report.expect(errors: [.nothingVerified])
        #expect(!FileManager.default.fileExists(atPath: folder.file("drydock.lock")))
    }
}

/// A named change of a file's text.
struct Edit: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (String) -> String

    init(_ name: String, _ change: @escaping @Sendable (String) -> String) {
        testDescription = name
        self.change = change
    }
}
