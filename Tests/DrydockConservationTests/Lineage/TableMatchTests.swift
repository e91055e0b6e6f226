import DrydockMigrations
import Testing

@testable import DrydockConservation
@testable import DrydockState
@testable import DrydockTestSupport

/// Which table and column the name in a declaration refers to.
@Suite struct TableMatchTests {
    private static let schema = "CREATE TABLE t(id, a, \"x.y\"); CREATE TABLE u(id, b);"

    private func match(_ step: String) throws -> [TableMatch] { try SQLStep(Self.schema, step).match().pairs }

    @Test func `a table answers to its names before and after the step`() throws {
        let pair = try #require(try match("ALTER TABLE t RENAME TO \"V w\"").first)
        for name in ["t", "T", "V w", "v W"] { #expect(pair.isCalled(name), "\(name)") }
        for name in ["u", "v", "\"V w\"", ""] { #expect(!pair.isCalled(name), "\(name)") }
    }

    @Test func `of two tables that swap their names each answers to the earlier one`() throws {
        let pairs = try match(
            "ALTER TABLE t RENAME TO x; ALTER TABLE u RENAME TO t; ALTER TABLE x RENAME TO u")
        for pair in pairs {
            #expect(pair.isCalled(pair.before.name) && !pair.isCalled(pair.after.name), "\(pair.before.name)")
        }
    }

    @Test func `a name that a renamed table left free refers to the renamed table`() throws {
        let pairs = try match("ALTER TABLE t RENAME TO x; ALTER TABLE u RENAME TO t")
        #expect(pairs.filter { $0.isCalled("t") }.map(\.before.name) == ["t"])
        #expect(pairs.filter { $0.isCalled("u") }.map(\.before.name) == ["u"])
    }

    @Test func `a column answers to its names before and after the step`() throws {
        let pair = try #require(try match("ALTER TABLE t RENAME \"x.y\" TO \"É z\"").first?.columns.last)
        for name in ["x.y", "X.Y", "É z", "É Z"] { #expect(pair.isCalled(name), "\(name)") }
        for name in ["y", "a", "é z", ""] { #expect(!pair.isCalled(name), "\(name)") }
    }

    @Test func `a declared drop is of one table, or of one column of it`() {
        #expect(Declaration.Kind.dropsTable("T").isDrop(of: "t"))
        #expect(!Declaration.Kind.dropsTable("ä").isDrop(of: "Ä"))
        #expect(!Declaration.Kind.deletes(table: "t", condition: nil).isDrop(of: "t"))
        let drop = Declaration.Kind.dropsColumn(table: "T", column: "A")
        #expect(drop.isDrop(of: "a", in: ["v", "t"]))
        #expect(!drop.isDrop(of: "a", in: ["v"]) && !drop.isDrop(of: "b", in: ["t"]))
        #expect(!drop.isDrop(of: "t") && !drop.isDrop(of: "a", in: []))
    }
}
