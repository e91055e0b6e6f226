import DrydockFindings
import SQLiteSchema

/// Finds keys and constraints that a rebuild loses.
extension RebuildForgetsRule {
    /// Something that the old table has and the new one does not.
    struct Loss {
        var severity: Finding.Severity
        var what: String
        var column: String?
    }

    func losses(_ rebuild: LintMigration.Rebuild, _ end: Schema) -> [Loss] {
        let (old, new) = (rebuild.old, rebuild.new)
        var losses = keys(rebuild, end)
        if old.primaryKey?.isAutoincrement == true, new.primaryKey?.isAutoincrement == false {
            losses.append(Loss(severity: .warning, what: "AUTOINCREMENT", column: old.rowidAlias?.name))
        }
        for column in old.columns {
            guard let now = new.column(column.name) else { continue }
            if column.notNull != nil, !new.isNotNull(now), new.rowidAlias?.name != now.name {
                losses.append(Loss(severity: .note, what: "NOT NULL on \(column.name)", column: column.name))
            }
            if let collation = column.collation, collation.foldedASCII != "binary", now.collation == nil {
                losses.append(
                    Loss(severity: .note, what: "COLLATE \(collation) on \(column.name)", column: column.name)
                )
            }
            if let value = column.defaultValue, value != .null, now.defaultValue == nil {
                losses.append(
                    Loss(severity: .note, what: "DEFAULT \(value) of \(column.name)", column: column.name))
            }
        }
        let names = Set(new.columns.map(\.name.foldedASCII))
        let oldNames = Set(old.columns.map(\.name.foldedASCII))
        for check in old.checks
        where !new.checks.contains(where: { $0.expression == check.expression })
            && check.expression.names.intersection(oldNames).isSubset(of: names)
            && !new.checks.contains(where: { $0.column != nil && $0.column == check.column })
        {
            losses.append(Loss(severity: .note, what: "CHECK (\(check.expression))", column: check.column))
        }
        for key in old.foreignKeys
        where key.columns.allSatisfy({ names.contains($0.foldedASCII) })
            && !new.foreignKeys.contains(where: {
                $0.columns.map(\.foldedASCII) == key.columns.map(\.foldedASCII)
            })
        {
            losses.append(
                Loss(
                    severity: .note,
                    what: "foreign key of \(key.columns.joined(separator: ", ")) to \(key.parent)",
                    column: key.columns.first))
        }
        return losses
    }

    /// Returns PRIMARY KEY, UNIQUE and STRICT where the new table and its indexes have no equivalent.
    private func keys(_ rebuild: LintMigration.Rebuild, _ end: Schema) -> [Loss] {
        let (old, new) = (rebuild.old, rebuild.new)
        func isKept(_ terms: [KeyTerm]) -> Bool {
            terms.contains { new.column($0.column) == nil }
                || UniqueRule.isUnique(terms, in: new, end)
        }
        func list(_ terms: [KeyTerm]) -> String { terms.map(\.column).joined(separator: ", ") }
        var lost: [Loss] = []
        if let key = old.primaryKey, new.primaryKey == nil, !isKept(key.terms) {
            lost.append(Loss(severity: .warning, what: "PRIMARY KEY (\(list(key.terms)))"))
        }
        for unique in old.effectiveUniques where !isKept(unique.terms) {
            lost.append(Loss(severity: .note, what: "UNIQUE (\(list(unique.terms)))"))
        }
        if old.isStrict, !new.isStrict { lost.append(Loss(severity: .warning, what: "STRICT")) }
        return lost
    }
}
