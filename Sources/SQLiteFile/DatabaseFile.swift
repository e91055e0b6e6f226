/// A database read from its bytes: the header, and the pages after it.
///
/// Nothing here calls SQLite, takes a lock or writes. Every loop is bounded by the file's size, and a
/// violation of the format throws ``FileDamage``. Entries, payloads and fields that were read point into the
/// source's bytes: they may be used as long as this object lives.
///
///     let file = try DatabaseFile(FilePages(bytes))
///     for entry in try file.schema() where entry.type == "table" { print(entry.name) }
public final class DatabaseFile: Sendable {
    public let source: any PageSource
    public let header: FileHeader
    /// The database's size in pages; the file may be larger.
    public let pageCount: UInt32
    /// "The lock-byte page is the single page of the database file that contains the bytes at offsets
    /// between 1073741824 and 1073742335, inclusive. A database file that is less than or equal to
    /// 1073741824 bytes in size contains no lock-byte page."
    /// https://www.sqlite.org/fileformat2.html#the_lock_byte_page
    public let lockBytePage: UInt32
    let layout: PageLayout

    /// Reads and checks the header.
    /// - Throws: ``FileDamage`` for everything that SQLite itself refuses to open.
    public init(_ source: some PageSource) throws(FileDamage) {
        self.source = source
        header = source.pageCount == 0 ? FileHeader() : try FileHeader(try source.page(1))
        layout = PageLayout(header)
        lockBytePage = UInt32(0x4000_0000 / header.pageSize + 1)
        guard source.pageCount > 0 else {
            pageCount = 0
            return
        }
        guard header.pageSize == source.pageSize else { throw FileDamage(1, .pageSize) }
        pageCount = header.pageCount ?? source.pageCount
        guard pageCount <= source.pageCount else { throw FileDamage(1, .fileTooShort(pages: pageCount)) }
    }

    /// Returns the start of a page's bytes, `header.pageSize` of them.
    /// - Throws: ``FileDamage`` if there is no such page or it cannot be read.
    func page(_ number: UInt32) throws(FileDamage) -> UnsafeRawPointer {
        guard number >= 1, number <= pageCount, number != lockBytePage else {
            throw FileDamage(number, .pageOutsideFile)
        }
        let bytes = try source.page(number)
        guard bytes.count >= layout.pageSize, let start = bytes.baseAddress else {
            throw FileDamage(number, .pageUnreadable)
        }
        return start
    }

    /// Returns a page as part of a b-tree.
    /// - Throws: ``FileDamage`` if it is not a b-tree page.
    public func treePage(_ number: UInt32) throws(FileDamage) -> TreePage {
        try TreePage(try page(number), number, layout)
    }
}
