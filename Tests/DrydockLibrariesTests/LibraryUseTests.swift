import DatabaseEngine
import Drydock
import DrydockState
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import Testing

@testable import DrydockLibraries
@testable import DrydockReplay
@testable import DrydockTestSupport

/// Values of virtual generated columns, which each library computes by itself.
@Suite struct LibraryUseTests {
    private static let table = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a, v AS (a || '!'), w AS (a || '?') STORED, u AS (id * 2));
        CREATE TABLE k(a TEXT, b INTEGER, c AS (b + 1), PRIMARY KEY(a, b)) WITHOUT ROWID;
        CREATE TABLE plain(a);
        INSERT INTO t(id, a) VALUES (1, 'one'), (2, 'two');
        INSERT INTO k(a, b) VALUES ('x', 1), ('x', 2);
        """

    private func use(_ sql: String, _ engine: any Engine) async throws -> (
        LibraryUse, [ComputedTable.Values?]
    ) {
        let folder = try TemporaryFolder()
        try PlainDatabase(folder.file("a.sqlite")).execute(sql)
        return try await engine.use(
            try Overlay(snapshot: folder.file("a.sqlite")), settings: ConnectionSettings()
        ) {
            database in
            try await database.withConnection { connection in
                let catalog = try Catalog(connection, without: [], earlier: nil)
                let use = try LibraryUse(of: catalog, on: connection)
                return (use, try use.job.computed.map { try $0.values(on: connection) })
            }
        }
    }

    @Test(arguments: [GRDBDriver() as any Engine, NIODriver()])
    func onlyVirtualColumnsCount(_ engine: any Engine) async throws {
        let (use, values) = try await use(Self.table, engine)
        #expect(use.job.computed.map(\.name) == ["k", "t"])
        #expect(use.job.computed.map(\.columns) == [["c"], ["v", "u"]])
        let none = use.differences(values)
        #expect(none.parts.isEmpty && none.rows.isEmpty)
    }

    @Test func whatDiffersIsNamedWithRows() async throws {
        let (use, values) = try await use(Self.table, GRDBDriver())
        // A library that computes something else, as a changed expression does.
        let (_, theirs) = try await self.use(
            Self.table.replacingOccurrences(of: "a || '!'", with: "a || iif(id = 2, '!!', '!')"), GRDBDriver()
        )
        let found = use.differences(theirs)
        #expect(found.parts == [.column(table: "t", "v")])
        #expect(found.rows.count == 1 && found.rows[0].key.first?.value.literal == "2")
        #expect(found.rows[0].before?.literal == "'two!'" && found.rows[0].after?.literal == "'two!!'")
        // What differed before is not said again.
        #expect(use.differences(theirs, without: found).parts.isEmpty)
        // What could not be computed is said where the table is used.
        #expect(use.differences(values.map { _ in nil }).parts.isEmpty)
    }

    /// Another order of the rows is not another value.
    @Test func theRowidSaysNothing() async throws {
        let rows = ["INSERT INTO r(a) VALUES (1), (2);", "INSERT INTO r(a) VALUES (2), (1);"]
        let table = "CREATE TABLE r(a, b AS (a + 1));"
        let (use, _) = try await use(table + rows[0], GRDBDriver())
        let (_, theirs) = try await self.use(table + rows[1], GRDBDriver())
        #expect(use.differences(theirs).parts.isEmpty)
    }

    @Test func whatAStepLeavesAloneIsNotReadAgain() async throws {
        let (use, _) = try await use(Self.table, GRDBDriver())
        let (next, _) = try await self.use(Self.table + "UPDATE t SET a = 'z' WHERE id = 1;", GRDBDriver())
        #expect(LibraryUse.changed([use, use]).map(\.job.computed.count) == [0, 0])
        #expect(
            LibraryUse.changed([use, next, next]).map { $0.job.computed.map(\.name) } == [
                ["k", "t"], ["t"], [],
            ])
    }
}
