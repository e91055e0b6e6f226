import DrydockFindings
import DrydockState
import SQLiteSchema

/// `unique-over-existing`: a UNIQUE index or constraint over columns that already have rows.
struct UniqueRule: LintRule {
    let rule = Rule.uniqueOverExisting
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "UNIQUE is added for rows that were written without it",
        detail: """
            `CREATE UNIQUE INDEX` fails with "UNIQUE constraint failed" for every user who has two rows with \
            the same values, and so does the `INSERT ... SELECT` of a rebuild, or one into a new table with \
            such a key. With `INSERT OR IGNORE` or `OR REPLACE` the rows are silently lost, which is an \
            error if the old key had more columns than the new one: it allowed such rows. Merge such rows \
            first, and declare that. It is a note after a DELETE that chose rows by all of these columns or \
            by a query, or after an UPDATE that changed one of them, and an error if an UPDATE gave every \
            row the same value.
            """,
        bad: "CREATE UNIQUE INDEX email_on_message ON email(message_id);",
        good: """
            -- drydock: deletes from email where id NOT IN (SELECT min(id) FROM email GROUP BY message_id)
            DELETE FROM email WHERE id NOT IN (SELECT min(id) FROM email GROUP BY message_id);
            CREATE UNIQUE INDEX email_on_message ON email(message_id);
            """)

    func check(_ step: LintStep) -> [LintFault] {
        if case .update(let name, let columns) = step.action { return given(name, columns, step) }
        guard case .createIndex(let name, let on) = step.action,
            let index = step.after.indexes[name.folded], index.isUnique,
            step.before.indexes[name.folded] == nil,
            step.isOccupied(QualifiedName(name: on)), let table = step.after.table(on)
        else { return [] }
        let columns = index.terms.compactMap { term -> KeyTerm? in
            guard case .column(let column) = term.value else { return nil }
            return KeyTerm(column: column, collation: index.collation(of: term, in: table))
        }
        var others = step.before
        others.indexes[name.folded] = nil
        if Self.isUnique(columns, in: table, others, within: index.condition) { return [] }
        let origins = step.origins(of: on)
        // A rebuild creates again what was unique before.
        let assigned = Self.assigned(step.changing(on))
        let wasUnique = origins.contains { origin in
            columns.allSatisfy {
                origin.column($0.column) != nil && !assigned.contains($0.column.foldedASCII)
            }
                && Self.isUnique(columns, in: origin, step.start, within: index.condition)
        }
        if wasUnique { return [] }
        let added = addedColumns(columns, on, step)
        let unfilled = added.filter { !wasFilled($0, on, step) }
        if unfilled.contains(where: { isNull($0, table) }) || isEmpty(index, table, step) { return [] }
        let given = columns.map(\.column).filter { Self.isGivenToAll($0, step.changing(on)) }
        let constant = unfilled + given
        let isPlain = columns.count == index.terms.count
        let what = isPlain ? columns.map(\.column).joined(separator: ", ") : "what the index holds"
        func fault(_ severity: Finding.Severity, _ message: String, _ help: String) -> [LintFault] {
            [
                LintFault(
                    severity, message, help: help, at: step.statement, token: step.token("unique"),
                    table: table.name)
            ]
        }
        if isPlain, constant.count == columns.count, index.condition == nil {
            return fault(
                .error,
                "every row of \(table.name) has the "
                    + (given.isEmpty ? "default" : "same") + " in \(what): the index fails on two rows",
                "Fill the column with different values before the index is created.")
        }
        let message = "the index fails if two rows of \(table.name) have the same \(what)"
        // An author who deletes rows by these columns or by the result of a query, rewrites one of the columns, or
        // fills a new column has considered duplicates.
        let isHandled = columns.contains {
            assigned.contains($0.column.foldedASCII) && !given.contains($0.column)
        }
        let deletesByQuery = step.changing(on).contains { $0.isDelete && $0.first(["select"]) != nil }
        let isCleared = Self.hasCleared(columns, step.deletes[table.name.foldedASCII])
        if isHandled || deletesByQuery || isCleared || added.count > unfilled.count && given.isEmpty {
            return fault(.note, message, Self.handledHelp(table))
        }
        return fault(
            .warning, message,
            "First give all but one of such rows another value, or merge them, and declare that.")
    }

    /// Whether a DELETE selects rows by all of these columns, as a DELETE of duplicates does.
    private static func hasCleared(_ columns: [KeyTerm], _ deletes: [SQLStatement]?) -> Bool {
        deletes?.contains { statement in columns.allSatisfy { statement.mentions($0.column) } } ?? false
    }

    /// Reports an UPDATE that gives every row the same key.
    private func given(_ name: QualifiedName, _ columns: [String], _ step: LintStep) -> [LintFault] {
        guard step.isOccupied(name), step.statement.conflictWord == nil,
            let table = step.before.table(name.name)
        else { return [] }
        let same = columns.filter { Self.isGivenToAll($0, [step.statement]) }
        guard !same.isEmpty else { return [] }
        let terms = same.map { KeyTerm(column: table.rowidColumn($0) ?? $0) }
        guard Self.isUnique(terms, in: table, step.before) else { return [] }
        return [
            LintFault(
                .error,
                "UPDATE gives every row of \(table.name) the same \(same.joined(separator: ", ")), which is UNIQUE: it fails on two rows",
                help: "Give each row a value of its own.", at: step.statement, table: table.name,
                column: same.first)
        ]
    }

    /// Returns the columns to which UPDATEs assign, folded.
    private static func assigned(_ statements: [SQLStatement]) -> Set<String> {
        statements.reduce(into: []) { names, statement in
            if case .update(_, let columns) = statement.action { names.formUnion(columns.map(\.foldedASCII)) }
        }
    }

    /// Whether the last UPDATE of a column gives every row the same literal other than NULL.
    private static func isGivenToAll(_ column: String, _ statements: [SQLStatement]) -> Bool {
        let folded = column.foldedASCII
        guard let last = statements.last(where: { assigned([$0]).contains(folded) }),
            last.outermost("where") == nil,
            let place = last.tokens.indices.first(where: { place in
                last.tokens[place].name(in: last.source)?.foldedASCII == folded
                    && place + 2 < last.tokens.count
                    && last.tokens[place + 1].isSymbol("=", in: last.source)
            })
        else { return false }
        let isAlone = place + 3 == last.tokens.count || last.tokens[place + 3].isSymbol(",", in: last.source)
        switch last.tokens[place + 2].kind {
        case .number, .string, .blob: return isAlone
        default: return false
        }
    }

    private static func handledHelp(_ table: Table) -> String {
        "Rows of \(table.name) are changed first; drydock verify shows whether that is enough."
    }

    /// Returns columns that did not exist when the migration began.
    private func addedColumns(_ columns: [KeyTerm], _ table: String, _ step: LintStep) -> [String] {
        let origins = step.origins(of: table)
        guard !origins.isEmpty, let trackedTable = step.lineage[table] else { return [] }
        return columns.map(\.column).filter { column in
            origins.allSatisfy { $0.column(trackedTable.firstName(column)) == nil }
        }
    }

    private func wasFilled(_ column: String, _ table: String, _ step: LintStep) -> Bool {
        step.changing(table).contains { $0.mentions(column) }
    }

    private func isNull(_ column: String, _ table: Table) -> Bool {
        let column = table.column(column)
        return column?.generated == nil && (column?.defaultValue ?? .null) == .null
    }

    /// Whether no row can satisfy the condition of a partial index, since new columns have their defaults.
    private func isEmpty(_ index: Index, _ table: Table, _ step: LintStep) -> Bool {
        guard let condition = index.condition else { return false }
        let asked = table.columns.filter { condition.names.contains($0.name.foldedASCII) }
        let constant = addedColumns(asked.map { KeyTerm(column: $0.name) }, table.name, step)
            .filter { table.column($0)?.generated == nil && !wasFilled($0, table.name, step) }
        guard !constant.isEmpty else { return false }
        var known: [String: String] = [:]
        for name in constant {
            known[name.foldedASCII] = table.column(name)?.defaultValue?.description ?? "NULL"
        }
        let probe = LintProbe(table: table, known: known, connection: step.connection)
        let others = table.columns.filter {
            known[$0.name.foldedASCII] == nil && condition.names.contains($0.name.foldedASCII)
        }
        // For other columns not every value can be tried.
        guard others.isEmpty, case .noRow = probe.row(where: condition.description, names: condition.names)
        else {
            return false
        }
        return true
    }

    /// Reports rows that are copied, without what makes them distinct, into a table that does not take the place of
    /// another.
    private func copies(_ migration: LintMigration) -> [LintFault] {
        migration.copies.filter { migration.occupied.contains($0.old.name.foldedASCII) }.flatMap { copy in
            let statement = copy.statement
            let areMerged = ["group", "distinct", "where"].contains { statement.outermost($0) != nil }
            if areMerged || statement.conflictWord != nil || statement.first(["on", "conflict"]) != nil {
                return [LintFault]()
            }
            let (new, columns) = (copy.new, copy.copiedColumns)
            let keys = new.uniques.map(\.terms) + [new.primaryKey?.terms].compactMap { $0 }
            return keys.compactMap { terms -> LintFault? in
                let sources = new.effectiveTerms(terms).compactMap { term in
                    columns.first { $0.to.foldedASCII == term.column.foldedASCII }
                        .map { KeyTerm(column: $0.from, collation: term.collation) }
                }
                guard !sources.isEmpty, sources.count == new.effectiveTerms(terms).count,
                    !Self.isUnique(sources, in: copy.old, migration.start),
                    !Self.hasCleared(sources, migration.deletes[copy.old.name.foldedASCII])
                else { return nil }
                let list = terms.map(\.column).joined(separator: ", ")
                let from = sources.map(\.column).joined(separator: ", ")
                return LintFault(
                    .warning,
                    "\(new.name) is UNIQUE over \(list): the copy fails if two rows of \(copy.old.name) have the same \(from)",
                    help: "Copy each value once, as with SELECT DISTINCT.", at: statement, table: new.name)
            }
        }
    }

    /// Reports a rebuild that demands more of the rows than the old table did.
    func check(_ migration: LintMigration) -> [LintFault] {
        copies(migration)
            + migration.rebuilds.filter { migration.occupied.contains($0.old.name.foldedASCII) }.flatMap {
                rebuild in
                Self.keys(of: rebuild.new).compactMap { fault($0, rebuild, migration) }
            }
    }

    private static func keys(of table: Table) -> [[KeyTerm]] {
        table.uniques.map(\.terms) + [table.primaryKey?.terms].compactMap(\.self)
    }

    /// - Parameter terms: a key of the new table.
    private func fault(
        _ terms: [KeyTerm], _ rebuild: LintMigration.Rebuild, _ migration: LintMigration
    ) -> LintFault? {
        let (old, statement) = (rebuild.old, rebuild.statement)
        let copied = rebuild.copiedColumns
        let terms = rebuild.new.effectiveTerms(terms)
        // The old table's columns have the names that they had there.
        let sources = terms.map { term in
            KeyTerm(
                column: copied.first { $0.to.foldedASCII == term.column.foldedASCII }?.from ?? term.column,
                collation: term.collation)
        }
        let areOld = zip(sources, terms).allSatisfy { source, term in
            old.column(source.column) != nil || rebuild.new.column(term.column)?.generated != nil
        }
        guard areOld, !Self.isUnique(sources, in: old, migration.start) else { return nil }
        let list = terms.map(\.column).joined(separator: ", ")
        let drops = ["ignore", "replace"].first {
            statement.first(["or", $0]) != nil
                || $0 == "replace" && statement.tokens[0].isWord("replace", in: statement.source)
        }
        let merges = drops != nil || statement.first(["on", "conflict"]) != nil
        let isGrouped = ["group", "distinct"].contains { statement.first([$0]) != nil }
        let deletes = migration.deletes[old.name.foldedASCII]
        let isHandled = isGrouped || Self.hasCleared(sources, deletes)
        let wider = Self.keys(of: old).map { $0.map(\.column) }.first { key in
            Set(sources.map(\.column.foldedASCII)).isStrictSubset(of: key.map(\.foldedASCII))
        }
        // Rows that only the old key distinguished are lost without an error.
        let isLoss =
            wider != nil && merges && !isHandled
            && !DeclaredChanges(of: migration.migration).deletes(from: [old.name.foldedASCII])
        return LintFault(
            isLoss ? .error : isHandled ? .note : .warning,
            "\(old.name) becomes UNIQUE over \(list)"
                + (wider.map { ", and was over \($0.joined(separator: ", ")) before" } ?? "") + ": "
                + (merges
                    ? "the copy keeps one of several rows with the same values and silently drops the rest"
                    : "the copy fails if two rows have the same"),
            help: isHandled
                ? Self.handledHelp(old)
                : "First give all but one of such rows another value, or merge them, and declare that.",
            at: statement, table: old.name)
    }

    /// Whether the values are already distinct because of a key or unique index over some of the columns.
    ///
    /// - Parameter condition: selects the rows that count; a unique index with the same condition is enough.
    static func isUnique(
        _ terms: [KeyTerm], in table: Table, _ schema: Schema, within condition: SQLFragment? = nil
    ) -> Bool {
        let has = Dictionary(
            table.effectiveTerms(terms).map { ($0.column.foldedASCII, $0.collation ?? "BINARY") },
            uniquingKeysWith: { first, _ in first })
        func implies(_ known: [KeyTerm]) -> Bool {
            !known.isEmpty
                && table.effectiveTerms(known).allSatisfy { term in
                    guard let wanted = has[term.column.foldedASCII] else { return false }
                    // Values that differ when case is ignored also differ when it is not.
                    return wanted == term.collation || wanted == "BINARY"
                }
        }
        if let alias = table.rowidAlias, has[alias.name.foldedASCII] != nil { return true }
        if let key = table.primaryKey, implies(key.terms) { return true }
        if table.uniques.contains(where: { implies($0.terms) }) { return true }
        return schema.indexes(on: table.name).contains { index in
            guard index.isUnique, index.condition == nil || index.condition == condition else { return false }
            let known = index.terms.compactMap { term -> KeyTerm? in
                guard case .column(let column) = term.value else { return nil }
                return KeyTerm(column: column, collation: index.collation(of: term, in: table))
            }
            return known.count == index.terms.count && implies(known)
        }
    }
}
