import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// Finds what REPLACE does to existing rows.
struct ReplacedRows {
    let step: LintStep

    private var declared: DeclaredChanges { DeclaredChanges(of: step.migration) }

    /// Reports REPLACE of a row with the same key (https://www.sqlite.org/lang_conflict.html), by the statement's
    /// conflict clause or that of the key itself.
    func fault(_ name: QualifiedName, _ columns: [String]?) -> LintFault? {
        guard step.hasRowsOfUsers(name), let table = step.before.table(name.name),
            mayCollide(table, columns), !declaresReplacing(name)
        else { return nil }
        var isUpdate = false
        if case .update = step.action { isUpdate = true }
        let folded = Set((columns ?? table.columns.map(\.name)).map(\.foldedASCII))
        let lost = table.columns.first { $0.generated == nil && !folded.contains($0.name.foldedASCII) }
        let declaration =
            isUpdate
            ? "deletes from \(quotedIfNeeded(step.firstName(of: name.name))) where CONDITION"
            : "rewrites \(quotedIfNeeded(step.firstName(of: name.name)))"
        func fault(_ severity: Finding.Severity, _ message: String) -> LintFault {
            LintFault(
                severity, message,
                help: (isUpdate ? "" : "ON CONFLICT DO UPDATE keeps the row. ")
                    + remedy(isUpdate ? "they are no longer needed" : "that is intended", declaration),
                at: step.statement, token: step.token("replace"), table: name.name)
        }
        let verb = isUpdate ? "UPDATE OR REPLACE" : "REPLACE"
        if step.foreignKeysAreOn, let (child, key) = actingChild(of: table) {
            return fault(
                .error,
                "\(verb) deletes the row of \(name.name) that has the same key, and ON DELETE \(key.onDelete.rawValue) acts on the rows of \(child.name)"
            )
        }
        return fault(
            .warning,
            "\(verb) deletes the row of \(name.name) that has the same key"
                + (isUpdate ? "" : lost.map { ": its \($0.name) is lost" } ?? ""))
    }

    /// Whether a row can get the key of another, which is then deleted: INSERT has a value for each column of the key,
    /// or UPDATE changes one.
    private func mayCollide(_ table: Table, _ columns: [String]?) -> Bool {
        var keys = table.uniques.map { (columns: $0.terms.map(\.column), onConflict: $0.onConflict) }
        if let key = table.primaryKey { keys.append((key.terms.map(\.column), key.onConflict)) }
        for index in step.before.indexes(on: table.name) where index.isUnique {
            let columns = index.terms.compactMap { term -> String? in
                if case .column(let name) = term.value { name } else { nil }
            }
            keys.append((columns, nil))
        }
        let said = step.statement.conflictWord
        let isUpsert = step.statement.first(["on", "conflict"]) != nil
        keys.removeAll { said.map { $0 != "replace" } ?? ($0.onConflict != .replace || isUpsert) }
        guard let columns else { return !keys.isEmpty }
        let given = Set(columns.map { (table.rowidColumn($0) ?? $0).foldedASCII })
        if case .update = step.action {
            return keys.contains { $0.columns.contains { given.contains($0.foldedASCII) } }
        }
        return keys.contains { key in
            key.columns.allSatisfy { name in
                given.contains(name.foldedASCII)
                    || (table.column(name)?.defaultValue ?? .null) != .null
                    || table.column(name)?.generated != nil
            }
        }
    }

    private func actingChild(of table: Table) -> (Table, ForeignKey)? {
        let folded = table.name.foldedASCII
        return step.before.tables.values.filter { step.occupied.contains($0.name.foldedASCII) }
            .sorted { $0.name < $1.name }.lazy.flatMap { child in child.foreignKeys.map { (child, $0) } }
            .first { child, key in
                key.parent.foldedASCII == folded
                    && [.cascade, .setNull, .setDefault].contains(key.onDelete)
            }
    }

    private func declaresReplacing(_ name: QualifiedName) -> Bool {
        let names = step.declaredNames(of: name)
        // An UPDATE replaces a different row than the one it changes.
        if case .update = step.action { return declared.deletes(from: names) }
        return declared.contains { kind in
            switch kind {
            case .rewrites(let table, _), .deletes(let table, _): names.contains(table.foldedASCII)
            default: false
            }
        }
    }
}
