import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "UNIQUE constraint failed": which rows have the same key.
struct DuplicateKeyExplainer: FailureExplainer {
    /// Terms with values that no two rows may share.
    private struct Key {
        /// The key as SQLite's message names it.
        var label: String
        /// Each term's name in messages, its SQL, and the collation by which it is compared.
        var terms: [(name: String, expression: String, collation: String)]
        var condition: String?
    }

    func explanation(of scene: FailureScene) throws -> FailureExplanation? {
        guard let label = SQLiteMessage.uniqueFailed.rest(of: scene.error.message),
            let statement = scene.statement
        else { return nil }
        if case .createIndex(let name, let on) = statement.action {
            guard let table = scene.schema.table(on), let index = Self.index(statement, name, table) else {
                return nil
            }
            let key = Self.key(index, table)
            guard let found = try duplicates(of: key, in: RowSource(table, scene), wasThere: nil) else {
                return nil
            }
            return explanation(
                found, key, help: Self.help(key, table, scene))
        }
        guard let rows = try scene.uncheckedRows() else { return nil }
        let keys = Self.keys(of: rows.table, scene).filter { $0.label == label }
        for key in keys {
            guard let found = try duplicates(of: key, in: rows.source, wasThere: rows.wasThere) else {
                continue
            }
            return explanation(found, key, help: Self.help(key, rows, scene))
        }
        if case .update = statement.action, !keys.isEmpty {
            var explanation = FailureExplanation(
                detail: ": a row gets a value that another row still has, though in the end all would differ",
                help: """
                    SQLite checks each row as it is written. Write values that no row has first, as negative ones, and the \
                    wanted ones with a second UPDATE.
                    """,
                table: rows.table.name)
            explanation.reason = "only while it runs"
            return explanation
        }
        return nil
    }

    // MARK: - Keys

    private static func index(_ statement: SQLStatement, _ name: QualifiedName, _ table: Table) -> Index? {
        let schema = SchemaParser().schema(of: [
            SchemaRow(type: "index", name: name.name, table: table.name, sql: statement.text)
        ])
        return schema.indexes.values.first
    }

    /// Returns the keys of a table as SQLite's messages name them.
    static func labels(of table: Table, _ scene: FailureScene) -> [String] {
        keys(of: table, scene).map(\.label)
    }

    private static func keys(of table: Table, _ scene: FailureScene) -> [Key] {
        let constraints = table.uniques.map(\.terms) + [table.primaryKey?.terms].compactMap(\.self)
        let keys = constraints.map { terms in
            Key(
                label: terms.map { "\(table.name).\(table.column($0.column)?.name ?? $0.column)" }
                    .joined(separator: ", "),
                terms: terms.map { ($0.column, quotedName($0.column), table.collation(of: $0)) })
        }
        return keys + scene.schema.indexes(on: table.name).filter(\.isUnique).map { key($0, table) }
    }

    private static func key(_ index: Index, _ table: Table) -> Key {
        let terms = index.terms.map { term -> (name: String, expression: String, collation: String) in
            let collation = index.collation(of: term, in: table)
            switch term.value {
            case .column(let name): return (name, quotedName(name), collation)
            case .expression(let text): return ("\(text)", "(\(text))", collation)
            }
        }
        let isPlain = index.terms.allSatisfy { if case .column = $0.value { true } else { false } }
        let columns = terms.map { "\(table.name).\(table.column($0.name)?.name ?? $0.name)" }
        return Key(
            label: isPlain ? columns.joined(separator: ", ") : "index '\(index.name)'", terms: terms,
            condition: index.condition.map { "(\($0))" })
    }

    // MARK: - Rows

    private struct Duplicates {
        /// The rows with the value that most rows share.
        var first: RefusedRows
        /// The number of shared values, and of the rows that share them.
        var values: Int
        var rows: Int
        /// Whether a row that was in the table before also has the value.
        var isTaken: Bool
    }

