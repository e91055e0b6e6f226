import DatabaseEngine
import DrydockFindings
import SQLiteFile
import SQLiteSchema

/// How the rows of a table, and the entries of its indexes, are read where the pages alone show whether they are whole.
///
/// What needs SQLite has no such plan: expressions, conditions, an application's collations.
struct ScannedTable: Sendable {
    /// What a value may be.
    fileprivate enum Demand: Sendable {
        case anything
        case classes(StorageClasses)
        /// A text that looks like a number should have been stored as one.
        case numeric
    }

    /// The value of a record that ends before a column, as records do that are older than it.
    fileprivate enum Missing: Sendable {
        case null
        /// A default other than NULL, which no constraint refuses.
        case value
        /// One that only SQLite can judge.
        case unknown

        init(_ column: Column, in table: Table) {
            if DefaultValue.sameMeaning(column.defaultValue, nil) {
                self = .null
            } else if case .expression = column.defaultValue {
                self = .unknown
            } else {
                self = table.isStrict ? .unknown : .value
            }
        }
    }

    fileprivate struct Place: Sendable {
        var source: RecordLayout.Column.Source
        var missing = Missing.null
        var mayBeNull: Bool
        var demand: Demand
    }

    /// A query that has a row if a CHECK constraint is broken.
    struct CheckQuery: Sendable {
        fileprivate let table: String
        fileprivate let condition: String
        /// A name of the rowid; nil if it has none.
        fileprivate let rowid: String?

        /// More rows than these are not worth a list.
        private static let limit = 1000

        var sql: String {
            "SELECT 1 FROM main.\(quotedName(table)) NOT INDEXED WHERE \(condition) LIMIT 1"
        }

        /// Returns the query for some rows, or for all if they cannot be named.
        func sql(rows: [Int64]) -> String {
            guard let rowid, rows.count <= Self.limit else { return sql }
            let list = rows.map(String.init).joined(separator: ", ")
            return "SELECT 1 FROM main.\(quotedName(table)) NOT INDEXED WHERE \(rowid) IN (\(list)) "
                + "AND (\(condition)) LIMIT 1"
        }
    }

    struct ScannedIndex: Sendable {
        var root: UInt32
        var order: KeyOrder
        var unique: KeyOrder?
        /// Where the row has the values of an entry, in the entry's order.
        fileprivate var places: [Place]

        var columnCount: Int { places.count }
    }

    /// The order of the rows of a WITHOUT ROWID table.
    let order: KeyOrder?
    let indexes: [ScannedIndex]
    /// Nil without CHECK constraints.
    let checks: CheckQuery?
    private let columns: [Place]

    /// - Parameter indexes: the indexes that the file has for the table.
    /// - Returns: nil for a table that only SQLite can judge.
    /// - Throws: ``EngineError``.
    init?(
        _ table: Table, _ file: DatabaseFile, _ connection: any Connection, indexes entries: [SchemaEntry]
    ) throws {
        guard table.columns.allSatisfy({ $0.generated == nil }), let layout = RecordLayout(table) else {
            return nil
        }
        var places: [String: Place] = [:]
        for column in table.columns {
            let name = column.name.foldedASCII
            guard let stored = layout.column(name) else { return nil }
            places[name] = Place(
                source: stored.source, missing: Missing(column, in: table),
                mayBeNull: stored.source == .rowid || !table.isNotNull(column),
                demand: Self.demand(column, table))
        }
        columns = places.values.filter { place in
            guard place.source != .rowid else { return false }
            if case .anything = place.demand { return !place.mayBeNull }
            return true
        }
        order = layout.isWithoutRowid ? KeyOrder(terms: layout.key, in: file) : nil
        if layout.isWithoutRowid, order == nil { return nil }
        let conditions = table.checks.map { "coalesce(NOT (\($0.expression)), 0)" }
        let rowid = ["rowid", "_rowid_", "oid"].first { name in
            !table.columns.contains { $0.name.foldedASCII == name }
        }
        checks =
            conditions.isEmpty
            ? nil
            : CheckQuery(
                table: table.name, condition: conditions.joined(separator: " OR "),
                rowid: layout.isWithoutRowid ? nil : rowid)
        let known = try Self.indexes(of: table, connection)
        // SQLite refuses a table that lacks the index of a constraint.
        guard known.count == entries.count + (layout.isWithoutRowid ? 1 : 0) else { return nil }
        var indexes: [ScannedIndex] = []
        for entry in entries {
            guard let own = known.first(where: { $0.name.foldedASCII == entry.name.foldedASCII }),
                !own.isPartial, let index = try Self.index(entry, own.isUnique, places, file, connection)
            else { return nil }
            indexes.append(index)
        }
        self.indexes = indexes
    }

    private static func demand(_ column: Column, _ table: Table) -> Demand {
        let affinity = table.affinity(of: column)
        guard table.isStrict else {
            return switch affinity {
            case .blob: .anything
            case .text: .classes([.text, .blob])
            case .integer, .real, .numeric: .numeric
            }
        }
        return switch column.declaredType.foldedASCII {
        case "int", "integer": .classes(.integer)
        case "real": .classes([.integer, .real])
        case "text": .classes(.text)
        case "blob": .classes(.blob)
        default: .anything
        }
    }

    /// Returns the indexes that a table has by its definition and the schema.
    private static func indexes(
        of table: Table, _ connection: any Connection
    ) throws -> [(name: String, isUnique: Bool, isPartial: Bool)] {
        var indexes: [(name: String, isUnique: Bool, isPartial: Bool)] = []
        try connection.forEachRow(
            "SELECT name, \"unique\", partial FROM pragma_index_list(?1, 'main')",
            [.text(Array(table.name.utf8))]
        ) { indexes.append(($0.string(0), $0.integer(1) != 0, $0.integer(2) != 0)) }
        return indexes
    }

