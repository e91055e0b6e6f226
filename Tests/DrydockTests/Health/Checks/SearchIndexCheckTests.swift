import Drydock
import Foundation
import Testing

@Suite struct SearchIndexCheckTests {
    @Test(arguments: ["fts5(x, content=doc, content_rowid=id)", "fts4(x, content=doc)"])
    func `an index that lost its content is an error, and the file stays as it is`(module: String)
        async throws
    {
        let it = try HealthCase(
            """
            CREATE TABLE doc(id INTEGER PRIMARY KEY, x); CREATE VIRTUAL TABLE f USING \(module);
            INSERT INTO doc VALUES(1, 'one'), (2, 'two'); INSERT INTO f(rowid, x) SELECT id, x FROM doc;
            """)
        #expect(try await it.findings("search-index").isEmpty)
        try it.execute("UPDATE doc SET x = 'three' WHERE id = 2")
        let before = try it.folder.contents()
        #expect(try await it.findings("search-index").map(\.severity) == [.error])
        #expect(try it.folder.contents() == before)
    }

    /// Damage that the modules' own checks leave out.
    @Test(arguments: [
        ("fts5(a)", "DELETE FROM x_idx"), ("fts5(a)", "DELETE FROM x_docsize WHERE id = 7"),
        ("fts4(a)", "DELETE FROM x_docsize"), ("fts4(a)", "DELETE FROM x_stat"),
        ("fts4(a)", "UPDATE x_docsize SET size = x'7f' WHERE docid = 3"), ("fts3(a)", "DELETE FROM x_segdir"),
    ]) func `tables of a module that were changed behind its back`(_ module: String, _ sql: String)
        async throws
    {
        let it = try HealthCase(
            "CREATE VIRTUAL TABLE x USING \(module);" + HealthCase.numbers(2000)
                + "INSERT INTO x(a) SELECT printf('w%d w%d', n, n * 7) FROM s")
        #expect(try await it.findings("search-index") { $0.isDeep = true }.isEmpty)
        try it.execute(sql)
        #expect(try await it.findings("search-index") { $0.isDeep = true }.map(\.severity) == [.error])
    }

    /// A connection that opens the damaged index fails; with a schema that is known already, none has to.
    @Test(arguments: ["DELETE FROM f_data WHERE id = 10", "UPDATE f_data SET block = x'ff' WHERE id = 10"])
    func `what is said does not depend on the databases before`(_ damage: String) async throws {
        let it = try HealthCase(
            "CREATE VIRTUAL TABLE f USING fts5(\"a b\", c UNINDEXED, prefix = '2'); INSERT INTO f VALUES ('x', 'y')"
        )
        let sound = it.folder.file("sound.sqlite")
        try FileManager.default.copyItem(atPath: it.path, toPath: sound)
        try it.execute(damage)
        var said: [[String]] = []
        for order in [[it.path], [it.path, sound], [sound, it.path]] {
            let report = try await it.report { ($0.databases, $0.jobs) = (order, 1) }
            #expect(!report.findings.contains { $0.database == sound })
            said.append(
                report.findings.filter { $0.database == it.path }.map { "\($0.rule.rawValue): \($0.message)" }
            )
        }
        #expect(said[0].count == 1 && said[0][0].hasPrefix("search-index: full-text index f does not agree"))
        #expect(Set(said) == [said[0]])
    }

    /// SQLite opens a file read-only if its header asks for a newer writer, and the modules' checks are INSERTs.
    @Test(arguments: ["fts4(a)", "fts5(a)"]) func `a file for a newer writer has no damaged index`(
        _ module: String
    ) async throws {
        let it = try HealthCase("CREATE VIRTUAL TABLE x USING \(module); INSERT INTO x VALUES ('a')")
        var bytes = try Data(contentsOf: URL(filePath: it.path))
        bytes[18] = 3
        try bytes.write(to: URL(filePath: it.path))
        let report = try await it.report()
        #expect(report.findings.map(\.rule.rawValue).contains("file-header"))
        #expect(!report.findings.contains { $0.severity == .error }, "\(report.findings.map(\.line))")
        #expect(report.notChecked.contains { $0.rule == .searchIndex }, "\(report.notChecked)")
    }
}
