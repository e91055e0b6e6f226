import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockState
import SQLiteSchema

/// Where rows with the same key come from: only rows that were the same before, and that no key of the table allowed to
/// be, can be taken for a mistake of the data.
struct DuplicateOrigin {
    package enum Kind {
        /// The rows had the same key before the step.
        case earlier
        /// They had, and another key of the table allowed it.
        case allowed(UniqueKey)
        /// The migration made them the same: a statement before, or the one that fails.
        case made(by: Int?)
    }

    let kind: Kind
    private let key: UniqueKey
    private let table: Table
    private let fixture: FailureFixture

    /// - Parameters:
    ///   - table: the table with the rows, which is the source of a copy.
    ///   - columns: the columns of the table, by the folded names that the key has for them; only where they differ.
    ///   - isComputed: whether the statement that fails computes a column of the key.
    ///   - count: the number of rows with a shared key.
    /// - Throws: ``EngineError``.
    init(
        _ key: UniqueKey, _ table: Table, columns: [String: String] = [:], isComputed: Bool = false,
        count: Int, _ fixture: FailureFixture
    ) throws {
        (self.key, self.table, self.fixture) = (key, table, fixture)
        let own = key.terms.map { columns[$0.name.foldedASCII] ?? $0.name }
        guard !isComputed, let old = Self.earlier(own, of: table, key, fixture),
            try old.duplicates(fixture) >= count
        else {
            kind = .made(by: isComputed ? fixture.index : Self.writer(of: own, in: table, fixture))
            return
        }
        kind = old.allowing(key, fixture.before.catalog.schema).map { .allowed($0) } ?? .earlier
    }

    /// The key's terms in the table from before the step.
    private struct Earlier {
        let table: Catalog.Table
        /// The terms as SQL, with the collations of the key.
        let terms: [(name: String, expression: String, collation: String)]
        let condition: SQLFragment?

        func duplicates(_ fixture: FailureFixture) throws -> Int {
            let filled = terms.map { "\($0.expression) IS NOT NULL" }
            let those = (condition.map { ["(\($0))"] } ?? []) + filled
            let group = terms.map { "\($0.expression) COLLATE \(quotedName($0.collation))" }
            let query =
                "SELECT sum(n) FROM (SELECT count(*) AS n FROM \(StepFork.beforeSchema).\(quotedName(table.name)) "
                + "WHERE \(those.joined(separator: " AND ")) GROUP BY \(group.joined(separator: ", ")) HAVING n > 1)"
            do {
                return try fixture.connection.firstRow(query) { Int($0.integer(0)) } ?? 0
            } catch let error as EngineError where error.isStatementError {
                // The condition names something that was not there.
                return 0
            }
        }

        /// Returns a key of the table that did not forbid what this one does.
        func allowing(_ key: UniqueKey, _ schema: Schema) -> UniqueKey? {
            guard let model = table.model else { return nil }
            let wanted = Set(terms.map(\.name.foldedASCII))
            let others = UniqueKey.all(of: model, in: schema).filter { other in
                wanted.isSubset(of: other.terms.map(\.name.foldedASCII))
            }
            // The nearest one: with the same columns.
            return others.min { $0.terms.count < $1.terms.count }
        }
    }

    private static func earlier(
        _ columns: [String], of table: Table, _ key: UniqueKey, _ fixture: FailureFixture
    ) -> Earlier? {
        guard let trackedTable = fixture.lineage[table.name],
            let origin = trackedTable.origin ?? trackedTable.copies.last?.origin,
            let old = fixture.before.catalog.table(origin)
        else { return nil }
        var terms: [(name: String, expression: String, collation: String)] = []
        for (column, term) in zip(columns, key.terms) {
            if term.expression.hasPrefix("(") {
                terms.append(term)
            } else if let name = fixture.lineage.columns.formerNames(
                ofColumn: column, in: table.name, from: origin
            )
            .first,
                let name = old.column(name)?.name
            {
                terms.append((name, quotedName(name), term.collation))
            } else {
                return nil
            }
        }
        return Earlier(table: old, terms: terms, condition: key.condition)
    }

    /// Returns the last statement before the failing one that wrote a column.
    private static func writer(of columns: [String], in table: Table, _ fixture: FailureFixture) -> Int? {
        let folded = Set(columns.map(\.foldedASCII))
        let names = [table.name, fixture.lineage[table.name]?.firstTableName ?? table.name].map(\.foldedASCII)
        return fixture.migration.statements[..<fixture.index].lastIndex { statement in
            switch statement.action {
            case .addColumn(let name, let column):
                names.contains(name.folded) && folded.contains(column.foldedASCII)
            case .update(let name, let columns):
                names.contains(name.folded) && !folded.isDisjoint(with: columns.map(\.foldedASCII))
            case .insert(let name, _, _): names.contains(name.folded)
            default: false
            }
        }
    }

