import DatabaseEngine
import SQLiteSchema

/// What the statements of all migrations say of the rows that tables have, found out once.
struct StatementFacts: Sendable {
    /// A use of a column, with the names that its statement mentions.
    struct Use<Value: Sendable>: Sendable {
        var value: Value
        var names: Set<String>
    }

    private(set) var comparisons: [String: [Use<SQLValue>]] = [:]
    private(set) var json: [String: [Use<Usage.JSONUse>]] = [:]
    /// The literals in the INSERT statements of a table.
    private(set) var inserted: [String: Set<SQLValue>] = [:]
    /// The names that a table has later, by its folded name.
    private(set) var laterNames: [String: [String]] = [:]
    /// The names that columns have later, by the folded name of the column.
    private(set) var laterColumns: [String: [String]] = [:]
    /// The conditions by the names of the tables in their statements.
    private var conditions: [String: [StatedCondition]] = [:]
    /// The folded names of the views, indexes and triggers that the statements create.
    private(set) var created: Set<String> = []

    init() {}

    init(_ statements: [SQLStatement]) {
        let texts = QuotedTexts(statements)
        for statement in statements { note(statement, texts) }
    }

    private mutating func note(_ statement: SQLStatement, _ texts: QuotedTexts) {
        let items: [NormalizedSQL.Item]
        switch statement.action {
        case .renameTable(let old, let new):
            laterNames[old.name.foldedASCII, default: []].append(new.foldedASCII)
            return
        case .renameColumn(_, let old, let new):
            laterColumns[old.foldedASCII, default: []].append(new.foldedASCII)
            return
        case .insert(let table, _, _):
            items = texts.items(statement)
            let values = items.compactMap { item -> SQLValue? in
                if case .literal(let text) = item { Literal.value(text) } else { nil }
            }
            inserted[table.name.foldedASCII, default: []].formUnion(values)
        case .createView(let name, _), .createTrigger(let name, _, _), .createIndex(let name, _):
            created.insert(name.name.foldedASCII)
            items = statement.normalized.items
        case .update, .delete, .select: items = texts.items(statement)
        case .createTable, .addColumn: items = statement.normalized.items
        default: return
        }
        var compares = true
        switch statement.action {
        case .createTable(_, _, asSelect: false), .addColumn: compares = false
        default: break
        }
        note(items, comparisons: compares)
        guard compares else { return }
        if case .createTrigger(_, let table, _) = statement.action {
            noteConditions(
                ConditionFinder.conditions(items, table: table.foldedASCII, file: statement.source.name))
        } else {
            noteConditions(ConditionFinder.conditions(items, file: statement.source.name))
        }
    }

    private mutating func noteConditions(_ found: [StatedCondition]) {
        for condition in found {
            for name in condition.tables.values.reduce(into: Set<String>(), { $0.formUnion($1) }) {
                conditions[name, default: []].append(condition)
            }
        }
    }

    /// Adds what a statement, or a part of one, says.
    mutating func note(_ items: [NormalizedSQL.Item], comparisons: Bool = true, names extra: Set<String> = [])
    {
        let usage = UsageReader.usage(items, comparisons: comparisons)
        guard !usage.isEmpty else { return }
        let names = ExpressionReader.names(items[...]).union(extra)
        for comparison in usage.comparisons {
            self.comparisons[comparison.column, default: []].append(
                .init(value: comparison.value, names: names))
        }
        for use in usage.json { json[use.column, default: []].append(.init(value: use, names: names)) }
    }

    /// Adds what the views, triggers and partial indexes of a schema say that no statement creates.
    mutating func note(objectsOf schema: Schema) {
        for (name, view) in schema.views.sorted(by: { $0.key < $1.key }) where !created.contains(name) {
            note(view.query.items)
        }
        for (name, trigger) in schema.triggers.sorted(by: { $0.key < $1.key }) where !created.contains(name) {
            let names: Set<String> = [trigger.table.foldedASCII]
            if let condition = trigger.condition { note(condition.items, names: names) }
            for statement in trigger.body { note(statement.items, names: names) }
        }
        for (name, index) in schema.indexes.sorted(by: { $0.key < $1.key }) where !created.contains(name) {
            let names: Set<String> = [index.table.foldedASCII]
            if let condition = index.condition { note(condition.items, names: names) }
            for case .expression(let expression) in index.terms.map(\.value) {
                note(expression.items, comparisons: false, names: names)
            }
        }
    }

    // MARK: - Looking up

    /// Returns the names that a table has now and later.
    func names(of table: String) -> [String] { Self.closure(table, laterNames) }

    /// Returns the names that a column has now and later.
    func names(ofColumn column: String) -> [String] { Self.closure(column, laterColumns) }

    private static func closure(_ name: String, _ next: [String: [String]]) -> [String] {
        guard next[name] != nil else { return [name] }
        var names = [name]
        var place = 0
        while place < names.count {
            for later in next[names[place]] ?? [] where !names.contains(later) { names.append(later) }
            place += 1
        }
        return names
    }

    /// Returns the values that statements compare a column of a table with.
    func comparedValues(_ column: String, tables: [String]) -> [SQLValue] {
        names(ofColumn: column).flatMap { name in
            (comparisons[name] ?? []).filter { use in tables.contains(where: use.names.contains) }.map(
                \.value)
        }
    }

    /// Returns what statements ask of the rows of a table with columns of these names.
    func conditions(on tables: [String], columns names: [String]) -> [StatedCondition.Local] {
        let found = tables.flatMap { conditions[$0] ?? [] }
        guard !found.isEmpty else { return [] }
        let columns = presentNames(names)
        var seen: Set<StatedCondition.Local> = []
        return found.compactMap { $0.local(tables, columns: columns) }.flatMap { condition in
            guard !condition.isChange else { return [condition] }
            return [condition]
                + condition.expression.waysToHold.map { .init(expression: $0, isChange: false) }
        }.filter { seen.insert($0).inserted }
    }

    /// The fewest keys that a file handles one by one where they are taken for all that there are.
    private static let fewestKeys = 5

    /// Returns the keys of a table that every file handles which handles keys one by one, such as those of settings:
    /// `UPDATE config SET category = 'mail' WHERE key = 'smtp_host'` for one after the other. The app writes just these.
    func handledKeys(_ column: String, on tables: [String]) -> [SQLValue] {
        let columns = presentNames([column])
        var files: [String: [SQLValue]] = [:]
        for condition in tables.flatMap({ conditions[$0] ?? [] }) where !condition.isChange {
            for found in condition.equalities(tables, columns: columns) {
                if files[condition.file]?.contains(found.value) != true {
                    files[condition.file, default: []].append(found.value)
                }
            }
        }
        let lists = files.filter { $0.value.count >= Self.fewestKeys }.sorted { $0.key < $1.key }.map(\.value)
        guard let first = lists.first else { return [] }
        return first.filter { value in lists.allSatisfy { $0.contains(value) } }
    }

    /// Returns the names that columns have now by those that they have now and later.
    private func presentNames(_ names: [String]) -> [String: String] {
        var columns: [String: String] = [:]
        for name in names {
            for later in self.names(ofColumn: name) { columns[later] = columns[later] ?? name }
        }
        return columns
    }

    /// Returns the uses of a column of a table as JSON.
    func jsonUses(_ column: String, tables: [String]) -> [Usage.JSONUse] {
        names(ofColumn: column).flatMap { name in
            (json[name] ?? []).filter { use in tables.contains(where: use.names.contains) }.map(\.value)
        }
    }
}
