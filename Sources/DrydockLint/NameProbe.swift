import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// Tests with SQLite whether the names that a statement quotes with double quotes exist, by putting them in brackets.
///
/// SQLite resolves names when it compiles: those of a table or an index when it is created, of a view when it is read,
/// of a trigger when it fires. What the statement created already exists, so each is created once more separately.
struct NameProbe {
    let step: LintStep

    private var statement: SQLStatement { step.statement }
    private var connection: any Connection { step.connection }

    /// Whether the statement is one that names columns.
    var canAsk: Bool {
        switch step.action {
        case .insert, .update, .delete, .select, .createView, .createTrigger, .createIndex, .createTable,
            .addColumn:
            true
        default: false
        }
    }

    /// Whether the statement compiles with these names in brackets.
    func compiles(_ tokens: [Token]) -> Bool {
        let edits = tokens.map { token in
            SQLEdit(
                range: token.range, text: "[\(token.identifier(in: statement.source) ?? "")]")
        }
        switch step.action {
        case .createTable(let name, _, _):
            return prepares(
                tail(behind: name.name, edits).map { "CREATE TEMP TABLE \(quotedName(name.name)) \($0)" })
        case .createIndex(let name, _):
            let head = statement.first(["unique"]) == nil ? "CREATE INDEX" : "CREATE UNIQUE INDEX"
            return prepares(tail(behind: name.name, edits).map { head + " drydock_scratch \($0)" })
        case .createView:
            guard let query = statement.outermost("as") else { return false }
            return prepares(text(from: query.range.upperBound, edits))
        case .addColumn(let table, let column): return prepares(columns(table, column, edits))
        case .createTrigger(let name, let table, _): return fires(name, table, edits)
        default: return prepares(statement.applying(edits))
        }
    }

    private func prepares(_ sql: String?) -> Bool {
        guard let sql else { return false }
        return (try? connection.prepare(sql)) != nil
    }

    /// Returns the text after the name in a CREATE.
    private func tail(behind name: String, _ edits: [SQLEdit]) -> String? {
        let folded = name.foldedASCII
        guard
            let token = statement.tokens.first(where: {
                $0.name(in: statement.source)?.foldedASCII == folded && !statement.isBefore(".", $0)
            })
        else { return nil }
        return text(from: token.range.upperBound, edits)
    }

    private func text(from start: Int, _ edits: [SQLEdit]) -> String {
        let shift = start - statement.range.lowerBound
        let before = statement.source.text(in: statement.range.lowerBound..<start).utf8.count
        guard before == shift else { return "" }
        let kept = edits.filter { $0.range.lowerBound >= start }
        return String(decoding: statement.applying(kept).utf8.dropFirst(shift), as: UTF8.self)
    }

    /// Returns a table with the earlier columns, and the new one.
    private func columns(_ table: QualifiedName, _ column: String, _ edits: [SQLEdit]) -> String? {
        guard let before = step.before.table(table.name), let add = statement.first(["add"]) else {
            return nil
        }
        let folded = column.foldedASCII
        guard
            let token = statement.tokens.first(where: {
                $0.range.lowerBound > add.range.lowerBound
                    && $0.name(in: statement.source)?.foldedASCII == folded
            })
        else { return nil }
        let others = before.columns.map { quotedName($0.name) }
        let definition = text(from: token.range.lowerBound, edits)
        return "CREATE TEMP TABLE \(quotedName(table.name)) ("
            + (others + [definition]).joined(separator: ", ") + ")"
    }

    /// Whether a statement that fires the trigger compiles, with the trigger as the only one on its table.
    private func fires(_ name: QualifiedName, _ table: String, _ edits: [SQLEdit]) -> Bool {
        guard name.isMain, let trigger = step.after.triggers[name.folded],
            (try? connection.execute("SAVEPOINT drydock_lint")) != nil
        else { return false }
        defer { try? connection.execute("ROLLBACK TO drydock_lint; RELEASE drydock_lint") }
        do {
            for other in step.after.triggers(on: table) {
                try connection.execute("DROP TRIGGER main.\(quotedName(other.name))")
            }
            try connection.execute(statement.applying(edits))
            _ = try connection.prepare(firing(trigger))
            return true
        } catch {
            return false
        }
    }

    private func firing(_ trigger: Trigger) throws -> String {
        let table = "main." + quotedName(trigger.table)
        let columns = try connection.rows("PRAGMA main.table_xinfo(\(quotedName(trigger.table)))") { row in
            row.integer(6) == 0 ? quotedName(row.string(1)) : ""
        }.filter { !$0.isEmpty }
        switch trigger.event {
        case .delete: return "DELETE FROM \(table)"
        case .insert:
            return "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES ("
                + columns.map { _ in "NULL" }.joined(separator: ", ") + ")"
        case .update:
            return "UPDATE \(table) SET " + columns.map { "\($0) = \($0)" }.joined(separator: ", ")
        }
    }
}

extension SQLStatement {
    /// Whether a symbol follows directly after a token.
    func isBefore(_ symbol: String, _ token: Token) -> Bool {
        guard let place = tokens.firstIndex(of: token), place + 1 < tokens.count else { return false }
        return tokens[place + 1].isSymbol(symbol, in: source)
    }
}
