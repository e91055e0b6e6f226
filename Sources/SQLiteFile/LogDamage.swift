/// Why SQLite passes over frames of a write-ahead log that was written as one.
///
/// What follows the last commit is mostly of no account: frames of a transaction that was rolled back or cut off, and
/// those from before a checkpoint, after which a new log starts over them with other salts
/// (https://www.sqlite.org/walformat.html#the_wal_file_format). Frames under no header that SQLite would read, and
/// commits of the log's own salts behind a frame that is not valid, are neither.
public enum LogDamage: Equatable, Sendable {
    /// The header is not one: SQLite takes the log for empty.
    case header(frames: Int)
    /// A frame is not what its checksum says, and commits stand behind it.
    case frame(number: Int, commits: Int)

    /// Looks at a whole log.
    /// - Returns: nil where nothing that was written is passed over, as far as the log tells.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        let headerSize = WriteAheadLog.headerSize
        guard let start = bytes.baseAddress,
            bytes.count >= headerSize + WriteAheadLog.frameHeaderSize + 512
        else { return nil }
        let log: WriteAheadLog?
        do {
            log = try WriteAheadLog(bytes)
        } catch {
            // SQLite refuses to open a log of another version, so that nothing goes unnoticed.
            return nil
        }
        guard let log else {
            // Zeros, which some file systems leave after a power cut, hold nothing.
            let body = UnsafeRawBufferPointer(rebasing: bytes[headerSize...])
            guard body.contains(where: { $0 != 0 }) else { return nil }
            self = .header(frames: Self.frameCount(bytes))
            return
        }
        let frameSize = WriteAheadLog.frameHeaderSize + log.pageSize
        var commits = 0
        for number in log.frameCount..<max(log.frameCount, (bytes.count - headerSize) / frameSize) {
            let frame = start + headerSize + number * frameSize
            guard frame.uint64(at: 8) == start.uint64(at: 16), frame.uint32(at: 0) != 0 else { continue }
            if frame.uint32(at: 4) != 0 { commits += 1 }
        }
        guard commits > 0 else { return nil }
        self = .frame(number: log.firstInvalidFrame, commits: commits)
    }

    /// How many frames there are by the page size that the header gives, or the first that makes sense of two.
    private static func frameCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        let body = bytes.count - WriteAheadLog.headerSize
        let named = Int(start.uint32(at: 8))
        let sizes = [named] + (9...16).map { 1 << $0 }
        let fitting = sizes.first { size in
            guard (512...65536).contains(size), size.nonzeroBitCount == 1 else { return false }
            let frame = WriteAheadLog.frameHeaderSize + size
            guard body % frame == 0 else { return false }
            guard body > frame else { return true }
            let (first, second) = (start + WriteAheadLog.headerSize, start + WriteAheadLog.headerSize + frame)
            return first.uint64(at: 8) == second.uint64(at: 8)
        }
        guard let fitting else { return 0 }
        return body / (WriteAheadLog.frameHeaderSize + fitting)
    }
}
