import Testing

@testable import DrydockDiff
@testable import DrydockFindings
@testable import DrydockLint
@testable import DrydockMaintenance
@testable import DrydockMigrate
@testable import DrydockMigrations
@testable import DrydockReplay
@testable import DrydockState
@testable import DrydockTestSupport

@Suite struct ViewExpansionTests {
    private func chain(_ count: Int, _ select: (Int) -> String) -> ViewExpansion {
        ViewExpansion(
            (0..<count).map { number in
                (
                    "w\(number)",
                    "CREATE VIEW w\(number) AS " + (number == 0 ? "SELECT 1 AS a" : select(number - 1))
                )
            })
    }

    @Test func doublingViewsSoonBecomeTooLarge() {
        let expansion = chain(30) { "SELECT x.a FROM w\($0) x, \"W\($0)\" y" }
        #expect(!expansion.isTooLarge("w5") && expansion.isTooLarge("w20") && expansion.isTooLarge("W29"))
        #expect(
            expansion.isTooLarge(naming: "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT * FROM w29; END"))
        #expect(!expansion.isTooLarge(naming: "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 'w'; END"))
        #expect(expansion.hasTooLarge)
    }

    /// People do write such chains of views.
    @Test func aLongChainIsNotTooLarge() {
        let expansion = chain(500) { "SELECT a FROM [w\($0)]" }
        #expect(!expansion.isTooLarge("w499") && !expansion.hasTooLarge)
    }

    @Test func circularViewsTerminate() {
        let expansion = ViewExpansion([
            ("a", "CREATE VIEW a AS SELECT * FROM b"), ("b", "CREATE VIEW b AS SELECT * FROM a, a x"),
            ("c", "CREATE VIEW c AS SELECT * FROM c"),
        ])
        #expect(!expansion.isTooLarge("c"))
    }
}
