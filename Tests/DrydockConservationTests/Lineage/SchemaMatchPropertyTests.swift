import TestTools
import SQLiteSchema
import Testing

@testable import DrydockConservation
@testable import DrydockState
@testable import DrydockTestSupport

/// What holds for the match of every schema.
@Suite struct SchemaMatchPropertyTests {
    @Test func `a schema matches itself, table by table and column by column`() throws {
        for seed in seeds(60, of: 10_000) {
            var random = SeededGenerator(seed: seed)
            let schema = RandomSchema.valid(&random).statements.joined(separator: ";\n")
            let step = try SQLStep(schema, "")
            let (catalog, match) = (step.before, step.match())
            let kept = catalog.tables.values.filter { $0.keepsRows || $0.isContentless }
            #expect(match.pairs.map(\.before.name) == kept.map(\.name).sorted(), "seed \(seed)")
            #expect(match.dropped.isEmpty && match.usedDeclarations.isEmpty)
            for pair in match.pairs {
                #expect(pair.after.name == pair.before.name && pair.answersToLaterName)
                #expect(pair.columns.map(\.before) == pair.before.storedColumns)
                #expect(pair.derived.map(\.before) == pair.before.columns.filter(\.isGenerated))
                #expect((pair.columns + pair.derived).allSatisfy { $0.before == $0.after && !$0.isGuess })
                #expect(pair.droppedColumns.isEmpty)
            }
        }
    }

    /// Some columns are left out, and names that only fold to others must not be mixed up.
    @Test func `columns of a rebuilt table pair by name, in whatever order`() throws {
        for seed in seeds(60, of: 10_000) {
            var random = SeededGenerator(seed: seed)
            let names = ["a", "B", "c d", "é", "É", "select", "q\"\u{301}"].shuffled(using: &random)
                .prefix(2 + random.below(6))
            let kept = names.shuffled(using: &random).prefix(1 + random.below(names.count))
            let list = kept.map(RandomSchema.quoted).joined(separator: ", ")
            let match = try SQLStep(
                "CREATE TABLE t(\(names.map(RandomSchema.quoted).joined(separator: ", ")))",
                """
                CREATE TABLE new(\(list)); INSERT INTO new(\(list)) SELECT \(list) FROM t;
                DROP TABLE t; ALTER TABLE new RENAME TO t
                """
            ).match()
            let (stay, go) = (names.filter(kept.contains), names.filter { !kept.contains($0) })
            #expect(
                match.lines == ["t: " + (stay + go.map { "gone \($0)" }).joined(separator: ", ")],
                "seed \(seed)")
        }
    }
}
