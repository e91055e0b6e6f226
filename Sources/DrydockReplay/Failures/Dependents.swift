import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A view, trigger or index that keeps an ALTER TABLE statement from running.
struct Dependent {
    /// The kind in SQL, in lower case.
    let kind: String
    let name: String
    /// The statement that creates the object.
    let sql: String

    var label: String { "\(kind) \(quotedIfNeeded(name))" }
    var drop: String { "DROP \(kind.uppercased()) \(quotedIfNeeded(name));" }

    /// The statement that creates the object, on one line.
    var line: String { sql.split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// Whether the statement that creates the object contains the name of a table or column.
    func mentions(_ name: String) -> Bool {
        // In a trigger these names refer to the row, even where a table has the same name.
        let isRow = kind == "trigger" && ["new", "old"].contains(name.foldedASCII)
        return SQLSource(name: "", sql).statements().contains { statement in
            statement.tokens.indices.contains { place in
                let next = place + 1 < statement.tokens.count ? statement.tokens[place + 1] : nil
                return statement.tokens[place].name(in: statement.source)?.foldedASCII == name.foldedASCII
                    && !(isRow && next?.isSymbol(".", in: statement.source) == true)
            }
        }
    }

    /// Returns the statement that creates the object, where an earlier statement of the same migration does.
    func creation(in refused: RefusedStatement) -> Int? {
        refused.migration.statements[..<refused.index].lastIndex { statement in
            switch statement.action {
            case .createView(let other, false), .createTrigger(let other, _, false),
                .createIndex(let other, _):
                other.isMain && other.folded == name.foldedASCII
            default: false
            }
        }
    }
}

/// Everything that keeps an ALTER TABLE statement from running: each object that SQLite names is dropped in a
/// savepoint, and the statement is tried again until it runs.
struct Dependents {
    /// The objects in an order in which they can be dropped.
    private(set) var all: [Dependent] = []
    /// The triggers that go with the views that are dropped.
    private(set) var lost: [Dependent] = []

    private static let limit = 50

    /// - Parameter known: objects that are certain to obstruct the statement.
    /// - Throws: ``EngineError``.
    init?(of statement: SQLStatement, named first: Named?, known: [Dependent], on connection: any Connection)
        throws
    {
        try connection.execute("SAVEPOINT drydock_dependents")
        defer { try? connection.execute("ROLLBACK TO drydock_dependents; RELEASE drydock_dependents") }
        for object in known { try drop(object, connection) }
        var next = first.flatMap { first in
            all.contains { $0.kind == first.kind && $0.name == first.name } ? nil : first
        }
        while all.count < Self.limit {
            if let object = next {
                guard object.kind != "table", let found = try object.dependent(connection) else { break }
                try drop(found, connection)
            }
            do {
                try connection.execute(statement.executedText)
                break
            } catch let error as EngineError where !error.isInterrupt && !error.isOutage {
                next = Named(error.message)
                if next == nil { break }
            }
        }
        if all.isEmpty { return nil }
    }

    private mutating func drop(_ object: Dependent, _ connection: any Connection) throws {
        if object.kind == "view" {
            lost += try connection.rows(
                "SELECT name, sql FROM main.sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE ORDER BY name",
                [SQLValue(object.name)]
            ) { Dependent(kind: "trigger", name: $0.string(0), sql: $0.string(1)) }
        }
        try connection.execute(object.drop)
        all.append(object)
    }

    /// An object that SQLite names in "error in view v after drop column: no such column: a".
    struct Named {
        let kind: String
        let name: String

        init?(_ message: String) {
            guard let object = SQLiteMessage.brokenObject(in: message) else { return nil }
            (kind, name) = object
        }

        fileprivate func dependent(_ connection: any Connection) throws -> Dependent? {
            let sql = try connection.firstRow(
                "SELECT sql FROM main.sqlite_schema WHERE type = ? AND name = ?",
                [SQLValue(kind), SQLValue(name)]
            ) { $0.optionalString(0) }
            return sql?.map { Dependent(kind: kind, name: name, sql: $0) }
        }
    }
}
