/// A CREATE statement, and the object that it creates.
struct CreateStatement {
    enum Object {
        case table(Table)
        case index(Index)
        case view(View)
        case trigger(Trigger)
        case virtualTable(VirtualTable)
    }

    var name: QualifiedName
    var isTemporary: Bool
    var ifNotExists: Bool
    var object: Object

    /// Reads a CREATE statement, by the grammar of SQLite's parse.y.
    ///
    /// A little more is accepted than by SQLite (a column with a type that is not valid there), never less, since most of
    /// what is read has passed SQLite already. Nothing recurses, however deep the parentheses are.
    init(_ statement: SQLStatement) throws(SchemaError) {
        var cursor = DDLCursor(statement)
        if let illegal = cursor.firstIllegal { throw illegal }
        try cursor.expect("create")
        isTemporary = cursor.accept("temp", "temporary")
        let isUnique = cursor.isWord("unique") && cursor.isWord("index", ahead: 1)
        if isUnique { cursor.position += 1 }
        let isVirtual = cursor.accept("virtual")
        guard let kind = ["table", "index", "view", "trigger"].first(where: { cursor.isWord($0) }) else {
            throw cursor.failure("expected TABLE, INDEX, VIEW or TRIGGER")
        }
        cursor.position += 1
        ifNotExists = cursor.accept(sequence: "if", "not", "exists")
        name = try cursor.qualifiedName("the name of the \(kind)")
        switch kind {
        case "table" where isVirtual: object = .virtualTable(try VirtualTableReader.read(name.name, &cursor))
        case "table": object = .table(try TableReader.read(name.name, &cursor))
        case "index": object = .index(try IndexReader.read(name.name, isUnique: isUnique, &cursor))
        case "view": object = .view(try ViewReader.read(name.name, &cursor))
        default: object = .trigger(try TriggerReader.read(name.name, &cursor))
        }
        if !cursor.isAtEnd { throw cursor.failure("expected the end of the statement") }
    }
}
