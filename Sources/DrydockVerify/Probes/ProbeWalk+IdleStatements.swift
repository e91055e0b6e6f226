import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

extension ProbeWalk {
    /// So many statements of a migration are quoted; of others their lines are named.
    private static let mostQuoted = 4

    /// Notes the statements that found neither an ordinary row nor an unusual one, though users may have some: what such
    /// a statement does was not seen.
    /// - Parameters:
    ///   - edgeIdle: the statements that found no unusual row; nil where that is not known.
    ///   - schema: the schema before the step.
    mutating func noteIdle(_ reached: BatchRun.Reached, _ edgeIdle: Set<Int>?, in schema: Schema) {
        guard var idle = reached.idle else { return }
        if let edgeIdle { idle.formIntersection(edgeIdle) }
        guard !idle.isEmpty else { return }
        var rows = UserRows(before: schema)
        for name in context.set.format.sharedTables { rows.remove(name) }
        var number = 0
        for migration in reached.migrations {
            var found: [Rule: [SQLStatement]] = [:]
            for statement in migration.statements {
                let target = statement.action.target?.name.foldedASCII
                if idle.contains(number), rows.areChosen(by: statement),
                    target.map({ empty[$0] == nil }) ?? true
                {
                    found[statement.isUpdating ? .valuesChanged : .rowsLost, default: []].append(statement)
                }
                rows.follow(statement)
                number += 1
            }
            for rule in [Rule.rowsLost, .valuesChanged] {
                guard let statements = found[rule] else { continue }
                record.notChecked(rule, Self.reason(statements, migration))
            }
        }
    }

    private static func reason(_ statements: [SQLStatement], _ migration: Migration) -> NotChecked.Reason {
        var file = ""
        var texts = statements.prefix(mostQuoted).map { statement in
            defer { file = statement.source.name }
            let place = file == statement.source.name ? "line " : statement.source.name + ":"
            return "\(statement.shortText) (\(place)\(statement.location.line))"
        }
        let others = statements.dropFirst(mostQuoted)
        if !others.isEmpty {
            let lines = others.map { "\($0.location.line)" }.joined(separator: ", ")
            texts.append("\(counted(others.count, "more statement")) in line \(lines)")
        }
        return .noRowMet(migration: migration.identifier, statements: texts)
    }
}

/// The tables and views in which users may have rows, as a step goes on.
///
/// What a step itself creates has only the rows that the step puts there: where they come from no table that was there
/// before, they are the same for everybody.
private struct UserRows {
    private var names: Set<String>
    private let schema: Schema

    init(before schema: Schema) {
        self.schema = schema
        names = Set(schema.tables.keys).union(schema.virtualTables.keys).union(schema.views.keys)
            .union(schema.unparsed.keys)
    }

    mutating func remove(_ name: String) { names.remove(name.foldedASCII) }

    /// Whether a statement chooses among rows that users may have.
    func areChosen(by statement: SQLStatement) -> Bool {
        guard let target = statement.action.target?.name.foldedASCII else { return false }
        switch (statement.action, statement.rowChoice) {
        case (.insert(_, let columns, _), .conflict):
            guard names.contains(target), let table = schema.tables[target] else {
                return names.contains(target)
            }
            let given = table.given(by: statement, columns)
            return table.hasKey(in: given) || hasIndex(table, given)
        case (.insert, _): return reads(statement, into: target)
        default: return names.contains(target)
        }
    }

    /// Takes note of what a statement creates, fills and drops.
    mutating func follow(_ statement: SQLStatement) {
        switch statement.action {
        case .createTable(let name, _, asSelect: true), .createView(let name, _):
            if reads(statement, into: name.name.foldedASCII) { names.insert(name.name.foldedASCII) }
        case .createTrigger(_, let table, _):
            // It may copy what is written there to any table that it names.
            if names.contains(table.foldedASCII) { names.formUnion(statement.mentionedNames) }
        case .renameTable(let old, let new):
            if names.remove(old.name.foldedASCII) != nil { names.insert(new.foldedASCII) }
        case .dropTable(let name), .dropView(let name): names.remove(name.name.foldedASCII)
        case .insert(let name, _, _), .update(let name, _):
            if reads(statement, into: name.name.foldedASCII) { names.insert(name.name.foldedASCII) }
        default: break
        }
    }

