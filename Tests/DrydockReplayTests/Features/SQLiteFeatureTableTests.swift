import DatabaseEngine
import Drydock
import Foundation
import Testing

@testable import DrydockLibraries
@testable import DrydockReplay
@testable import DrydockTestSupport
@testable import OverlayVFS

/// Each row of the table of features is tried on real builds of SQLite: it must be refused below its version and taken from
/// it on.
@Suite(.enabled(if: !OtherLibraries.released.isEmpty, OtherLibraries.reason))
struct SQLiteFeatureTableTests {
    private typealias Row = (since: SQLiteVersion, sql: String)

    /// A statement for each kind of syntax, by what the table calls it.
    private static let syntax: [String: [String]] = [
        "WITHOUT ROWID": ["CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID"],
        "WITH": [
            "WITH n AS (SELECT 1) SELECT * FROM n", "WITH RECURSIVE n(x) AS (SELECT 1) SELECT x FROM n",
        ],
        "VALUES as a query": ["CREATE VIEW v AS VALUES (1)", "SELECT * FROM (VALUES (1))"],
        "an upsert": [
            "INSERT INTO t(a) VALUES (1) ON CONFLICT (a) DO NOTHING",
            "INSERT INTO t(a) VALUES (1) ON CONFLICT DO NOTHING",
        ],
        "an alias of an INSERT's table": [
            "INSERT INTO t AS x(a) VALUES (9)", "INSERT INTO main.t AS x(a) VALUES (9)",
        ],
        "RENAME COLUMN": ["ALTER TABLE t RENAME COLUMN b TO d"],
        "a window function": [
            "SELECT count(*) OVER () FROM t", "SELECT count(*) OVER w FROM t WINDOW w AS (ORDER BY a)",
        ],
        "GROUPS": window("GROUPS UNBOUNDED PRECEDING", "GROUPS CURRENT ROW", "GROUPS 1 PRECEDING"),
        "EXCLUDE": window(
            "ROWS CURRENT ROW EXCLUDE NO OTHERS", "ROWS CURRENT ROW EXCLUDE CURRENT ROW",
            "ROWS CURRENT ROW EXCLUDE GROUP", "ROWS CURRENT ROW EXCLUDE TIES"),
        "RANGE with a number": window("RANGE 1 PRECEDING", "RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING"),
        "NULLS FIRST": ["SELECT a FROM t ORDER BY b NULLS FIRST"],
        "NULLS LAST": ["SELECT a FROM t ORDER BY b NULLS LAST"],
        "a generated column": ["CREATE TABLE g(a, b GENERATED ALWAYS AS (a))"],
        "MATERIALIZED": ["WITH n AS MATERIALIZED (SELECT 1) SELECT * FROM n"],
        "NOT MATERIALIZED": ["WITH n AS NOT MATERIALIZED (SELECT 1) SELECT * FROM n"],
        "the operator ->": ["SELECT '{}' -> '$'", "SELECT '{}' ->> '$'"],
        "RIGHT JOIN": [
            "SELECT * FROM t RIGHT JOIN u ON t.a = u.a", "SELECT * FROM t RIGHT OUTER JOIN u ON t.a = u.a",
        ],
        "FULL JOIN": [
            "SELECT * FROM t FULL JOIN u ON t.a = u.a", "SELECT * FROM t FULL OUTER JOIN u ON t.a = u.a",
        ],
        "IS DISTINCT FROM": ["SELECT 1 IS DISTINCT FROM 2"],
        "IS NOT DISTINCT FROM": ["SELECT 1 IS NOT DISTINCT FROM 2"],
        "REINDEX EXPRESSIONS": ["REINDEX EXPRESSIONS"],
        "SET NOT NULL": ["ALTER TABLE t ALTER COLUMN b SET NOT NULL"],
        "DROP NOT NULL": ["ALTER TABLE t ALTER COLUMN b DROP NOT NULL"],
        "ADD CONSTRAINT": ["ALTER TABLE t ADD CONSTRAINT k CHECK (a > 0)"],
        "ADD CHECK": ["ALTER TABLE t ADD CHECK (a > 0)"],
        "DROP CONSTRAINT": ["ALTER TABLE k DROP CONSTRAINT named"],
    ]

