import TestTools
import SQLiteSchema
import Testing

@Suite struct SchemaPropertyTests {
    /// Compares the model of a database's schema with the database, and its printed form with both.
    private func check(_ database: Database, _ note: Comment) throws {
        let schema = database.schema()
        #expect(schema.unparsed.values.map { "\($0.reason): \($0.text)" } == [], note)
        let directions = !schema.hasAmbiguousDirections
        let expected = SchemaFacts.of(database, directions: directions)
        let actual = SchemaFacts.of(schema, directions: directions)
        #expect(Set(expected).subtracting(actual) == [], note)
        #expect(Set(actual).subtracting(expected) == [], note)
        #expect(actual.count == expected.count, note)

        let printed = SchemaPrinter().text(schema)
        let reparsed = try SchemaParser().schema(of: SQLSource(name: "printed", printed))
        #expect(reparsed == schema, note)
        #expect(SchemaPrinter().text(reparsed) == printed, note)
        #expect(SchemaDiff(from: schema, to: reparsed).changes().map(\.description) == [], note)

        let fresh = Database()
        for statement in SQLSource(name: "", printed).statements() {
            #expect(throws: Never.self, note) { try fresh.run(statement.text) }
        }
        #expect(fresh.schema() == schema, note)
        #expect(SchemaFacts.of(fresh, directions: directions) == expected, note)
    }

    @Test func `the model agrees with SQLite, and so does its printed form`() throws {
        var (valid, tried, altered) = (0, 0, 0)
        for seed in seeds(125, of: 250, soak: 6_000) {
            let database = Database()
            var random = RandomSchema(seed: seed)
            var script = ""
            for sql in random.statements() {
                tried += 1
                guard (try? database.run(sql)) != nil else { continue }
                valid += 1
                script += sql + "\n;\n"
            }
            try check(database, "seed \(seed)")
            let written = try SchemaParser().schema(of: SQLSource(name: "", script))
            #expect(
                SchemaDiff(from: written, to: database.schema()).changes().map(\.description) == [],
                "seed \(seed)")
            for _ in 0..<3 where (try? database.run(random.alteration())) != nil { altered += 1 }
            try check(database, "seed \(seed), altered")
        }
        #expect(valid * 10 > tried * 7 && altered > 20, "\(valid) of \(tried) valid, \(altered) altered")
    }
}

extension SchemaPropertyTests {
    private static let soup = [
        "create", "table", "t", "(", ")", "(", ")", ",", ",", ";", "a", "b", "primary", "key", "unique",
        "check", "constraint",
        "not", "null", "default", "-", "+", "1", "'x'", "\"y\"", "[z]", "references", "on", "delete", "set",
        "collate",
        "generated", "always", "as", "stored", "foreign", "index", "trigger", "view", "virtual", "using",
        "begin", "end",
        "case", "when", "select", "where", "desc", "nulls", "first", "without", "rowid", "strict",
        "deferrable", "initially",
        "match", "conflict", "autoincrement", "x'ab'", "?", "!", "'", ".", "after", "insert", "update", "of",
        "/*", "--\n", "é",
    ]

    @Test func `random tokens neither crash nor loop, and print back`() {
        let starts = [
            "create table t(", "create table t(a ", "create index i on t(",
            "create trigger r after insert on t begin ",
            "create view v as select ", "create virtual table t using m(", "",
        ]
        for seed in seeds(2_000, of: 4_000, soak: 100_000) {
            var random = SeededGenerator(seed: seed)
            let words = (0..<Int.random(in: 0...40, using: &random)).map { _ in random.pick(Self.soup) }
            let text =
                random.pick(starts) + words.joined(separator: " ") + random.pick(["", ")", ";", "; end"])
            var errors: [SchemaError] = []
            let schema = SchemaParser().schema(of: SQLSource(name: "", text), errors: &errors)
            _ = SchemaParser().schema(of: [SchemaRow(type: "table", name: "t", table: "t", sql: text)])
            guard schema.isComplete else { continue }
            var again: [SchemaError] = []
            let printed = SchemaPrinter().text(schema)
            let reparsed = SchemaParser().schema(of: SQLSource(name: "", printed), errors: &again)
            #expect(again.isEmpty && reparsed == schema, "seed \(seed): \(text) -> \(printed)")
        }
    }

    /// Whatever SQLite accepts must be parsed.
    @Test func `every mutated statement that SQLite accepts is parsed`() {
        var taken = 0
        for seed in seeds(200, of: 400, soak: 20_000) {
            var random = SeededGenerator(seed: seed)
            var schemas = RandomSchema(seed: seed)
            for sql in schemas.statements() {
                let source = SQLSource(name: "", sql)
                var tokens = source.tokens().filter(\.isSignificant).map { $0.text(in: source) }
                for _ in 0..<Int.random(in: 1...3, using: &random) where !tokens.isEmpty {
                    let place = Int.random(in: 0..<tokens.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: tokens.remove(at: place)
                    case 1: tokens.insert(random.pick(Self.soup), at: place)
                    default: tokens.swapAt(place, Int.random(in: 0..<tokens.count, using: &random))
                    }
                }
                let text = tokens.joined(separator: " ")
                let database = Database()
                guard SQLSource(name: "", text).statements().count == 1, (try? database.run(text)) != nil
                else { continue }
                taken += 1
                #expect(
                    database.schema().unparsed.values.map { "\($0.reason): \($0.text)" } == [], "seed \(seed)"
                )
            }
        }
        #expect(taken > 5)
    }

    @Test func `deep nesting is read`() throws {
        let deep = String(repeating: "(", count: 50_000) + "a" + String(repeating: ")", count: 50_000)
        _ = try SchemaParser().schema(
            of: SQLSource(name: "", "create table t(a check(\(deep)), unique(\(deep)))"))
    }
}
