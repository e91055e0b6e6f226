/// The header of a write-ahead log's index, which the programs that have the log open share
/// (https://www.sqlite.org/walformat.html#the_wal_index_header). All numbers are in the byte order of the machine.
///
///     offset  size
///     0       4     version, 3007000
///     8       4     a counter that each transaction increments
///     12      1     1 once the index is complete
///     13      1     whether the log's checksums are of big-endian numbers
///     14      2     size of a page in bytes; 1 for 65536
///     16      4     number of the last valid frame of the log, the first being 1
///     20      4     size of the database in pages
///     24      8     checksum of the last frame
///     32      8     the salts of the log's header, as they are there
///     40      8     checksum of the 40 bytes before
struct LogIndexHeader: Equatable {
    static let size = 48
    static let version: UInt32 = 3_007_000

    private var bytes: [UInt8]

    init(_ start: UnsafeRawPointer) {
        bytes = Array(UnsafeRawBufferPointer(start: start, count: Self.size))
    }

    /// Whether SQLite would read it: of the known version, complete, and with the right checksum.
    var isValid: Bool {
        number(0) == Self.version && bytes[12] == 1 && checksum == LogChecksum(number(40), number(44))
    }

    var isBigEndian: Bool { bytes[13] != 0 }
    var frameCount: UInt32 { number(16) }
    var pageCount: UInt32 { number(20) }
    var frameChecksum: LogChecksum { LogChecksum(number(24), number(28)) }
    var salts: [UInt8] { Array(bytes[32..<40]) }

    /// In bytes; 0 if no frame was written yet.
    var pageSize: Int {
        let size = Int(bytes[14...15].withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) })
        return size == 1 ? 65536 : size
    }

    /// Makes it the header after a commit.
    mutating func commit(
        frameCount: UInt32, pageCount: UInt32, pageSize: Int, isBigEndian: Bool, salts: [UInt8],
        checksum: LogChecksum
    ) {
        set(8, number(8) &+ 1)
        bytes[13] = isBigEndian ? 1 : 0
        let size = UInt16(truncatingIfNeeded: pageSize == 65536 ? 1 : pageSize)
        bytes.replaceSubrange(14..<16, with: withUnsafeBytes(of: size) { Array($0) })
        set(16, frameCount)
        set(20, pageCount)
        set(24, checksum.first)
        set(28, checksum.second)
        bytes.replaceSubrange(32..<40, with: salts)
        let own = self.checksum
        set(40, own.first)
        set(44, own.second)
    }

    /// Copies it into the shared memory.
    func write(to start: UnsafeMutableRawPointer) {
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: start, count: Self.size).copyMemory(from: $0)
        }
    }

    private var checksum: LogChecksum {
        var sum = LogChecksum()
        bytes.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<40]), isSwapped: false) }
        return sum
    }

    private func number(_ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    private mutating func set(_ offset: Int, _ number: UInt32) {
        bytes.replaceSubrange(offset..<offset + 4, with: withUnsafeBytes(of: number) { Array($0) })
    }
}

/// The checksum of a write-ahead log (https://www.sqlite.org/fileformat2.html#checksum_algorithm).
struct LogChecksum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    init() {}

    init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

    /// Adds bytes, whose number is a multiple of 8.
    /// - Parameter isSwapped: Whether their numbers are not in the byte order of the machine.
    mutating func add(_ bytes: UnsafeRawBufferPointer, isSwapped: Bool) {
        var (one, two) = (first, second)
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            let a = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let b = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            one &+= (isSwapped ? a.byteSwapped : a) &+ two
            two &+= (isSwapped ? b.byteSwapped : b) &+ one
        }
        (first, second) = (one, two)
    }
}