    // MARK: - Words

    /// Appended to what says which rows share a key.
    package var reason: String {
        switch kind {
        case .earlier: return ""
        case .allowed(let other):
            let limit = other.condition.map { "only for rows WHERE \($0)" } ?? "also of other columns"
            return isOtherCollation(other)
                ? "; \(other.name) allowed that, since it compares them by another collation"
                : other.condition == nil && other.terms.count == key.terms.count
                    ? "" : "; \(other.name) allowed that: it is \(limit)"
        case .made(by: let index?) where index == fixture.index: return ", which the copy makes equal"
        case .made(by: let index?): return ", which \(fixture.migration.mention(index)) gives them"
        case .made: return ", which they did not have before the migration"
        }
    }

    private func isOtherCollation(_ other: UniqueKey) -> Bool {
        other.condition == nil && other.terms.count == key.terms.count
            && other.terms.map(\.collation) != key.terms.map(\.collation)
    }

    /// Returns what to do about an index that cannot be created; nil where the rows themselves are in question.
    func help(forIndex statement: SQLStatement) -> Help? {
        switch kind {
        case .earlier: return nil
        case .allowed(let other):
            guard let condition = other.condition else {
                let columns = other.terms.map(\.name).joined(separator: ", ")
                return isOtherCollation(other)
                    ? "Keep the collation of \(other.name), or create the index without UNIQUE."
                    : "Keep the key as it was, (\(columns)), or create the index without UNIQUE."
            }
            let better = statement.adding(condition: "\(condition)")
            return statement.condition == nil && succeeds([better])
                ? "Keep its condition:\n\(proposed(better + ";"))"
                : "Keep its condition: WHERE \(condition)."
        case .made:
            let columns = listed(key.terms.map(\.name))
            let rest = fixture.migration.statements[(fixture.index + 1)...]
            if let last = rest.lastIndex(where: { fills($0, in: table) }) {
                let moved = rest[...last].map(\.text) + [statement.text]
                let place = fixture.migration.mention(last)
                guard succeeds(moved) else {
                    return
                        "Fill \(columns) before the index is created: \(place) comes after it, and must give each row a value of its own."
                }
                let words: Help = "Fill \(columns) before the index is created: create it after \(place)"
                return moved.count > 3
                    ? words + "." : words + ":\n" + proposed(moved.map { $0 + ";" }.joined(separator: "\n"))
            }
            return
                "Fill \(columns) before the index is created, with UPDATE, so that each row has a value of its own, or create the index without UNIQUE."
        }
    }

    /// Returns what to do about a copy into a table that does not take it; nil where the rows themselves are in question.
    func help(forCopyOf origin: Table, into target: Table) -> Help? {
        switch kind {
        case .earlier: return nil
        case .allowed(let other):
            return
                "Keep \(other.name) as it was: create the new table without UNIQUE there, and create the index again after the copy."
        case .made:
            let rest = fixture.migration.statements[fixture.index...].dropFirst()
            let later = rest.firstIndex { fills($0, in: target) }
            let columns = listed(key.terms.map(\.name))
            return Help(
                (later.map {
                    "\(fixture.migration.mention($0)) fills \(columns) only after the copy. Write the value in the SELECT"
                } ?? "Copy values that differ from row to row")
                    + ", or create the new table without UNIQUE there: the rows of \(origin.name) are worth keeping."
            )
        }
    }

    /// Whether a statement writes a column of the key.
    private func fills(_ statement: SQLStatement, in table: Table) -> Bool {
        guard case .update(let name, let columns) = statement.action,
            name.folded == table.name.foldedASCII
        else { return false }
        let names = key.terms.reduce(into: Set<String>()) { names, term in
            names.formUnion(SQLFragment(sql: term.expression).names)
        }
        return !names.isDisjoint(with: columns.map(\.foldedASCII))
    }

    /// Whether statements run here, one after the other; what they write is taken back.
    private func succeeds(_ statements: [String]) -> Bool {
        let connection = fixture.connection
        guard (try? connection.execute("SAVEPOINT drydock_remedy")) != nil else { return false }
        defer { try? connection.execute("ROLLBACK TO drydock_remedy; RELEASE drydock_remedy") }
        return statements.allSatisfy { (try? connection.execute($0)) != nil }
    }
}
