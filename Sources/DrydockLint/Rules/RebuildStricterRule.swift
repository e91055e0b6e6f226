import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// `rebuild-stricter`: a table that is created again refuses rows that the old one accepted.
struct RebuildStricterRule: LintRule {
    let rule = Rule.rebuildStricter
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a rebuilt table may refuse rows that the old one accepted",
        detail: """
            A NOT NULL, a CHECK, a foreign key, an INTEGER PRIMARY KEY or STRICT that the old table did not \
            have applies to every row that is copied, and the migration fails for users whose rows break it. \
            Fix such rows in the copy, as with `coalesce`, or before it. A NOT NULL column without a default \
            that the copy leaves out is an error: it fails on the first row. A CHECK that only allows more \
            than before, or that follows from the old constraints, is not reported.
            """,
        bad: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT NOT NULL);
            INSERT INTO new_email (id, subject) SELECT id, subject FROM email;
            """,
        good: """
            CREATE TABLE new_email (id INTEGER PRIMARY KEY, subject TEXT NOT NULL);
            INSERT INTO new_email (id, subject) SELECT id, coalesce(subject, '') FROM email;
            """)

    func check(_ migration: LintMigration) -> [LintFault] {
        let faults = migration.rebuilds.filter { migration.occupied.contains($0.old.name.foldedASCII) }
            .flatMap { self.faults($0, migration) }
        return faults + copies(migration)
    }

    private func faults(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        var faults = columns(rebuild, migration) + checks(rebuild, migration) + unfilled(rebuild)
        faults += strict(rebuild)
        faults += defaults(rebuild, migration)
        faults += computed(rebuild, migration)
        return faults + references(rebuild, migration)
    }

    private func columns(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let (old, new) = (rebuild.old, rebuild.new)
        return rebuild.copiedColumns.compactMap { from, to -> LintFault? in
            guard let was = old.column(from), let now = new.column(to) else { return nil }
            let isHandled = self.isHandled([from, to], rebuild, migration)
            func fault(_ message: String, _ help: String) -> LintFault {
                LintFault(
                    isHandled ? .note : .warning, message, help: help, at: rebuild.statement, table: old.name,
                    column: to)
            }
            let isNever = old.isNotNull(was) || old.rowidAlias?.name == was.name
            if new.isNotNull(now), !isNever, new.rowidAlias?.name != now.name {
                return fault(
                    "\(to) becomes NOT NULL: the copy of \(old.name) fails on a row without one",
                    "Fill it in the copy, as with coalesce(\(quotedIfNeeded(from)), ...).")
            }
            if new.rowidAlias?.name == now.name, old.rowidAlias?.name != was.name,
                old.affinity(of: was) != .integer
            {
                return fault(
                    "\(to) becomes the INTEGER PRIMARY KEY: the copy of \(old.name) fails with \"datatype mismatch\" on any other value",
                    "Convert it in the copy, or give the rows new keys.")
            }
            guard new.isStrict, now.declaredType.foldedASCII != "any",
                refuses(new.affinity(of: now), old.affinity(of: was))
            else { return nil }
            return fault(
                "\(to) becomes \(now.declaredType) in a STRICT table: the copy of \(old.name) fails on another value",
                "Convert it in the copy, as with CAST.")
        }
    }

    /// Reports columns that need a value and get none (https://www.sqlite.org/lang_createtable.html#notnullconst).
    private func unfilled(_ rebuild: LintMigration.Rebuild) -> [LintFault] {
        guard rebuild.statement.tableSource == nil, let targets = rebuild.copy.columns else { return [] }
        let (new, statement) = (rebuild.new, rebuild.statement)
        let filled = Set(targets.map(\.foldedASCII))
        let isIgnored = statement.first(["or", "ignore"]) != nil
        return new.columns.filter { column in
            new.isNotNull(column) && column.generated == nil && new.rowidAlias?.name != column.name
                && (column.defaultValue ?? .null) == .null && !filled.contains(column.name.foldedASCII)
        }.map { column in
            LintFault(
                .error,
                "\(column.name) is NOT NULL, has no default, and the copy leaves it out: "
                    + (isIgnored
                        ? "every row of \(rebuild.old.name) is silently dropped"
                        : "it fails if \(rebuild.old.name) has a row"),
                help: "Fill it in the copy, or give it a default.", at: statement, table: rebuild.old.name,
                column: column.name)
        }
    }

    /// Whether a STRICT column of one type refuses usual values of another.
    func refuses(_ new: Affinity, _ old: Affinity) -> Bool {
        switch new {
        case .integer: old != .integer
        case .real: old == .text || old == .blob
        case .text: old == .blob
        case .blob: old != .blob
        case .numeric: false
        }
    }

    private func checks(_ rebuild: LintMigration.Rebuild, _ migration: LintMigration) -> [LintFault] {
        let copied = rebuild.copiedColumns
        return rebuild.new.checks.compactMap { check -> LintFault? in
            let names = copied.filter { check.expression.names.contains($0.to.foldedASCII) }
            guard !names.isEmpty, !rebuild.old.checks.contains(where: { allows(check, $0) }),
                !rebuild.isAlwaysTrue(check), !isImplied(check, rebuild, migration)
            else { return nil }
            let isHandled = names.contains { self.isHandled([$0.from, $0.to], rebuild, migration) }
            return LintFault(
                isHandled ? .note : .warning,
                "the new \(rebuild.old.name) has CHECK (\(check.expression)): the copy fails on a row that breaks it",
                help: "Fix such rows in the copy or before it.", at: rebuild.statement,
                table: rebuild.old.name)
        }
    }

    /// Whether no tried value that the old CHECKs accept breaks a new one. Only where the old table had CHECKs on these
    /// columns is that more than a guess.
    private func isImplied(
        _ check: CheckConstraint, _ rebuild: LintMigration.Rebuild, _ migration: LintMigration
    ) -> Bool {
        let names = check.expression.names
        let held = rebuild.old.checks.reduce(into: Set<String>()) { $0.formUnion($1.expression.names) }
        let columns = Set(rebuild.new.columns.map(\.name.foldedASCII)).intersection(names)
        let areSame = rebuild.copiedColumns.allSatisfy { $0.from.foldedASCII == $0.to.foldedASCII }
        guard areSame, columns.isSubset(of: held),
            columns.allSatisfy({ name in rebuild.copiedColumns.contains { $0.to.foldedASCII == name } })
        else { return false }
        let probe = LintProbe(table: rebuild.old, known: [:], connection: migration.connection)
        if case .noRow = probe.row(where: "NOT (\(check.expression))", names: names) { return true }
        return false
    }

    /// Whether a CHECK accepts everything that the old one accepted: it is the same, or has a longer list of values.
    private func allows(_ new: CheckConstraint, _ old: CheckConstraint) -> Bool {
        if new.expression == old.expression { return true }
        func parts(_ check: CheckConstraint) -> (form: [NormalizedSQL.Item], values: Set<String>) {
            var (form, values): ([NormalizedSQL.Item], Set<String>) = ([], [])
            for item in check.expression.items {
                if case .literal(let text) = item { values.insert(text) } else { form.append(item) }
            }
            return (form.filter { $0 != .symbol(",") }, values)
        }
        let (a, b) = (parts(new), parts(old))
        return a.form == b.form && a.form.contains(.keyword("in")) && !a.form.contains(.keyword("not"))
            && b.values.isSubset(of: a.values)
    }

    /// Whether the author has considered such rows: the copy leaves some out, or they were changed before.
    func isHandled(
        _ names: [String], _ rebuild: LintMigration.Rebuild, _ migration: LintMigration
    ) -> Bool {
        if let token = rebuild.statement.outermost("where") {
            let condition = rebuild.statement.tokens.filter { $0.range.lowerBound > token.range.lowerBound }
            let folded = names.map(\.foldedASCII)
            if condition.contains(where: { token in
                token.name(in: rebuild.statement.source).map { folded.contains($0.foldedASCII) } ?? false
            }) {
                return true
            }
        }
        return migration.migration.statements.prefix(rebuild.copy.statement).contains { statement in
            switch statement.action {
            case .update(let table, _), .delete(let table):
                table.folded == rebuild.old.name.foldedASCII && names.contains { statement.mentions($0) }
            default: false
            }
        }
    }
}
