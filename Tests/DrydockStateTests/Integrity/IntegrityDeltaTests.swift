import DatabaseEngine
import Foundation
import GRDBEngine
import OverlayVFS
import TestTools
import SQLiteFile
import Testing

@testable import DrydockState
@testable import DrydockTestSupport

/// A look at what differs from a state that is whole agrees with `PRAGMA integrity_check` of the whole database.
@Suite struct IntegrityDeltaTests {
    private static let changes = [
        "UPDATE t SET x = 'other' || x, r = NULL WHERE id BETWEEN 100 AND 110",
        "INSERT INTO t(x, y) SELECT 'new ' || id, -id FROM t", "DELETE FROM t WHERE id % 3 = 0",
        "UPDATE w SET v = 'x' || v WHERE j = 3; DELETE FROM w WHERE j > 40; INSERT INTO w VALUES('k', 1000, 'v')",
        "INSERT INTO c(n, m) VALUES (5, 'fine'); DELETE FROM c WHERE id < 40; UPDATE c SET n = n + 1",
        "UPDATE big SET q = hex(zeroblob(2000)) WHERE rowid % 2 = 0; INSERT INTO big VALUES(zeroblob(70000), 'z')",
        "DELETE FROM big; INSERT INTO seq(v) VALUES (1), ('two')", "DELETE FROM s",
        "INSERT INTO empty VALUES (1, 2), (NULL, 3), (NULL, 3)", "INSERT INTO f VALUES ('more words')",
        "UPDATE p SET n = n + 1, m = m || 'x'", "DELETE FROM t",
    ]

    @Test(arguments: IntegrityScanTests.settings)
    func `what SQLite writes into a database that is whole is proved to be`(settings: String) async throws {
        let fixture = try Fixture(settings)
        for change in Self.changes {
            try fixture.reset()
            try PlainDatabase(fixture.path).execute(change)
            let found = try await fixture.look()
            #expect(found.check?.isFaultless == true && found.pragma.isFaultless, "\(change): \(found)")
            // What has pointer maps is looked at as a whole.
            guard !settings.contains("auto_vacuum") else { continue }
            #expect(found.delta != nil, "\(change)")
            #expect(found.delta?.others.filter { !["f", "p"].contains($0) } == [], "\(change): \(found)")
        }
    }

    @Test(arguments: IntegrityScanTests.settings)
    func `damage that SQLite finds is found`(settings: String) async throws {
        let fixture = try Fixture(settings)
        var (found, judged) = (0, 0)
        for number in seeds(25, of: 119, soak: 3_000) {
            try fixture.reset()
            try PlainDatabase(fixture.path).execute(Self.changes[number % Self.changes.count])
            let url = URL(filePath: fixture.path)
            let damage = PageDamage(seed: number, of: try Data(contentsOf: url))
            try damage.bytes.write(to: url)
            let look = try await fixture.look()
            guard !look.pragma.isFaultless else { continue }
            found += 1
            // Where the pages cannot be read, the whole database is looked at.
            guard let check = look.check else { continue }
            judged += 1
            #expect(!check.isFaultless, "\(number) \(damage): \(look.pragma.damage.prefix(3))")
        }
        #expect(found > 0, "\(found) \(judged)")
    }

    @Test(arguments: IntegrityScanTests.disagreements)
    func `rows that disagree are found`(name: String, other: String, change: String) async throws {
        let fixture = try Fixture("")
        try PlainDatabase(fixture.path).execute("REINDEX")
        try fixture.keep()
        try IntegrityScanTests.disagree(fixture.path, name, other, change)
        let look = try await fixture.look()
        #expect(!look.pragma.isFaultless, "the test makes no damage")
        #expect(look.delta?.others.isEmpty == false)
        #expect(
            look.check?.damage == look.pragma.damage
                && look.check?.brokenConstraints == look.pragma.brokenConstraints, "\(look)")
    }

    @Test func `a CHECK is asked for the rows that came, and for all where there are many`() async throws {
        let fixture = try Fixture("")
        try IntegrityScanTests.disagree(
            fixture.path, "c", "CREATE TABLE c(id INTEGER PRIMARY KEY, n INT, m TEXT, late INT)",
            "UPDATE c SET n = -1 WHERE id = 5")
        try fixture.keep()
        // The broken row is not one of those that came.
        try PlainDatabase(fixture.path).execute("UPDATE c SET n = 8 WHERE id = 9")
        #expect(try await fixture.look().delta?.others == [])
        try fixture.reset()
        try PlainDatabase(fixture.path).execute(
            "INSERT INTO c(n, m) SELECT n + 9, 'x' FROM c, (VALUES (1), (2), (3))")
        #expect(try await fixture.look().delta?.others == ["c"])
    }
}

/// A database in two states.
private struct Fixture {
    struct Look {
        /// Nil where the pages cannot be read, or the whole file is to be looked at.
        var delta: IntegrityDelta?
        /// Nil where the pages cannot be read.
        var check: IntegrityCheck?
        var pragma: IntegrityCheck
    }

    let folder: TemporaryFolder
    var path: String { folder.file("later.sqlite") }
    private var earlier: String { folder.file("earlier.sqlite") }

    init(_ settings: String) throws {
        folder = try TemporaryFolder()
        try PlainDatabase(path).execute(IntegrityScanTests.sql(1, settings))
        try keep()
    }

    /// Makes the present state the earlier one.
    func keep() throws { try Self.copy(path, earlier) }

    func reset() throws { try Self.copy(earlier, path) }

    private static func copy(_ from: String, _ to: String) throws {
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    func look() async throws -> Look {
        let before = try Overlay(snapshot: earlier).freeze().image
        let live = try Overlay(snapshot: path).freeze().image
        let image = try before.updated(to: live) ?? before
        let overlay = try Overlay(image)
        do {
            return try await GRDBDriver().useWhole(overlay, settings: ConnectionSettings()) { database in
                try await database.withConnection { connection in
                    var unreadable: [Catalog.UnreadableTable] = []
                    let catalog = try Catalog(
                        reading: connection, historyTables: [], unreadable: &unreadable)
                    let pragma = try IntegrityCheck(connection, catalog: catalog)
                    let pages = try StatePages(before)
                    guard let (_, changes) = try? pages.next(image, image.footprint(since: before)),
                        changes.keepsSchema
                    else { return Look(pragma: pragma) }
                    return Look(
                        delta: try IntegrityDelta(changes, catalog, connection),
                        check: try IntegrityCheck(connection, catalog: catalog, since: changes),
                        pragma: pragma)
                }
            }
        } catch is EngineError {
            return Look(pragma: .refused)
        }
    }
}
