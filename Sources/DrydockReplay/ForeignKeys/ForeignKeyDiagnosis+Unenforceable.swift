import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

extension ForeignKeyDiagnosis {
    /// Explains a parent without a unique index on the referenced columns, or without these columns.
    func unenforceable(_ child: Catalog.Table, _ culprit: Int?) throws -> Finding? {
        for key in child.foreignKeys {
            guard let parent = after.table(key.parent), let resolved = ResolvedKey(key, child, parent),
                !isUnique(resolved)
            else { continue }
            let cause = culprit.map { "since \(migration.mention($0))" }
            let missing = resolved.parentColumns.filter { parent.column($0) == nil }
            if let first = missing.first {
                return Finding(
                    cause: (cause.map { $0 + ", " } ?? "") + "\(parent.name) has no column \(first)",
                    help:
                        "Rename the column with ALTER TABLE, which references follow, or rebuild \(child.name) with the new name."
                )
            }
            let columns = resolved.parentColumns.map(quotedIfNeeded).joined(separator: ", ")
            let index = quotedIfNeeded(([parent.name] + resolved.parentColumns).joined(separator: "_"))
            return Finding(
                cause: (cause.map { $0 + " " } ?? "") + "nothing makes \(parent.name) (\(columns)) unique",
                help:
                    "Make it unique again:\n  CREATE UNIQUE INDEX \(index) ON \(quotedIfNeeded(parent.name))(\(columns));"
            )
        }
        return nil
    }

    /// Whether a primary key, a UNIQUE constraint or an index over all rows has exactly these columns.
    private func isUnique(_ key: ResolvedKey) -> Bool {
        guard let model = key.parent.model else { return true }
        let wanted = Set(key.parentColumns.map(\.foldedASCII))
        func holds(_ columns: [String]) -> Bool { Set(columns.map(\.foldedASCII)) == wanted }
        if let primary = model.primaryKey, holds(primary.terms.map(\.column)) { return true }
        if model.uniques.contains(where: { holds($0.terms.map(\.column)) }) { return true }
        return after.objects.values.contains { object in
            guard object.kind == .index, object.tableName.foldedASCII == key.parent.name.foldedASCII,
                let index = SchemaParser().schema(of: [
                    SchemaRow(type: "index", name: object.name, table: object.tableName, sql: object.text)
                ]).indexes.values.first, index.isUnique, index.condition == nil
            else { return false }
            let columns = index.terms.compactMap { term -> String? in
                if case .column(let name) = term.value { name } else { nil }
            }
            return columns.count == index.terms.count && holds(columns)
        }
    }
}
