import Foundation
import Testing

/// The command `drydock lock` as people and hooks run it.
@Suite struct LockCommandTests {
    @Test func locksAndChecks() throws {
        let project = try Project()
        #expect(try project.run("lock", "--check").status == 2)
        let first = try project.run("lock")
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("+ v1\n+ v2\n+ Snapshots/v1.sqlite\n"))
        #expect(first.output.contains("passed: 2 migrations and 1 snapshot in drydock.lock, 3 added"))
        #expect(try project.run("lock", "--check", "--quiet").output.isEmpty)
        try project.write("Migrations/v3.sql", "CREATE TABLE c(x);")
        let check = try project.run("lock", "--check")
        #expect(check.status == 0 && check.output.contains("? v3 is not locked"))
    }

    @Test func verifyChecksTheLock() throws {
        let project = try Project()
        _ = try project.run("lock")
        #expect(try project.run("verify").status == 0)
        try project.write("Migrations/v2.sql", "ALTER TABLE email ADD COLUMN note INTEGER;")
        let result = try project.run("verify")
        #expect(
            result.status == 1
                && result.output.contains("error[migration-edited] v2 differs from what is locked"))
        #expect(result.output.contains("--> Migrations/v2.sql\n"))
        #expect(result.output.contains("drydock lock --replace v2"))
        #expect(try project.run("verify", "--no-lock").status == 0)
        #expect(try project.run("lock", "--check").status == 1)
        #expect(try project.run("lock", "--replace", "v2").output.contains("~ v2\n"))
        #expect(try project.run("verify").status == 0)
        let again = try project.run("lock", "--replace", "v2")
        #expect(again.output.contains("= v2 is as it was locked\n") && again.output.contains(", 1 unchanged"))
        #expect(!again.output.contains("replaced"))
    }

    @Test func theLockIsBesideTheConfiguration() throws {
        let project = try Project()
        try project.write("ci/drydock.yml", "migrations: ../Migrations\nsnapshots: ../Snapshots\n")
        #expect(try project.run("lock", "--config", "ci/drydock.yml").status == 0)
        let text = try String(contentsOf: project.folder.appending(path: "ci/drydock.lock"), encoding: .utf8)
        #expect(text.contains("migrations ../Migrations format=drydock\n"))
        #expect(text.contains("snapshot ../Snapshots/v1.sqlite content="))
        try project.write("Migrations/v2.sql", "")
        #expect(try project.run("verify", "--config", "ci/drydock.yml").status == 1)
        #expect(try project.run("verify").status == 0)
        #expect(try project.run("verify", "--lock", "ci/drydock.lock").status == 1)
        try project.write("drydock.yml", "lock: ci/drydock.lock\n")
        #expect(try project.run("verify").status == 1)
    }

    @Test func jsonHasTheLock() throws {
        let result = try Project().run("lock", "--format", "json")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(report["command"] as? String == "lock" && report["verdict"] as? String == "passed")
        let lock = try #require(report["lock"] as? [String: Any])
        #expect(
            lock["migrations"] as? Int == 2
                && lock["added"] as? [String] == ["v1", "v2", "Snapshots/v1.sqlite"])
    }

    @Test func writesReportsToo() throws {
        let project = try Project()
        let result = try project.run("lock", "--format", "json", "--report", "json=out.json")
        #expect(result.status == 0 && result.output.contains("\"lock\""))
        #expect(try project.shell("cat out.json").output == result.output)
        // A report must not overwrite the lock.
        let over = try project.run("lock", "--report", "json=drydock.lock")
        #expect(over.status == 2 && over.errors.contains("the report would overwrite 'drydock.lock'"))
        #expect(try project.run("lock", "--check").status == 0)
    }

    @Test func saysWhichMigrationsALockIsFor() throws {
        let project = try Project()
        try project.write("ci/drydock.yml", "migrations: ../Migrations\nsnapshots: ../Snapshots\n")
        #expect(try project.run("lock", "--config", "ci/drydock.yml").status == 0)
        #expect(try project.shell("cp -r Migrations Other").status == 0)
        for arguments in [["lock"], ["lint"]] {
            let result = try project.run(arguments + ["-m", "Other", "--lock", "ci/drydock.lock"])
            #expect(result.status == 2)
            #expect(
                result.errors.contains(
                    "ci/drydock.lock is of the migrations in 'Migrations', not of those in 'Other'. --lock names another"
                ),
                "\(result.errors)")
        }
        let nowhere = try project.run("lock", "-m", "nowhere", "--lock", "ci/drydock.lock")
        #expect(nowhere.errors.contains("there is no folder 'nowhere'"))
    }

    @Test(arguments: [
        (["lock", "--check", "--replace", "v1"], 64, "--check writes nothing"),
        (["lock", "--format", "xml"], 64, "there is no format 'xml'"),
        (["lock", "--replace", "v9"], 2, "--replace 'v9' is neither a migration nor a snapshot"),
        (["lock", "--migrations", "nowhere"], 2, "there is no folder 'nowhere'"),
        (["lock", "--snapshots", "nowhere"], 2, "there is no folder 'nowhere'"),
        (["verify", "--lock", "nowhere.lock"], 2, "there is no lock 'nowhere.lock'"),
        (["verify", "--lock", "x", "--no-lock"], 64, "exclude each other"),
        (["lock", "--lock", "no/such/folder.lock"], 2, "cannot be written"),
        (["lock", "--lock", "Migrations"], 2, "'Migrations' is a folder; --lock takes the file"),
    ]) func saysWhyNot(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let result = try Project().run(arguments)
        #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
    }

    @Test func aBrokenLockEndsWithTwo() throws {
        let project = try Project()
        for (text, message) in [
            (
                "version 2\nmigrations Migrations format=goose\nmigration v1\n",
                "drydock.lock:2: the lock says format=goose, and the migrations in 'Migrations' are read as drydock"
            ),
            (
                "version 2\nmigrations Migrations format=xyz\nmigration v1\n",
                "drydock.lock:2: the lock says format=xyz, and the migrations in 'Migrations' are read as drydock"
            ),
            ("version 9\n", "drydock.lock:1: a newer drydock wrote this lock"),
            (
                "version 1\nmigrations Migrations format=drydock\nmigration v1 bytes=0\n",
                "drydock.lock:3: bytes=0"
            ),
            ("version 1\n<<<<<<< HEAD\n", "drydock.lock:2: a merge left its conflict markers"),
        ] {
            try project.write("drydock.lock", text)
            for arguments in [["verify"], ["lock"], ["lock", "--check"], ["lint"]] {
                let result = try project.run(arguments)
                #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
                #expect(result.output.isEmpty)
            }
            #expect(
                try String(contentsOf: project.folder.appending(path: "drydock.lock"), encoding: .utf8)
                    == text)
        }
    }
}
