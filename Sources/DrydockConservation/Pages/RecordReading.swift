import DrydockState
import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// Reads a table of one state record by record.
package final class RecordTable {
    package let file: DatabaseFile
    package let root: UInt32
    package let layout: RecordLayout
    /// Queries SQLite for a column's value where a record ends before that column.
    private let askDefault: (_ column: String, _ rowid: Int64) throws -> SQLValue
    private var defaults: [String: SQLValue] = [:]

    package private(set) var rowid: Int64 = 0
    private(set) var fields: [Field] = []
    private var buffer = PayloadBuffer()

    package init(
        _ file: DatabaseFile, root: UInt32, layout: RecordLayout,
        askDefault: @escaping (_ column: String, _ rowid: Int64) throws -> SQLValue
    ) {
        self.file = file
        self.root = root
        self.layout = layout
        self.askDefault = askDefault
    }

    /// Asks for the value of a column before which a row's record ends, so that other threads know it.
    func learnDefault(_ column: String, rowid: Int64) throws {
        defaults[column] = try askDefault(column, rowid)
    }

    /// What another thread needs to read the same table.
    struct Source: Sendable {
        fileprivate let file: DatabaseFile
        fileprivate let root: UInt32
        fileprivate let layout: RecordLayout
        fileprivate let defaults: [String: SQLValue]
    }

    var source: Source { Source(file: file, root: root, layout: layout, defaults: defaults) }

    convenience init(
        _ source: Source, askDefault: @escaping (_ column: String, _ rowid: Int64) throws -> SQLValue
    ) {
        self.init(source.file, root: source.root, layout: source.layout, askDefault: askDefault)
        defaults = source.defaults
    }

    /// Makes an entry the current row. The values of ``fields`` are in the file, or in a buffer until the next call.
    package func read(_ entry: TreeEntry) throws(FileDamage) {
        rowid = entry.rowid
        let bytes = try file.bytes(of: entry.payload, in: &buffer)
        try RecordReader.read(bytes, page: entry.payload.page, into: &fields)
    }

    /// Makes the row with a rowid the current one.
    /// - Throws: FileDamage, also when it does not exist.
    package func seek(_ rowid: Int64) throws(FileDamage) {
        var cursor = try TreeCursor(file, root: root)
        try cursor.seek(to: rowid)
        guard let entry = try cursor.next(), entry.rowid == rowid else {
            throw FileDamage(root, .pageUnreadable)
        }
        try read(entry)
    }

    /// Returns the field of a column of the current row; nil for the rowid, and where the record is too short.
    @inline(__always) func field(_ column: RecordLayout.Column) -> Field? {
        guard case .value(let index) = column.source, index < fields.count else { return nil }
        return fields[index]
    }

    /// Returns a column's value in the current row, as SQL gives it.
    package func value(_ column: RecordLayout.Column, named name: String) throws -> SQLValue {
        if column.source == .rowid { return .integer(rowid) }
        if let field = field(column) { return SQLValue(field, isReal: column.isReal) }
        if DefaultValue.sameMeaning(column.defaultValue, nil) { return .null }
        if let known = defaults[name] { return known }
        let value = try askDefault(name, rowid)
        defaults[name] = value
        return value
    }
}

extension SQLValue {
    /// - Parameter isReal: whether the column has REAL affinity, so that its integers are reals.
    init(_ field: Field, isReal: Bool) {
        switch field.storageClass {
        case .null: self = .null
        case .integer: self = isReal ? .real(field.real) : .integer(field.integer)
        case .real: self = .real(field.real)
        case .text: self = .text(Array(field.bytes))
        case .blob: self = .blob(Array(field.bytes))
        }
    }
}

/// The column pairs of two tables that are compared.
package struct RecordColumns: Sendable {
    package struct Pair: Sendable {
        package var before: RecordLayout.Column
        package var after: RecordLayout.Column
        package var nameBefore: String
        package var nameAfter: String
        /// Whether both are read in the same way, so that equal bytes are equal values.
        var isAlike: Bool
    }

    package let pairs: [Pair]

    /// Whether equal records have equal values in every column.
    package var areReadAlike: Bool { pairs.allSatisfy { $0.before.isSame(as: $0.after) } }

    /// - Returns: nil where a column is not stored in the record.
    package init?(_ match: TableMatch, _ before: RecordLayout, _ after: RecordLayout) {
        var pairs: [Pair] = []
        for column in match.columns {
            guard let old = before.column(column.before.name), let new = after.column(column.after.name)
            else { return nil }
            pairs.append(
                Pair(
                    before: old, after: new, nameBefore: column.before.name, nameAfter: column.after.name,
                    isAlike: old.isReal == new.isReal))
        }
        self.pairs = pairs
    }

    /// Whether a column has the same value in both current rows.
    package func isSame(_ index: Int, _ before: RecordTable, _ after: RecordTable) throws -> Bool {
        let pair = pairs[index]
        if pair.isAlike, let old = before.field(pair.before), let new = after.field(pair.after),
            old.serialType == new.serialType
        {
            return old.hasSameBytes(as: new)
        }
        return try before.value(pair.before, named: pair.nameBefore)
            == after.value(pair.after, named: pair.nameAfter)
    }

    package func isSame(_ before: RecordTable, _ after: RecordTable) throws -> Bool {
        for index in pairs.indices where try !isSame(index, before, after) { return false }
        return true
    }
}
