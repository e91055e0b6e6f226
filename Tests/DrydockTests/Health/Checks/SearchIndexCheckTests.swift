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
}