    private func reads(_ statement: SQLStatement, into target: String) -> Bool {
        !statement.mentionedNames.subtracting([target]).isDisjoint(with: names)
    }

    private func hasIndex(_ table: Table, _ columns: Set<String>) -> Bool {
        schema.indexes.values.contains { index in
            index.isUnique && index.table.foldedASCII == table.name.foldedASCII
                && table.areGiven(index.terms.compactMap(\.columnName), in: columns)
        }
    }
}

extension Table {
    /// Returns the folded names of the columns that an INSERT gives values to. NULL for the rowid stands for the next
    /// number.
    fileprivate func given(by statement: SQLStatement, _ columns: [String]?) -> Set<String> {
        var given = (columns ?? self.columns.filter { $0.generated == nil }.map(\.name)).map(\.foldedASCII)
        if let alias = rowidAlias?.name.foldedASCII, let place = given.firstIndex(of: alias),
            let arm = statement.insertSource?.arms.first, arm.isValues, arm.items.indices.contains(place),
            case .expression(let value, _) = arm.items[place], value.items == [.keyword("null")]
        {
            given.remove(at: place)
        }
        return Set(given)
    }

    /// Whether an INSERT into columns can meet a row with the same key.
    fileprivate func hasKey(in columns: Set<String>) -> Bool {
        let keys = [primaryKey?.terms].compactMap(\.self) + uniques.map(\.terms)
        return keys.contains { areGiven($0.map(\.column), in: columns) }
    }

    /// Whether an INSERT into columns gives values to all of these, or their defaults do.
    fileprivate func areGiven(_ key: [String], in columns: Set<String>) -> Bool {
        key.allSatisfy { columns.contains($0.foldedASCII) || column($0)?.defaultValue != nil }
    }
}

extension Index.Term {
    fileprivate var columnName: String? { if case .column(let name) = value { name } else { nil } }
}

extension SQLStatement {
    /// Whether it gives rows other values, rather than deleting them or leaving them behind.
    fileprivate var isUpdating: Bool {
        if case .update = action { return true }
        return !upsertColumns.isEmpty
    }

    /// The longest text that is quoted whole, and the longest parts of one that is cut.
    private static let (longest, longestHead, longestTail) = (100, 40, 70)

    /// The statement in one line; of a long one its beginning, and the condition or the conflict by which it chooses rows.
    fileprivate var shortText: String {
        let whole = line(tokens[...])
        guard whole.count > Self.longest else { return whole }
        var (depth, place): (Int, Int?) = (0, nil)
        for (index, token) in tokens.enumerated() {
            if token.isSymbol("(", in: source) { depth += 1 }
            if token.isSymbol(")", in: source) { depth -= 1 }
            let isConflict =
                token.isWord("on", in: source) && index + 1 < tokens.count
                && tokens[index + 1].isWord("conflict", in: source)
            if depth == 0, token.isWord("where", in: source) || isConflict { place = place ?? index }
        }
        guard let place, place > 0 else { return Self.cut(whole, Self.longest) }
        return Self.cut(line(tokens[..<place]), Self.longestHead) + " "
            + Self.cut(line(tokens[place...]), Self.longestTail)
    }

    /// The tokens with one space where there is anything between two of them.
    private func line(_ tokens: ArraySlice<Token>) -> String {
        var (text, end) = ("", tokens.first?.range.lowerBound ?? 0)
        for token in tokens {
            text += (token.range.lowerBound > end ? " " : "") + token.text(in: source)
            end = token.range.upperBound
        }
        return text
    }

    private static func cut(_ text: String, _ count: Int) -> String {
        text.count > count ? text.prefix(count - 1) + "…" : text
    }
}
