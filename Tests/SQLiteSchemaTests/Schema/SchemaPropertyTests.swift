import SQLiteSchema
import Testing

@Suite struct SchemaPropertyTests {
    /// Holds the model of a database's schema against the database, and its printed form against both.
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
        for seed in seeds(250, soak: 6_000) {
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
                SchemaDiff(from: written, to: database.schema()).changes().map(\.description) == [], "seed \(seed)")
            for _ in 0..<3 where (try? database.run(random.alteration())) != nil { altered += 1 }
            try check(database, "seed \(seed), altered")
        }
        #expect(valid * 10 > tried * 7 && altered > 100, "\(valid) of \(tried) valid, \(altered) altered")
    }
}
