import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// The rows that an INSERT or UPDATE would have written if its table had no constraints.
///
/// A temporary table without constraints gets the table's name, and so hides it: "the temp schema is searched first"
/// (https://www.sqlite.org/lang_naming.html). The statement is run on it unchanged.
struct UncheckedRows {
    /// The table that the statement writes.
    let table: Table
    /// The rows, identified by the rows that they come from.
    let source: RowSource
    /// A condition for the rows that were in the table before; nil where they are not marked.
    let wasThere: String?
    /// The table that the statement copies from; nil for VALUES, for UPDATE, and where several tables take part.
    let copiedFrom: Table?
    /// The columns of that table from which the copy fills columns, by folded name of the filled one.
    let origins: [String: String]

    /// The column that is NULL in rows that were there before, and those with the keys of the copied rows.
    private static let mark = "drydock_row"
    private static func tag(_ place: Int) -> String { "\(mark)_\(place)" }

    /// The rows of a statement, which are made once.
    final class Memo {
        private var made: UncheckedRows??

        func rows(_ make: () throws -> UncheckedRows?) rethrows -> UncheckedRows? {
            if let made { return made }
            let rows = try make()
            made = .some(rows)
            return rows
        }
    }

    /// - Returns: nil where the statement writes no table, or does not run without the constraints either.
    init?(_ fixture: FailureFixture) throws {
        guard let statement = fixture.statement else { return nil }
        switch statement.action {
        case .insert(let name, _, let copy):
            guard name.isMain, let table = fixture.schema.table(name.name) else { return nil }
            let origin = copy.flatMap { $0.tables.count == 1 ? fixture.schema.table($0.tables[0]) : nil }
            let unqualified = Self.unqualified(statement, name)
            self.table = table
            copiedFrom = origin
            let pairs = origin.map { statement.copiedColumns(into: table, from: $0) } ?? []
            origins = Dictionary(
                pairs.compactMap { pair in pair.from.map { (pair.to.foldedASCII, $0) } },
                uniquingKeysWith: { first, _ in first })
            if let key = origin?.rowKey, let origin, let tags = Self.tags(statement, key),
                try Self.run(
                    statement.applying(unqualified + tags), table,
                    tags: ([Self.mark] + key.indices.map(Self.tag)).map { ($0, "NULL") }, fixture)
            {
                source = Self.source(table.name, key, shownAs: origin.name, fixture)
                wasThere = "\(Self.mark) IS NULL"
            } else if try Self.run(statement.applying(unqualified), table, tags: [], fixture) {
                source = Self.source(table.name, nil, shownAs: table.name, fixture)
                wasThere = nil
            } else {
                return nil
            }
        case .update(let name, _):
            guard name.isMain, let table = fixture.schema.table(name.name),
                try Self.run(
                    statement.applying(Self.unqualified(statement, name)), table,
                    tags: table.rowKey.enumerated().map { (Self.tag($0), $1.expression) }, fixture)
            else { return nil }
            self.table = table
            (copiedFrom, wasThere, origins) = (nil, nil, [:])
            source = Self.source(table.name, table.rowKey, shownAs: table.name, fixture)
        default: return nil
        }
    }

    /// - Parameter key: that of the rows which the rows come from; nil where they have only their own.
    private static func source(
        _ name: String, _ key: [RowTerm]?, shownAs table: String, _ fixture: FailureFixture
    ) -> RowSource {
        let own = fixture.schema.table(name)?.effectivePrimaryKey.map { ($0.column, quotedName($0.column)) }
        return RowSource(
            connection: fixture.connection, from: "temp.\(quotedName(name))",
            key: key.map { $0.enumerated().map { (name: $1.name, expression: tag($0)) } }
                ?? (own ?? []).map { (name: $0.0, expression: $0.1) },
            table: table, sample: fixture.sample)
    }

    /// Returns the rows that match a condition with the values of columns: under the names that the columns have where the
    /// rows come from.
    /// - Returns: nil where there are none.
    func rows(where condition: String, showing columns: [String]) throws -> RefusedRows? {
        let shown = columns.map { (name: origins[$0.foldedASCII] ?? $0, expression: quotedName($0)) }
        return try source.rows(where: condition, showing: shown).map { named($0, columns) }
    }

