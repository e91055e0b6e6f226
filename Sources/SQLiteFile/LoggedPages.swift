/// The pages of a database file together with its write-ahead log, as a connection that opens them sees them.
public final class LoggedPages: PageSource {
    public let pageSize: Int
    public let pageCount: UInt32
    /// Nil if the log has no effect: it has no committed transaction, or the database file is empty.
    public let log: WriteAheadLog?
    /// Immutable while `owner` lives, so it is safe to share the pointers between threads.
    private nonisolated(unsafe) let database: UnsafeRawBufferPointer
    private nonisolated(unsafe) let logBytes: UnsafeRawBufferPointer
    private nonisolated(unsafe) let zeros: UnsafeMutableRawBufferPointer
    private let owner: (any Sendable)?
    private let read: Read?

    /// Reads bytes of the database file, without its mapping, into the whole buffer.
    /// - Returns: false if it cannot, and the mapping is to be used.
    public typealias Read = @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Bool

    /// - Parameters:
    ///   - database: the whole database file. SQLite deletes the log of an empty file without reading it, so it
    ///     is not read here either.
    ///   - log: the whole `-wal` file. If it contains page 1, the file's first bytes do not matter.
    ///   - owner: the object that keeps the bytes valid; it lives as long as this object.
    ///   - read: reads the same file as `database`; nil if only the mapping can be read.
    /// - Throws: ``FileDamage`` if neither file has a page size, or the log's is different.
    public init(
        database: UnsafeRawBufferPointer, log: UnsafeRawBufferPointer, owner: (any Sendable)? = nil,
        read: Read? = nil
    ) throws(FileDamage) {
        if !database.isEmpty, let log = try WriteAheadLog(log), log.frameCount > 0 {
            if !log.has(1) {
                guard try FilePages(database).pageSize == log.pageSize else {
                    throw FileDamage(0, .logPageSize)
                }
            }
            self.log = log
            (pageSize, pageCount) = (log.pageSize, log.pageCount)
        } else {
            let pages = try FilePages(database)
            self.log = nil
            (pageSize, pageCount) = (pages.pageSize, pages.pageCount)
        }
        self.database = database
        logBytes = log
        self.owner = owner
        self.read = read
        zeros = .allocate(byteCount: pageSize, alignment: 16)
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { zeros.deallocate() }

    /// Returns the bytes of a page. A free page that is in neither the log nor the file, since nothing had to
    /// write it, is zeros.
    public func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawBufferPointer {
        guard number >= 1, number <= pageCount else { throw FileDamage(number, .pageOutsideFile) }
        if let offset = log?.offsets[number] {
            return UnsafeRawBufferPointer(rebasing: logBytes[offset..<(offset + pageSize)])
        }
        let start = Int(number - 1) * pageSize
        guard start + pageSize <= database.count else { return UnsafeRawBufferPointer(zeros) }
        return UnsafeRawBufferPointer(rebasing: database[start..<(start + pageSize)])
    }

    public func copyPages(from first: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = Int(first - 1) * pageSize
        let count = min(buffer.count / pageSize, (database.count - start) / pageSize)
        guard let read, count > 0 else { return 0 }
        guard read(.init(rebasing: buffer[..<(count * pageSize)]), start) else { return 0 }
        guard let log else { return count }
        for index in 0..<count {
            guard let offset = log.offsets[first + UInt32(index)] else { continue }
            let page = UnsafeRawBufferPointer(rebasing: logBytes[offset..<(offset + pageSize)])
            UnsafeMutableRawBufferPointer(rebasing: buffer[(index * pageSize)...]).copyMemory(from: page)
        }
        return count
    }

    public func identity(ofPage number: UInt32) -> UInt? {
        (try? page(number)).map { UInt(bitPattern: $0.baseAddress) }
    }
}
