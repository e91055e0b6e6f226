import DatabaseEngine
import DrydockFindings
import DrydockProbes
import DrydockReplay
import SQLiteSchema

/// A guess at the rows that show a finding: the first that its evidence names, with the rows that it refers to.
struct EvidenceRows {
    private let finding: Finding
    private let schema: Schema
    private let encoding: TextEncoding

    init(_ finding: Finding, _ schema: Schema, encoding: TextEncoding) {
        (self.finding, self.schema, self.encoding) = (finding, schema, encoding)
    }

    /// Returns those of the rows, in their order; none where the evidence names no key.
    func rows(of all: [GeneratedRow]) -> [GeneratedRow] {
        guard let table = finding.table?.foldedASCII, let key = finding.evidence?.rows.first?.key,
            !key.isEmpty
        else { return [] }
        let named = all.indices.first { index in
            all[index].table.foldedASCII == table
                && key.allSatisfy { part in
                    value(of: part.column, in: all[index])?.literal == part.value.literal
                }
        }
        guard let named else { return [] }
        var (chosen, left): (Set<Int>, [Int]) = ([named], [named])
        while let index = left.popLast() {
            for parent in parents(of: all[index], among: all) where chosen.insert(parent).inserted {
                left.append(parent)
            }
        }
        return chosen.sorted().map { all[$0] }
    }

    private func parents(of row: GeneratedRow, among all: [GeneratedRow]) -> [Int] {
        (schema.tables[row.table.foldedASCII]?.foreignKeys ?? []).compactMap { key in
            let parent = key.parent.foldedASCII
            let columns =
                key.parentColumns ?? schema.tables[parent]?.primaryKey?.terms.map(\.column) ?? []
            guard columns.count == key.columns.count, !columns.isEmpty else { return nil }
            return all.indices.first { index in
                all[index].table.foldedASCII == parent
                    && zip(key.columns, columns).allSatisfy { child, column in
                        value(of: child, in: row).map { $0 == value(of: column, in: all[index]) } ?? false
                    }
            }
        }
    }

    private func value(of column: String, in row: GeneratedRow) -> SQLValue? {
        row.columns.firstIndex { $0.foldedASCII == column.foldedASCII }.map { row.values[$0] }
    }
}
