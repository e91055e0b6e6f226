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

    private static let tag = "drydock_row"

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
    init?(_ scene: FailureScene) throws {
        guard let statement = scene.statement else { return nil }
        switch scene.statement?.action {
        case .insert(let name, let columns, let copy):
            guard name.isMain, let table = scene.schema.table(name.name) else { return nil }
            let origin = copy.flatMap { $0.tables.count == 1 ? scene.schema.table($0.tables[0]) : nil }
            let unqualified = Self.unqualified(statement, name)
            self.table = table
            copiedFrom = origin
            if let origin, let rowid = origin.rowidName,
                let tags = Self.tags(statement, hasColumns: columns != nil, rowid: rowid),
                try Self.run(statement.applying(unqualified + tags), table, tag: "NULL", scene)
            {
                source = Self.source(table.name, [("rowid", Self.tag)], shownAs: origin.name, scene)
                wasThere = "\(Self.tag) IS NULL"
            } else if try Self.run(statement.applying(unqualified), table, tag: nil, scene) {
                let key = table.primaryKey?.terms.map { ($0.column, quotedName($0.column)) } ?? []
                source = Self.source(table.name, key, shownAs: table.name, scene)
                wasThere = nil
            } else {
                return nil
            }
        case .update(let name, _):
            guard name.isMain, let table = scene.schema.table(name.name),
                try Self.run(
                    statement.applying(Self.unqualified(statement, name)), table,
                    tag: table.rowidName ?? "NULL", scene)
            else { return nil }
            self.table = table
            (copiedFrom, wasThere) = (nil, nil)
            let key =
                table.rowidName.map { _ in [("rowid", Self.tag)] }
                ?? table.effectivePrimaryKey.map { ($0.column, quotedName($0.column)) }
            source = Self.source(table.name, key, shownAs: table.name, scene)
        default: return nil
        }
    }

    private static func source(
        _ name: String, _ key: [(String, String)], shownAs table: String, _ scene: FailureScene
    ) -> RowSource {
        RowSource(
            connection: scene.connection, from: "temp.\(quotedName(name))",
            key: key.map { (name: $0.0, expression: $0.1) }, table: table, sample: scene.sample)
    }

    /// Runs a statement on a copy of its table.
    /// - Parameter value: the tag of the existing rows; nil for no tags.
    private static func run(
        _ text: String, _ table: Table, tag value: String?, _ scene: FailureScene
    ) throws -> Bool {
        let connection = scene.connection
        let name = "temp.\(quotedName(table.name))"
        let columns = table.columns.map { definition($0, in: table) } + (value == nil ? [] : [tag])
        let stored = table.columns.filter { $0.generated == nil }.map { quotedName($0.name) }
        do {
            try connection.execute(
                "CREATE TEMP TABLE \(quotedName(table.name))(\(columns.joined(separator: ", ")))")
            try connection.execute(
                "INSERT INTO \(name)(\((stored + (value == nil ? [] : [tag])).joined(separator: ", "))) "
                    + "SELECT \((stored + [value].compactMap(\.self)).joined(separator: ", ")) "
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

    /// Returns edits that make a copy include the rowid of each copied row.
    private static func tags(_ statement: SQLStatement, hasColumns: Bool, rowid: String) -> [SQLEdit]? {
        let (tokens, source) = (statement.tokens, statement.source)
        guard let insert = statement.insertSource, insert.arms.count == 1, let arm = insert.arms.first,
            !arm.isValues, insert.commonTables.isEmpty,
            !["distinct", "group"].contains(where: { statement.outermost($0) != nil }),
            let from = statement.outermost("from", after: tokens[arm.tokens.lowerBound])
        else { return nil }
        var edits = [SQLEdit(range: from.range.lowerBound..<from.range.lowerBound, text: ", \(rowid) ")]
        if hasColumns {
            let close = tokens[..<arm.tokens.lowerBound].last { $0.isSymbol(")", in: source) }
            guard let close else { return nil }
            edits.append(SQLEdit(range: close.range.lowerBound..<close.range.lowerBound, text: ", \(tag)"))
        }
        return edits
    }
}
