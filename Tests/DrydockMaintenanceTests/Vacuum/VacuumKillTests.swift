import Foundation
import TestTools
import Testing

@testable import DrydockTestSupport

/// Kills a vacuum at any instant: the file is the old database or the new one, and no commit is lost.
@Suite struct VacuumKillTests {
    private static let kills = isSoak ? 1000 : 8

    @Test(arguments: ["delete", "wal"])
    func `nothing is lost when a run is killed while others write`(journal: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("live.sqlite")
        let writer = try PlainDatabase(path)
        try writer.execute(
            """
            PRAGMA journal_mode = \(journal); PRAGMA synchronous = OFF; CREATE TABLE t(id INTEGER PRIMARY KEY, x);
            CREATE TABLE u(id INTEGER PRIMARY KEY, y UNIQUE);
            WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 400)
            INSERT INTO t SELECT n, randomblob(3000) FROM s; INSERT INTO u SELECT id, hex(id) FROM t;
            DELETE FROM t WHERE id > 300
            """)
        var (first, last, killed, round) = (1, 400, 0, 0)
        // On a busy machine some runs finish before they are killed.
        while killed < Self.kills, round < 4 * Self.kills {
            round += 1
            let earlier = try copies(in: folder)
            let process = ChildProcess()
            process.executableURL = URL(filePath: Tool.path)
            process.arguments = ["vacuum", path]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            // Every third run is killed somewhere on the way, the others some writes after their copy is seen.
            var random = SeededGenerator(seed: UInt64(round))
            var writes = random.below(30)
            var isNear = round % 3 == 0
            while process.isRunning, writes > 0 {
                isNear = try isNear || !copies(in: folder).subtracting(earlier).isEmpty
                if isNear { writes -= 1 }
                last += 1
                try writer.execute("INSERT INTO u VALUES (\(last), hex(\(last)))")
                try writer.execute("DELETE FROM u WHERE id = \(first)")
                first += 1
                usleep(3000)
            }
            if process.isRunning {
                kill(process.processIdentifier, SIGKILL)
                killed += 1
            }
            process.waitUntilExit()
            let reader = try PlainDatabase(path)
            let row = try reader.firstRow("SELECT count(*), min(id), max(id) FROM u") { row in
                (0..<3).map { Int(row.integer($0)) }
            }
            #expect(row == [last - first + 1, first, last], "round \(round)")
            #expect(try reader.firstRow("SELECT count(*) FROM t") { $0.integer(0) } == 300, "round \(round)")
            #expect(try reader.firstRow("PRAGMA integrity_check") { $0.string(0) } == "ok", "round \(round)")
        }
        #expect(killed > Self.kills / 10)
        // The next run removes what killed runs left beside the database.
        #expect(try Tool(folder: folder).run("vacuum", "live.sqlite").status == 0)
        #expect(try copies(in: folder).isEmpty)
    }

    /// The copies that a run works on, or that one left that was killed.
    private func copies(in folder: TemporaryFolder) throws -> Set<String> {
        Set(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.contains("drydock-vacuum-")
            })
    }
}
