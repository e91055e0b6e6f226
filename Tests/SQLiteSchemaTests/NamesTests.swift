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
            ("emial", "email"), ("EMAILS", "email"), ("labels", "label"), ("drop", "drops"),
            ("attachmnt", "attachment"),
            ("id", nil), ("zzz", nil), ("", nil), ("conversation", nil),
        ] as [(String, String?)])
    func `the nearest name is found if one is close`(name: String, expected: String?) {
        #expect(nearestName(to: name, in: ["email", "label", "attachment", "drops", ""]) == expected)
    }
}
