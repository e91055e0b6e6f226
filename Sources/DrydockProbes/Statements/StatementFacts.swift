import DatabaseEngine
import SQLiteSchema

/// What the statements of all migrations say of the rows that tables have, found out once.
struct StatementFacts: Sendable {
    /// A use of a column, with the names that its statement mentions.
    struct Use<Value: Sendable>: Sendable {
        var value: Value
        var names: Set<String>
    }

    private(set) var comparisons: [String: [Use<Usage.Comparison>]] = [:]
    private(set) var json: [String: [Use<Usage.JSONUse>]] = [:]
    /// What functions demand of columns.
    private var demands: [String: [Use<Demand>]] = [:]
    /// The literals in the INSERT statements of a table.
    private(set) var inserted: [String: Set<SQLValue>] = [:]
    /// The literals in those that insert what a query gives.
    private var selected: [String: Set<SQLValue>] = [:]
    /// The rows of literals that they have.
    private var rows: [String: [InsertedRow]] = [:]
    private var helpers = HelperTables()
    /// The names that a table has later, by its folded name.
    private(set) var laterNames: [String: [String]] = [:]
    /// The names that columns have later, by the folded name of the column.
    private(set) var laterColumns: [String: [String]] = [:]
    /// The conditions by the names of the tables in their statements.
    private var conditions: [String: [StatedCondition]] = [:]
    /// The columns of two tables that statements compare, and those that they copy.
    private(set) var joins: [StatedJoin] = []
    private(set) var copies: [StatedCopy] = []
    /// The folded names of the views, indexes and triggers that the statements create.
    private(set) var created: Set<String> = []

    init() {}

    init(_ statements: [SQLStatement]) {
        let texts = QuotedTexts(statements)
        for statement in statements { noteRows(statement, texts) }
        for statement in statements { note(statement, texts) }
    }

    /// Takes note of the rows that a statement inserts, before what others compare with them.
    private mutating func noteRows(_ statement: SQLStatement, _ texts: QuotedTexts) {
        helpers.note(statement)
        switch statement.action {
        case .insert(let table, _, _):
            let (name, items) = (table.name.foldedASCII, texts.items(statement))
            let found = InsertedRow.rows(statement, items)
            if found.isEmpty {
                selected[name, default: []].formUnion(Self.literals(items))
            } else if (rows[name]?.count ?? 0) < InsertedRow.most {
                rows[name, default: []] += found
                helpers.note(found, in: name)
            } else {
                selected[name, default: []].formUnion(Self.literals(items))
            }
        case .update, .delete, .select: break
        default: return
        }
        if InsertedRow.isWord(statement.normalized.items[0], "with") {
            helpers.noteCommonTables(texts.items(statement))
        }
    }

    private static func literals(_ items: [NormalizedSQL.Item]) -> [SQLValue] {
        items.compactMap { item in
            if case .literal(let text) = item { Literal.value(text) } else { nil }
        }
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
            inserted[table.name.foldedASCII, default: []].formUnion(Self.literals(items))
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
        if !helpers.isEmpty {
            let names = ExpressionReader.names(items[...])
            for (column, values) in helpers.comparisons(items) {
                comparisons[column, default: []] += values.map {
                    .init(value: .init(column: column, value: $0), names: names)
                }
            }
        }
        let replaced = helpers.replacing(items)
        let file = statement.source.name
        let finder =
            switch statement.action {
            case .createTrigger(_, let table, _):
                ConditionFinder(replaced, table: table.foldedASCII, file: file)
            case .insert(let table, _, _), .update(let table, _), .delete(let table):
                ConditionFinder(replaced, target: table.name.foldedASCII, file: file)
            default: ConditionFinder(replaced, file: file)
            }
        noteConditions(finder.found)
        joins += finder.joins
        copies += finder.copies + StatedCopy.copies(statement, finder)
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
        let demanded = DemandReader.demands(items)
        guard !usage.isEmpty || !demanded.isEmpty else { return }
        let names = ExpressionReader.names(items[...]).union(extra)
        for found in demanded {
            demands[found.column, default: []].append(.init(value: found.demand, names: names))
        }
        for comparison in usage.comparisons {
            self.comparisons[comparison.column, default: []].append(
                .init(value: comparison, names: names))
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

    /// Whether a statement copies rows of a table into another one.
    func copiesRows(of table: String, into other: String) -> Bool {
        let (sources, targets) = (names(of: table), names(of: other))
        return copies.contains { copy in
            targets.contains(copy.target) && copy.tables.values.contains { !$0.isDisjoint(with: sources) }
        }
    }

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

    /// Returns what statements compare a column of a table with.
    func comparisons(_ column: String, tables: [String]) -> [Usage.Comparison] {
        names(ofColumn: column).flatMap { name in
            (comparisons[name] ?? []).filter { use in tables.contains(where: use.names.contains) }.map(
                \.value)
        }
    }

    /// The folded names of the tables that statements with conditions name.
    var conditionedTables: [String] { conditions.keys.sorted() }

    /// Returns the rows of literals that migrations insert into a table.
    func insertedRows(_ tables: [String]) -> [InsertedRow] { tables.flatMap { rows[$0] ?? [] } }

    /// Returns the literals that migrations may insert into a column of a table.
    /// - Parameters:
    ///   - all: the columns of the table.
    ///   - conflicts: the statements that count.
    func insertedValues(
        _ column: String, of tables: [String], all: [String], _ conflicts: Set<InsertedRow.Conflict>
    ) -> Set<SQLValue> {
        var values = tables.reduce(into: Set<SQLValue>()) { $0.formUnion(selected[$1] ?? []) }
        for row in insertedRows(tables) where conflicts.contains(row.conflict) {
            for name in names(ofColumn: column) {
                if let value = row.value(of: name, all: all) { values.insert(value) }
            }
        }
        return values
    }

    /// Returns what statements ask of the rows of a table with columns of these names.
    /// - Parameter rowid: the column that is an alias of the rowid.
    func conditions(on tables: [String], columns names: [String], rowid: String? = nil) -> [StatedCondition
        .Local]
    {
        let found = tables.flatMap { conditions[$0] ?? [] }
        guard !found.isEmpty else { return [] }
        var columns = presentNames(names)
        if let rowid {
            for name in ["rowid", "oid", "_rowid_"] { columns[name] = columns[name] ?? rowid }
        }
        var seen: Set<StatedCondition.Local> = []
        return found.compactMap { $0.local(tables, columns: columns) }.flatMap { condition in
            guard !condition.isChange else { return [condition] }
            return [condition]
                + condition.expression.waysToHold.map { .init(expression: $0, isChange: false) }
        }.filter { seen.insert($0).inserted }
    }

    /// How many keys a file must handle one by one so that they are assumed to be all keys.
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

    /// Returns what functions demand of a column of a table.
    func demands(_ column: String, tables: [String]) -> [Demand] {
        names(ofColumn: column).flatMap { name in
            (demands[name] ?? []).filter { use in tables.contains(where: use.names.contains) }.map(\.value)
        }
    }
}
