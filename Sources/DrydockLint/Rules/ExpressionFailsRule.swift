import DrydockReplay
import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// `expression-fails`: an expression of a generated column, CHECK, DEFAULT or index that fails on every row.
struct ExpressionFailsRule: LintRule {
    let rule = Rule.expressionFails
    let severity: Finding.Severity? = .error
    let text = LintRuleText(
        summary: "the expression of a generated column, CHECK, DEFAULT or index fails on every row",
        detail: """
            ALTER TABLE accepts a generated column, and CREATE TABLE a DEFAULT, that calls a function which \
            this SQLite does not have, or calls one with the wrong number of arguments; `date('now')` is \
            refused only if there is a row. `json_extract` of a text that is not JSON fails for that row, \
            which is a warning. The migration succeeds, and from then on every SELECT of all columns or \
            every write fails. The expressions are compiled by the SQLite that Drydock runs on; `sqlite:` in \
            drydock.yml, or `--sqlite`, names an older one, whose functions `minimum-sqlite` knows. \
            Functions that the app registers are listed under `functions:` in drydock.yml.
            """,
        bad: """
            -- if() came with SQLite 3.48: older ones accept this, and then cannot read the table
            ALTER TABLE hook ADD COLUMN kind TEXT AS (if(n > 1, 'many', 'one'));
            """,
        good: "ALTER TABLE hook ADD COLUMN kind TEXT AS (CASE WHEN n > 1 THEN 'many' ELSE 'one' END);")

    func check(_ step: LintStep) -> [LintFault] {
        let tables = changedTables(step).flatMap { table in
            let probe = ExpressionProbe(table: table, connection: step.connection)
            let old = step.before.table(table.name).map(Self.subjects) ?? []
            return Self.subjects(table).filter { !old.contains($0) }.compactMap { subject in
                failure(of: subject, probe, table, step) ?? json(subject, table, step)
            }
        }
        return tables
            + changedIndexes(step).compactMap { index in
                guard let table = step.after.table(index.table) else { return nil }
                let probe = ExpressionProbe(table: table, connection: step.connection)
                let subject = Subject(value: .index(index))
                return failure(of: subject, probe, table, step)
            }
    }

    private func failure(
        of subject: Subject, _ probe: ExpressionProbe, _ table: Table, _ step: LintStep
    ) -> LintFault? {
        probe.failure(of: subject.value).map { fault($0, subject, table, step) }
            ?? probe.refusedValue(of: subject.value).map {
                fault($0.error, subject, table, step, value: $0.value)
            }
    }

    /// Reports a generated column that makes a table unreadable once a row has text other than JSON.
    private func json(_ subject: Subject, _ table: Table, _ step: LintStep) -> LintFault? {
        guard case .generated(let column, let expression) = subject.value,
            step.isOccupied(QualifiedName(name: table.name)),
            let (function, name) = ExpressionIndexRule.unguarded(expression, table, nil)
        else { return nil }
        let source = quotedIfNeeded(table.column(name)?.name ?? name)
        return LintFault(
            .warning,
            "the generated column \(column.name) cannot be computed for a row of \(table.name) whose \(source) is not JSON; then every SELECT of all columns fails",
            help: "Leave such rows out:\n"
                + proposed("CASE WHEN json_valid(\(source)) THEN \(expression) END"), at: step.statement,
            token: function == "->" ? nil : step.statement.token(named: function), table: table.name,
            column: column.name)
    }

    // MARK: - New expressions

    /// An expression with the context that identifies it.
    private struct Subject: Equatable {
        var value: ExpressionProbe.Subject

        static func == (a: Subject, b: Subject) -> Bool {
            switch (a.value, b.value) {
            case (.generated(let x, let p), .generated(let y, let q)),
                (.defaultValue(let x, let p), .defaultValue(let y, let q)):
                x.name == y.name && p == q
            case (.check(let x), .check(let y)): x.expression == y.expression
            case (.index(let x), .index(let y)): x == y
            default: false
            }
        }
    }

    private static func subjects(_ table: Table) -> [Subject] {
        let columns = table.columns.flatMap { column -> [Subject] in
            var subjects: [Subject] = []
            if let generated = column.generated {
                subjects.append(Subject(value: .generated(column, generated.expression)))
            }
            if case .expression(let expression)? = column.defaultValue {
                subjects.append(Subject(value: .defaultValue(column, expression)))
            }
            return subjects
        }
        // A repeated expression fails just as it does once.
        var seen: Set<SQLFragment> = []
        return columns
            + table.checks.filter { seen.insert($0.expression).inserted }.map { Subject(value: .check($0)) }
    }

    private func changedTables(_ step: LintStep) -> [Table] {
        switch step.action {
        case .createTable(let name, temporary: false, _) where name.isMain,
            .addColumn(let name, _) where name.isMain:
            return [step.after.table(name.name)].compactMap { $0 }
        case _ where step.writesSchema:
            return step.after.tables.filter { step.before.tables[$0.key] != $0.value }.map(\.value)
                .sorted { $0.name < $1.name }
        default: return []
        }
    }

    /// Where the table has rows, `expression-index-fails` reports the index.
    private func changedIndexes(_ step: LintStep) -> [Index] {
        switch step.action {
        case .createIndex(let name, let on)
        where name.isMain && !step.isOccupied(QualifiedName(name: on)):
            guard step.before.indexes[name.folded] == nil else { return [] }
            return [step.after.indexes[name.folded]].compactMap { $0 }
        case _ where step.writesSchema:
            return step.after.indexes.filter { step.before.indexes[$0.key] != $0.value }.map(\.value)
                .sorted { $0.name < $1.name }
        default: return []
        }
    }

    // MARK: - Messages

    private func fault(
        _ error: EngineError, _ subject: Subject, _ table: Table, _ step: LintStep, value: String? = nil
    ) -> LintFault {
        let (rows, once) =
            value == nil ? ("to \(table.name)", "") : ("of such a row", "once a row has one, ")
        let (what, result, column): (String, String, String?) =
            switch subject.value {
            case .generated(let column, _):
                (
                    "the generated column \(column.name) of \(table.name)",
                    "\(once)every SELECT of all columns of \(table.name) fails", column.name
                )
            case .check: ("a CHECK of \(table.name)", "every write \(rows) fails", nil)
            case .defaultValue(let column, _):
                (
                    "the DEFAULT of \(table.name).\(column.name)", "every INSERT that leaves it out fails",
                    column.name
                )
            case .index(let index):
                ("the index \(index.name)", "every write \(rows) fails", nil)
            }
        let function = UnknownFunction(error, of: step.migration, on: step.connection)
        // What was added between this SQLite and the oldest supported version is not the migration's fault.
        let isKnown = function?.isSupported(since: step.minimum) ?? false
        var fault = LintFault(
            isKnown ? .warning : nil,
            isKnown
                ? "\(what) cannot be checked here: \(error.message)"
                : "\(what) cannot be computed\(value.map { " from values such as \($0)" } ?? ""): \(error.message); \(result)",
            help: function?.help ?? "Write it another way.", at: step.statement,
            token: function.flatMap { step.statement.token(named: $0.name) }
                ?? column.flatMap(step.statement.token(named:)), table: table.name, column: column)
        fault.stands = { schema in
            schema.tables.values.contains { Self.subjects($0).contains(subject) }
                || schema.indexes.values.contains { Subject(value: .index($0)) == subject }
        }
        return fault
    }
}

extension LintStep {
    /// Whether the statement edits the schema table directly.
    var writesSchema: Bool {
        ["sqlite_schema", "sqlite_master"].contains(action.changedTable?.foldedASCII)
    }
}