    /// Returns rows with what the copy does to the shown columns.
    /// - Parameter isRenamed: whether the values have the names that the columns have where the rows come from.
    func named(_ rows: RefusedRows, _ columns: [String], isRenamed: Bool = true) -> RefusedRows {
        guard copiedFrom != nil else { return rows }
        var rows = rows
        if !isRenamed {
            for place in rows.rows.indices {
                rows.rows[place].values = rows.rows[place].values?.map { cell in
                    Evidence.Cell(column: origins[cell.column.foldedASCII] ?? cell.column, value: cell.value)
                }
            }
        }
        let moved = columns.filter { column in
            origins[column.foldedASCII].map { $0.foldedASCII != column.foldedASCII } ?? false
        }
        rows.areOwn = columns.allSatisfy { origins[$0.foldedASCII] != nil }
        rows.note = moved.isEmpty ? "" : ", which the copy puts into \(listed(moved.map(quotedIfNeeded)))"
        return rows
    }

    /// The copy, if it exchanges columns and one of these gets the values of another one.
    func crossing(of columns: [String], _ fixture: FailureFixture) -> CrossedCopy? {
        guard let copiedFrom, let statement = fixture.statement else { return nil }
        let crossed = CrossedCopy(statement, into: table, from: copiedFrom)
        return crossed.flatMap { $0.concerns(columns) ? $0 : nil }
    }

    /// Runs a statement on a copy of its table.
    /// - Parameter tags: further columns, and the SQL of their values in the existing rows.
    private static func run(
        _ text: String, _ table: Table, tags: [(name: String, value: String)], _ fixture: FailureFixture
    ) throws -> Bool {
        let connection = fixture.connection
        let name = "temp.\(quotedName(table.name))"
        let columns = table.columns.map { definition($0, in: table) } + tags.map(\.name)
        let stored = table.columns.filter { $0.generated == nil }.map { quotedName($0.name) }
        do {
            try connection.execute(
                "CREATE TEMP TABLE \(quotedName(table.name))(\(columns.joined(separator: ", ")))")
            try connection.execute(
                "INSERT INTO \(name)(\((stored + tags.map(\.name)).joined(separator: ", "))) "
                    + "SELECT \((stored + tags.map(\.value)).joined(separator: ", ")) "
                    + "FROM main.\(quotedName(table.name))")
            try connection.execute(text)
            return true
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
            try? connection.execute("DROP TABLE IF EXISTS \(name)")
            return false
        }
    }

    /// Returns a column with what computes its values, and without constraints.
    private static func definition(_ column: Column, in table: Table) -> String {
        // ANY converts nothing in a STRICT table, and means NUMERIC in other tables.
        let isAny = table.isStrict && column.declaredType.foldedASCII == "any"
        var text = "\(quotedName(column.name)) \(isAny ? "" : column.declaredType)"
        if let collation = column.collation { text += " COLLATE \(quotedName(collation))" }
        if let value = column.defaultValue { text += " DEFAULT \(value)" }
        if let generated = column.generated { text += " AS (\(generated.expression))" }
        return text
    }

    /// Removes the schema from the name of the table that is written.
    private static func unqualified(_ statement: SQLStatement, _ name: QualifiedName) -> [SQLEdit] {
        let (tokens, source) = (statement.tokens, statement.source)
        guard name.schema != nil,
            let place = tokens.indices.dropLast(2).first(where: {
                tokens[$0 + 1].isSymbol(".", in: source)
                    && tokens[$0 + 2].name(in: source)?.foldedASCII == name.folded
            })
        else { return [] }
        return [
            SQLEdit(
                range: tokens[place].range.lowerBound..<tokens[place + 2].range.lowerBound, text: "")
        ]
    }

    /// Returns edits that make a copy mark its rows, and include the key of each copied row.
    private static func tags(_ statement: SQLStatement, _ key: [RowTerm]) -> [SQLEdit]? {
        let (tokens, source) = (statement.tokens, statement.source)
        guard let insert = statement.insertSource, insert.arms.count == 1, let arm = insert.arms.first,
            !arm.isValues, insert.commonTables.isEmpty,
            !["distinct", "group"].contains(where: { statement.outermost($0) != nil }),
            let from = statement.outermost("from", after: tokens[arm.tokens.lowerBound])
        else { return nil }
        let values = key.map { ", \($0.expression)" }.joined()
        var edits = [SQLEdit(range: from.range.lowerBound..<from.range.lowerBound, text: ", 1\(values) ")]
        if case .insert(_, _?, _) = statement.action {
            let close = tokens[..<arm.tokens.lowerBound].last { $0.isSymbol(")", in: source) }
            guard let close else { return nil }
            let names = ([mark] + key.indices.map(tag)).map { ", \($0)" }.joined()
            edits.append(SQLEdit(range: close.range.lowerBound..<close.range.lowerBound, text: names))
        }
        return edits
    }
}
