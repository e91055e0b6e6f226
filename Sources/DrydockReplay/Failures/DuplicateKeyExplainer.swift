import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// Explains "UNIQUE constraint failed": which rows have the same key.
struct DuplicateKeyExplainer: FailureExplainer {
    func explanation(of fixture: FailureFixture) throws -> FailureExplanation? {
        guard let label = SQLiteMessage.uniqueFailed.rest(of: fixture.error.message),
            let statement = fixture.statement
        else { return nil }
        if case .createIndex(let name, let on) = statement.action {
            guard let table = fixture.schema.table(on), let index = Self.index(statement, name, table) else {
                return nil
            }
            let key = UniqueKey(index, on: table)
            guard let found = try duplicates(of: key, in: RowSource(table, fixture), wasThere: nil) else {
                return nil
            }
            let origin = try DuplicateOrigin(key, table, count: found.rows, fixture)
            return explanation(
                found, origin, help: try origin.help(forIndex: statement) ?? Self.help(key, table, fixture))
        }
        guard let rows = try fixture.uncheckedRows() else { return nil }
        let keys = UniqueKey.all(of: rows.table, in: fixture.schema).filter { $0.label == label }
        for key in keys {
            guard var found = try duplicates(of: key, in: rows.source, wasThere: rows.wasThere) else {
                continue
            }
            found.first = rows.named(found.first, key.terms.map(\.name), isRenamed: false)
            return try explanation(found, key, rows, fixture)
        }
        if case .update = statement.action, !keys.isEmpty {
            var explanation = FailureExplanation(
                detail:
                    ": a row gets a value that another row still has, although all values would differ in the end",
                help: """
                    SQLite checks each row as it is written. First write values that no row has, such as negative ones, and \
                    then the final ones with a second UPDATE.
                    """,
                table: rows.table.name)
            explanation.reason = "only while it runs"
            return explanation
        }
        return nil
    }

    private static func index(_ statement: SQLStatement, _ name: QualifiedName, _ table: Table) -> Index? {
        let schema = SchemaParser().schema(of: [
            SchemaRow(type: "index", name: name.name, table: table.name, sql: statement.text)
        ])
        return schema.indexes.values.first
    }

    /// Returns the keys of a table as SQLite's messages name them.
    static func labels(of table: Table, _ fixture: FailureFixture) -> [String] {
        UniqueKey.all(of: table, in: fixture.schema).map(\.label)
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
    private func duplicates(of key: UniqueKey, in source: RowSource, wasThere: String?) throws -> Duplicates?
    {
        var source = source
        // Rows that share what would tell them apart are only counted.
        if source.key.map(\.expression) == key.terms.map(\.expression) { source.key = [] }
        let (those, group) = (key.covered, key.group)
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

    private func explanation(
        _ found: Duplicates, _ origin: DuplicateOrigin?, help: Help
    ) -> FailureExplanation {
        let more = found.values - 1
        var others = found.isTaken ? ", as does a row that was there before" : ""
        if more > 0 {
            let rows = found.rows - found.first.count - (found.isTaken ? 1 : 0)
            others +=
                "; \(counted(more, "more value")) \(more == 1 ? "is" : "are") shared, by \(counted(rows, "row"))"
        }
        let reason = found.isTaken ? "" : origin?.reason ?? ""
        var explanation = found.first.explanation(help: help)
        explanation.detail += Sentence(reason + others)
        explanation.evidence?.rowCount = found.first.count
        if !reason.isEmpty { explanation.reason = reason }
        return explanation
    }

    /// Explains rows that a statement would have written.
    private func explanation(
        _ found: Duplicates, _ key: UniqueKey, _ rows: UncheckedRows, _ fixture: FailureFixture
    ) throws -> FailureExplanation {
        guard let source = rows.copiedFrom, case .insert(_, _, _?)? = fixture.statement?.action else {
            return explanation(found, nil, help: "Give each row a value of its own.")
        }
        if let crossed = rows.crossing(of: key.terms.map(\.name), fixture) {
            return explanation(found, nil, help: crossed.help)
        }
        let isComputed = key.terms.contains { rows.origins[$0.name.foldedASCII] == nil }
        let origin = try DuplicateOrigin(
            key, source, columns: rows.origins, isComputed: isComputed, count: found.rows, fixture)
        if let help = origin.help(forCopyOf: source, into: rows.table) {
            return explanation(found, origin, help: help)
        }
        let advice: Help = """
            Give all but one of them another value in \(source.name) before the copy, or create the new table without \
            UNIQUE there.
            """
        let merge = try key.condition == nil ? Self.merge(key, source, columns: rows.origins, fixture) : ""
        return explanation(found, origin, help: advice + merge)
    }

    // MARK: - Help

    /// Rows that are there already.
    private static func help(_ key: UniqueKey, _ table: Table, _ fixture: FailureFixture) throws -> Help {
        "Give all but one of them another value first, or create the index without UNIQUE."
            + (try merge(key, table, columns: nil, fixture))
    }

    /// Returns help for rows that represent the same thing, so that one of them is enough.
    /// - Parameter columns: the names of the key's columns in the table, by folded name; nil where they are the same.
    private static func merge(
        _ key: UniqueKey, _ table: Table, columns: [String: String]?, _ fixture: FailureFixture
    ) throws -> Help {
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
        let those = ((key.condition.map { ["(\($0))"] } ?? []) + filled).joined(separator: " AND ")
        let words = terms.map { SQLFragment(sql: $0).names }
        return try DuplicateMerge(
            table: table, schema: fixture.schema, rowid: rowid,
            keyColumns: words.reduce(into: []) { $0.formUnion($1) }, group: group, covered: those,
            origin: { fixture.origin(of: $0, in: $1) }
        ).help(fixture.connection)
    }
}
