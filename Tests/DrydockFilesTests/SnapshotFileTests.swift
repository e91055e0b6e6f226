import DrydockFiles
import Foundation
import Testing

@testable import DrydockTestSupport

@Suite struct SnapshotFileTests {
    /// A program older than SQLite 3.7.0 changes a database without its page count, which does not count from then on.
    @Test(arguments: [true, false]) func onlyAValidPageCountShowsThatAFileIsTruncated(_ isValid: Bool) throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try PlainDatabase(path).execute("CREATE TABLE t(x)")
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[28] = 1
        if !isValid { bytes[95] ^= 1 }
        try folder.write("a.db", bytes)
        #expect(SnapshotFile.fault(of: path)?.message.contains("is truncated") == (isValid ? true : nil))
    }
}
