import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// The keys that are in tables, for the rows that refer to them. Each is read once.
struct ParentKeys {
    private let connection: any Connection
    private let encoding: TextEncoding?
    private var known: [String: [[SQLValue]]] = [:]

    /// More parents than this are not referred to.
    static let most = 64

    init(_ connection: any Connection, encoding: TextEncoding?) {
        (self.connection, self.encoding) = (connection, encoding)
    }

    /// Returns the keys that a reference may have.
    /// - Parameter isFinal: whether the parent gets no more rows, so that its keys can be kept.
    mutating func keys(for reference: TablePlan.Reference, isFinal: Bool) throws -> [[SQLValue]] {
        guard reference.parentColumns.count == reference.columns.count else { return [] }
        let name = ([reference.parent] + reference.parentColumns).joined(separator: "\u{0}")
        if let keys = known[name] { return keys }
        let keys = try present(reference)
        if isFinal { known[name] = keys }
        return keys
    }

    /// Returns the keys that are in the parent now.
    func present(_ reference: TablePlan.Reference) throws -> [[SQLValue]] {
        guard reference.parentColumns.count == reference.columns.count else { return [] }
        let columns = reference.parentColumns.map(quotedName)
        let sql = """
            SELECT DISTINCT \(columns.joined(separator: ", ")) FROM main.\(quotedName(reference.parent)) \
            WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) \
            ORDER BY \(columns.joined(separator: ", ")) LIMIT \(Self.most)
            """
        // Without such a table or column, SQLite refuses each row that refers to it.
        return try rows(sql, columns.count)
    }

    /// Returns the values in rows of another table that look for partners in a table, and find none.
    func sought(_ lookup: TablePlan.Reference, in plan: TablePlan) throws -> [[SQLValue]] {
        let pairs = zip(lookup.parentColumns, lookup.columns).map { theirs, own in
            ("theirs.\(quotedName(theirs))", "own.\(quotedName(plan.columns[own].name))")
        }
        let list = pairs.map(\.0).joined(separator: ", ")
        let sql = """
            SELECT DISTINCT \(list) FROM main.\(quotedName(lookup.parent)) AS theirs \
            WHERE \(pairs.map { "\($0.0) IS NOT NULL" }.joined(separator: " AND ")) AND NOT EXISTS ( \
            SELECT 1 FROM main.\(quotedName(plan.name)) AS own \
            WHERE \(pairs.map { "\($0.1) = \($0.0)" }.joined(separator: " AND "))) \
            ORDER BY \(list) LIMIT \(Self.most)
            """
        return try rows(sql, pairs.count)
    }

    /// Returns the values that are in columns of a table.
    func values(_ columns: [String], of table: String) throws -> [[SQLValue]] {
        let list = columns.map(quotedName).joined(separator: ", ")
        return try rows("SELECT \(list) FROM main.\(quotedName(table)) LIMIT 10000", columns.count)
    }

    /// Returns no rows where the table cannot be read.
    private func rows(_ sql: String, _ count: Int) throws -> [[SQLValue]] {
        do {
            return try connection.rows(sql) { row in (0..<count).map { bindable(row.value($0)) } }
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            return []
        }
    }

    /// Returns a value that was read as one that can be bound: text is bound as UTF-8.
    private func bindable(_ value: SQLValue) -> SQLValue {
        guard case .text(let bytes) = value, let encoding, encoding != .utf8 else { return value }
        return SQLValue(encoding.decode(bytes))
    }
}
