import SQLiteSchema
import Testing

@Suite struct NamesTests {
    @Test func `only ASCII letters are folded`() {
        #expect("ÄBcZ_[".foldedASCII == "Äbcz_[")
        #expect("abc".foldedASCII == "abc")
    }

    @Test func `qualified names compare without case`() {
        #expect(QualifiedName(schema: "Main", name: "T") == QualifiedName(schema: "main", name: "t"))
        #expect(QualifiedName(name: "t") != QualifiedName(schema: "main", name: "t"))
        #expect(Set([QualifiedName(name: "T"), "t"]).count == 1)
        #expect(QualifiedName(schema: "main", name: "T").description == "main.T")
    }

    @Test(
        arguments: [
            ("", "''"), ("a", "'a'"), ("'", "''''"), ("a''b", "'a''''b'"), ("\"", "'\"'"),
            // For Swift the quote and the mark are one character, for SQLite they are not.
            ("a'\u{301}b", "'a''\u{301}b'"), ("'\u{200d}'", "'''\u{200d}'''"), ("'\r\n", "'''\r\n'"),
        ])
    func `quotes inside quotes are doubled, and read back`(text: String, enclosed: String) {
        let quote = UInt8(ascii: "'")
        #expect(Array(text.enclosed(in: quote).utf8) == Array(enclosed.utf8))
        #expect(Array(enclosed.unenclosed(from: quote).utf8) == Array(text.utf8))
    }

    @Test func `every byte is two digits`() {
        let bytes = [UInt8](0...255)
        #expect(bytes.hex == bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        #expect([UInt8]().hex.isEmpty)
    }

    @Test(arguments: ["", "'", "a", "'a", "a'", "\"a\""])
    func `what is not enclosed stays`(text: String) {
        #expect(text.unenclosed(from: UInt8(ascii: "'")) == text)
    }

    @Test(
        arguments: [
            ("emial", "email"), ("EMAILS", "email"), ("labels", "label"), ("drop", "drops"),
            ("attachmnt", "attachment"),
            ("id", nil), ("zzz", nil), ("", nil), ("conversation", nil),
        ] as [(String, String?)])
    func `the nearest name is found if one is close`(name: String, expected: String?) {
        #expect(nearestName(to: name, in: ["email", "label", "attachment", "drops", ""]) == expected)
    }
}
