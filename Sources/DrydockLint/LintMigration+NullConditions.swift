import DrydockState
import SQLiteSchema

extension LintMigration.Rebuild {
    /// Whether a column of the old table can be NULL.
    func canBeNull(_ name: String) -> Bool {
        guard let column = old.column(name) else { return true }
        return !old.isNotNull(column) && old.rowidAlias?.name != column.name
    }

    /// Whether a condition on the old table is true for each of its rows, since its columns are NOT NULL.
    func isAlwaysTrue(_ condition: SQLFragment) -> Bool {
        NullCondition(condition)?.isAlwaysTrue { name, isNull in !isNull || canBeNull(name) } ?? false
    }

    /// Whether a CHECK of the new table is true for each row that is copied.
    func isAlwaysTrue(_ check: CheckConstraint) -> Bool {
        guard let condition = NullCondition(check.expression) else { return false }
        let copied = Dictionary(
            copiedColumns.map { ($0.to.foldedASCII, $0.from) }, uniquingKeysWith: { first, _ in first })
        let targets = copy.columns.map { Set($0.map(\.foldedASCII)) }
        return condition.isAlwaysTrue { name, isNull in
            if let source = copied[name] { return !isNull || canBeNull(source) }
            // A column that the copy leaves out has its default.
            guard let targets, !targets.contains(name), let column = new.column(name),
                column.generated == nil
            else { return true }
            return isNull == ((column.defaultValue ?? .null) == .null)
        }
    }
}
