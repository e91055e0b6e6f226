import SQLiteSchema

// Offset  Size  Description
//  0      16    The header string: "SQLite format 3\000"
// 16       2    The database page size in bytes. Must be a power of two between 512 and 32768 inclusive, or
//               the value 1 representing a page size of 65536.
// 18       1    File format write version. 1 for legacy; 2 for WAL.
// 19       1    File format read version. 1 for legacy; 2 for WAL.
// 20       1    Bytes of unused "reserved" space at the end of each page. Usually 0.
// 21       1    Maximum embedded payload fraction. Must be 64.
// 22       1    Minimum embedded payload fraction. Must be 32.
// 23       1    Leaf payload fraction. Must be 32.
// 24       4    File change counter.
// 28       4    Size of the database file in pages. The "in-header database size".
// 32       4    Page number of the first freelist trunk page.
// 36       4    Total number of freelist pages.
// 40       4    The schema cookie.
// 44       4    The schema format number. Supported schema formats are 1, 2, 3, and 4.
// 48       4    Default page cache size.
// 52       4    The page number of the largest root b-tree page when in auto-vacuum or incremental-vacuum
//               modes, or zero otherwise.
// 56       4    The database text encoding. 1 means UTF-8, 2 UTF-16le, 3 UTF-16be.
// 60       4    The "user version" as read and set by the user_version pragma.
// 64       4    True (non-zero) for incremental-vacuum mode. False (zero) otherwise.
// 68       4    The "Application ID" set by PRAGMA application_id.
// 72      20    Reserved for expansion. Must be zero.
// 92       4    The version-valid-for number.
// 96       4    SQLITE_VERSION_NUMBER
// https://www.sqlite.org/fileformat2.html#the_database_header

/// The first 100 bytes of a database file.
public struct FileHeader: Equatable, Sendable {
    public static let size = 100

    /// The page size in bytes.
    public var pageSize = 4096
    public var writeVersion: UInt8 = 1
    public var readVersion: UInt8 = 1
    /// The number of bytes at each page's end that SQLite leaves to extensions.
    public var reservedBytes = 0
    public var changeCounter: UInt32 = 0
    /// The file's size in pages; nil if a version of SQLite before 3.7.0 wrote last.
    public var pageCount: UInt32?
    public var firstFreelistTrunk: UInt32 = 0
    public var freelistCount: UInt32 = 0
    public var schemaCookie: UInt32 = 0
    /// 0 in a database without tables.
    public var schemaFormat: UInt32 = 0
    public var cacheSize: Int32 = 0
    /// Not 0 in a database with pointer maps.
    public var largestRootPage: UInt32 = 0
    public var encoding = TextEncoding.utf8
    public var userVersion: Int32 = 0
    public var isIncrementalVacuum = false
    public var applicationID: Int32 = 0
    public var versionValidFor: UInt32 = 0
    /// The SQLITE_VERSION_NUMBER of the library that wrote last.
    public var libraryVersion: UInt32 = 0

    /// Creates the header of an empty file, which is a database too.
    init() {}

    /// Reads the header and refuses what SQLite refuses.
    /// - Throws: ``FileDamage``.
    init(_ bytes: UnsafeRawBufferPointer) throws(FileDamage) {
        guard let start = bytes.baseAddress, bytes.count >= Self.size,
            bytes.prefix(16).elementsEqual("SQLite format 3\0".utf8)
        else { throw FileDamage(1, .notADatabase) }
        guard let pageSize = Self.pageSize(bytes) else { throw FileDamage(1, .pageSize) }
        self.pageSize = pageSize
        writeVersion = start.uint8(at: 18)
        readVersion = start.uint8(at: 19)
        reservedBytes = Int(start.uint8(at: 20))
        guard readVersion <= 2 else { throw FileDamage(1, .readVersion(readVersion)) }
        guard bytes[21..<24].elementsEqual([64, 32, 32]) else { throw FileDamage(1, .payloadFractions) }
        guard pageSize - reservedBytes >= 480 else { throw FileDamage(1, .reservedBytes) }
        changeCounter = start.uint32(at: 24)
        versionValidFor = start.uint32(at: 92)
        let stored = start.uint32(at: 28)
        pageCount = stored > 0 && changeCounter == versionValidFor ? stored : nil
        firstFreelistTrunk = start.uint32(at: 32)
        freelistCount = start.uint32(at: 36)
        schemaCookie = start.uint32(at: 40)
        // SQLite reads only the lowest byte.
        schemaFormat = start.uint32(at: 44) & 0xff
        guard schemaFormat <= 4 else { throw FileDamage(1, .schemaFormat(schemaFormat)) }
        cacheSize = Int32(bitPattern: start.uint32(at: 48))
        largestRootPage = start.uint32(at: 52)
        // SQLite reads only the two lowest bits and takes 0 for UTF-8.
        encoding = TextEncoding(stored: start.uint32(at: 56) & 3) ?? .utf8
        userVersion = Int32(bitPattern: start.uint32(at: 60))
        isIncrementalVacuum = start.uint32(at: 64) != 0
        applicationID = Int32(bitPattern: start.uint32(at: 68))
        libraryVersion = start.uint32(at: 96)
    }

    /// Returns the page size in a database's first bytes; nil if they contain none.
    static func pageSize(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= size, let value = bytes.baseAddress?.uint16(at: 16) else { return nil }
        if value == 1 { return 65536 }
        return value >= 512 && value.nonzeroBitCount == 1 ? value : nil
    }

    /// The number of bytes of a page that SQLite uses.
    public var usableSize: Int { pageSize - reservedBytes }

    public var hasPointerMaps: Bool { largestRootPage != 0 }
}
