import Foundation
import Testing

/// The command `drydock snapshot take` as a user runs it.
@Suite struct SnapshotCommandTests {
    private static let secret = ["DRYDOCK_MASK_KEY": "a secret of more than 16 bytes"]

    private func document(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func writesASnapshotThatIsVerified() throws {
        let project = try Project()
        let result = try project.run(
            [
                "snapshot", "take", "Snapshots/v1.sqlite", "-o", "Snapshots/small.sqlite", "--mask",
                "email.subject",
            ],
            environment: Self.secret)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.contains("Snapshots/small.sqlite") && result.output.contains("email.subject  named")
        )
        #expect(!result.output.contains("random"))
        let verified = try project.run("verify", "Snapshots/small.sqlite")
        #expect(verified.status == 0, "\(verified.output) \(verified.errors)")
        let again = try project.run("snapshot", "take", "Snapshots/v1.sqlite", "-o", "Snapshots/small.sqlite")
        #expect(again.status == 2 && again.errors.contains("already exists"))
    }

    @Test func theReportIsJSON() throws {
        let project = try Project()
        try project.write("drydock.yml", "mask: [email.subject]\nstrict-mask: true\n")
        let refused = try project.run(
            "snapshot", "take", "Snapshots/v1.sqlite", "-o", "a.sqlite", "--format", "json")
        let before = try document(refused.output)
        #expect(refused.status == 1 && before["verdict"] as? String == "failed")
        #expect((before["unsettled"] as? [[String: Any]])?.first?["column"] as? String == "id")
        let result = try project.run(
            "snapshot", "take", "Snapshots/v1.sqlite", "-o", "a.sqlite", "--format", "json", "--unmasked",
            "email.*")
        let object = try document(result.output)
        #expect(result.status == 0 && object["verdict"] as? String == "passed" && object["rows"] as? Int == 3)
        #expect(object["hasRandomKey"] as? Bool == true && object["command"] as? String == "snapshot take")
    }

    /// Where snapshots come from is in the lock, and the list shows it.
    @Test func theLockSaysWhereSnapshotsComeFrom() throws {
        let project = try Project()
        #expect(try project.run("lock").status == 0)
        let taken = try project.run(
            [
                "snapshot", "take", "Snapshots/v1.sqlite", "-o", "Snapshots/small.sqlite", "--mask",
                "email.subject",
            ],
            environment: Self.secret)
        #expect(taken.status == 0, "\(taken.errors)")
        let made = try project.run("snapshot", "new", "-o", "Snapshots/v2.sqlite", "--rows", "5")
        #expect(made.status == 0 && made.output.contains("at v2"), "\(made.output) \(made.errors)")
        let lock = try String(contentsOf: project.folder.appending(path: "drydock.lock"), encoding: .utf8)
        #expect(lock.contains("origin Snapshots/small.sqlite by=taken of=v1.sqlite at=v1 sqlite="), "\(lock)")
        #expect(lock.contains("masked=email.subject"))
        #expect(lock.contains("origin Snapshots/v2.sqlite by=generated at=v2 sqlite="))
        let list = try project.run("snapshot", "list")
        #expect(
            list.status == 0 && list.output.contains("taken of v1.sqlite on"), "\(list.output) \(list.errors)"
        )
        let json = try document(try project.run("snapshot", "list", "--format", "json").output)
        #expect(
            (json["snapshots"] as? [[String: Any]])?.count == 3 && json["versionsWithout"] as? [String] == [])
        #expect(try project.run("snapshot", "check").status == 0)
        #expect(try project.run("lock").status == 0 && project.run("lock", "--check").status == 0)
        try project.execute("DELETE FROM email", on: "Snapshots/small.sqlite")
        let check = try project.run("snapshot", "check")
        #expect(check.status == 1 && check.output.contains("it is not what is locked"), "\(check.output)")
        #expect(check.output.contains("not the file that Drydock made here"))
        let typo = try project.run("snapshot", "check", "--lock", "typo.lock")
        #expect(typo.status == 2 && typo.errors.contains("there is no lock 'typo.lock'"), "\(typo.errors)")
    }

    @Test(arguments: [
        (["-o", ""], 64, "-o needs the name of a file"), ([], 64, "--output"),
        (["-o", "a", "--rows", "3", "--percent", "1"], 64, "exclude each other"),
        (["-o", "a", "--percent", "0"], 64, "a share of more than 0"),
        (["-o", "a", "--where", "email"], 64, "is not TABLE=CONDITION"),
        (["-o", "a", "--where", "a=1", "--where", "A=2"], 64, "takes a table once"),
        (["-o", "a", "--format", "xml"], 64, "there is no format 'xml'; choose one of"),
        (["-o", "a", "--mask-key-file", "nowhere"], 2, "the mask key in 'nowhere' cannot be read"),
        (["-o", "a", "--mask-key-file", "Migrations/short"], 2, "openssl rand -hex 32"),
        (["-o", "a", "--mask", "email.subjct"], 2, "did you mean subject?"),
        (["-o", "a", "--mask", ","], 64, "--mask names no column"),
        (["-o", "no/a"], 2, "there is no folder 'no'"),
    ])
    func badInputLeavesNothing(arguments: [String], status: Int32, message: String) throws {
        let project = try Project()
        try project.write("Migrations/short", "abc\n")
        let result = try project.run(["snapshot", "take", "Snapshots/v1.sqlite"] + arguments)
        #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: project.folder.appending(path: "a").path))
    }
}
