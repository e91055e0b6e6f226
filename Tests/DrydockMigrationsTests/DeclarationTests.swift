import DrydockFindings
import TestTools
import Testing

@testable import DrydockMigrations
@testable import DrydockTestSupport

/// What the words of a declaration mean.
@Suite struct DeclarationTests {
    typealias Kind = Declaration.Kind

    @Test(arguments: [
        ("drops table t", [Kind.dropsTable("t")]),
        ("DROPS Table T ;;", [.dropsTable("T")]),
        ("drops table a, \"b, c\" , [d]", [.dropsTable("a"), .dropsTable("b, c"), .dropsTable("d")]),
        ("drops table main.t, MAIN.\"main\"", [.dropsTable("t"), .dropsTable("main")]),
        ("drops column t.a", [.dropsColumn(table: "t", column: "a")]),
        (
            "drops columns t.a, main.\"u v\".`b.c`",
            [.dropsColumn(table: "t", column: "a"), .dropsColumn(table: "u v", column: "b.c")]
        ),
        ("drops index i, j", [.dropsObject(.index, "i"), .dropsObject(.index, "j")]),
        ("drops trigger [a b]", [.dropsObject(.trigger, "a b")]),
        ("drops view main.v", [.dropsObject(.view, "v")]),
        ("drops constraint unique (a, \"b c\") of t", [.dropsConstraint(.unique("a", "b c"), table: "t")]),
        (
            "drops constraint CHECK(size > (0) and kind <> ')') of main.t",
            [.dropsConstraint(.check("size > (0) and kind <> ')'"), table: "t")]
        ),
        (
            "drops constraint not null(a) of t, primary key of t, foreign key (a) of t;",
            [
                .dropsConstraint(.notNull("a"), table: "t"), .dropsConstraint(.primaryKey, table: "t"),
                .dropsConstraint(.foreignKey("a"), table: "t"),
            ]
        ),
        (
            "drops constraint collate(a) of t, strict of t, check of t",
            [
                .dropsConstraint(.collate("a"), table: "t"), .dropsConstraint(.strict, table: "t"),
                .dropsConstraint(.init(.check), table: "t"),
            ]
        ),
        ("renames table t to \"t\"\"u\"", [.renamesTable(from: "t", to: "t\"u")]),
        ("renames column t.a to t.b", [.renamesColumn(table: "t", from: "a", to: "b")]),
        ("renames column t.a to b", [.renamesColumn(table: "t", from: "a", to: "b")]),
        ("renames column main.t.a to main.t.b", [.renamesColumn(table: "t", from: "a", to: "b")]),
        ("rewrites t.a", [.rewrites(table: "t", column: "a")]),
        (
            "rewrites t, main.u.*, v.*",
            [
                .rewrites(table: "t", column: nil), .rewrites(table: "u", column: nil),
                .rewrites(table: "v", column: nil),
            ]
        ),
        ("deletes from t", [.deletes(table: "t", condition: nil)]),
        (
            "deletes from t where a = 'x; -- y' and b -- why",
            [.deletes(table: "t", condition: "a = 'x; -- y' and b")]
        ),
        ("deletes from t where a, b;;", [.deletes(table: "t", condition: "a, b")]),
        ("inserts into t, u", [.inserts(table: "t"), .inserts(table: "u")]),
        ("preserves select count(*), 'A' from t;", [.preserves(query: "select count(*), 'A' from t")]),
        ("foreign-keys immediate", [.foreignKeysImmediate]),
        ("Foreign-Keys IMMEDIATE", [.foreignKeysImmediate]),
    ])
    func words(text: String, kinds: [Kind]) throws {
        let declarations = try Declaration.all([text])
        #expect(declarations.map(\.kind) == kinds)
        #expect(declarations.allSatisfy { $0.text == text && $0.place.file == "v2.sql" })
    }

    @Test(arguments: [
        "", "drop table t", "drops", "drops table", "drops table t u", "drops table t,", "drops table t.a",
        "drops table temp.t", "drops constraint", "drops constraint unique",
        "drops constraint unique (a)", "drops constraint unique (a) of", "drops constraint unique () of t",
        "drops constraint unique (a of t", "drops constraint not (a) of t",
        "drops constraint default (a) of t",
        "drops constraint strict (a) of t", "drops constraint unique (a + 1) of t",
        "drops constraint check () of t",
        "drops column t", "drops column aux.t.a", "drops index", "drops rows t",
        "renames table t", "renames table t to", "renames table t to u v", "renames t to u",
        "renames column t to u", "renames column t.a", "rewrites", "rewrites t.", "rewrites a.b.c.d",
        "deletes t", "deletes from", "deletes from t where", "deletes from t where ;", "deletes from t a = 1",
        "inserts t", "inserts into", "preserves", "preserves ;", ";", "drops table t; u", "foreign-keys",
        "foreign-keys deferred",
        "foreign-keys immediate please", "foreign - keys immediate", "ignore", "ignore rows-lost because x",
        "ignore missing-strict", "ignore missing-strict because",
    ])
    func `words that declare nothing say what to write`(text: String) throws {
        guard
            case .failure(let failure) = Declaration.parse(text, place: .init(file: "x.sql"), migration: "x")
        else {
            Issue.record("it is a declaration")
            return
        }
        #expect(failure.finding.rule == .invalidDeclaration && failure.finding.severity == .error)
        #expect(failure.finding.help.hasPrefix("Write: "))
        #expect(failure.finding.place?.file == "x.sql" && failure.finding.migration == "x")
    }

    /// Help proposes declarations with names printed like this.
    @Test func `every name that help prints is read as that name`() throws {
        let letters = [
            "a", "B", " ", ".", "\"", "`", "[", "]", "'", "-", "--", "/*", ";", ",", "é", "1", "_", "*",
            "main", "to", "$", "\u{301}",
        ]
        for seed in seeds(200, of: 20_000) {
            var random = SeededGenerator(seed: seed)
            let names = (0..<3).map { _ in
                (0...random.below(4)).map { _ in random.pick(letters) }.joined()
            }
            let printed = names.map(quotedIfNeeded)
            let text = "renames column \(printed[0]).\(printed[1]) to \(printed[0]).\(printed[2])"
            let kinds = try Declaration.all([text, "drops table \(printed[0]), \(printed[1])"]).map(\.kind)
            #expect(
                kinds == [
                    .renamesColumn(table: names[0], from: names[1], to: names[2]), .dropsTable(names[0]),
                    .dropsTable(names[1]),
                ], "\(text)")
        }
    }

    @Test func `only a declaration with an effect of its own cannot be unused`() throws {
        let texts = [
            "drops table t", "drops column t.a", "drops index i", "renames table t to u",
            "renames column t.a to b",
            "rewrites t", "deletes from t", "inserts into t", "drops constraint check of t",
            "preserves select 1",
            "foreign-keys immediate",
        ]
        #expect(
            try Declaration.all(texts).map(\.canBeUnused) == Array(repeating: true, count: 9) + [
                false, false,
            ])
    }
}
