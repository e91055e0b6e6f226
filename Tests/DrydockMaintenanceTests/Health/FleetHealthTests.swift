import DatabaseEngine
import Foundation
import GRDBEngine
import NIOEngine
import OverlayVFS
import TestTools
import SQLiteFile
import Testing

@testable import DrydockFindings
@testable import DrydockMaintenance
@testable import DrydockState
@testable import DrydockTestSupport

/// What is found in a database does not depend on those that are checked before it.
@Suite struct FleetHealthTests {
    private static let sql =
        """
        PRAGMA page_size = 1024; PRAGMA auto_vacuum = incremental; PRAGMA foreign_keys = OFF;
        CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT NOT NULL, up REFERENCES t(id)); CREATE INDEX t_x ON t(x);
        CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; CREATE TABLE big(z);
        CREATE VIRTUAL TABLE f USING fts5(x, content = 't', content_rowid = 'id');
        """ + HealthCase.numbers(300)
            + """
            INSERT INTO t SELECT n, printf('%08X', n * 2654435761 % 4294967296), nullif(n - 1, 0) FROM s;
            INSERT INTO w SELECT x || id, id FROM t; INSERT INTO big SELECT zeroblob(id * 20) FROM t WHERE id % 9 = 0;
            INSERT INTO f(f) VALUES ('rebuild'); DELETE FROM big WHERE rowid % 3 = 0;
            """

    /// What an app can do wrong, each to one database.
    private static let mistakes = [
        "", "DELETE FROM t WHERE id = 5", "UPDATE t SET x = 'other words' WHERE id = 7", "DELETE FROM w",
        "INSERT INTO f(f) VALUES ('rebuild')", "INSERT INTO t VALUES (9223372036854775807, 'last', 4)",
        "PRAGMA user_version = 7; INSERT INTO f(f, rank) VALUES ('pgsz', 64); INSERT INTO f(f) VALUES ('rebuild')",
        "INSERT INTO f(f) VALUES ('delete-all')",
    ]

    @Test(arguments: [GRDBDriver(), NIODriver()] as [any Engine], [false, true])
    func eachIsFoundAsAlone(_ engine: any Engine, isDeep: Bool) async throws {
        let base = try HealthCase(Self.sql)
        let whole = try Data(contentsOf: URL(filePath: base.path))
        let census = try PageCensus(DatabaseFile(ImagePages(Overlay(snapshot: base.path).freeze().image)))
        var paths: [String] = []
        for number in 0..<(isSoak ? 1000 : 24) {
            let path = base.folder.file("\(number).db")
            try whole.write(to: URL(filePath: path))
            switch number % 3 {
            case 0: try PlainDatabase(path).execute(Self.mistakes[number / 3 % Self.mistakes.count])
            case 1:
                var seed = DamageSeed(number / 3)
                do { try seed.damage(path, whole, census) } catch is PlainDatabase.Failure {}
            default: break
            }
            paths.append(path)
        }
        for path in paths {
            // They must look as if they were written a while ago.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: path)
        }
        func check(_ paths: [String], jobs: Int) async throws -> [CheckedDatabase] {
            var request = HealthRequest()
            (request.databases, request.isDeep, request.jobs, request.slice) = (
                paths, isDeep, jobs, .seconds(30)
            )
            // What is free on the disk changes meanwhile.
            request.without = ["disk-space"]
            return try await HealthInspector(engine: engine).check(request).databases
        }
        for jobs in [1, 2] {
            for (path, together) in zip(paths, try await check(paths, jobs: jobs)) {
                let alone = try await check([path], jobs: 1)[0]
                #expect(try facts(together) == facts(alone), "\(path)")
            }
        }
    }

    private func facts(_ checked: CheckedDatabase) throws -> String {
        var checked = checked
        checked.seconds = 0
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(checked), as: UTF8.self)
    }
}
