import CSQLite

/// A commit of pages as they are to the write-ahead log of a connection's `main`.
///
/// SQLite has no call that writes one page: its backup API writes all of them. So the frames are appended as SQLite
/// appends them, under its own lock, through its own files. The formats of the log and of its index, and the order in
/// which they are written, are those of version 3007000 (https://www.sqlite.org/walformat.html, `sqlite3WalFrames` in
/// https://www.sqlite.org/src/file/src/wal.c): programs with any SQLite since 3.7.0 share databases by them, and check the
/// version. A process that is killed before ``commit()`` writes the index's header leaves frames that no reader sees and
/// the next writer overwrites, as SQLite itself does.
///
/// The connection must be in a transaction that began with BEGIN IMMEDIATE and has written nothing. It must be rolled
/// back, and the connection then be closed: it may still have the old pages in its cache.
///
///     guard var log = try LogWriter(of: connection, pageSize: 4096, pageCount: 120) else { return }
///     try log.append(7, content)
///     try log.append(121, other, pageCount: 121)
///     try log.commit()
package struct LogWriter {
    private static let fileHeaderSize = 32
    private static let frameHeaderSize = 24
    private static let chunk = 1 << 20

    private let main: MainFile
    private let log: MainFile
    private let index: UnsafeMutableRawPointer
    private let pageSize: Int

    private var header: LogIndexHeader
    private var salts: [UInt8]
    private var checksum: LogChecksum
    private let isBigEndian: Bool
    /// The pages of the frames that were appended.
    private var pages: [UInt32] = []
    /// The size of the database, of the last frame.
    private var pageCount: UInt32 = 0
    /// Frames that are not written yet, and their offset.
    private var buffer: [UInt8] = []
    private var offset: Int

    /// - Parameters:
    ///   - pageSize: The database's, in bytes.
    ///   - pageCount: The number of pages that the database has.
    /// - Returns: Nil if only SQLite may write the log: it is of another version, or is not what it should be.
    /// - Throws: ``EngineError``.
    package init?(of connection: any Connection, pageSize: Int, pageCount: Int) throws {
        let isShared = try connection.firstRow("PRAGMA main.locking_mode") { $0.string(0) } == "normal"
        let isLogged = try connection.firstRow("PRAGMA main.journal_mode") { $0.string(0) } == "wal"
        guard sqlite3_get_autocommit(connection.handle) == 0, isShared, isLogged else { return nil }
        (main, log) = (try MainFile(of: connection), try MainFile(logOf: connection))
        guard log.isSafeToAppend,
            let index = try main.sharedMemory(0, size: LogPageTable.partSize, extends: false)
        else { return nil }
        header = LogIndexHeader(index)
        guard header.isValid, header == LogIndexHeader(index + LogIndexHeader.size) else { return nil }
        (self.index, self.pageSize) = (index, pageSize)
        let frames = Int(header.frameCount)
        offset = Self.fileHeaderSize + frames * (Self.frameHeaderSize + pageSize)
        (salts, checksum) = (header.salts, header.frameChecksum)
        guard frames > 0 else {
            isBigEndian = Self.isMachineBigEndian
            guard try main.size() == pageSize * pageCount else { return nil }
            try begin()
            return
        }
        isBigEndian = header.isBigEndian
        guard header.pageSize == pageSize, Int(header.pageCount) == pageCount, try log.size() >= offset else {
            return nil
        }
        guard try fileHeader()[16..<24].elementsEqual(salts) else { return nil }
    }

    /// Writes the header of a log that begins: its frames, if it has any, are all in the database. Other salts make
    /// them invalid.
    private mutating func begin() throws {
        let old = try log.size() < Self.fileHeaderSize ? nil : fileHeader()
        let sequence = old?.withUnsafeBytes {
            UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self)) &+ 1
        }
        salts = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
        checksum = LogChecksum()
        var bytes = Self.bytes(0x377f_0682 | (isBigEndian ? 1 : 0)) + Self.bytes(LogIndexHeader.version)
        bytes += Self.bytes(UInt32(pageSize)) + Self.bytes(sequence ?? 0) + salts
        bytes.withUnsafeBytes { checksum.add($0, isSwapped: false) }
        bytes += Self.bytes(checksum.first) + Self.bytes(checksum.second)
        try bytes.withUnsafeBytes { try log.write($0, at: 0) }
        // Frames must not be on the disk before the header that they belong to.
        try log.sync()
    }

    private func fileHeader() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.fileHeaderSize)
        try bytes.withUnsafeMutableBytes { try log.read(into: $0, at: 0) }
        return bytes
    }

    /// Appends a page.
    /// - Parameter pageCount: The size of the database after the commit; only for the last page.
    /// - Throws: ``EngineError``, for example SQLITE_FULL.
    package mutating func append(
        _ page: UInt32, _ content: UnsafeRawBufferPointer, pageCount: UInt32 = 0
    ) throws {
        var start = Self.bytes(page) + Self.bytes(pageCount)
        let isSwapped = isBigEndian != Self.isMachineBigEndian
        start.withUnsafeBytes { checksum.add($0, isSwapped: isSwapped) }
        checksum.add(content, isSwapped: isSwapped)
        start += salts + Self.bytes(checksum.first) + Self.bytes(checksum.second)
        buffer += start
        buffer += content
        pages.append(page)
        self.pageCount = pageCount
        if buffer.count >= Self.chunk { try flush() }
    }

    /// Waits until the disk has the frames, and shows them to all programs.
    /// - Throws: ``EngineError``; nothing is then committed.
    package mutating func commit() throws {
        let frameCount = try prepareCommit()
        header.commit(
            frameCount: frameCount, pageCount: pageCount, pageSize: pageSize, isBigEndian: isBigEndian,
            salts: salts,
            checksum: checksum)
        // A reader takes the header only if both copies are the same, and reads the first one first.
        main.shareInOrder()
        header.write(to: index + LogIndexHeader.size)
        main.shareInOrder()
        header.write(to: index)
        main.shareInOrder()
    }

    /// Does what comes before the commit itself.
    /// - Returns: The number of the log's frames.
    mutating func prepareCommit() throws -> UInt32 {
        try flush()
        try log.sync()
        let first = header.frameCount
        guard pageCount > 0, let count = UInt32(exactly: Int(first) + pages.count) else {
            throw EngineError(
                extendedCode: SQLITE_MISUSE, message: "the last page has no size of the database")
        }
        for (number, page) in pages.enumerated() {
            let (part, position) = LogPageTable.place(of: first + UInt32(number) + 1)
            guard let start = try main.sharedMemory(part, size: LogPageTable.partSize, extends: true),
                LogPageTable(start, part: part).add(page, at: position)
            else { throw EngineError(extendedCode: SQLITE_CORRUPT, message: "the log's index is damaged") }
        }
        return count
    }

    private mutating func flush() throws {
        try buffer.withUnsafeBytes { if !$0.isEmpty { try log.write($0, at: offset) } }
        offset += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    private static var isMachineBigEndian: Bool { UInt32(1).bigEndian == 1 }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
