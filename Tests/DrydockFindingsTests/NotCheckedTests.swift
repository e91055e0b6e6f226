import DrydockFindings
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct NotCheckedTests {
    @Test func theReasonIsWrittenOutFromItsParts() {
        let reasons: [(NotChecked.Reason, String)] = [
            (
                .unreadableTable("t", message: "no such module: x"),
                "table t cannot be read: no such module: x"
            ),
            (.notLinted(migrations: 1, because: "v3 is not SQL"), "1 migration not linted: v3 is not SQL"),
            (.notSQL(["a.go"]), "1 migration not linted: a.go is not SQL"),
            (.notSQL(["a", "b", "c", "d"]), "4 migrations not linted: a, b, c, … are not SQL"),
            (.noWayBack(migration: "2"), "2 has no way back"),
            (.refused("no such collation sequence: X"), "no such collation sequence: X"),
        ]
        for (reason, text) in reasons { #expect(NotChecked(.rowsLost, reason).reason == text) }
    }

    /// The lock and the cache have entries that earlier versions wrote.
    @Test func aBaselineKeepsTheReasonAsText() throws {
        let entry = NotChecked(.rowsLost, snapshot: "a", .unreadableTable("t", message: "m"))
        let data = try JSONEncoder().encode(entry)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
        #expect(object == ["rule": "rows-lost", "snapshot": "a", "reason": "table t cannot be read: m"])
        let old = #"{"rule":"rows-lost","reason":"table t cannot be read: m"}"#
        let read = try JSONDecoder().decode(NotChecked.self, from: Data(old.utf8))
        #expect(read == NotChecked(.rowsLost, .recorded("table t cannot be read: m")))
    }
}
