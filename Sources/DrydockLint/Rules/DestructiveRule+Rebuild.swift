import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds what a rebuild's copying statement does not copy unchanged.
extension DestructiveRule {
    /// Reports columns that the new table does not have.
    func columns(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        rebuild.old.columns.compactMap { column in
            let table = rebuild.old.name
            let isRead = migration.migration.statements.contains {
                ($0.action.changedTable != nil || $0.tableSource != nil) && $0.mentions(column.name)
            }
            guard column.generated == nil, rebuild.new.column(column.name) == nil,
                !rebuild.copy.items.contains(.star),
                !isRead || SavedColumn(of: column.name, in: table, migration.migration).ends.isEmpty,
                !declaresColumn(migration.migration, [table.foldedASCII], [column.name])
            else { return nil }
            return LintFault(
                .error, "the rebuild of \(table) leaves out \(column.name), and its values are lost",
                help: remedy(
                    "they may go", "drops column \(quotedIfNeeded(table)).\(quotedIfNeeded(column.name))"),
                at: rebuild.statement, table: table, column: column.name)
        }
    }

    /// Reports rows that a WHERE leaves out, otherwise a LIMIT or a JOIN.
    func rows(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> LintFault? {
        guard rebuild.isOnlyCopy, !declaresDeletes(migration.migration, [rebuild.old.name.foldedASCII])
        else {
            return nil
        }
        return condition(rebuild) ?? limit(rebuild)
    }

    private func condition(_ rebuild: LintMigration.Rebuild) -> LintFault? {
        let (name, statement) = (rebuild.old.name, rebuild.statement)
        guard let token = statement.outermost("where") else { return nil }
        let end =
            ["on", "group", "order", "limit", "returning"].compactMap {
                statement.outermost($0, after: token)
            }
            .map(\.range.lowerBound).min() ?? statement.range.upperBound
        let text = statement.source.text(in: token.range.upperBound..<end)
        let condition = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // An upsert needs such a condition after its SELECT.
        if ["true", "1", "1=1", "1 = 1"].contains(condition.foldedASCII) { return nil }
        let arms = statement.insertSource?.arms.count ?? 1
        if arms == 1, statement.outermost("join") == nil, rebuild.isAlwaysTrue(SQLFragment(sql: text)) {
            return nil
        }
        let isSimple = statement.outermost("join") == nil && !text.contains("--")
        return LintFault(
            .error, "the rebuild of \(name) copies only some rows, and the rest are lost",
            help: remedy(
                "they may go",
                "deletes from \(quotedIfNeeded(name)) where "
                    + (isSimple ? "(\(condition)) IS NOT TRUE" : "CONDITION")), at: statement, token: token,
            table: name)
    }

    /// Reports equal rows, of which DISTINCT or GROUP BY keeps one.
    func alike(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> LintFault? {
        let (name, statement) = (rebuild.old.name, rebuild.statement)
        guard rebuild.isOnlyCopy,
            let token = statement.outermost("distinct") ?? statement.outermost("group"),
            !declaresDeletes(migration.migration, [name.foldedASCII])
        else { return nil }
        let isDistinct = statement.outermost("distinct") != nil
        let terms = rebuild.old.columns.filter { column in
            rebuild.copy.items.contains(.star)
                || rebuild.copy.items.contains(.column(column.name.foldedASCII))
        }.map { KeyTerm(column: $0.name, collation: $0.collation) }
        // Rows with a key are never equal.
        if isDistinct, UniqueRule.isUnique(terms, in: rebuild.old, migration.start) { return nil }
        return LintFault(
            .warning, "the rebuild of \(name) keeps one of several equal rows, and the rest are lost",
            help: remedy("they may go", "deletes from \(quotedIfNeeded(name)) where CONDITION"),
            at: statement,
            token: token, table: name)
    }

    /// Reports columns with a new type that converts the old values (https://www.sqlite.org/datatype3.html).
    func conversions(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        rebuild.copiedColumns.compactMap { from, to in
            guard let old = rebuild.old.column(from), let new = rebuild.new.column(to) else { return nil }
            let what: String
            switch (rebuild.old.affinity(of: old), rebuild.new.affinity(of: new)) {
            case (.text, .integer), (.text, .numeric), (.text, .real):
                what = "texts that look like numbers become numbers, and '007' becomes 7"
            case (.integer, .text), (.real, .text): what = "numbers become texts"
            case (.integer, .real), (.numeric, .real):
                what = "whole numbers become floating, and those above 2^53 lose digits"
            case (.real, .integer), (.real, .numeric):
                what = "floating numbers that are whole become integers"
            default: return nil
            }
            let (table, name) = (rebuild.old.name, old.name)
            let isDeclared = declares(migration.migration) { kind in
                guard case .rewrites(let declared, let column) = kind,
                    declared.foldedASCII == table.foldedASCII
                else { return false }
                return column.map { [name, to].map(\.foldedASCII).contains($0.foldedASCII) } ?? true
            }
            if isDeclared { return nil }
            return LintFault(
                .warning, "the rebuild of \(table) makes \(to) \(new.declaredType): \(what)",
                help: remedy("that is intended", "rewrites \(quotedIfNeeded(table)).\(quotedIfNeeded(name))"),
                at: rebuild.statement, table: table, column: to)
        }
    }
}
