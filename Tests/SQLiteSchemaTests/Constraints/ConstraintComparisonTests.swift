import SQLiteSchema
import Testing

/// What a table accepts after a rebuild, and refused before.
@Suite struct ConstraintComparisonTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var old: String
        var new: String
        /// The losses, as `SQL`, or `SQL -> SQL` where something is in its place.
        var losses: [String]
        var columns: [String: String] = [:]
        var tables: [String: [String]] = [:]

        /// - Parameters:
        ///   - old: what follows `CREATE TABLE t`, perhaps with other statements.
        ///   - new: the same for the new table.
        init(
            _ old: String, _ new: String, _ losses: String..., columns: [String: String] = [:],
            tables: [String: [String]] = [:]
        ) {
            (self.old, self.new, self.losses, self.columns, self.tables) = (old, new, losses, columns, tables)
        }

        var testDescription: String { "\(old) to \(new)" }
    }

    private static let parents =
        "CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); CREATE TABLE q(id INTEGER PRIMARY KEY);"

    static func schema(_ table: String) throws -> Schema {
        try SchemaParser().schema(of: SQLSource(name: "", parents + "CREATE TABLE t\(table);"))
    }

    static func losses(_ it: Case) throws -> [LostConstraint] {
        let (before, after) = (try schema(it.old), try schema(it.new))
        let (old, new) = (try #require(before.table("t")), try #require(after.table("t")))
        var columns: [String: String] = [:]
        for column in old.columns {
            let name = it.columns[column.name] ?? column.name
            columns[column.name.lowercased()] = new.column(name)?.name
        }
        return ConstraintComparison(
            from: old, in: before, to: new, in: after, columns: columns, tables: it.tables
        ).losses
    }

    private func check(_ it: Case) throws {
        let losses = try Self.losses(it).map { $0.wanted.sql + ($0.now.map { " -> \($0)" } ?? "") }
        #expect(losses == it.losses)
    }

    @Test(arguments: [
        Case("(a, b, UNIQUE (a, b))", "(a, b)", "UNIQUE (a, b)"),
        Case("(a UNIQUE, b)", "(a, b)", "UNIQUE (a)"),
        Case("(a UNIQUE, b)", "(a, b, UNIQUE (a, b))", "UNIQUE (a) -> UNIQUE (a, b)"),
        Case("(a, b, UNIQUE (a, b))", "(a UNIQUE, b)"),
        Case("(a, b, UNIQUE (a, b))", "(a, b, UNIQUE (b, a))"),
        Case("(a, b, UNIQUE (a, b))", "(a, b); CREATE UNIQUE INDEX i ON t(a, b DESC)"),
        Case("(a UNIQUE, b)", "(a, b); CREATE UNIQUE INDEX i ON t(a) WHERE b > 0", "UNIQUE (a)"),
        Case("(a UNIQUE, b)", "(a, b); CREATE UNIQUE INDEX i ON t(lower(a))"),
        Case("(a, UNIQUE (a COLLATE NOCASE))", "(a, b); CREATE UNIQUE INDEX i ON t(upper(a))"),
        Case(
            "(a, UNIQUE (a COLLATE NOCASE))", "(a, b); CREATE UNIQUE INDEX i ON t(trim(a))",
            "UNIQUE (a COLLATE NOCASE) -> UNIQUE (trim(a))"),
        Case("(a UNIQUE, b)", "(a, b); CREATE UNIQUE INDEX i ON t(nullif(a, ''))", "UNIQUE (a)"),
        Case("(a UNIQUE, b)", "(a, b); CREATE INDEX i ON t(a)", "UNIQUE (a)"),
        Case("(a, UNIQUE (a COLLATE NOCASE))", "(a UNIQUE)", "UNIQUE (a COLLATE NOCASE) -> UNIQUE (a)"),
        Case("(a UNIQUE)", "(a, UNIQUE (a COLLATE NOCASE))"),
        Case("(a COLLATE NOCASE UNIQUE)", "(a UNIQUE)", "COLLATE NOCASE"),
        Case("(a UNIQUE, b)", "(b)"),
        Case("(a, b, UNIQUE (a, b))", "(a)"),
        Case("(a UNIQUE, b)", "(c UNIQUE, b)", columns: ["a": "c"]),
        Case("(a UNIQUE, b)", "(c, b)", "UNIQUE (c)", columns: ["a": "c"]),
        Case("(a UNIQUE, b)", "(A UNIQUE, b)"),
    ]) func uniqueConstraints(_ it: Case) throws { try check(it) }

    @Test(arguments: [
        Case("(id INTEGER PRIMARY KEY, a)", "(id INTEGER, a)", "PRIMARY KEY (id)"),
        Case("(id INTEGER PRIMARY KEY, a)", "(id INTEGER NOT NULL UNIQUE, a)"),
        Case(
            "(id INTEGER PRIMARY KEY, a)", "(id INT PRIMARY KEY, a)",
            "PRIMARY KEY (id) -> PRIMARY KEY (id), which accepts NULL"),
        Case("(id TEXT PRIMARY KEY, a)", "(id TEXT UNIQUE, a)"),
        Case(
            "(a TEXT PRIMARY KEY)", "(id INTEGER PRIMARY KEY, a TEXT)", "PRIMARY KEY (a) -> PRIMARY KEY (id)"),
        Case("(id TEXT PRIMARY KEY, a)", "(id TEXT, a)", "PRIMARY KEY (id)"),
        Case(
            "(id TEXT PRIMARY KEY, a)", "(id TEXT, a, PRIMARY KEY (id, a))",
            "PRIMARY KEY (id) -> PRIMARY KEY (id, a)"),
        Case("(id TEXT PRIMARY KEY, a)", "(id TEXT, a); CREATE UNIQUE INDEX i ON t(id)"),
        Case(
            "(id TEXT PRIMARY KEY, a) WITHOUT ROWID", "(id TEXT PRIMARY KEY, a)",
            "PRIMARY KEY (id) -> PRIMARY KEY (id), which accepts NULL"),
        Case("(id TEXT PRIMARY KEY, a) WITHOUT ROWID", "(id TEXT NOT NULL PRIMARY KEY, a)"),
        Case("(id INTEGER PRIMARY KEY AUTOINCREMENT)", "(id INTEGER PRIMARY KEY)"),
        Case("(id INTEGER PRIMARY KEY, a TEXT) STRICT", "(id INTEGER PRIMARY KEY, a TEXT)", "STRICT"),
    ]) func primaryKeys(_ it: Case) throws { try check(it) }

    @Test(arguments: [
        Case("(a NOT NULL)", "(a)", "NOT NULL"),
        Case("(a NOT NULL)", "(a CHECK (a IS NOT NULL))"),
        Case("(a NOT NULL)", "(a, CHECK (t.a NOTNULL AND a > 0))"),
        Case("(a NOT NULL)", "(a CHECK (typeof(a) IN ('text', 'blob')))"),
        Case("(a NOT NULL)", "(a CHECK (typeof(a) IN ('text', 'null')))", "NOT NULL"),
        Case("(a NOT NULL)", "(a CHECK (a > 0))", "NOT NULL"),
        Case("(a INTEGER NOT NULL)", "(a INTEGER PRIMARY KEY)"),
        Case("(a TEXT NOT NULL)", "(a TEXT PRIMARY KEY) WITHOUT ROWID"),
        Case("(a TEXT NOT NULL)", "(a TEXT PRIMARY KEY) STRICT"),
        Case("(a TEXT NOT NULL)", "(a TEXT PRIMARY KEY)", "NOT NULL"),
        Case("(a NOT NULL, b)", "(b)"),
        Case("(a)", "(a NOT NULL)"),
        Case("(a NOT NULL)", "(z)", "NOT NULL", columns: ["a": "z"]),
        Case("(a COLLATE NOCASE)", "(a)", "COLLATE NOCASE"),
        Case("(a COLLATE NOCASE)", "(a COLLATE RTRIM)", "COLLATE NOCASE -> COLLATE RTRIM"),
        Case("(a COLLATE NOCASE)", "(a COLLATE nocase)"),
        Case("(a COLLATE BINARY)", "(a)"),
        Case("(a)", "(a COLLATE NOCASE)"),
    ]) func columns(_ it: Case) throws { try check(it) }

    @Test(arguments: [
        Case("(a CHECK (a > 0))", "(a)", "CHECK (a > 0)"),
        Case("(a CHECK (a > 0))", "(a, CHECK ( \"A\">0 ))"),
        Case("(a CHECK (a > 0))", "(b CHECK (b > 0))", columns: ["a": "b"]),
        Case("(a CHECK (a > 0))", "(b)", "CHECK (b > 0)", columns: ["a": "b"]),
        Case("(a, b, CHECK (a > b))", "(b)"),
        Case("(a CHECK (a > 0))", "(a CHECK (a > 0 AND a < 9))"),
        Case("(a CHECK (a > 0 AND a < 9))", "(a CHECK (a > 0) CHECK (a < 9))"),
        Case("(a CHECK (a > 0 AND a < 9))", "(a CHECK (a > 0))", "CHECK (a > 0 AND a < 9) -> CHECK (a > 0)"),
        Case("(a CHECK (a BETWEEN 0 AND 255))", "(a CHECK (a BETWEEN 1 AND 100))"),
        Case("(a CHECK (a BETWEEN 0 AND 255))", "(a CHECK (a >= 0 AND a <= 255))"),
        Case("(a CHECK (a BETWEEN 0 AND 255))", "(a CHECK (a IN (1, 2.5, 255)))"),
        Case(
            "(a CHECK (a BETWEEN 0 AND 255))", "(a CHECK (a BETWEEN 0 AND 65535))",
            "CHECK (a BETWEEN 0 AND 255) -> CHECK (a BETWEEN 0 AND 65535)"),
        Case("(a CHECK (a > 0))", "(a CHECK (a >= 0))", "CHECK (a > 0) -> CHECK (a >= 0)"),
        Case("(a CHECK (a >= 0))", "(a CHECK (0 < a))"),
        Case("(a CHECK (a IN ('x', 'y', 'z')))", "(a CHECK (a IN ('z', 'x')))"),
        Case("(a CHECK (a IN ('x', 'y')))", "(a CHECK (a = 'x'))"),
        Case("(a CHECK (a IS NULL OR a IN ('x', 'y')))", "(a CHECK (a IN ('y', 'x')))"),
        Case("(a CHECK (length(a) <= 10))", "(a CHECK (a IS NULL OR length(a) < 10))"),
        Case(
            "(a CHECK (a IN ('x', 'y')))", "(a CHECK (a IN ('x', 'y', 'z')))",
            "CHECK (a IN ('x', 'y')) -> CHECK (a IN ('x', 'y', 'z'))"),
        Case("(a CHECK (a IS NOT NULL))", "(a NOT NULL)"),
        Case("(a CHECK (typeof(a) = 'integer'))", "(a INT NOT NULL) STRICT"),
        Case("(a CHECK (typeof(a) = 'integer'))", "(a INT) STRICT", "CHECK (typeof(a) = 'integer')"),
        Case("(a CHECK (typeof(a) IN ('integer', 'null')))", "(a INT) STRICT"),
        Case(
            "(a CHECK (a LIKE 'x%'))", "(a CHECK (a GLOB 'x*'))", "CHECK (a LIKE 'x%') -> CHECK (a GLOB 'x*')"
        ),
        Case("(a CHECK (a OR 1 = 2))", "(a)", "CHECK (a OR 1 = 2)"),
    ]) func checks(_ it: Case) throws { try check(it) }

    @Test func aLongerListIsKnown() throws {
        func isLonger(_ old: String, _ new: String) throws -> [Bool] {
            try Self.losses(Case("(a CHECK (\(old)))", "(a CHECK (\(new)))")).map(\.isLongerList)
        }
        #expect(try isLonger("a IN (1, 2)", "a IN (3, 2, 1)") == [true])
        #expect(try isLonger("a IN (1, 2)", "a IN (3, 1)") == [false])
        #expect(try isLonger("a IN (1, 2) AND a > 1", "a IN (3, 2, 1)") == [false])
    }

    @Test(arguments: [
        Case("(a REFERENCES p)", "(a)", "REFERENCES p"),
        Case("(a REFERENCES p(id) ON DELETE CASCADE)", "(a, FOREIGN KEY (a) REFERENCES P ON DELETE CASCADE)"),
        Case(
            "(a REFERENCES p ON DELETE CASCADE)", "(a REFERENCES p)",
            "REFERENCES p ON DELETE CASCADE -> REFERENCES p"),
        Case(
            "(a REFERENCES p ON UPDATE CASCADE)", "(a REFERENCES p ON DELETE CASCADE)",
            "REFERENCES p ON UPDATE CASCADE -> REFERENCES p ON DELETE CASCADE"),
        Case("(a REFERENCES p)", "(a REFERENCES p ON DELETE SET NULL)"),
        Case("(a REFERENCES p ON DELETE SET NULL)", "(a NOT NULL REFERENCES p ON DELETE RESTRICT)"),
        Case("(a REFERENCES p)", "(a REFERENCES q)", "REFERENCES p -> REFERENCES q"),
        Case("(a REFERENCES p(id))", "(a REFERENCES p(code))", "REFERENCES p (id) -> REFERENCES p (code)"),
        Case("(a REFERENCES p)", "(b REFERENCES p)", columns: ["a": "b"]),
        Case("(a REFERENCES p)", "(a REFERENCES q)", tables: ["p": ["q"]]),
        Case("(a REFERENCES p)", "(a)", "REFERENCES q", tables: ["p": ["q"]]),
        Case("(a REFERENCES gone)", "(a)"),
        Case("(a REFERENCES p)", "(a REFERENCES gone)"),
        Case("(a REFERENCES p, b)", "(b)"),
        Case("(a UNIQUE, b REFERENCES t(a))", "(b)"),
        Case("(a INTEGER PRIMARY KEY, b REFERENCES t)", "(a INTEGER PRIMARY KEY, b REFERENCES t(a))"),
        Case("(a INTEGER PRIMARY KEY, b REFERENCES t)", "(a INTEGER PRIMARY KEY, b)", "REFERENCES t"),
        Case(
            "(a, b, FOREIGN KEY (a, b) REFERENCES p(id, code))", "(a, b)",
            "FOREIGN KEY (a, b) REFERENCES p (id, code)"),
        Case(
            "(a, b, FOREIGN KEY (a, b) REFERENCES p(id, code))",
            "(a, b, FOREIGN KEY (b, a) REFERENCES p(code, id))"),
        Case("(a REFERENCES p, b NOT NULL)", "(a, b NOT NULL, FOREIGN KEY (a, b) REFERENCES p(id, code))"),
        Case(
            "(a REFERENCES p, b)", "(a, b, FOREIGN KEY (a, b) REFERENCES p(id, code))", "REFERENCES p"),
    ]) func references(_ it: Case) throws { try check(it) }
}
