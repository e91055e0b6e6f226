import Foundation
import Testing

@testable import DrydockMaintenance

@Suite struct LiveStateTests {
    @Test func `a link shows the files beside its target`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("data"), withIntermediateDirectories: true)
        let (path, link) = (folder.file("data/real.sqlite"), folder.file("link.sqlite"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let database = try PlainDatabase(path)
        try database.execute(
            "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a); INSERT INTO t VALUES (1)"
        )
        let state = LiveState(link)
        #expect(state.isLogged && state.hasSharedMemory && (state.logSize ?? 0) > 0)
        #expect(state == LiveState(path))
    }
}
