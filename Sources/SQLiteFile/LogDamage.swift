/// What SQLite passes over in a write-ahead log, and did not leave there itself.
///
/// What follows the last commit is mostly of no account: frames of a transaction that was rolled back, and those from
/// before a checkpoint, after which a new log starts over them with another salt
/// (https://www.sqlite.org/walformat.html#the_wal_file_format). Bytes under no header that SQLite would read, commits of
/// the log's own salts behind a frame that is not valid, half a frame, and what is not a frame at all are neither.
public enum LogDamage: Equatable, Sendable {
    /// The header is not one: SQLite takes the log for empty.
    case header(frames: Int)
    /// A frame is not what its checksum says or not a frame at all, and so many commits stand behind it.
    case frame(number: Int, commits: Int)
    /// The log ends in the middle of a frame.
    case cut(frame: Int)

    /// Whether a crash may have left the log so, with no commit in what is passed over. Of a copy, the rest may be
    /// missing.
    public var mayBeOfCrash: Bool {
        switch self {
        case .header(let count), .frame(_, let count): count == 0
        case .cut: true
        }
    }

    /// Looks at a whole log.
    /// - Returns: nil where nothing that was written is passed over, as far as the log tells.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        let headerSize = WriteAheadLog.headerSize
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
        let log: WriteAheadLog?
        do {
            log = try WriteAheadLog(bytes)
        } catch {
            // SQLite refuses to open a log of another version, so that nothing goes unnoticed.
            return nil
        }
        guard let log else {
            self = .header(frames: Self.frameCount(bytes))
            return
        }
        let frameSize = WriteAheadLog.frameHeaderSize + log.pageSize
        let wholeFrames = (bytes.count - headerSize) / frameSize
        var (commits, isForeign) = (0, false)
        for number in log.frameCount..<max(log.frameCount, wholeFrames) {
            let frame = start + headerSize + number * frameSize
            if frame.uint64(at: 8) == start.uint64(at: 16), frame.uint32(at: 0) != 0 {
                if frame.uint32(at: 4) != 0 { commits += 1 }
            } else if !Self.isOlder(frame, than: start) {
                isForeign = true
            }
        }
        if commits > 0 || isForeign {
            self = .frame(number: log.firstInvalidFrame, commits: commits)
        } else if Self.isCut(bytes, wholeFrames, frameSize) {
            self = .cut(frame: wholeFrames + 1)
        } else {
            return nil
        }
    }

    /// Whether a frame was written before the log started over, which changes both salts.
    private static func isOlder(_ frame: UnsafeRawPointer, than start: UnsafeRawPointer) -> Bool {
        frame.uint32(at: 0) != 0 && frame.uint32(at: 8) != start.uint32(at: 16)
    }

    /// Whether half a frame of this log is at the end; one from before the log started over does not count.
    private static func isCut(_ bytes: UnsafeRawBufferPointer, _ wholeFrames: Int, _ frameSize: Int) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        let end = WriteAheadLog.headerSize + wholeFrames * frameSize
        guard bytes.count > end else { return false }
        // As far as it goes, it has the salts of the log or of the frame before it.
        if bytes.count >= end + 16 { return !isOlder(start + end, than: start) }
        return wholeFrames == 0 || !isOlder(start + end - frameSize, than: start)
    }

    /// How many frames there are by the page size that the header gives, or the first that makes sense of two.
    private static func frameCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress, bytes.count > WriteAheadLog.headerSize else { return 0 }
        let body = bytes.count - WriteAheadLog.headerSize
        // Some file systems leave zeros after a power cut, and they are no frames.
        guard bytes[WriteAheadLog.headerSize...].contains(where: { $0 != 0 }) else { return 0 }
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