    private static func index(
        _ entry: SchemaEntry, _ isUnique: Bool, _ places: [String: Place], _ file: DatabaseFile,
        _ connection: any Connection
    ) throws -> ScannedIndex? {
        var (keys, named, found): ([KeyColumn], [KeyColumn], [Place]) = ([], [], [])
        var isKnown = true
        try connection.forEachRow("PRAGMA main.index_xinfo(\(quotedName(entry.name)))") { row in
            let place =
                row.integer(1) == -1
                ? Place(source: .rowid, mayBeNull: true, demand: .anything)
                : row.optionalString(2).flatMap { places[$0.foldedASCII] }
            let key = KeyColumn(named: row.string(4), isDescending: row.integer(3) != 0)
            guard let place, let key else {
                isKnown = false
                return
            }
            found.append(place)
            keys.append(key)
            if row.integer(5) != 0 { named.append(key) }
        }
        guard isKnown, !keys.isEmpty else { return nil }
        return ScannedIndex(
            root: entry.rootPage, order: KeyOrder(keys, in: file),
            unique: isUnique ? KeyOrder(named, in: file) : nil, places: found)
    }
}

extension ScannedTable {
    /// Reads a row, and adds what each index must have of it to the index's sum.
    /// - Returns: false if SQLite has to look at the table.
    @inline(__always) func read(
        _ rowid: Int64, _ fields: [Field], _ encoding: TextEncoding, _ key: RowHash.Key,
        _ sums: inout [RowSum]
    ) -> Bool {
        for place in columns {
            guard case .value(let index) = place.source else { continue }
            guard index < fields.count else {
                switch place.missing {
                case .null: if !place.mayBeNull { return false }
                case .value: break
                case .unknown: return false
                }
                continue
            }
            let field = fields[index]
            let storage = field.storageClass
            if storage == .null {
                if !place.mayBeNull { return false }
                continue
            }
            switch place.demand {
            case .anything: break
            case .classes(let allowed): if !allowed.contains(StorageClasses(storage)) { return false }
            case .numeric: if storage == .text, field.looksNumeric(encoding) { return false }
            }
        }
        for (number, index) in indexes.enumerated() {
            var hash = RowHash(key)
            for place in index.places {
                switch place.source {
                case .rowid: hash.add(integer: rowid)
                case .value(let position):
                    if position < fields.count {
                        hash.add(fields[position])
                    } else {
                        guard case .null = place.missing else { return false }
                        hash.addNull()
                    }
                }
            }
            sums[number].add(hash)
        }
        return true
    }
}

/// Storage classes other than NULL.
private struct StorageClasses: OptionSet, Sendable {
    let rawValue: UInt8

    static let integer = StorageClasses(rawValue: 1)
    static let real = StorageClasses(rawValue: 2)
    static let text = StorageClasses(rawValue: 4)
    static let blob = StorageClasses(rawValue: 8)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ storage: StorageClass) {
        self =
            switch storage {
            case .null: []
            case .integer: .integer
            case .real: .real
            case .text: .text
            case .blob: .blob
            }
    }
}

extension KeyOrder {
    /// Returns the order of a WITHOUT ROWID table's rows; nil if an application's collation decides.
    package init?(terms: [KeyTerm], in file: DatabaseFile) {
        let columns = terms.compactMap {
            KeyColumn(named: $0.collation ?? "BINARY", isDescending: $0.isDescending)
        }
        guard columns.count == terms.count else { return nil }
        self.init(columns, in: file)
    }
}

extension KeyColumn {
    /// Nil for an application's collation.
    package init?(named name: String, isDescending: Bool) {
        switch name.foldedASCII {
        case "binary": self.init(.binary, isDescending: isDescending)
        case "nocase": self.init(.nocase, isDescending: isDescending)
        case "rtrim": self.init(.rtrim, isDescending: isDescending)
        default: return nil
        }
    }
}

extension Field {
    /// Whether a column with numeric affinity stores a number in place of the text
    /// (https://www.sqlite.org/datatype3.html#type_affinity).
    fileprivate func looksNumeric(_ encoding: TextEncoding) -> Bool {
        var text = NumericText()
        for (offset, byte) in bytes.enumerated() {
            if encoding != .utf8 {
                let isHigh = (offset & 1 == 0) == (encoding == .utf16BigEndian)
                if isHigh, byte == 0 { continue }
                if isHigh { return false }
            }
            guard text.take(byte) else { return false }
        }
        return text.isNumber
    }
}

/// Reads blanks, a sign, digits with a point, an exponent and blanks, as `sqlite3AtoF` does.
private struct NumericText {
    private enum Part: Int { case start, sign, whole, point, fraction, exponent, exponentSign, power, end }

    private var part = Part.start
    private var hasDigits = false

    var isNumber: Bool { hasDigits && part != .exponent && part != .exponentSign }

    /// - Returns: false if no text that begins so is a number.
    mutating func take(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            switch part {
            case .start, .sign, .whole: part = .whole
            case .point, .fraction: part = .fraction
            case .exponent, .exponentSign, .power: part = .power
            case .end: return false
            }
            hasDigits = true
        case UInt8(ascii: "."):
            guard part.rawValue <= Part.whole.rawValue else { return false }
            part = .point
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            guard hasDigits, part.rawValue <= Part.fraction.rawValue else { return false }
            part = .exponent
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            if part == .start {
                part = .sign
            } else if part == .exponent {
                part = .exponentSign
            } else {
                return false
            }
        case 9...13, 32:
            if part == .start { return true }
            guard isNumber else { return false }
            part = .end
        default: return false
        }
        return true
    }
}
