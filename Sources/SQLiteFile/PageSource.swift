/// A source of a database's pages: a mapped file, an overlay's image, a file with its write-ahead log.
///
/// The bytes that a source returns must keep their address and their values as long as the source lives:
/// cells and payloads point into them.
public protocol PageSource: AnyObject, Sendable {
    /// The page size in bytes.
    var pageSize: Int { get }

    /// The number of whole pages.
    var pageCount: UInt32 { get }

    /// Returns the bytes of a page, `pageSize` of them.
    /// - Parameter number: from 1 to `pageCount`.
    /// - Throws: ``FileDamage`` if there is no such page or it cannot be read.
    func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawBufferPointer

    /// Returns an identifier of the page's storage, different from that of any other storage that exists at
    /// the same time.
    ///
    /// Two pages with the same identity have the same bytes, so the pages that a snapshot and its overlay
    /// share need not be read. Nil if the identity is not known; the address of the bytes will usually do.
    /// - Parameter number: from 1 to `pageCount`.
    func identity(ofPage number: UInt32) -> UInt?

    /// Copies pages that lie one after another, as many as it can without touching a mapping.
    /// - Parameters:
    ///   - first: from 1 to `pageCount`.
    ///   - buffer: of a whole number of pages.
    /// - Returns: how many it copied; the rest must be asked for one by one.
    func copyPages(from first: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int
}

extension PageSource {
    public func copyPages(from first: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
}

/// The pages of a database file in memory or in a mapping, without a write-ahead log.
public final class FilePages: PageSource {
    public let pageSize: Int
    public let pageCount: UInt32
    /// Immutable while `owner` lives, so it is safe to share the pointer between threads.
    private nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    private let owner: (any Sendable)?

    /// - Parameters:
    ///   - bytes: the whole file. It must not be written while this object lives.
    ///   - owner: the object that keeps the bytes valid; it lives as long as this object.
    /// - Throws: ``FileDamage`` if the file has no page size.
    public init(_ bytes: UnsafeRawBufferPointer, owner: (any Sendable)? = nil) throws(FileDamage) {
        self.bytes = bytes
        self.owner = owner
        if bytes.isEmpty {
            pageSize = FileHeader().pageSize
        } else {
            pageSize = try FileHeader(bytes).pageSize
        }
        pageCount = UInt32(clamping: bytes.count / pageSize)
    }

    public func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawBufferPointer {
        guard number >= 1, number <= pageCount else { throw FileDamage(number, .pageOutsideFile) }
        let start = Int(number - 1) * pageSize
        return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + pageSize)])
    }

    public func identity(ofPage number: UInt32) -> UInt? {
        UInt(bitPattern: bytes.baseAddress) &+ UInt(number) &* UInt(pageSize)
    }
}
