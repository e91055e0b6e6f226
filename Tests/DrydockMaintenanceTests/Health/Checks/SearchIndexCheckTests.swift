import Drydock
import Foundation
import NIOEngine
import Testing

@testable import DrydockTestSupport

@Suite struct SearchIndexCheckTests {
    @Test(arguments: ["fts5(x, content=doc, content_rowid=id)", "fts4(x, content=doc)"])
    func `an index that lost its content is an error, and the file stays as it is`(module: String)
        async throws
    {
        let it = try HealthCase(
            """
            CREATE TABLE doc(id INTEGER PRIMARY KEY, x); CREATE VIRTUAL TABLE f USING \(module);
            INSERT INTO doc VALUES(1, 'one'), (2, 'two'); INSERT INTO f(rowid, x) SELECT id, x FROM doc;
            """)
        #expect(try await it.findings("search-index-stale").isEmpty)
        try it.execute("UPDATE doc SET x = 'three' WHERE id = 2")
        let before = try it.folder.contents()
        #expect(try await it.findings("search-index-stale").map(\.severity) == [.error])
        #expect(try it.folder.contents() == before)
    }

    /// Damage that the modules' own checks leave out.
    @Test(arguments: [
        ("fts5(a)", "DELETE FROM x_idx"), ("fts5(a)", "DELETE FROM x_docsize WHERE id = 7"),
        ("fts4(a)", "DELETE FROM x_docsize"), ("fts4(a)", "DELETE FROM x_stat"),
        ("fts4(a)", "UPDATE x_docsize SET size = x'7f' WHERE docid = 3"), ("fts3(a)", "DELETE FROM x_segdir"),
    ]) func `tables of a module that were changed behind its back`(_ module: String, _ sql: String)
        async throws
    {
        let it = try HealthCase(
            "CREATE VIRTUAL TABLE x USING \(module);" + HealthCase.numbers(2000)
                + "INSERT INTO x(a) SELECT printf('w%d w%d', n, n * 7) FROM s")
        #expect(try await it.findings("search-index-stale") { $0.isDeep = true }.isEmpty)
        try it.execute(sql)
        #expect(try await it.findings("search-index-stale") { $0.isDeep = true }.map(\.severity) == [.error])
    }

    /// SQLite looks at the cells of a page when it reads the page, and takes it for sound when it meets it again.
    @Test(arguments: [true, false])
    func `a damaged page is not read as if what lies behind it in memory were its own`(
        _ isDeep: Bool
    ) async throws {
        let it = try HealthCase(
            "PRAGMA page_size = 512; CREATE VIRTUAL TABLE f USING fts4(t);" + HealthCase.numbers(8)
                + "INSERT INTO f SELECT 'w' || n FROM s")
        try it.moveLastCell(of: "f_docsize")
        let report = try await it.report { $0.isDeep = isDeep }
        let found = report.findings.filter { $0.severity == .error }
        #expect(found.map(\.rule) == [.integrityFailure, .searchIndexStale])
        #expect(
            found.last?.message.hasPrefix("full-text index f does not agree") == true, "\(found.map(\.line))")
    }

    private static let index =
        "CREATE VIRTUAL TABLE f USING fts5(\"a b\", c UNINDEXED, prefix = '2'); INSERT INTO f VALUES ('x', 'y')"

    /// A connection that opens the damaged index fails; with a schema that is known already, none has to.
    @Test(arguments: ["DELETE FROM f_data WHERE id = 10", "UPDATE f_data SET block = x'ff' WHERE id = 10"])
    func `what is said does not depend on the databases before`(_ damage: String) async throws {
        let it = try HealthCase(Self.index)
        let said = try await it.saidInEveryOrder { try $0.execute(damage) }.findings
        #expect(said.map(\.rule) == [.searchIndexStale])
        #expect(said[0].message.hasPrefix("full-text index f does not agree"))
    }

    @Test(arguments: ["f_data", "f_config"], [true, false])
    func `a damaged page of an index stops no other check`(_ table: String, _ isGRDB: Bool) async throws {
        var it = try HealthCase(Self.index)
        if !isGRDB { it.engine = NIODriver() }
        let said = try await it.saidInEveryOrder { try $0.overwriteRoot(of: table) }
        #expect(said.findings.map(\.rule) == [.integrityFailure, .searchIndexStale])
        #expect(said.findings.last?.table == "f")
        #expect(Set(said.notReached.map(\.rule)) == [.fragmentation, .objectSize])
    }

    /// The index that SQLite does not open is of no use to the app either.
    @Test(arguments: [("DELETE FROM f_config", 0), ("UPDATE f_config SET v = 3", 3)])
    func `an index without the number of its format is damaged`(_ damage: String, _ found: Int) async throws {
        let it = try HealthCase(Self.index)
        let said = try await it.saidInEveryOrder { try $0.execute(damage) }
        #expect(said.findings.map(\.rule) == [.searchIndexStale])
        #expect(
            said.findings[0].message.hasPrefix(
                "full-text index f cannot be read: invalid fts5 file format (found \(found), expected 4"))
        #expect(!said.findings[0].message.contains("run"))
        #expect(said.notReached.isEmpty)
    }

    /// To open the index is to read the page. Behind one of the same schema that is damaged too, it was not opened before.
    @Test func `what is said does not depend on how often the index was opened`() async throws {
        let it = try HealthCase(Self.index)
        let other = it.folder.file("other.sqlite")
        try FileManager.default.copyItem(atPath: it.path, toPath: other)
        try PlainDatabase(other).execute("DELETE FROM f_config")
        try it.moveLastCell(of: "f_config")
        var said: Set<[String]> = []
        for order in [[it.path], [other, it.path], [it.path, other]] {
            let report = try await it.report { ($0.databases, $0.jobs, $0.isDeep) = (order, 1, true) }
            said.insert(report.findings.filter { $0.database == it.path }.map(\.line))
        }
        #expect(said.count == 1 && said.first?.count == 2, "\(said)")
    }

    @Test func `an index of a newer SQLite is not checked, and its file is`() async throws {
        let it = try HealthCase(Self.index)
        let said = try await it.saidInEveryOrder { try $0.execute("UPDATE f_config SET v = 99") }
        #expect(said.findings.map(\.severity) == [.warning])
        #expect(said.findings[0].message.hasPrefix("integrity-failure was not checked in all of f: "))
        #expect(said.findings[0].message.hasSuffix("a newer SQLite may have written it"))
        #expect(said.notReached.map(\.table) == ["f"])
    }

    /// SQLite opens a file read-only if its header asks for a newer writer, and the modules' checks are INSERTs.
    @Test(arguments: ["fts4(a)", "fts5(a)"]) func `a file for a newer writer has no damaged index`(
        _ module: String
    ) async throws {
        let it = try HealthCase("CREATE VIRTUAL TABLE x USING \(module); INSERT INTO x VALUES ('a')")
        var bytes = try Data(contentsOf: URL(filePath: it.path))
        bytes[18] = 3
        try bytes.write(to: URL(filePath: it.path))
        let report = try await it.report()
        #expect(report.findings.map(\.rule.rawValue).contains("file-header"))
        #expect(!report.findings.contains { $0.severity == .error }, "\(report.findings.map(\.line))")
        #expect(report.notChecked.contains { $0.rule == .searchIndexStale }, "\(report.notChecked)")
    }
}
