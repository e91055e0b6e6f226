import DrydockFindings
import Testing

@Suite struct StableTextTests {
    private struct Sample { var names: Set<String>; var counts: [String: Int]; var kind: Kind }
    private enum Kind { case plain, of(Int) }

    @Test func isTheSameInAnyOrder() {
        let names = (0..<50).map { "n\($0)" }
        let one = Sample(
            names: Set(names), counts: Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }), kind: .of(1))
        let two = Sample(
            names: Set(names.reversed()),
            counts: Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, 1) }),
            kind: .of(1))
        #expect(stableText(one) == stableText(two))
    }

    @Test func tellsValuesApart() {
        let values: [Any] = [
            1, "1", [1], ["1"], Kind.plain, Kind.of(1), Kind.of(2), [Int?.none], ["a": 1], ["a": 2], "a=1",
        ]
        #expect(Set(values.map(stableText)).count == values.count)
    }
}
