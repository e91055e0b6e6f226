/// Where a database's pages come from: a mapped file, an overlay's image, a file with its write-ahead log.
///
/// Bytes that a source gave out must stay where they are, and what they are, as long as the source lives:
/// cells and payloads point into them.
public protocol PageSource: AnyObject, Sendable {
    /// In bytes.
    var pageSize: Int { get }

    /// How many whole pages there are.
    var pageCount: UInt32 { get }

    /// The bytes of a page, `pageSize` of them.
    /// - Parameter number: from 1 to `pageCount`.
    func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawBufferPointer

    /// What tells the storage of a page from any other that lives at the same time.
    ///
    /// Two pages of one identity have the same bytes, so that what a snapshot and its overlay share need
    /// not be read. Nil where that is not known; the address of the bytes will usually do.
    /// - Parameter number: from 1 to `pageCount`.
    func identity(ofPage number: UInt32) -> UInt?
}

/// The pages of a database file that lies in memory or is mapped, without a write-ahead log.
public final class FilePages: PageSource {
    public let pageSize: Int
    public let pageCount: UInt32
    /// Immutable while `owner` lives, which is what makes sharing the pointer between threads sound.
    private nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    private let owner: (any Sendable)?

    /// - Parameters:
    ///   - bytes: the whole file. Nobody may write it while this object lives.
    ///   - owner: what keeps the bytes where they are; it lives as long as this object.
    /// - Throws: ``FileDamage`` when the file gives no page size.
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
