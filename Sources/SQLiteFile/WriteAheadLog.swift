// WAL Header Format
// Offset  Size  Description
//  0       4    Magic number. 0x377f0682 or 0x377f0683
//  4       4    File format version. Currently 3007000.
//  8       4    Database page size. Example: 1024
// 12       4    Checkpoint sequence number
// 16       4    Salt-1: random integer incremented with each checkpoint
// 20       4    Salt-2: a different random number for each checkpoint
// 24       4    Checksum-1: First part of a checksum on the first 24 bytes of header
// 28       4    Checksum-2: Second part of the checksum on the first 24 bytes of header
//
// WAL Frame Header Format
//  0       4    Page number
//  4       4    For commit records, the size of the database file in pages after the commit. For all other
//               records, zero.
//  8       4    Salt-1 copied from the WAL header
// 12       4    Salt-2 copied from the WAL header
// 16       4    Checksum-1: Cumulative checksum up through and including this page
// 20       4    Checksum-2: Second half of the cumulative checksum.
// https://www.sqlite.org/fileformat2.html#wal_file_format

/// The frames that a write-ahead log adds to its database: those of committed transactions.
///
/// "A frame is considered valid if and only if the salt-1 and salt-2 values in the frame-header match salt
/// values in the wal-header, and the checksum values in the final 8 bytes of the frame-header exactly match
/// the checksum computed consecutively on the first 24 bytes of the WAL header and the first 8 bytes and the
/// content of all frames up to and including the current frame." The log ends before the first frame that is
/// not valid, whether torn or left over from before a checkpoint. Frames that were never committed do not
/// count either.
public struct WriteAheadLog: Equatable, Sendable {
    static let headerSize = 32
    static let frameHeaderSize = 24

    /// The page size in bytes.
    public let pageSize: Int
    public let checkpointSequence: UInt32
    /// The number of frames up to the last commit.
    public let frameCount: Int
    /// The first frame that is not valid, counted from 1; one past the last where all are.
    let firstInvalidFrame: Int
    /// The database's size in pages after the last commit; 0 when there is none.
    public let pageCount: UInt32
    /// The offset in the log of each page's content; the last frame of a page counts.
    let offsets: [UInt32: Int]
    private let salts: UInt64

    /// Reads the headers and checksums of all frames.
    /// - Returns: nil for a log that SQLite treats as empty: too short, with a different magic number or an
    ///   invalid page size, or with a wrong checksum of its header.
    /// - Throws: ``FileDamage`` for a log of a different version, which SQLite refuses.
    public init?(_ bytes: UnsafeRawBufferPointer) throws(FileDamage) {
        guard let start = bytes.baseAddress, bytes.count >= Self.headerSize,
            start.uint32(at: 0) & ~1 == 0x377f_0682,
            let pageSize = Int(exactly: start.uint32(at: 8)), (512...65536).contains(pageSize),
            pageSize.nonzeroBitCount == 1
        else { return nil }
        var checksum = Checksum(isBigEndian: start.uint32(at: 0) & 1 == 1)
        checksum.add(start, 24)
        guard checksum.first == start.uint32(at: 24), checksum.second == start.uint32(at: 28) else {
            return nil
        }
        let version = start.uint32(at: 4)
        guard version == 3_007_000 else { throw FileDamage(0, .logVersion(version)) }
        self.pageSize = pageSize
        checkpointSequence = start.uint32(at: 12)
        salts = start.uint64(at: 16)

        let frameSize = Self.frameHeaderSize + pageSize
        var (offsets, uncommitted): ([UInt32: Int], [UInt32: Int]) = ([:], [:])
        var (frameCount, pageCount, firstInvalidFrame) = (0, UInt32(0), 1)
        for number in 0..<((bytes.count - Self.headerSize) / frameSize) {
            let frame = start + Self.headerSize + number * frameSize
            checksum.add(frame, 8)
            checksum.add(frame + Self.frameHeaderSize, pageSize)
            guard frame.uint64(at: 8) == start.uint64(at: 16), checksum.first == frame.uint32(at: 16),
                checksum.second == frame.uint32(at: 20), frame.uint32(at: 0) != 0
            else { break }
            firstInvalidFrame = number + 2
            uncommitted[frame.uint32(at: 0)] = frame - start + Self.frameHeaderSize
            guard frame.uint32(at: 4) != 0 else { continue }
            offsets.merge(uncommitted) { $1 }
            uncommitted.removeAll(keepingCapacity: true)
            (frameCount, pageCount) = (number + 1, frame.uint32(at: 4))
        }
        self.offsets = offsets
        self.frameCount = frameCount
        self.firstInvalidFrame = firstInvalidFrame
        self.pageCount = pageCount
    }

    /// The number of different pages in the frames.
    public var distinctPages: Int { offsets.count }

    /// Returns whether the log has a page.
    public func has(_ page: UInt32) -> Bool { offsets[page] != nil }

    /// Returns whether a log has not started over since it was read: its salts are the same.
    public func isStill(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, bytes.count >= Self.headerSize else { return false }
        return start.uint64(at: 16) == salts
    }
}

/// "The checksum is computed by interpreting the input as an even number of unsigned 32-bit integers: x(0)
/// through x(N). The 32-bit integers are big-endian if the magic number in the first 4 bytes of the WAL
/// header is 0x377f0683 and the integers are little-endian if the magic number is 0x377f0682.
///     s0 = s1 = 0
///     for i from 0 to n-1 step 2:
///        s0 += x(i) + s1;
///        s1 += x(i+1) + s0;
///     endfor"
/// https://www.sqlite.org/fileformat2.html#checksum_algorithm
private struct Checksum {
    let isBigEndian: Bool
    var first: UInt32 = 0
    var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ start: UnsafeRawPointer, _ count: Int) {
        for offset in stride(from: 0, to: count, by: 8) {
            let (a, b) = (start.uint32(at: offset), start.uint32(at: offset + 4))
            first &+= (isBigEndian ? a : a.byteSwapped) &+ second
            second &+= (isBigEndian ? b : b.byteSwapped) &+ first
        }
    }
}
