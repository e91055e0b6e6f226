import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// `not-restartable`: a statement that fails where a file without a transaction was killed and is started again.
///
/// After each statement that is committed alone, the file is run once more up to there, on the schema that it has left, and
/// the result is rolled back. No row is needed: statements that change rows are only compiled.
struct RestartRule: LintRule {
    let rule = Rule.notRestartable
    let severity: Finding.Severity? = .warning
    let text = LintRuleText(
        summary: "a statement fails when a killed migration is started again",
        detail: """
            If the tool opens no transaction, a kill or a power cut keeps what had run until then, and the \
            next start runs the file from its first statement. A statement that fails on what was left \
            behind fails on every later start. Each point between two statements is tried, with the schema \
            only; `verify --crash` also starts the tool on rows. The first migration is left out, since no \
            database has data before it. Under a tool that refuses to start after a kill (Prisma, \
            golang-migrate), the end of the file is left out: there its own commands help.
            """,
        bad: """
            -- +goose NO TRANSACTION
            CREATE TABLE tag(id INTEGER PRIMARY KEY);
            CREATE INDEX email_tag ON email(tag_id);
            """,
        good: """
            -- +goose NO TRANSACTION
            CREATE TABLE IF NOT EXISTS tag(id INTEGER PRIMARY KEY);
            CREATE INDEX IF NOT EXISTS email_tag ON email(tag_id);
            """)

    func check(_ step: LintStep) -> [LintFault] {
        let statements = step.migration.statements
        guard step.migration.transaction == .none, !step.start.tables.isEmpty,
            !step.connection.isInTransaction,
            step.action.mayBeCommitted, !isEndOfRefused(step)
        else { return [] }
        guard let (index, error) = secondRun(step), isFirst(index, of: step) else { return [] }
        let statement = statements[index]
        let line = Finding.Place(step.statement).line ?? 1
        return [
            LintFault(
                nil, "killed after line \(line), the next start fails here: \(error.message)",
                help: RestartAdvice.help(for: step.migration, of: step.format), at: statement)
        ]
    }

    /// Whether the tool refuses to start until a person says that the migration is applied, which it is by then.
    private func isEndOfRefused(_ step: LintStep) -> Bool {
        guard step.migration.unfinishedMark?.isLeftByKill ?? false else { return false }
        return !step.migration.statements[(step.index + 1)...].contains {
            $0.action.mayBeCommitted && $0.action != .commit
        }
    }

    /// Runs the migration again up to the statement.
    /// - Returns: the first statement that fails, by its index; nil if none does, or that is not known.
    private func secondRun(_ step: LintStep) -> (Int, EngineError)? {
        let connection = step.connection
        guard (try? connection.execute("SAVEPOINT drydock_again")) != nil else { return nil }
        defer { try? connection.execute("ROLLBACK TO drydock_again; RELEASE drydock_again") }
        // What is temporary is gone with its connection.
        let temporaries =
            (try? connection.rows("SELECT type, name FROM sqlite_temp_schema WHERE type IN ('table', 'view')")
            {
                "DROP \($0.string(0)) temp.\(quotedName($0.string(1)))"
            }) ?? []
        for drop in temporaries { try? connection.execute(drop) }
        for (index, statement) in step.migration.statements[...step.index].enumerated() {
            do {
                try run(statement, connection)
            } catch let error as EngineError {
                return isOfRestart(error, statement, step) ? (index, error) : nil
            } catch {
                return nil
            }
        }
        return nil
    }

    private func run(_ statement: SQLStatement, _ connection: any Connection) throws {
        switch statement.action {
        case .begin, .commit, .rollback, .savepoint, .release, .rollbackTo, .pragma, .attach, .detach,
            .vacuum,
            .reindex, .analyze, .explain, .other:
            break
        case .insert, .update, .delete, .select: _ = try connection.prepare(statement.executedText)
        default: try connection.execute(statement.executedText)
        }
    }

    /// Whether an error comes from what the first run left: a statement that never compiled has another finding.
    private func isOfRestart(_ error: EngineError, _ statement: SQLStatement, _ step: LintStep) -> Bool {
        guard !error.isInterrupt else { return false }
        switch statement.action {
        case .insert, .update, .delete, .select:
            return step.start.tables.values.contains { statement.mentions($0.name) }
        default: return true
        }
    }

    /// Whether no earlier point of the file shows the same: the statement fails right after itself, it was committed with
    /// this one, or this one removes what it names.
    private func isFirst(_ index: Int, of step: LintStep) -> Bool {
        if index == step.index { return true }
        let statement = step.migration.statements[index]
        switch step.action {
        case .commit: return true
        case .dropTable(let name), .dropView(let name), .dropIndex(let name), .dropTrigger(let name),
            .renameTable(let name, _):
            return statement.mentions(name.name)
        case .dropColumn(_, let column), .renameColumn(_, let column, _): return statement.mentions(column)
        default: return false
        }
    }
}

extension StatementAction {
    /// Whether the statement changes the database, or commits what others changed.
    fileprivate var mayBeCommitted: Bool {
        switch self {
        case .begin, .savepoint, .rollback, .rollbackTo, .pragma, .attach, .detach, .vacuum, .select,
            .explain,
            .analyze, .reindex, .other:
            false
        default: true
        }
    }
}
