import Drydock
import Foundation
import Testing

/// What `integrity_check` finds in a damaged file, `drydock health --deep` finds.
@Suite struct SeededDamageTests {
    private static let sql =
        """
        PRAGMA page_size = 1024; PRAGMA auto_vacuum = incremental;
        CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT NOT NULL, y UNIQUE); CREATE INDEX t_x ON t(x);
        CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; CREATE TABLE big(z);
        """ + HealthCase.numbers(400)
            + """
            INSERT INTO t SELECT n, hex(randomblob(n % 40)), n FROM s; INSERT INTO w SELECT x || id, y FROM t;
            INSERT INTO big SELECT zeroblob(n * 30) FROM (SELECT id AS n FROM t WHERE id % 9 = 0);
            DELETE FROM t WHERE id % 5 = 0; DELETE FROM big WHERE rowid % 3 = 0
            """

    @Test func `bits, bytes and entries`() async throws {
        let it = try HealthCase(Self.sql)
        let whole = try Data(contentsOf: URL(filePath: it.path))
        var random = SystemRandom(seed: 7)
        var (found, missed) = (0, [String]())
        for number in 0..<Soak.rounds(80, 5000) {
            var bytes = whole
            for _ in 0...random.below(3) {
                let page = random.below(bytes.count / 1024)
                // Headers and pointers are at a page's beginning.
                let offset = page * 1024 + random.below(random.below(2) == 0 ? 40 : 1024)
                bytes[offset] ^= UInt8(1 << random.below(8))
            }
            try bytes.write(to: URL(filePath: it.path))
            guard try Self.isDamaged(it.path) else { continue }
            found += 1
            let health = try await it.health { $0.isDeep = true }
            if !health.findings.contains(where: { $0.severity == .error }) {
                missed.append("\(number): \(health.notReached)")
            }
        }
        #expect(found > 10)
        #expect(missed.isEmpty, "\(missed)")
    }

    /// Whether SQLite itself says so, or cannot say anything.
    private static func isDamaged(_ path: String) throws -> Bool {
        do {
            let database = try PlainDatabase(path)
            return try database.rows("PRAGMA integrity_check") { $0.string(0) } != ["ok"]
        } catch is PlainDatabase.Failure {
            return true
        }
    }

    /// The same numbers from the same seed.
    private struct SystemRandom {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func below(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
    }
}
