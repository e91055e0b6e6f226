// "A record contains a header and a body, in that order. The header begins with a single varint which
// determines the total number of bytes in the header. The varint value is the size of the header in bytes
// including the size varint itself. Following the size varint are one or more additional varints, one per
// column. These additional varints are called "serial type" numbers and determine the datatype of each
// column. [...] The values for each column in the record immediately follow the header."
// https://www.sqlite.org/fileformat2.html#record_format

/// A reader of the columns of a record, first to last, that copies none.
///
/// A record may have fewer values than its table has columns: those that ALTER TABLE added later then have
/// their default.
public struct RecordReader {
    private var position: UnsafeRawPointer
    private let headerEnd: UnsafeRawPointer
    private var content: UnsafeRawPointer
    private let end: UnsafeRawPointer
    private let page: UInt32

    /// - Parameters:
    ///   - bytes: the payload, overflow included.
    ///   - page: the page to name if the record is damaged.
    /// - Throws: ``FileDamage`` if the record's header is damaged.
    public init(_ bytes: UnsafeRawBufferPointer, page: UInt32) throws(FileDamage) {
        guard let start = bytes.baseAddress else { throw FileDamage(page, .record) }
        self.page = page
        end = start + bytes.count
        position = start
        guard let size = position.readVarint(before: end), size <= UInt64(bytes.count),
            Int(size) >= position - start
        else { throw FileDamage(page, .record) }
        headerEnd = start + Int(size)
        content = headerEnd
    }

    /// Returns the next column; nil after the last.
    /// - Throws: ``FileDamage`` if the columns do not fill the record exactly, as SQLite requires (`OP_Column`).
    @inline(__always) public mutating func next() throws(FileDamage) -> Field? {
        guard position < headerEnd else {
            guard content == end else { throw FileDamage(page, .recordLength) }
            return nil
        }
        guard let type = position.readVarint(before: headerEnd) else { throw FileDamage(page, .record) }
        guard type != 10, type != 11 else { throw FileDamage(page, .serialType(type)) }
        let field = Field(serialType: type, start: content)
        guard field.size <= end - content else { throw FileDamage(page, .record) }
        content += field.size
        return field
    }

    /// Reads all columns into an array that is reused from row to row.
    /// - Throws: ``FileDamage`` if the record is damaged.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, page: UInt32, into fields: inout [Field]
    ) throws(FileDamage) {
        var reader = try RecordReader(bytes, page: page)
        fields.removeAll(keepingCapacity: true)
        while let field = try reader.next() { fields.append(field) }
    }
}
