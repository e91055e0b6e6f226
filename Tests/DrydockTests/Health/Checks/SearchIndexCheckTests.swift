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
}
