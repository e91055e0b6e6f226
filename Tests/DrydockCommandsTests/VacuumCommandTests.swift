import Foundation
import Testing

/// The commands `drydock vacuum` and `drydock stats` as a user runs them.
@Suite struct VacuumCommandTests {
    @Test func vacuumsAndSaysSo() throws {
        let project = try Project()
        try project.execute(
            "CREATE TABLE big(x); INSERT INTO big VALUES (zeroblob(500000)); DROP TABLE big", on: "a.db")
        let forecast = try project.run("vacuum", "a.db", "--dry-run")
        #expect(forecast.status == 0 && forecast.output.contains("nothing was written"))
        let result = try project.run("vacuum", "a.db")
        #expect(result.status == 0 && result.output.contains("smaller"), "\(result.errors)")
        let json = try project.run("vacuum", "a.db", "--format", "json")
        let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(object?["command"] as? String == "vacuum" && object?["method"] as? String == "installed")
    }

    @Test func vacuumsSeveral() throws {
        let project = try Project()
        for name in ["a.db", "b.db"] {
            try project.execute(
                "CREATE TABLE big(x); INSERT INTO big VALUES (zeroblob(500000)); DROP TABLE big", on: name)
        }
        try project.write("list.txt", "a.db\nmissing.db\nb.db\n")
        let result = try project.run("vacuum", "--from", "list.txt", "--format", "json")
        #expect(result.status == 2 && result.errors.contains("there is no database 'missing.db'"))
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        let databases = object?["databases"] as? [[String: Any]]
        #expect(databases?.map { $0["database"] as? String } == ["a.db", "missing.db", "b.db"])
        #expect(databases?.map { $0["verdict"] as? String } == ["passed", "failed", "passed"])
        #expect(object?["verdict"] as? String == "failed")
        let text = try project.run("vacuum", "a.db", "b.db")
        #expect(text.status == 0 && text.output.split(separator: "\n").count { $0.contains("KiB ->") } == 3)
        let into = try project.run("vacuum", "*.db", "--into", "c.db")
        #expect(into.status == 2 && into.errors.contains("--into names one file, and there are 2 databases"))
    }

    @Test func jsonIsWrittenEvenIfNothingWasDone() throws {
        let project = try Project()
        let result = try project.run("vacuum", "nowhere.db", "--format", "json")
        #expect(result.status == 2 && result.errors.contains("there is no database"))
        let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
        #expect(object?["verdict"] as? String == "failed" && object?["database"] as? String == "nowhere.db")
        let finding = (object?["findings"] as? [[String: Any]])?.first
        #expect((finding?["message"] as? String)?.contains("there is no database") == true)
    }

    @Test(arguments: [
        (["vacuum", "nowhere.db"], 2, "there is no database 'nowhere.db'"),
        (["vacuum", "Migrations"], 2, "there is no database in 'Migrations'"),
        (["vacuum", "Migrations/v1.sql"], 2, "is not a SQLite database"),
        (["vacuum", "Snapshots/v1.sqlite", "--page-size", "1000"], 64, "a power of two"),
        (["vacuum", "Snapshots/v1.sqlite", "--incremental", "5"], 2, "no incremental auto_vacuum"),
        (["vacuum", "Snapshots/v1.sqlite", "--into", "Snapshots/v1.sqlite"], 2, "already exists"),
        (["vacuum", "Snapshots/v1.sqlite", "--into", "no/such/folder.db"], 2, "no/such"),
        (["vacuum", "Snapshots/v1.sqlite", "--temporary-folder", "nowhere"], 2, "nowhere"),
        (["vacuum", "Snapshots/v1.sqlite", "--incremental", "0"], 64, "at least 1"),
        (["vacuum", "Snapshots/v1.sqlite", "--format", "xml"], 64, "there is no format 'xml'"),
        (["stats", "nowhere.db"], 2, "there is no database 'nowhere.db'"),
    ]) func saysWhyNot(_ arguments: [String], _ status: Int32, _ message: String) throws {
        let project = try Project()
        let snapshot = project.folder.appending(path: "Snapshots/v1.sqlite")
        let before = try Data(contentsOf: snapshot)
        let result = try project.run(arguments)
        #expect(result.status == status && result.output.isEmpty)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(try Data(contentsOf: snapshot) == before)
    }

    /// The shell of a user does not ignore the signal that comes with the limit.
    @Test(arguments: ["", " --into new.sqlite"]) func `a limit on the size of files is named`(
        _ option: String
    ) throws {
        let project = try Project()
        try project.execute(
            "CREATE TABLE big(a); INSERT INTO big VALUES (zeroblob(100000)), (zeroblob(100000)); DELETE FROM big WHERE rowid = 1",
            on: "Snapshots/v1.sqlite")
        let before = try project.databases()
        let result = try project.shell("ulimit -f 8; \"$DRYDOCK\" vacuum Snapshots/v1.sqlite" + option)
        #expect(result.status == 2 && result.errors.contains("ulimit -f"), "\(result)")
        #expect(result.errors.contains("is unchanged"))
        #expect(try project.databases() == before)
    }
}
