/// What was renamed, as somebody said: without it a renamed thing is a dropped and an added one.
public struct RenameHints: Sendable, Hashable {
    /// New table names by folded old ones.
    public private(set) var tables: [String: String] = [:]
    /// New column names by folded old ones, by folded old table name.
    public private(set) var columns: [String: [String: String]] = [:]

    /// - Parameters:
    ///   - tables: `[old: new]`.
    ///   - columns: `[old table: [old: new]]`.
    public init(tables: [String: String] = [:], columns: [String: [String: String]] = [:]) {
        for (old, new) in tables { self.tables[old.foldedASCII] = new }
        for (table, names) in columns {
            for (old, new) in names {
                self.columns[table.foldedASCII, default: [:]][old.foldedASCII] = new
            }
        }
    }

    /// The hints that these schemas bear out: the old thing is only in the old one, the new one only in the
    /// new one, and no two become the same.
    func fitting(_ old: Schema, _ new: Schema) -> RenameHints {
        var result = RenameHints()
        var taken: Set<String> = []
        for (from, to) in tables.sorted(by: { $0.key < $1.key }) {
            let target = to.foldedASCII
            guard old.tables[from] != nil, new.tables[from] == nil, new.tables[target] != nil,
                old.tables[target] == nil, taken.insert(target).inserted
            else { continue }
            result.tables[from] = to
        }
        for (name, columns) in columns {
            guard let before = old.tables[name], let after = new.table(result.tables[name] ?? name)
            else { continue }
            var taken: Set<String> = []
            for (from, to) in columns.sorted(by: { $0.key < $1.key })
            where before.column(from) != nil && after.column(from) == nil && after.column(to) != nil
                && before.column(to) == nil && taken.insert(to.foldedASCII).inserted
            {
                result.columns[name, default: [:]][from] = to
            }
        }
        return result
    }

    /// The hints that do not fit the schemas, as `table` or `table.column`, sorted: nothing of the old name
    /// is in the old schema alone, or nothing of the new name in the new one alone.
    public func unused(from old: Schema, to new: Schema) -> [String] {
        let fitting = fitting(old, new)
        let tables = tables.keys.filter { fitting.tables[$0] == nil }
        let columns = columns.flatMap { table, names in
            names.keys.filter { fitting.columns[table]?[$0] == nil }.map { table + "." + $0 }
        }
        return (tables + columns).sorted()
    }

    /// The way back.
    public var reversed: RenameHints {
        var result = RenameHints()
        for (old, new) in tables { result.tables[new.foldedASCII] = old }
        for (table, names) in columns {
            let after = self.table(table)
            for (old, new) in names { result.columns[after, default: [:]][new.foldedASCII] = old }
        }
        return result
    }

    /// The new folded name of an old table.
    func table(_ name: String) -> String {
        let folded = name.foldedASCII
        return tables[folded]?.foldedASCII ?? folded
    }

    /// The new folded name of an old table's column.
    func column(_ name: String, of table: String) -> String {
        let folded = name.foldedASCII
        return columns[table.foldedASCII]?[folded]?.foldedASCII ?? folded
    }

    var isEmpty: Bool { tables.isEmpty && columns.isEmpty }
}
