import Foundation
import Testing

@testable import DrydockFindings
@testable import DrydockMaintenance
@testable import DrydockTestSupport

/// A table that takes longer than a slice is checked in ranges, with the same result.
@Suite struct RangedHealthTests {
    private static let sound =
        """
        PRAGMA page_size = 1024; PRAGMA auto_vacuum = full;
        CREATE TABLE p(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE UNIQUE, r REAL, UNIQUE(r, name));
        CREATE TABLE t(a, b TEXT COLLATE RTRIM, c REAL, d INTEGER REFERENCES p, e TEXT REFERENCES p(name),
            g AS (a || 'g') VIRTUAL, h AS (c * 2) STORED, CHECK(c >= 0 OR c IS NULL));
        CREATE INDEX t_b ON t(b DESC, c); CREATE INDEX t_n ON t(b COLLATE NOCASE, a); CREATE INDEX t_g ON t(g);
        CREATE INDEX t_h ON t(h); CREATE INDEX t_p ON t(a) WHERE c > 100; CREATE INDEX t_x ON t(abs(d), lower(b));
        CREATE TABLE w(k TEXT, n INTEGER, v, PRIMARY KEY(n DESC, k)) WITHOUT ROWID; CREATE INDEX w_v ON w(v);
        CREATE TABLE "select"("from" TEXT NOT NULL, rowid, UNIQUE("from")); CREATE INDEX "a""b" ON "select"(rowid);
        CREATE VIRTUAL TABLE f USING fts5(x); CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
        """ + HealthCase.numbers(900)
            + """
            INSERT INTO p SELECT n, 'Name ' || n, n / 4.0 FROM s;
            INSERT INTO t(a, b, c, d, e) SELECT id, CASE id % 3 WHEN 0 THEN NULL ELSE name || '  ' END, id, id,
                upper(name) FROM p;
            INSERT INTO t(a, b, c) SELECT zeroblob(id * 3), 'ä' || id, NULL FROM p;
            ALTER TABLE t ADD COLUMN late TEXT DEFAULT 'x'; CREATE INDEX t_late ON t(late, a);
            INSERT INTO t(a, late) SELECT id, id FROM p WHERE id % 7 = 0;
            INSERT INTO w SELECT name, id % 20, r FROM p; INSERT INTO "select" SELECT name, id FROM p;
            INSERT INTO f SELECT name FROM p; INSERT INTO r SELECT id, id, id + 1 FROM p; DELETE FROM t WHERE a % 11 = 0
            """

    /// Makes the file look as if it was written a while ago, since a recent one may be written again unnoticed.
    private func age(_ it: HealthCase) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: it.path)
    }

    @Test(arguments: ["UTF-8", "UTF-16le"])
    func `nothing is reported for a sound database`(encoding: String) async throws {
        let it = try HealthCase("PRAGMA encoding = '\(encoding)';" + Self.sound)
        try age(it)
        for isDeep in [false, true] {
            let health = try await it.health {
                ($0.isDeep, $0.isRanged, $0.slice) = (isDeep, true, .milliseconds(4))
                $0.without = ["column-type"]
            }
            #expect(health.findings.filter { $0.severity > .note }.isEmpty, "\(health.findings)")
            let missed = health.notReached.map { "\($0.rule.rawValue) \($0.table ?? ""): \($0.reason)" }
            // The rows of w are compared with their index only in one go.
            #expect(missed.allSatisfy { $0.hasPrefix("integrity-failure w:") }, "\(missed)")
        }
    }

    @Test func `rows are reported as in one go`() async throws {
        let it = try HealthCase(Self.sound)
        try it.execute(
            """
            PRAGMA foreign_keys = off; UPDATE t SET d = 5000 + rowid WHERE rowid % 100 = 3;
            UPDATE t SET e = 'nobody' WHERE rowid = 77; UPDATE p SET r = 'text' WHERE id % 90 = 0;
            UPDATE t SET b = CAST(x'ff' AS TEXT) WHERE rowid % 50 = 1;
            """)
        try age(it)
        let checks: Set = ["foreign-key-violation", "column-type", "text-encoding"]
        func messages(_ isRanged: Bool) async throws -> [String] {
            let health = try await it.health {
                ($0.only, $0.isRanged) = (checks, isRanged)
                if isRanged { $0.slice = .milliseconds(4) }
            }
            #expect(health.notReached.isEmpty)
            return health.findings.map { "\($0.severity) \($0.message) \($0.evidence?.rowCount ?? 0)" }
                .sorted()
        }
        let whole = try await messages(false)
        #expect(whole.count >= 4)
        #expect(try await messages(true) == whole)
    }

    @Test func `constraints and entries are reported with their rows`() async throws {
        let it = try HealthCase(Self.sound)
        try it.execute(
            "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, 'ON t(a) WHERE c > 100', 'ON t(a) WHERE c > 400') WHERE name = 't_p';"
        )
        try it.execute("UPDATE t SET a = -a WHERE c > 100 AND c < 200; INSERT INTO t(a, c) VALUES(7, 250)")
        try it.execute(
            """
            PRAGMA writable_schema = on;
            UPDATE sqlite_schema SET sql = replace(sql, 'c > 400', 'c > 100') WHERE name = 't_p';
            UPDATE sqlite_schema SET sql = replace(sql, 'c >= 0', 'c <> 300.0') WHERE name = 't'
            """)
        try age(it)
        let health = try await it.health {
            ($0.only, $0.isDeep, $0.isRanged, $0.slice) = (
                ["integrity-failure"], true, true, .milliseconds(4)
            )
        }
        let index = health.findings.filter { $0.object == "t_p" }.map(\.message)
        #expect(index.contains { $0.contains("of the table are not in it") }, "\(index)")
        #expect(index.contains { $0.contains("without such a row") }, "\(index)")
        #expect(
            health.findings.contains { $0.table == "t" && $0.message.contains("break a constraint") },
            "\(health.findings)")
    }

    @Test func `an unfinished check continues where it stopped`() throws {
        var progress = HealthProgress()
        var health = CheckedDatabase(path: "/a.sqlite")
        var missed = CheckedDatabase.NotReached(
            .integrityFailure, table: "t", reason: "the time was over behind row 7", cause: .time)
        missed.place = .init(pass: 1, key: .rowid(7))
        health.notReached = [missed]
        progress = progress.after([health])
        let folder = try TemporaryFolder()
        try progress.write(to: folder.file("state.json"))
        let place = try HealthProgress.load(folder.file("state.json")).place(of: "/a.sqlite")
        #expect(place == .init(check: "integrity-failure", table: "t", range: missed.place))
    }

    /// Another run comes no further with what cannot be read, whatever is said of it.
    @Test(arguments: [NotChecked.Obstacle.writers, .database, .wholeFile])
    func `only what the time was not enough for is where the next run begins`(
        _ cause: NotChecked.Obstacle
    ) {
        var health = CheckedDatabase(path: "/a.sqlite")
        health.notReached = [.init(.integrityFailure, reason: "the time was over", cause: cause)]
        #expect(HealthProgress().after([health]).place(of: "/a.sqlite") == nil)
        health.notReached.append(.init(.freelist, reason: "any words", cause: .time))
        #expect(HealthProgress().after([health]).place(of: "/a.sqlite")?.check == "freelist")
    }
}
