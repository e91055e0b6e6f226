import SQLiteSchema

// "Record comparison progresses column by column. Columns of a record are examined from left to right. The
// first pair of columns that are not equal determines the relative order of the two records.
// 1. NULL values (serial type 0) sort first.
// 2. Numeric values (serial types 1 through 9) sort after NULLs and in numeric order.
// 3. Text values (odd serial types 13 and larger) sort after numeric values in the order determined by the
//    columns collating function.
// 4. BLOB values (even serial types 12 and larger) sort last and in the order determined by memcmp()."
// https://www.sqlite.org/fileformat2.html#record_sort_order

/// How one column of a key sorts.
public struct KeyColumn: Sendable {
    public var collation: Collation
    public var isDescending: Bool

    public init(_ collation: Collation = .binary, isDescending: Bool = false) {
        self.collation = collation
        self.isDescending = isDescending
    }
}

/// The order of the entries of an index or of a WITHOUT ROWID table.
public struct KeyOrder: Sendable {
    public let columns: [KeyColumn]
    let encoding: TextEncoding
    private let honorsDescending: Bool
    /// Whether the columns after `columns` belong to the key too, BINARY and ascending.
    private let includesRest: Bool

    /// - Parameters:
    ///   - columns: the columns of the key, in the record's order: for an index including the rowid or primary
    ///     key at its end; for a WITHOUT ROWID table the primary key without repeated columns. Later columns of
    ///     the record are not compared.
    ///   - file: the file that has the encoding, and whether DESC counts: "The DESC keyword is ignored in indexes
    ///     for formats 1, 2, and 3."
    public init(_ columns: [KeyColumn], in file: DatabaseFile) {
        self.columns = columns
        encoding = file.header.encoding
        honorsDescending = file.header.schemaFormat >= 4
        includesRest = false
    }

    /// Creates the order by all columns of a record, BINARY and ascending.
    init(allColumnsIn file: DatabaseFile) {
        columns = []
        encoding = file.header.encoding
        honorsDescending = false
        includesRest = true
    }

    /// Compares two records as SQLite does: negative if `left` sorts before `right`, 0 if they are equal,
    /// positive if after.
    /// - Parameter page: the page to name if a record is damaged.
    /// - Throws: ``FileDamage`` if a record is damaged.
    public func compare(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, page: UInt32
    ) throws(FileDamage) -> Int {
        var leftReader = try RecordReader(left, page: page)
        var rightReader = try RecordReader(right, page: page)
        var index = 0
        while index < columns.count || includesRest {
            let column = index < columns.count ? columns[index] : KeyColumn()
            index += 1
            switch (try leftReader.next(), try rightReader.next()) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (let a?, let b?):
                let order = a.compare(to: b, column.collation, encoding)
                if order != 0 { return column.isDescending && honorsDescending ? -order : order }
            }
        }
        return 0
    }
}

extension Field {
    /// Compares two values: negative if this one sorts before `other`, 0 if they are equal, positive if
    /// after.
    public func compare(to other: Field, _ collation: Collation, _ encoding: TextEncoding) -> Int {
        switch (storageClass, other.storageClass) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.integer, .integer): Self.order(integer, other.integer)
        case (.real, .real): Self.order(real, other.real)
        case (.integer, .real): Self.compare(integer, other.real)
        case (.real, .integer): -Self.compare(other.integer, real)
        case (.integer, _), (.real, _): -1
        case (_, .integer), (_, .real): 1
        case (.text, .text): collation.compare(bytes, other.bytes, encoding)
        case (.text, .blob): -1
        case (.blob, .text): 1
        case (.blob, .blob): bytes.compare(to: other.bytes)
        }
    }

    private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }

    /// Compares exactly: a 64-bit integer may have no equal among the reals.
    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real < -0x1p63 { return 1 }
        if real >= 0x1p63 { return -1 }
        let truncated = Int64(real)
        if integer != truncated { return order(integer, truncated) }
        return order(0, real - Double(truncated))
    }
}

extension Field {
    /// Returns whether two values of a database are the same. A whole real may be stored as an integer.
    public func isSame(as other: Field, in file: DatabaseFile) -> Bool {
        compare(to: other, .binary, file.header.encoding) == 0
    }
}