    /// What lint finds without the table, in `SQLiteFeature` and `FeatureReader`.
    private static let others: [Row] = [
        (.init(37), "CREATE TABLE s(a INT) STRICT"), (.init(35), "ALTER TABLE t DROP COLUMN c"),
        (.init(35), "INSERT INTO t(a) VALUES (7) RETURNING a"), (.init(33), "UPDATE t SET b = u.a FROM u"),
        (.init(30), "SELECT count(*) FILTER (WHERE a > 0) FROM t"), (.init(27), "VACUUM INTO 'copy'"),
        (.init(35), "INSERT INTO t(a) VALUES (1) ON CONFLICT(a) DO NOTHING ON CONFLICT DO NOTHING"),
        (.init(35), "INSERT INTO t(a) VALUES (1) ON CONFLICT DO UPDATE SET b = 1"),
        (.init(46), "SELECT 1_000"),
        (.init(44), "SELECT group_concat(a ORDER BY a) FROM t"), (.init(48), "SELECT iif(1, 2)"),
        (.init(49), "SELECT iif(1, 2, 3, 4)"),
        (.init(47), "CREATE TRIGGER g BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'no ' || NEW.a); END"),
    ]

    private static func window(_ frames: String...) -> [String] {
        frames.map { "SELECT count(*) OVER (ORDER BY a \($0)) FROM t" }
    }

