import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import SQLiteSchema

/// What a statement passes over, or replaces, where SQLite would refuse it: by OR IGNORE, OR REPLACE, an upsert, or ON CONFLICT
/// in the definition of its table (https://www.sqlite.org/lang_conflict.html).
struct PassedOver {
    /// The step that has the statement.
    let fork: StepFork
    let index: Int

    private var statement: SQLStatement { fork.migration.statements[index] }

    /// Runs the step up to the statement, and the statement with OR ABORT.
    /// - Returns: what SQLite says of the first row that it then refuses; nil where it refuses none.
    /// - Throws: ``EngineError`` where the run was stopped.
    func refusal() async throws -> String? {
        guard let strict = Self.strict(statement), isLenient else { return nil }
        let (fork, index) = (fork, index)
        do {
            return try await fork.withConnection { connection in
                try fork.run(upTo: index, on: connection)
                do {
                    try MigrationRun.run(strict, at: index, on: connection)
                    return nil
                } catch let failure as StatementFailure where !failure.error.isInterrupt {
                    return failure.error.messageWithoutValues
                }
            }
        } catch let error as EngineError where !error.isInterrupt {
            return nil
        } catch let failure as StatementFailure where !failure.error.isInterrupt {
            return nil
        }
    }

    /// Whether the statement, or the definition of any table, says what to do with a conflict.
    private var isLenient: Bool {
        if statement.conflictWord != nil || statement.first(["on", "conflict"]) != nil { return true }
        let made = fork.migration.statements.prefix(index).contains { $0.first(["on", "conflict"]) != nil }
        return made
            || fork.before.catalog.tables.values.contains { table in
                table.text.foldedASCII.contains("conflict")
            }
    }

    /// Returns an INSERT or UPDATE as one that stops at the first conflict; nil for any other statement.
    static func strict(_ statement: SQLStatement) -> SQLStatement? {
        let (tokens, source) = (statement.tokens, statement.source)
        guard
            let verb = ["insert", "update", "replace"].compactMap({ statement.outermost($0) })
                .min(by: { $0.range.lowerBound < $1.range.lowerBound }),
            let place = tokens.firstIndex(of: verb)
        else { return nil }
        switch statement.action {
        case .insert, .update: break
        default: return nil
        }
        var end = verb.range.upperBound
        if place + 2 < tokens.count, tokens[place + 1].isWord("or", in: source) {
            end = tokens[place + 2].range.upperBound
        }
        let word = verb.isWord("update", in: source) ? "UPDATE" : "INSERT"
        var edits = [SQLEdit(range: verb.range.lowerBound..<end, text: "\(word) OR ABORT")]
        // An upsert decides before the word does.
        if let upsert = statement.first(["on", "conflict"]) {
            let rest = statement.outermost("returning", after: upsert)?.range.lowerBound
            edits.append(
                SQLEdit(range: upsert.range.lowerBound..<(rest ?? statement.range.upperBound), text: ""))
        }
        return SQLSource(name: source.name, statement.applying(edits)).statements().first
    }
}
