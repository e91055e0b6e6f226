import SQLiteFile
import SQLiteSchema

/// The pages of a large file that are known to be undamaged, or at least of trees that share no page.
package struct ProvedPages: Sendable {
    let file: DatabaseFile
    /// Returns the root page of a table.
    let root: @Sendable (_ table: String) -> UInt32?

    package init(_ file: DatabaseFile, root: @escaping @Sendable (_ table: String) -> UInt32?) {
        (self.file, self.root) = (file, root)
    }
}

/// A look at the foreign keys of a large table, on all cores, which proves that each row has its parents or leaves the verdict
/// to SQLite.
///
/// It understands the most frequent kind: one column with integers that references a rowid.
struct ReferenceScan: Sendable {
    private struct Key: Sendable {
        /// Where the row has the value.
        var source: RecordLayout.Column.Source
        /// The root page of the parent.
        var parent: UInt32
    }

    private let file: DatabaseFile
    private let root: UInt32
    private let keys: [Key]
    /// How many values of a row are looked at.
    private let width: Int

    /// How many parents that were found are remembered.
    private static let memory = 1024

    /// - Returns: nil for a table with another kind of key.
    /// - Throws: ``FileDamage``.
    init?(_ table: Catalog.Table, _ catalog: Catalog, _ pages: ProvedPages) throws(FileDamage) {
        guard let root = pages.root(table.name), let model = table.model,
            let layout = RecordLayout(table), !layout.isWithoutRowid
        else { return nil }
        var keys: [Key] = []
        for key in model.foreignKeys {
            guard let parent = catalog.table(key.parent), let root = pages.root(parent.name),
                let parentLayout = RecordLayout(parent), !parentLayout.isWithoutRowid,
                case let columns = key.parentColumns ?? parent.primaryKey.map(\.name),
                columns.count == 1, parentLayout.column(columns[0])?.source == .rowid,
                key.columns.count == 1, let own = layout.column(key.columns[0]),
                DefaultValue.sameMeaning(own.defaultValue, nil)
            else { return nil }
            keys.append(Key(source: own.source, parent: root))
        }
        (file, self.root, self.keys) = (pages.file, root, keys)
        width = keys.map { if case .value(let place) = $0.source { place + 1 } else { 0 } }.max() ?? 0
    }

    /// Returns whether each row has its parents; false also for a small table, and where SQLite has to look at a value.
    /// - Throws: ``FileDamage``.
    func isWhole() throws -> Bool {
        guard let parts = try ParallelRows(file, root: root) else { return false }
        return try parts.map { rows in try isWhole(&rows) }.allSatisfy(\.self)
    }

    private func isWhole(_ rows: inout TreeCursor) throws -> Bool {
        var parents = try keys.map { try TreeCursor(file, root: $0.parent) }
        var known = keys.map { _ in [Int64?](repeating: nil, count: Self.memory) }
        var buffer = PayloadBuffer()
        var values: [Field] = []
        while let row = try rows.next() {
            var reader = try RecordReader(
                try file.bytes(of: row.payload, in: &buffer), page: row.payload.page)
            values.removeAll(keepingCapacity: true)
            while values.count < width, let value = try reader.next() { values.append(value) }
            for (number, key) in keys.enumerated() {
                var wanted = row.rowid
                if case .value(let place) = key.source {
                    // A record that ends before the column has NULL there.
                    guard place < values.count, values[place].storageClass != .null else { continue }
                    guard values[place].storageClass == .integer else { return false }
                    wanted = values[place].integer
                }
                let slot = Int(truncatingIfNeeded: wanted & Int64(Self.memory - 1))
                if known[number][slot] == wanted { continue }
                try parents[number].seek(to: wanted)
                guard try parents[number].next()?.rowid == wanted else { return false }
                known[number][slot] = wanted
            }
        }
        return true
    }
}
