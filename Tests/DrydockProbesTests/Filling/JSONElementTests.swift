import DatabaseEngine
import Testing

@testable import DrydockTestSupport

/// Columns of which statements read the elements as JSON.
@Suite struct JSONElementTests {
    @Test(arguments: [
        "SELECT json_extract(e.value, '$.fee') AS x FROM t, json_each(t.doc) AS e",
        "SELECT json_extract(e.value, '$.fee') AS x FROM t, json_each(doc) e WHERE json_valid(doc)",
        "SELECT json_each.value ->> '$.fee' AS x FROM t JOIN json_each(t.doc)",
        "SELECT json_extract(doc, '$[0].fee') AS x FROM t",
        "SELECT (SELECT json_group_array(json_object('i', je.key, 'fee', json_extract(je.value, '$.fee'))) FROM json_each(t.doc) AS je) AS x FROM t WHERE doc IS NOT NULL AND doc != '' AND json_array_length(doc) > 0",
    ])
    func `elements have what is read`(_ query: String) async throws {
        let sample = RowCase(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, doc TEXT, value TEXT);",
            later: "CREATE TABLE n AS \(query);")
        let outcome = try await sample.run(asking: [
            "SELECT doc FROM t WHERE CASE WHEN json_valid(doc) THEN json_extract(doc, '$[0].fee') END IS NOT NULL",
            query,
            "SELECT value FROM t WHERE json_valid(value)",
        ])
        #expect(outcome.faults.isEmpty)
        #expect(outcome.answers[0].count >= 3, "\(outcome.answers)")
        #expect(!outcome.answers[1].isEmpty, "\(outcome.answers)")
        #expect(outcome.answers[2].isEmpty, "\(outcome.answers)")
    }
}