    /// - Parameter wasThere: a condition for rows that existed before, and that no source row identifies.
    private func duplicates(of key: Key, in source: RowSource, wasThere: String?) throws -> Duplicates? {
        // NULLs are distinct (https://www.sqlite.org/nulls.html).
        let filled = key.terms.map { "\($0.expression) IS NOT NULL" }
        let those = ((key.condition.map { [$0] } ?? []) + filled).joined(separator: " AND ")
        let group = key.terms.map { "\($0.expression) COLLATE \(quotedName($0.collation))" }
        let shared =
            "SELECT \(key.terms.map(\.expression).joined(separator: ", ")), count(*) FROM \(source.from) "
            + "WHERE \(those) GROUP BY \(group.joined(separator: ", ")) HAVING count(*) > 1"
        let count = key.terms.count
        guard
            let values = try source.connection.firstRow(
                "\(shared) ORDER BY \(count + 1) DESC", [],
                { row in
                    (0..<count).map(row.value)
                })
        else { return nil }
        let same = zip(group, values).map { "\($0) = \($1.literal)" }
        let shares = (same + [those]).joined(separator: " AND ")
        let isNew = wasThere.map { " AND NOT (\($0))" } ?? ""
        var isTaken = false
        if let wasThere {
            let query = "SELECT EXISTS (SELECT 1 FROM \(source.from) WHERE \(shares) AND \(wasThere))"
            isTaken = try source.connection.firstRow(query) { $0.integer(0) != 0 } ?? false
        }
        guard
            let first = try source.rows(
                where: shares + isNew,
                showing: key.terms.map { (name: $0.name, expression: $0.expression) })
        else { return nil }
        let names = (0..<count).map { "k\($0)" } + ["n"]
        let totals = try source.connection.firstRow(
            "WITH shared(\(names.joined(separator: ", "))) AS (\(shared)) SELECT count(*), sum(n) FROM shared"
        ) { (Int($0.integer(0)), Int($0.integer(1))) }
        return Duplicates(
            first: first, values: totals?.0 ?? 1, rows: totals?.1 ?? first.count, isTaken: isTaken)
    }

    private func explanation(_ found: Duplicates, _ key: Key, help: Help) -> FailureExplanation {
        let more = found.values - 1
        var others = found.isTaken ? ", as a row that was there before" : ""
        if more > 0 {
            let rows = found.rows - found.first.count - (found.isTaken ? 1 : 0)
            others +=
                "; \(counted(more, "more value")) \(more == 1 ? "is" : "are") shared, by \(counted(rows, "row"))"
        }
        var explanation = found.first.explanation(help: help)
        explanation.detail += others
        explanation.redactedDetail? += others
        explanation.evidence?.rowCount = found.first.count
        return explanation
    }

    // MARK: - Help

    /// Rows that are there already.
    private static func help(_ key: Key, _ table: Table, _ scene: FailureScene) -> Help {
        "Give all but one of them another value first, or make the index without UNIQUE."
            + merge(key, table, columns: nil, scene)
    }

    /// Rows that a statement would have written.
    private static func help(_ key: Key, _ rows: UncheckedRows, _ scene: FailureScene) -> Help {
        guard let origin = rows.copiedFrom, case .insert(_, let columns, let copy?)? = scene.statement?.action
        else { return "Give each row a value of its own." }
        let targets = columns ?? rows.table.columns.filter { $0.generated == nil }.map(\.name)
        let items = copy.items.flatMap { item -> [CopyItem] in
            guard case .star = item else { return [item] }
            return origin.columns.filter { $0.generated == nil }.map { .column(table: nil, name: $0.name) }
        }
        var names: [String: String] = [:]
        for (target, item) in zip(targets, items) {
            if case .column(_, let name) = item { names[target.foldedASCII] = name }
        }
        let isWhole = key.condition == nil && key.terms.allSatisfy { names[$0.name.foldedASCII] != nil }
        return
            "Give all but one of them another value in \(origin.name) before the copy, or make the new table without UNIQUE there."
            + (isWhole ? merge(key, origin, columns: names, scene) : "")
    }

    /// Returns help for rows that represent the same thing, so that one of them is enough.
    /// - Parameter columns: the names of the key's columns in the table, by folded name; nil where they are the same.
    private static func merge(_ key: Key, _ table: Table, columns: [String: String]?, _ scene: FailureScene)
        -> Help
    {
        guard let rowid = table.rowidName else { return "" }
        let terms = key.terms.map { term -> String in
            columns?[term.name.foldedASCII].map(quotedIfNeeded)
                ?? (term.expression.hasPrefix("(") ? term.expression : quotedIfNeeded(term.name))
        }
        let own = key.terms.map { term in
            table.column(term.name).map { ($0.collation ?? "BINARY").foldedASCII }
        }
        let group = zip(zip(terms, key.terms), own).map { pair, own in
            own == pair.1.collation.foldedASCII || own == nil && pair.1.collation.foldedASCII == "binary"
                ? pair.0 : "\(pair.0) COLLATE \(quotedIfNeeded(pair.1.collation))"
        }
        let filled = terms.map { "\($0) IS NOT NULL" }
        let those = ((key.condition.map { [$0] } ?? []) + filled).joined(separator: " AND ")
        let words = terms.map { SQLFragment(sql: $0).names }
        return DuplicateMerge(
            table: table, schema: scene.schema, rowid: rowid,
            keyColumns: words.reduce(into: []) { $0.formUnion($1) }, group: group, covered: those,
            origin: { scene.origin(of: $0, in: $1) }
        ).help
    }
}
