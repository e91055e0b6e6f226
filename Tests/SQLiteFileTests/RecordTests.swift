import Foundation
import Testing

@testable import SQLiteFile

/// A record is damaged for us exactly where it is for SQLite.
@Suite struct RecordTests {
    @Test(arguments: ["TEXT", "BLOB"]) func `columns fill their record exactly`(type: String) throws {
        let folder = Folder()
        let path = folder.file("record.sqlite")
        let database = try Database(path)
        try database.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES(CAST('0123456789' AS \(type)), 300)")
        let whole = try Data(contentsOf: URL(filePath: path))
        let header = Data([3, type == "TEXT" ? 33 : 32, 2])
        let place = try #require(whole.range(of: header)).lowerBound
        var damaged = 0
        for serialType in 0..<UInt8(60) where serialType != 10 && serialType != 11 {
            var bytes = whole
            bytes[place + 1] = serialType
            try bytes.write(to: URL(filePath: path))
            let theirs = try? Database(path).rows("SELECT b FROM t")
            let file = try DatabaseFile(path: path)
            let ours = try? file.rows(root: file.root("t"))
            #expect((theirs == nil) == (ours == nil), "serial type \(serialType)")
            if theirs == nil { damaged += 1 }
        }
        #expect(damaged > 40)
    }
}
