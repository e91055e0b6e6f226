import SQLiteSchema

/// The places of a table's columns in its records, and how they are read.
///
/// "The values are in the order of the columns in the CREATE TABLE statement"; VIRTUAL generated columns have no value,
/// a rowid alias has a NULL, and a WITHOUT ROWID table has the columns of its key first
/// (https://www.sqlite.org/fileformat2.html#representation_of_sql_tables).
package struct RecordLayout: Sendable {
    package struct Column: Sendable, Equatable {
        package enum Source: Sendable, Equatable {
            case rowid
            /// The position among the record's values, from 0.
            case value(Int)
        }

        package var source: Source
        /// The column has REAL affinity: an integer in the record stands for a real.
        package var isReal: Bool
        /// The value of a record that ends before the column; the text of a default must be given the column's
        /// affinity.
        var affinity: Affinity
        package var defaultValue: DefaultValue

        /// Whether the same record gives the same value for both columns.
        package func isSame(as other: Column) -> Bool {
            source == other.source && isReal == other.isReal
                && (source == .rowid
                    || affinity == other.affinity
                        && DefaultValue.sameMeaning(defaultValue, other.defaultValue))
        }
    }

    /// The columns with stored values, by folded name.
    let columns: [String: Column]
    package let isWithoutRowid: Bool
    /// The key's terms in the order of the records of a WITHOUT ROWID table; empty for others.
    package let key: [KeyTerm]

    /// - Returns: nil where the definition is not understood, or SQLite lists different columns for it.
    package init?(_ table: Catalog.Table) {
        guard table.kind == .ordinary || table.kind == .withoutRowid else { return nil }
        guard let model = table.model,
            model.columns.map(\.name.foldedASCII) == table.columns.map(\.name.foldedASCII),
            model.isWithoutRowid == (table.kind == .withoutRowid)
        else { return nil }
        self.init(model)
    }

    /// - Parameter model: a definition as SQLite understands it.
    package init?(_ model: Table) {
        isWithoutRowid = model.isWithoutRowid
        key = isWithoutRowid ? model.effectivePrimaryKey : []
        let alias = model.rowidAlias?.name.foldedASCII
        var columns: [String: Column] = [:]
        var count = 0
        func add(_ column: SQLiteSchema.Column) {
            let affinity = model.affinity(of: column)
            let name = column.name.foldedASCII
            columns[name] = Column(
                source: name == alias ? .rowid : .value(count), isReal: affinity == .real, affinity: affinity,
                defaultValue: column.defaultValue ?? .null)
            count += 1
        }
        let keyNames = Set(key.map(\.column.foldedASCII))
        for term in key {
            // A column that occurs twice in the key, under two collations, is in the record twice.
            guard let column = model.column(term.column) else { return nil }
            if columns[column.name.foldedASCII] == nil { add(column) } else { count += 1 }
        }
        for column in model.columns where !keyNames.contains(column.name.foldedASCII) {
            if let generated = column.generated, !generated.isStored { continue }
            add(column)
        }
        self.columns = columns
    }

    package func column(_ name: String) -> Column? { columns[name.foldedASCII] }
}
