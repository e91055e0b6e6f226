import Drydock
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct TextEncodingCheckTests {
    @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func `text that is not valid is counted and its rows named`(encoding: String) async throws {
        let it = try HealthCase(
            """
            PRAGMA encoding = '\(encoding)'; CREATE TABLE t(id INTEGER PRIMARY KEY, x);
            INSERT INTO t VALUES(1, 'füß 🙂'), (2, NULL), (3, x'ff')
            """)
        #expect(try await it.findings("text-encoding").isEmpty)
        let bytes = encoding == "UTF-8" ? "61ff62" : encoding == "UTF-16le" ? "00d86100" : "d8000061"
        try it.execute("INSERT INTO t VALUES(4, CAST(x'\(bytes)' AS TEXT))")
        let found = try await it.findings("text-encoding")
        #expect(found.first?.evidence?.rowCount == 1)
        #expect(found.first?.evidence?.rows.first?.key.first?.value.literal == "4")
    }
}