    private static let schema = [
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)", "CREATE TABLE u(a PRIMARY KEY)",
        "CREATE TABLE k(a CONSTRAINT named CHECK (a > 0))", "CREATE TABLE nn(a NOT NULL)",
    ]

    /// Runs statements on a library.
    /// - Returns: why one of them failed, and the uses that do not compile afterwards, with the messages.
    private func run(
        _ statements: [String], _ uses: [String], on library: SQLiteBuild
    ) async throws -> (failure: String?, refused: [String: String]) {
        let process = try LibraryProcess(program: Tool.path)
        let empty = try Image(base: nil, named: "a.sqlite")
        try empty.write(to: process.folder.path + "/before", since: nil)
        var migration = Migration(identifier: "m", path: "m.sql")
        migration.take(statements)
        (migration.transaction, migration.isDeferred) = (.none, false)
        let batch = RepeatedBatch(
            engine: "nio", base: nil, name: "a.sqlite", state: "before", time: 0, seed: 1, foreignKeys: false,
            doubleQuotedStrings: nil, functions: [], collations: [], setup: [], seconds: nil, memory: nil,
            written: nil, policy: ToolPolicy(transaction: .none, foreignKeys: false), historySetup: [],
            migrations: [.init(migration)], uses: [.init(), .init(statements: uses)])
        guard
            case .answered(let answer) = try await process.run(
                .run(batch), loading: library.path, mustStop: { false })
        else {
            Issue.record("\(library.path) gave no answer")
            return (nil, [:])
        }
        try #require(answer.library.version == library.version)
        let outcome = try #require(answer.outcome)
        let refused = outcome.reached.first?.refused ?? []
        return (
            outcome.failure?.message,
            Dictionary(refused.map { ($0.statement, $0.message) }, uniquingKeysWith: { first, _ in first })
        )
    }

    private func described(_ build: SQLiteBuild) async throws -> SQLiteBuild {
        try await LibrarySurvey(program: Tool.path).describe(build.path)
    }

    @Test func everySyntaxHasASample() {
        #expect(
            Set(SQLiteFeatureTable.patterns.map(\.what)) == Set(Self.syntax.keys),
            "\(Set(SQLiteFeatureTable.patterns.map(\.what)).symmetricDifference(Self.syntax.keys))")
    }

    @Test(arguments: OtherLibraries.released)
    func whatIsCompiledIsRefusedBelowItsVersion(_ build: SQLiteBuild) async throws {
        let library = try await described(build)
        let number = try #require(library.number)
        var rows = Self.others
        for (what, samples) in Self.syntax {
            let since = try #require(SQLiteFeatureTable.patterns.first { $0.what == what }?.since)
            rows += samples.map { (since, $0) }
        }
        for (name, since) in SQLiteFeatureTable.tables { rows.append((since, "SELECT * FROM \(name)")) }
        let (failure, refused) = try await run(
            Self.schema, rows.map(\.sql) + functions.map(\.sql), on: library)
        #expect(failure == nil)
        for (since, sql) in rows {
            // A table-valued PRAGMA without its argument is one that exists.
            let isRefused = refused[sql].map { !$0.hasPrefix("no such table-valued") } ?? false
            #expect(isRefused == (number < since), "\(sql) on \(library.version): \(refused[sql] ?? "taken")")
        }
        for (since, sql) in functions {
            if library.lacks.contains("MATH_FUNCTIONS"), since == SQLiteVersion(35), !sql.contains("sign(") {
                continue
            }
            let isMissing = refused[sql].map { $0.hasPrefix("no such") } ?? false
            #expect(isMissing == (number < since), "\(sql) on \(library.version): \(refused[sql] ?? "taken")")
        }
    }

    private var functions: [Row] {
        SQLiteFeatureTable.functions.map { name, since in
            let isTable = name.hasSuffix("_each") || name.hasSuffix("_tree")
            return (since, isTable ? "SELECT * FROM \(name)('[]')" : "SELECT \(name)()")
        }
    }

    /// What shows only when it runs is tried on the nearest builds below and at its version.
    @Test func whatRunsIsRefusedBelowItsVersion() async throws {
        let calls = [
            "auto": "datetime(1, 'auto')", "julianday": "datetime(2450000, 'julianday')",
            "subsec": "datetime(0, 'unixepoch', 'subsec')",
            "subsecond": "datetime(0, 'unixepoch', 'subsecond')",
            "ceiling": "date('2024-01-31', '+1 month', 'ceiling')",
            "floor": "date('2024-01-31', '+1 month', 'floor')",
        ]
        #expect(Set(calls.keys) == Set(SQLiteFeatureTable.dateModifiers.keys))
        var rows: [Row] = calls.map { name, call in
            (SQLiteFeatureTable.dateModifiers[name] ?? .init(0), "INSERT INTO nn VALUES (\(call))")
        }
        for (letter, since) in SQLiteFeatureTable.formatLetters {
            rows.append((since, "INSERT INTO nn VALUES (strftime('%\(letter)', '2024-01-02'))"))
        }
        for (since, text) in SQLiteFeatureTable.fullText {
            let option =
                switch text {
                case "contentless_delete": "x, content='', contentless_delete=1"
                case "contentless_unindexed": "x, y UNINDEXED, content='', contentless_unindexed=1"
                case "trigram": "x, tokenize='trigram'"
                default: "x, tokenize='unicode61 \(text)'"
                }
            rows.append((since, "CREATE VIRTUAL TABLE f USING fts5(\(option))"))
        }
        let builds = OtherLibraries.usable
        for (since, sql) in rows {
            let below = builds.last { $0.number.map { $0 < since } ?? false }
            let from = builds.first { $0.number.map { $0 >= since } ?? false }
            for library in [below, from].compactMap(\.self) {
                let (failure, _) = try await run(Self.schema + [sql], [], on: library)
                #expect(
                    (failure != nil) == (library.version == below?.version),
                    "\(sql) on \(library.version): \(failure ?? "taken")")
            }
        }
    }
}
