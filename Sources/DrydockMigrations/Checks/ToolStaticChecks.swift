import DrydockFindings
import SQLiteSchema

/// The checks `transaction-ended` and `pragma-ignored` for tools other than GRDB: what a file's own BEGIN, COMMIT and
/// PRAGMA do inside the transaction that the tool opens, or without one.
struct ToolStaticChecks {
    private let migration: Migration
    private let before: () -> Schema?
    private let advice: ForeignKeysAdvice
    private var isInside: Bool
    private var foreignKeys: Bool
    /// Whether the file tried to turn foreign keys off.
    private var triedOff = false
    /// Where the file ended the tool's transaction.
    private var end: SQLStatement?
    private var result: [Finding] = []

    init(_ migration: Migration, _ format: any MigrationFormat, _ before: @escaping () -> Schema?) {
        self.migration = migration
        advice = ForeignKeysAdvice(migration, format)
        self.before = before
        isInside = migration.transaction != .none
        foreignKeys = migration.foreignKeys
    }

    func findings() -> [Finding] {
        var checks = self
        for (index, statement) in migration.statements.enumerated() { checks.look(statement, index) }
        checks.finish()
        return checks.result
    }

    private mutating func look(_ statement: SQLStatement, _ index: Int) {
        switch statement.action {
        case .begin:
            if isInside {
                add(
                    .transactionEnded, .error, "BEGIN is used while a transaction is already open",
                    "SQLite refuses it, and the migration fails. "
                        + (migration.transaction == .none
                            ? "End the earlier one first."
                            : migration.transactionHelp
                                ?? "Remove it: the tool opens a transaction itself."),
                    statement)
            }
            isInside = true
        case .commit, .rollback:
            if isInside, migration.transaction != .none, end == nil { end = statement }
            if !isInside {
                let word = statement.tokens[0].text(in: statement.source).uppercased()
                add(
                    .transactionEnded, .error, "\(word) is used while no transaction is open",
                    "SQLite refuses it, and the migration fails. Write BEGIN before, or remove it.", statement
                )
            }
            isInside = false
        case .pragma(_, let name, let value?): look(pragma: name.foldedASCII, value, statement, index)
        default: break
        }
    }

    private mutating func look(
        pragma name: String, _ value: String, _ statement: SQLStatement, _ index: Int
    ) {
        if StaticChecks.layoutPragmas.contains(name), isInside, name != "journal_mode" {
            return add(
                .pragmaIgnored, .warning, "PRAGMA \(name) = \(value) has no effect in a transaction",
                "Set it when the database is created or opened.", statement)
        }
        guard name == "foreign_keys" else { return }
        let isOn = StaticChecks.isTrue(value)
        guard isInside else {
            foreignKeys = isOn
            return
        }
        defer { triedOff = triedOff || !isOn }
        // A file that turned them off and turns them on again at its end asks for nothing.
        guard isOn != foreignKeys, !isOn || !triedOff else { return }
        guard !isOn else {
            return add(
                .pragmaIgnored, .warning, "PRAGMA foreign_keys = \(value) has no effect inside a transaction",
                "Foreign keys stay off. Set it on the connection.", statement)
        }
        let parents = migration.statements[(index + 1)...].compactMap { losingParent($0.action) }
        let what =
            parents.first.map { ": ON DELETE and ON UPDATE of the keys that reference \($0) act on its rows" }
            ?? ""
        add(
            .pragmaIgnored, parents.isEmpty ? .warning : .error,
            "PRAGMA foreign_keys = \(value) has no effect inside a transaction, foreign keys stay on\(what)",
            (migration.transaction == .none
                ? "" : "The tool opens the transaction before the file's first statement. ")
                + advice.turningOff(at: index, savesRows: savesRows(before: index)), statement)
    }

    /// Returns whether the file already copies rows to safety before it deletes any.
    private func savesRows(before pragma: Int) -> Bool {
        let parents = Set(
            migration.statements[(pragma + 1)...].compactMap { losingParent($0.action)?.foldedASCII })
        let children = Set(
            before()?.tables.values.filter { table in
                table.foreignKeys.contains { parents.contains($0.parent.foldedASCII) }
            }.map(\.name.foldedASCII) ?? [])
        let end =
            migration.statements.firstIndex { losingParent($0.action) != nil }
            ?? migration.statements.endIndex
        return migration.statements[..<end].contains { statement in
            statement.selectedRows.contains { rows in
                rows.source.tables.contains { children.contains($0.foldedASCII) }
            }
        }
    }

    /// Returns the table of a statement that deletes rows, if other tables' rows are deleted or changed with them.
    private func losingParent(_ action: StatementAction) -> String? {
        let name: String
        switch action {
        case .dropTable(let table): name = table.name
        case .delete(let table): name = table.name
        default: return nil
        }
        let acts: Set<ForeignKey.Action> = [.cascade, .setNull, .setDefault]
        let isParent =
            before()?.tables.values.contains { table in
                table.name.foldedASCII != name.foldedASCII
                    && table.foreignKeys.contains {
                        $0.parent.foldedASCII == name.foldedASCII && acts.contains($0.onDelete)
                    }
            } ?? false
        return isParent ? name : nil
    }

    private mutating func finish() {
        if migration.transaction == .none {
            guard isInside, let begin = migration.statements.last(where: { $0.action == .begin }) else {
                return
            }
            return add(
                .transactionEnded, .error, "BEGIN opens a transaction that the file does not end",
                "It is rolled back when the tool closes its connection. Write COMMIT.", begin)
        }
        guard let end else { return }
        let word = end.tokens[0].text(in: end.source).uppercased()
        if isInside {
            add(
                .transactionEnded, .warning,
                "\(word) ends the transaction that the tool opened, and BEGIN opens another",
                "What ran before is kept even if the rest fails.", end)
        } else {
            add(
                .transactionEnded, .error, "\(word) ends the transaction that the tool opened",
                "What ran before is kept even if the rest fails, and the tool's own COMMIT finds no transaction. "
                    + (migration.transactionHelp ?? "Remove it."),
                end)
        }
    }

    private mutating func add(
        _ rule: Rule, _ severity: Finding.Severity, _ message: String, _ help: String,
        _ statement: SQLStatement
    ) {
        result.append(
            Finding(
                rule, severity, message, help: help, migration: migration.identifier, place: .init(statement))
        )
    }
}

extension Migration {
    /// What to write where the tool is configured to open no transaction; nil where no answer is right for all files.
    package var transactionHelp: String? {
        guard transaction != .none, let transactionSwitch else { return nil }
        return
            "With \(transactionSwitch) the tool opens no transaction: write 'transaction: none' in drydock.yml, or "
            + "give --transaction none. Otherwise remove it: the tool opens a transaction itself."
    }
}
