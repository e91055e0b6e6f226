import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Finds what is lost in a rebuild: rows and columns that the copy leaves out, and values that it converts.
struct RebuildLosses {
    let rebuild: LintMigration.Rebuild
    let migration: LintMigration

    private var declared: DeclaredChanges { DeclaredChanges(of: migration.migration) }

    var faults: [LintFault] {
        [rows, alike].compactMap { $0 } + columns + conversions + forgotten + deleted
    }

    /// Columns that the new table does not have.
    private var columns: [LintFault] {
        rebuild.old.columns.compactMap { column in
            let table = rebuild.old.name
            let isRead = migration.migration.statements.contains {
                ($0.action.changedTable != nil || $0.tableSource != nil) && $0.mentions(column.name)
            }
            guard column.generated == nil, rebuild.new.column(column.name) == nil,
                !rebuild.copy.items.contains(.star),
                !isRead || SavedColumn(of: column.name, in: table, migration.migration).ends.isEmpty,
                !declared.drops([column.name], of: [table.foldedASCII])
            else { return nil }
            return LintFault(
                .error, "the rebuild of \(table) leaves out \(column.name), and its values are lost",
                help: remedy(
                    "they may go", "drops column \(quotedIfNeeded(table)).\(quotedIfNeeded(column.name))"),
                at: rebuild.statement, table: table, column: column.name)
        }
    }

    /// Rows that a WHERE leaves out, otherwise a LIMIT or a JOIN.
    private var rows: LintFault? {
        guard rebuild.isOnlyCopy, !declared.deletes(from: [rebuild.old.name.foldedASCII])
        else {
            return nil
        }
        return condition ?? limit
    }

    private var condition: LintFault? {
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

    /// Equal rows, of which DISTINCT or GROUP BY keeps one.
    private var alike: LintFault? {
        let (name, statement) = (rebuild.old.name, rebuild.statement)
        guard rebuild.isOnlyCopy,
            let token = statement.outermost("distinct") ?? statement.outermost("group"),
            !declared.deletes(from: [name.foldedASCII])
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

    /// Columns with a new type that converts the old values (https://www.sqlite.org/datatype3.html).
    private var conversions: [LintFault] {
        rebuild.copiedColumns.compactMap { from, to in
            guard let old = rebuild.old.column(from), let new = rebuild.new.column(to) else { return nil }
            let what: String
            switch (rebuild.old.affinity(of: old), rebuild.new.affinity(of: new)) {
            case (.text, .integer), (.text, .numeric), (.text, .real):
                what = "text that looks like a number becomes a number, and '007' becomes 7"
            case (.integer, .text), (.real, .text): what = "numbers become text"
            case (.integer, .real), (.numeric, .real):
                what = "integers become floating-point numbers, and those above 2^53 lose digits"
            case (.real, .integer), (.real, .numeric):
                what = "floating-point numbers that are whole become integers"
            default: return nil
            }
            let (table, name) = (rebuild.old.name, old.name)
            if [name, to].contains(where: { declared.rewrites($0, of: [table.foldedASCII]) }) { return nil }
            return LintFault(
                .warning, "the rebuild of \(table) makes \(to) \(new.declaredType): \(what)",
                help: remedy("that is intended", "rewrites \(quotedIfNeeded(table)).\(quotedIfNeeded(name))"),
                at: rebuild.statement, table: table, column: to)
        }
    }

    /// Columns of both tables that the copy leaves out.
    private var forgotten: [LintFault] {
        guard let items = rebuild.itemsByTarget else { return [] }
        let table = rebuild.old.name
        return rebuild.old.columns.compactMap { column in
            let folded = column.name.foldedASCII
            guard column.generated == nil, let now = rebuild.new.column(column.name), now.generated == nil,
                !isRead(folded, items),
                !declared.drops([column.name], of: [table.foldedASCII]),
                !declared.rewrites(column.name, of: [table.foldedASCII])
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
    private func isRead(_ column: String, _ items: [String: CopyItem]) -> Bool {
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

    /// Rows that a LIMIT cuts off, or that have no partner in a JOIN.
    private var limit: LintFault? {
        let (name, statement) = (rebuild.old.name, rebuild.statement)
        func fault(_ severity: Finding.Severity, _ message: String, _ token: Token) -> LintFault {
            LintFault(
                severity, message,
                help: remedy("they may go", "deletes from \(quotedIfNeeded(name)) where CONDITION"),
                at: statement, token: token, table: name)
        }
        if let token = statement.outermost("limit"), !isWithoutLimit(token, statement) {
            return fault(
                .error,
                "the rebuild of \(name) copies only as many rows as LIMIT allows, and the rest are lost",
                token)
        }
        var join = statement.outermost("join")
        while let token = join {
            let keepsRows = ["left", "outer", "full", "cross"].contains { statement.isBehind($0, token) }
            if !keepsRows {
                return fault(
                    .warning,
                    "the rebuild of \(name) copies only rows for which the JOIN finds a match, and the rest are lost",
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

    /// Rows that are deleted after the copy, from the table that takes the old one's name.
    private var deleted: [LintFault] {
        let name = rebuild.old.name
        guard !declared.deletes(from: [name.foldedASCII]),
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
