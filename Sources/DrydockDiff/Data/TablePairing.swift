import DrydockConservation
import DrydockState
import SQLiteSchema

/// A table that both sides have, with the columns and the key that they share.
package struct TablePairing: Sendable {
    let match: TableMatch
    /// Positions of the key's columns among the compared columns; empty without a key.
    let key: [Int]
    /// Whether only the rowid identifies rows: true for virtual tables.
    let isByRowid: Bool
    let columnsOnlyInOld: [String]
    let columnsOnlyInNew: [String]

    package init(_ old: Catalog.Table, _ new: Catalog.Table) {
        var columns: [TableMatch.ColumnPair] = []
        var left: [Catalog.Column] = []
        for column in old.storedColumns {
            if let other = new.column(column.name), !other.isGenerated {
                columns.append(.init(before: column, after: other))
            } else {
                left.append(column)
            }
        }
        match = TableMatch(before: old, after: new, columns: columns, droppedColumns: left)
        columnsOnlyInOld = left.map(\.name)
        columnsOnlyInNew = new.storedColumns.filter { old.column($0.name).map(\.isGenerated) ?? true }.map(
            \.name)
        let names = old.primaryKey.map(\.name.foldedASCII)
        let positions = names.compactMap { name in columns.firstIndex { $0.before.name.foldedASCII == name } }
        let isShared =
            Set(names) == Set(new.primaryKey.map(\.name.foldedASCII)) && positions.count == names.count
        isByRowid = old.module != nil || new.module != nil
        key = isShared && !isByRowid ? positions : []
    }

    private init(_ match: TableMatch, key: [Int], isByRowid: Bool) {
        (self.match, self.key, self.isByRowid) = (match, key, isByRowid)
        (columnsOnlyInOld, columnsOnlyInNew) = ([], [])
    }

    /// "The maximum number of columns in [...] the result set of a SELECT" is 2000
    /// (https://www.sqlite.org/limits.html), and rowids need room too.
    private static let mostColumns = 1990

    /// Splits the tables into groups of columns that fit into one query, each with the key or rowid. The rows are equal
    /// if they are equal in every group.
    package func groups() -> [TablePairing] {
        let all = match.columns
        guard all.count > Self.mostColumns else { return [self] }
        let keyColumns = hasRowids ? [] : key.map { all[$0] }
        let rest = hasRowids ? Array(all.indices) : all.indices.filter { !key.contains($0) }
        let size = max(1, Self.mostColumns - keyColumns.count)
        return stride(from: 0, to: rest.count, by: size).map { start in
            let part = rest[start..<min(start + size, rest.count)].map { all[$0] }
            let match = TableMatch(
                before: match.before, after: match.after, columns: keyColumns + part, droppedColumns: [])
            return TablePairing(match, key: Array(keyColumns.indices), isByRowid: hasRowids)
        }
    }

    /// Whether both sides' SQL has a name for the rowid.
    package var hasRowids: Bool { match.before.rowidName != nil && match.after.rowidName != nil }

    package func emptyDiff(_ schema: Schema) -> TableDataDiff {
        var diff = TableDataDiff(
            name: match.before.name, identity: key.isEmpty ? .rowid : .key(key),
            columns: match.columns.map(\.before.name),
            changes: Array(repeating: 0, count: match.columns.count))
        diff.columnsOnlyInOld = columnsOnlyInOld
        diff.columnsOnlyInNew = columnsOnlyInNew
        diff.writing = writing(schema)
        return diff
    }

    private func writing(_ schema: Schema) -> TableWriting {
        let table = match.before
        var writing = TableWriting()
        writing.rowidName = table.rowidName
        writing.isWithoutRowid = table.kind == .withoutRowid
        writing.isVirtual = table.module != nil
        writing.isAutoincrement = table.isAutoincrement
        guard !writing.isVirtual else { return writing }
        let row = SchemaRow(type: "table", name: table.name, table: table.name, sql: table.text)
        guard let model = SchemaParser().schema(of: [row]).table(table.name) else { return writing }
        func position(_ name: String) -> Int? {
            match.columns.firstIndex { $0.before.name.foldedASCII == name.foldedASCII }
        }
        writing.rowidAlias = model.rowidAlias.flatMap { position($0.name) }
        writing.uniqueColumns = uniqueColumns(model, schema.indexes(on: table.name), position)
        return writing
    }

    private func uniqueColumns(
        _ model: Table, _ indexes: [Index], _ position: (String) -> Int?
    ) -> Set<Int>? {
        var names = model.effectiveUniques.flatMap { $0.terms.map(\.column) }
        names += model.primaryKey?.terms.map(\.column) ?? []
        for index in indexes where index.isUnique {
            guard index.condition == nil else { return nil }
            for term in index.terms {
                guard case .column(let name) = term.value else { return nil }
                names.append(name)
            }
        }
        let positions = names.map(position)
        // A generated column has no position; its value follows from other columns.
        return positions.contains(nil) ? nil : Set(positions.compactMap { $0 })
    }
}
