import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds rows that DELETE takes and that are nowhere else.
struct DeletedRows {
    let step: LintStep

    private var declared: DeclaredChanges { DeclaredChanges(of: step.migration) }

    func fault(_ name: QualifiedName) -> LintFault? {
        guard step.hasRowsOfUsers(name), !isOfNoRow else { return nil }
        if case .whole = SavedRows(step.migration).holding(name.name, at: step.index) { return nil }
        guard !declared.deletes(from: step.declaredNames(of: name)) else { return nil }
        let whereToken = step.token("where")
        let condition = whereToken.map {
            "where"
                + step.statement.source.text(in: $0.range.upperBound..<step.statement.range.upperBound)
        }
        let isPlain =
            condition.map { !$0.contains("\n") && step.statement.first(["returning"]) == nil } ?? true
        return LintFault(
            .error,
            "DELETE removes " + (condition == nil ? "every row of \(name.name)" : "rows of \(name.name)"),
            help: remedy(
                "they may go",
                "deletes from \(quotedIfNeeded(step.firstName(of: name.name)))"
                    + (condition.map { isPlain ? " \($0)" : " where CONDITION" } ?? "")), at: step.statement,
            table: name.name)
    }

    /// Whether a condition that reads no column is false, such as `WHERE 0`.
    private var isOfNoRow: Bool {
        guard let condition = step.statement.condition else { return false }
        let fragment = SQLFragment(sql: condition)
        guard fragment.names.isEmpty, !fragment.items.contains(.keyword("select")) else { return false }
        let isTrue = try? step.connection.firstRow("SELECT (\(condition)) IS TRUE") { $0.integer(0) != 0 }
        return isTrue == false
    }
}
