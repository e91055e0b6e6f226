import DrydockFindings
import DrydockState
import SQLiteSchema

/// Finds values of single rows that a NOT NULL, a STRICT table or a foreign key refuses.
extension RebuildStricterRule {
    /// Reports rows that are copied into a NOT NULL column of a table that does not take the place of another.
    func copies(_ migration: LintMigration) -> [LintFault] {
        migration.copies.filter { migration.occupied.contains($0.old.name.foldedASCII) }.flatMap { copy in
            guard copy.statement.conflictWord == nil else { return [LintFault]() }
            return copy.copiedColumns.compactMap { from, to in
                guard let was = copy.old.column(from), let now = copy.new.column(to), copy.new.isNotNull(now),
                    copy.new.rowidAlias?.name != now.name, !copy.old.isNotNull(was),
                    copy.old.rowidAlias?.name != was.name, !leavesOut(rowsWithout: was.name, copy, migration)
                else { return nil }
                return LintFault(
                    isHandled([from, to], copy, migration) ? .note : .warning,
                    "\(copy.new.name).\(to) is NOT NULL: the copy fails on a row of \(copy.old.name) without \(from)",
                    help:
                        "Fill it in the copy, as with coalesce(\(quotedIfNeeded(from)), ...), or leave such rows out.",
                    at: copy.statement, table: copy.new.name, column: to)
            } + computed(copy, migration)
        }
    }

    /// Whether no tried row that the copy's WHERE selects is NULL in a column.
    private func leavesOut(
        rowsWithout column: String, _ copy: LintMigration.Rebuild, _ migration: LintMigration
    ) -> Bool {
        guard let condition = copy.condition.map({ SQLFragment(sql: $0) }) else { return false }
        let probe = LintProbe(table: copy.old, known: [:], connection: migration.connection)
        let names = condition.names.union([column.foldedASCII])
        let answer = probe.row(where: "\(quotedName(column)) IS NULL AND (\(condition))", names: names)
        if case .noRow = answer { return !condition.items.contains(.keyword("select")) }
        return false
    }

    /// Reports NOT NULL columns that the copy fills with an expression that can be NULL, as SQLite shows with generated
    /// rows.
    func computed(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let items = rebuild.itemsByTarget ?? [:]
        return rebuild.new.columns.compactMap { column in
            guard rebuild.new.isNotNull(column), rebuild.new.rowidAlias?.name != column.name,
                rebuild.statement.conflictWord == nil
            else { return nil }
            var (expression, table): (SQLFragment, Table) = (SQLFragment(sql: "NULL"), rebuild.old)
            if let generated = column.generated {
                if rebuild.old.column(column.name)?.generated == generated { return nil }
                (expression, table) = (generated.expression, rebuild.new)
            } else if case .expression(let item, _)? = items[column.name.foldedASCII] {
                expression = SQLFragment(sql: item.description)
            } else {
                return nil
            }
            let probe = LintProbe(table: table, known: [:], connection: migration.connection)
            let copied = rebuild.condition.map { SQLFragment(sql: $0) }
            let condition = copied.map { " AND (\($0))" } ?? ""
            let names = expression.names.union(copied?.names ?? [])
            guard case .row(let row) = probe.row(where: "(\(expression)) IS NULL" + condition, names: names)
            else { return nil }
            let isAlways = expression.items == [.keyword("null")]
            return LintFault(
                isAlways ? .error : .warning,
                "\(column.name) is NOT NULL: the copy of \(rebuild.old.name) fails "
                    + (isAlways ? "on any row" : "on a row for which \(expression) is NULL, as with \(row)"),
                help: "Fill it with a value of its own.", at: rebuild.statement, table: rebuild.old.name,
                column: column.name)
        }
    }

    /// Reports CHECKs that are broken by the defaults of columns which the copy leaves out.
    func defaults(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        guard rebuild.statement.tableSource == nil, let targets = rebuild.copy.columns else { return [] }
        let filled = Set(targets.map(\.foldedASCII))
        var known: [String: String] = [:]
        for column in rebuild.new.columns
        where column.generated == nil && !filled.contains(column.name.foldedASCII)
            && rebuild.new.rowidAlias?.name != column.name
        {
            known[column.name.foldedASCII] = (column.defaultValue ?? .null).description
        }
        var unchecked = rebuild.new
        unchecked.checks = []
        let probe = LintProbe(table: unchecked, known: known, connection: migration.connection)
        return rebuild.new.checks.compactMap { check in
            let read = rebuild.new.columns.filter { check.expression.names.contains($0.name.foldedASCII) }
            guard let first = read.first, read.allSatisfy({ known[$0.name.foldedASCII] != nil }),
                case .row = probe.row(where: "NOT (\(check.expression))", names: check.expression.names)
            else { return nil }
            return LintFault(
                .error,
                "the default of \(first.name) breaks CHECK (\(check.expression)), and the copy leaves it out: it fails if \(rebuild.old.name) has a row",
                help: "Fill it in the copy, or give it another default.", at: rebuild.statement,
                table: rebuild.old.name, column: first.name)
        }
    }

    /// Reports a table of any values that becomes STRICT. Usual values of its columns fit, but one unusual value is
    /// enough.
    func strict(_ rebuild: LintMigration.Rebuild) -> [LintFault] {
        let (old, new) = (rebuild.old, rebuild.new)
        guard new.isStrict, !old.isStrict else { return [] }
        let columns = rebuild.copiedColumns.filter { from, to in
            guard let was = old.column(from), let now = new.column(to) else { return false }
            return now.declaredType.foldedASCII != "any" && old.rowidAlias?.name != was.name
        }
        // Usual values that are refused are reported for each column.
        let isReported = columns.contains { from, to in
            guard let was = old.column(from), let now = new.column(to) else { return false }
            return refuses(new.affinity(of: now), old.affinity(of: was))
        }
        guard let first = columns.first, !isReported else { return [] }
        let others = columns.count > 1 ? " or \(columns.count - 1) more" : ""
        return [
            LintFault(
                .warning,
                "\(old.name) becomes STRICT: the copy fails on a row with a value of another type in \(first.to)\(others)",
                help: "Convert such values in the copy or before it, as with CAST.", at: rebuild.statement,
                table: old.name)
        ]
    }

    /// Reports foreign keys that did not exist when rows were written.
    func references(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        guard migration.foreignKeysCount else { return [] }
        return rebuild.new.foreignKeys.compactMap { key in
            let sources = key.columns.compactMap { column in
                rebuild.copiedColumns.first { $0.to.foldedASCII == column.foldedASCII }?.from.foldedASCII
            }
            guard sources.count == key.columns.count,
                !rebuild.old.foreignKeys.contains(where: { $0.columns.map(\.foldedASCII) == sources })
            else { return nil }
            let list = key.columns.joined(separator: ", ")
            return LintFault(
                isHandled(key.columns + sources, rebuild, migration) ? .note : .warning,
                "\(list) becomes a foreign key: the migration fails if a row of \(rebuild.old.name) has a value that \(key.parent) does not have",
                help: "Fix such rows in the copy or before it.", at: rebuild.statement,
                table: rebuild.old.name,
                column: key.columns.first)
        }
    }
}
