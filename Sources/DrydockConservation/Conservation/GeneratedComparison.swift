import DrydockState
import SQLiteSchema
import DrydockFindings
import DatabaseEngine

/// Compares the values of a table's generated columns before and after a step.
///
/// The connection has the state before the step as `main` and the state after it attached.
struct GeneratedComparison {
    let connection: any Connection
    let match: TableMatch
    /// The difference of the table's other values.
    var difference = TableDifference()
    /// Positions of the column pairs that a declaration allows to be rewritten; values computed from them may change
    /// too.
    var rewritable: Set<Int> = []
    /// The text encoding of both states.
    var encoding = TextEncoding.utf8

    /// A problem with one column, for the list of what was not checked.
    typealias Failure = String

    // MARK: - Columns that are gone

    /// Returns the columns from which a generated column was computed, and those of them that are gone or changed.
    /// - Parameter staysGenerated: then a source without values took nothing with it, and columns that a declaration
    /// allows to be rewritten are ignored.
    func basis(of column: Catalog.Column, staysGenerated: Bool = false) throws -> Conservation.Basis {
        let sources = GeneratedColumns(match.before).sources(of: column)
        let gone = try sources.filter { source in
            guard let index = match.columns.firstIndex(where: { $0.before.name == source.name }) else {
                return try !staysGenerated || valueCount(of: source).values > 0
            }
            if staysGenerated, rewritable.contains(index) { return false }
            return difference.changed[index] != nil || difference.uncompared.contains(index)
        }
        return .init(sources: sources.map(\.name), gone: gone.map(\.name))
    }

    /// Returns the number of rows of the earlier table with a value other than NULL.
    /// - Parameter conditions: rows that match one are left out.
    func valueCount(
        of column: Catalog.Column, exceptWhere conditions: [String] = []
    ) throws -> (values: Int, failure: Failure?) {
        let sql =
            "SELECT count(\(quotedName(column.name))) FROM main.\(quotedName(match.before.name))"
            + (conditions.isEmpty ? "" : " WHERE NOT \(Allowance(conditions: conditions).condition)")
        do {
            return (try connection.firstRow(sql) { Int($0.integer(0)) } ?? 0, nil)
        } catch let error as EngineError where error.isOfExpression && column.isGenerated {
            var (count, failing) = (0, FailingRows(match.before, column))
            do {
                let isRead = try before(column).forEach { row in
                    switch row.value {
                    case .success(let value): count += value == .null ? 0 : 1
                    case .failure(let error): failing.add(error)
                    }
                }
                if !isRead { failing.add(error) }
            } catch let error as EngineError where error.isOfExpression {
                failing.add(error)
            }
            return (count, failing.text)
        }
    }

    // MARK: - Columns that are generated on both sides

    /// Compares the values of the columns whose expression changed.
    /// - Returns: nil where there are none.
    func derived() throws -> Conservation.Derived? {
        guard !match.derived.isEmpty else { return nil }
        let (old, new) = (GeneratedColumns(match.before), GeneratedColumns(match.after))
        let columns = match.derived.filter { !old.isSame($0.before, in: new, as: $0.after) }
        guard !columns.isEmpty else { return nil }
        var trial = match
        trial.columns = match.columns.filter { $0.before.keyPosition > 0 }
        let keyCount = trial.columns.count
        var result = Conservation.Derived(match: trial, difference: .init(), irrecoverable: [])
        for column in columns where try !basis(of: column.before, staysGenerated: true).gone.isEmpty {
            result.irrecoverable.insert(column.before.name.foldedASCII)
        }
        trial.columns += columns
        result.match = trial
        do {
            result.difference = try TableComparison(
                connection: connection, match: trial, rewritable: [], encoding: encoding, deletable: []
            ).run()
        } catch let error as EngineError where error.isOfExpression {
            result.difference.keyColumns = keyColumns
            for (index, column) in columns.enumerated() {
                // A row without a value has none to keep.
                let changes = try changes(of: column).changes
                if changes.count > 0 { result.difference.changed[keyCount + index] = changes }
            }
        }
        return result
    }

    // MARK: - Row by row

    var keyColumns: [String] {
        before(Catalog.Column(name: "", keyPosition: 0, isGenerated: false)).keyColumns
    }

    /// Whether the column can be computed in every row of both sides.
    func isReadable(_ pair: TableMatch.ColumnPair) throws -> Bool {
        try before(pair.before).isReadable && after(pair.after).isReadable
    }

    /// Compares a column row by row. Rows that are gone are ignored; a row that cannot be read after the step is a
    /// fault of the state.
    func changes(of pair: TableMatch.ColumnPair) throws -> (
        changes: TableDifference.Changes, failure: Failure?
    ) {
        var changes = TableDifference.Changes()
        var failing = FailingRows(match.before, pair.before)
        let after = after(pair.after)
        do {
            let isRead = try before(pair.before).forEach { row in
                switch row.value {
                case .failure(let error): failing.add(error)
                case .success(let old):
                    guard case .success(let new)? = try after.value(ofKey: row.key), new != old else {
                        return
                    }
                    changes.note(
                        .init(row: .init(ordinal: -1, key: row.key), before: old, after: new), encoding)
                }
            }
            if !isRead { failing.addTable("its rows have neither rowid nor key") }
        } catch let error as EngineError where error.isOfExpression {
            failing.addTable(error.message)
        }
        return (changes, failing.text)
    }

    private func before(_ column: Catalog.Column) -> RowwiseValues {
        RowwiseValues(connection: connection, schema: "main", table: match.before, column: column)
    }

    private func after(_ column: Catalog.Column) -> RowwiseValues {
        RowwiseValues(
            connection: connection, schema: StateInspector.laterSchema, table: match.after, column: column)
    }
}

/// Rows of the state before in which a column could not be computed.
private struct FailingRows {
    private let path: String
    private var count = 0
    private var reason: String?

    init(_ table: Catalog.Table, _ column: Catalog.Column) { path = "\(table.name).\(column.name)" }

    mutating func add(_ error: EngineError) {
        count += 1
        reason = reason ?? error.message
    }

    mutating func addTable(_ reason: String) { self.reason = reason }

    /// Nil where every row could be computed.
    var text: String? {
        reason.map { reason in
            count == 0
                ? "the values of \(path) cannot be compared: \(reason)"
                : "\(path) could not be computed in \(counted(count, "row")): \(reason)"
        }
    }
}
