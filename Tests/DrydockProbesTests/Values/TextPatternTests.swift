import Testing

@testable import DrydockProbes
@testable import DrydockTestSupport

/// Texts that patterns make are matched by SQLite.
@Suite struct TextPatternTests {
    @Test(arguments: [
        "[0-9][0-9][0-9]", "*@*.*", "[a-z]*", "[^0-9]?*", "a[]]b", "x[a-c-]*", "[[]*", "????-??", "*", "abc",
    ])
    func `GLOB`(pattern: String) throws {
        let database = try PlainDatabase()
        for number in [0, 7, 4711] {
            let text = TextPattern(glob: pattern).text(number: number, filler: "fill\(number)")
            let matches = try database.firstRow("SELECT ? GLOB ?", [.init(text), .init(pattern)]) {
                $0.integer(0)
            }
            #expect(matches == 1, "\(text)")
        }
    }

    @Test(arguments: ["%@%", "_%", "a_c%", "%"])
    func `LIKE`(pattern: String) throws {
        let database = try PlainDatabase()
        let text = TextPattern(like: pattern).text(number: 5, filler: "some")
        #expect(
            try database.firstRow("SELECT ? LIKE ?", [.init(text), .init(pattern)]) { $0.integer(0) } == 1)
    }
}
