/// The pages of a database file together with its write-ahead log, as a connection that opens them sees them.
public final class LoggedPages: PageSource {
    public let pageSize: Int
    public let pageCount: UInt32
    /// Nil when nothing in the log counts.
    public let log: WriteAheadLog?
    /// Immutable while `owner` lives, which is what makes sharing the pointers between threads sound.
    private nonisolated(unsafe) let database: UnsafeRawBufferPointer
    private nonisolated(unsafe) let logBytes: UnsafeRawBufferPointer
    private nonisolated(unsafe) let zeros: UnsafeMutableRawBufferPointer
    private let owner: (any Sendable)?

    /// - Parameters:
    ///   - database: the whole database file. Beside an empty one SQLite deletes a log unread, so it is not
    ///     read here either.
    ///   - log: the whole `-wal` file.
    ///   - owner: what keeps the bytes where they are; it lives as long as this object.
    ///     What the log has of page 1 counts, whatever the file's first bytes are.
    /// - Throws: ``FileDamage`` when neither gives a page size, or the log another one.
    public init(
        database: UnsafeRawBufferPointer, log: UnsafeRawBufferPointer, owner: (any Sendable)? = nil
    ) throws(FileDamage) {
        if !database.isEmpty, let read = try WriteAheadLog(log), read.frameCount > 0 {
            if !read.has(1) {
                guard try FilePages(database).pageSize == read.pageSize else {
                    throw FileDamage(0, .logPageSize)
                }
            }
            self.log = read
            (pageSize, pageCount) = (read.pageSize, read.pageCount)
        } else {
            let pages = try FilePages(database)
            self.log = nil
            (pageSize, pageCount) = (pages.pageSize, pages.pageCount)
        }
        self.database = database
        logBytes = log
        self.owner = owner
        zeros = .allocate(byteCount: pageSize, alignment: 16)
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { zeros.deallocate() }

    /// A free page that neither the log nor the file has, since nobody needed to write it, reads as zeros.
    public func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawBufferPointer {
        guard number >= 1, number <= pageCount else { throw FileDamage(number, .pageOutsideFile) }
        if let offset = log?.offsets[number] {
            return UnsafeRawBufferPointer(rebasing: logBytes[offset..<(offset + pageSize)])
        }
        let start = Int(number - 1) * pageSize
        guard start + pageSize <= database.count else { return UnsafeRawBufferPointer(zeros) }
        return UnsafeRawBufferPointer(rebasing: database[start..<(start + pageSize)])
    }

    public func identity(ofPage number: UInt32) -> UInt? {
        (try? page(number)).map { UInt(bitPattern: $0.baseAddress) }
    }
}
