import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds what a rebuild loses although its table has a column for it.
extension DestructiveRule {
    /// Returns columns of both tables that the copy leaves out.
    func forgotten(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        guard let items = rebuild.itemsByTarget else { return [] }
        let table = rebuild.old.name
        return rebuild.old.columns.compactMap { column in
            let folded = column.name.foldedASCII
            guard column.generated == nil, let now = rebuild.new.column(column.name), now.generated == nil,
                !isRead(folded, rebuild, items, migration),
                !declaresColumn(migration.migration, [table.foldedASCII], [column.name]),
                !declaresRewrite(migration.migration, table, column.name)
            else { return nil }
            guard items[folded] == nil else { return nil }
            let declaration = "rewrites \(quotedIfNeeded(table)).\(quotedIfNeeded(column.name))"
            return LintFault(
                .error, "the rebuild of \(table) does not copy \(column.name), and its values are lost",
                help: remedy("that is intended", declaration), at: rebuild.statement, table: table,
                column: column.name)
        }
    }

    /// Whether the values may be kept: another statement reads the column, or another column is computed from it.
    private func isRead(
        _ column: String, _ rebuild: LintMigration.Rebuild, _ items: [String: CopyItem],
        _ migration: LintMigration
    ) -> Bool {
        let isInCopy = items.values.contains { item in
            switch item {
            case .column(_, let name): name.foldedASCII == column
            case .expression(_, let columns): columns.contains { $0.foldedASCII == column }
            case .star: true
            }
        }
        return isInCopy
            || migration.migration.statements.enumerated().contains { index, statement in
                index != rebuild.copy.statement && statement.action.changedTable != nil
                    && statement.mentions(column)
            }
    }

    func declaresRewrite(_ migration: Migration, _ table: String, _ column: String) -> Bool {
        declares(migration) { kind in
            guard case .rewrites(let declared, let name) = kind, declared.foldedASCII == table.foldedASCII
            else { return false }
            return name.map { $0.foldedASCII == column.foldedASCII } ?? true
        }
    }

    /// Reports rows that a LIMIT cuts off, or that have no partner in a JOIN.
    func limit(_ rebuild: LintMigration.Rebuild) -> LintFault? {
        let (name, statement) = (rebuild.old.name, rebuild.statement)
        func fault(_ severity: Finding.Severity, _ message: String, _ token: Token) -> LintFault {
            LintFault(
                severity, message,
                help: remedy("they may go", "deletes from \(quotedIfNeeded(name)) where CONDITION"),
                at: statement, token: token, table: name)
        }
        if let token = statement.outermost("limit"), !isWithoutLimit(token, statement) {
            return fault(
                .error, "the rebuild of \(name) copies as many rows as LIMIT says, and the rest are lost",
                token)
        }
        var join = statement.outermost("join")
        while let token = join {
            let keepsRows = ["left", "outer", "full", "cross"].contains { statement.isBehind($0, token) }
            if !keepsRows {
                return fault(
                    .warning,
                    "the rebuild of \(name) copies only rows that the JOIN finds a partner for, and the rest are lost",
                    token)
            }
            join = statement.outermost("join", after: token)
        }
        return nil
    }

    /// Whether the LIMIT is negative, which means no limit.
    private func isWithoutLimit(_ limit: Token, _ statement: SQLStatement) -> Bool {
        guard let place = statement.tokens.firstIndex(of: limit), place + 1 < statement.tokens.count else {
            return false
        }
        return statement.tokens[place + 1].isSymbol("-", in: statement.source)
    }

    /// Reports rows that are deleted after the copy, from the table that takes the old one's name.
    func deleted(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let name = rebuild.old.name
        guard !declaresDeletes(migration.migration, [name.foldedASCII]),
            let made = migration.lineage[name]
        else { return [] }
        let drop = migration.lineage.dropStatement(ofTable: name) ?? rebuild.copy.statement
        return migration.migration.statements.enumerated().compactMap { index, statement in
            guard case .delete(let target) = statement.action, target.isMain,
                index > rebuild.copy.statement
            else { return nil }
            let isNew =
                target.folded == made.firstTableName.foldedASCII && target.folded != name.foldedASCII
                || target.folded == name.foldedASCII && index > drop
            guard isNew else { return nil }
            return LintFault(
                .error, "DELETE removes rows of \(name) after the copy",
                help: remedy("they may go", "deletes from \(quotedIfNeeded(name)) where CONDITION"),
                at: statement, table: name)
        }
    }
}
