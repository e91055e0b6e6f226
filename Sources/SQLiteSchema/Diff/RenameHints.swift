/// Renames that a user or a detector has named. Without a hint, a rename is a drop and an addition.
///
///     let hints = RenameHints(tables: ["person": "account"], columns: ["person": ["mail": "email"]])
///     let changes = SchemaDiff(from: old, to: new, hints: hints).changes()
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

    /// Returns the hints that fit these schemas: the old name is only in the old schema, the new name only in
    /// the new one, and no two old names get the same new one. A column may take the name that another column
    /// of its table gives up.
    func fitting(_ old: Schema, _ new: Schema) -> RenameHints {
        var result = RenameHints()
        var taken: Set<String> = []
        for (from, to) in tables.sorted(by: { $0.key < $1.key })
        where misfit(table: from, to, old, new) == nil && taken.insert(to.foldedASCII).inserted {
            result.tables[from] = to
        }
        for (name, columns) in columns {
            guard let before = old.tables[name], let after = new.table(result.tables[name] ?? name)
            else { continue }
            var left = columns
            // A hint that does not fit may have been the reason why another one fits.
            while let misfit = left.sorted(by: { $0.key < $1.key }).last(where: {
                Self.misfit(column: $0.key, $0.value, before, after, beside: left) != nil
            }) {
                left[misfit.key] = nil
            }
            if !left.isEmpty { result.columns[name] = left }
        }
        return result
    }

    /// Returns the hints that do not fit the schemas, as `table` or `table.column`, sorted.
    public func unused(from old: Schema, to new: Schema) -> [String] {
        misfits(from: old, to: new).map(\.hint)
    }

    /// Returns the hints that do not fit the schemas, each with the reason, sorted.
    public func misfits(from old: Schema, to new: Schema) -> [(hint: String, reason: String)] {
        let fitting = fitting(old, new)
        let tables = tables.filter { fitting.tables[$0.key] == nil }.map { from, to in
            (from, misfit(table: from, to, old, new) ?? "another table becomes \(to)")
        }
        let columns = columns.flatMap { table, names in
            names.filter { fitting.columns[table]?[$0.key] == nil }.map { from, to in
                (table + "." + from, misfit(column: from, to, of: table, beside: names, old, new))
            }
        }
        return (tables + columns).sorted { $0.0 < $1.0 }
    }

    private func misfit(table from: String, _ to: String, _ old: Schema, _ new: Schema) -> String? {
        if old.tables[from] == nil { return "the old schema has no table \(from)" }
        if new.table(to) == nil { return "the new schema has no table \(to)" }
        if new.tables[from] != nil { return "the new schema still has a table \(from)" }
        return old.table(to) == nil ? nil : "the old schema has a table \(to) already"
    }

    private func misfit(
        column from: String, _ to: String, of table: String, beside others: [String: String], _ old: Schema,
        _ new: Schema
    ) -> String {
        guard let before = old.tables[table] else { return "the old schema has no table \(table)" }
        let name = tables[table] ?? table
        guard let after = new.table(name) else { return "the new schema has no table \(name)" }
        return Self.misfit(column: from, to, before, after, beside: others)
            ?? "the other renames of \(table) do not fit"
    }

    private static func misfit(
        column from: String, _ to: String, _ before: Table, _ after: Table, beside others: [String: String]
    ) -> String? {
        let target = to.foldedASCII
        if before.column(from) == nil { return "the old \(before.name) has no column \(from)" }
        if after.column(to) == nil { return "the new \(after.name) has no column \(to)" }
        if after.column(from) != nil, !others.values.contains(where: { $0.foldedASCII == from }) {
            return "the new \(after.name) still has a column \(from)"
        }
        if before.column(to) != nil, others[target] == nil {
            return "the old \(before.name) has a column \(to) already"
        }
        let rivals = others.filter { $0.value.foldedASCII == target }.keys
        return rivals.min() == from ? nil : "another column becomes \(to)"
    }

    /// The hints for the opposite direction, from the new schema to the old one.
    public var reversed: RenameHints {
        var result = RenameHints()
        for (old, new) in tables { result.tables[new.foldedASCII] = old }
        for (table, names) in columns {
            let after = self.table(table)
            for (old, new) in names { result.columns[after, default: [:]][new.foldedASCII] = old }
        }
        return result
    }

    /// Returns the new folded name of an old table.
    func table(_ name: String) -> String {
        let folded = name.foldedASCII
        return tables[folded]?.foldedASCII ?? folded
    }

    /// Returns the new folded name of an old table's column.
    func column(_ name: String, of table: String) -> String {
        let folded = name.foldedASCII
        return columns[table.foldedASCII]?[folded]?.foldedASCII ?? folded
    }

    var isEmpty: Bool { tables.isEmpty && columns.isEmpty }
}
