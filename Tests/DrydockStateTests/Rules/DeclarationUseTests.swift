import DrydockMigrations
import Testing

@testable import DrydockReplay
@testable import DrydockTestSupport

/// Which declarations of a migration were needed.
@Suite struct DeclarationUseTests {
    private static let texts = [
        "deletes from t", "deletes from t where a = 1", "drops table u", "rewrites t.a", "inserts into t",
    ]

    private static func coversDeletion(of name: String, _ use: inout DeclarationUse) -> Bool {
        use.covers { if case .deletes(let table, _) = $0 { table == name } else { false } }
    }

    @Test func `all that cover something are needed`() throws {
        var use = DeclarationUse(try Declaration.all(Self.texts))
        #expect(Self.coversDeletion(of: "t", &use))
        #expect(use.used == Set(use.declarations.prefix(2)))
        #expect(Self.coversDeletion(of: "t", &use), "a declaration may be needed twice")
        #expect(use.used.count == 2)
    }

    @Test func `what covers nothing is not needed`() throws {
        var use = DeclarationUse(try Declaration.all(Self.texts))
        #expect(!Self.coversDeletion(of: "u", &use))
        var none = DeclarationUse([])
        #expect(!none.covers { _ in true })
        #expect(use.used.isEmpty && none.used.isEmpty)
    }

    @Test func `what the comparison needed stays needed`() throws {
        let declarations = try Declaration.all(Self.texts)
        var use = DeclarationUse(declarations, used: [declarations[2]])
        #expect(Self.coversDeletion(of: "t", &use))
        #expect(use.used == Set(declarations.prefix(3)))
    }
}
