extension ActionReader {
    /// Reads CREATE [TEMP] TABLE | VIRTUAL TABLE | [UNIQUE] INDEX | VIEW | TRIGGER
    /// (https://www.sqlite.org/lang.html).
    mutating func create() -> StatementAction {
        let temporary = cursor.accept("temp", "temporary")
        if cursor.accept("table") { return createTable(temporary: temporary) }
        if cursor.accept(sequence: "virtual", "table") { return createVirtualTable() }
        if cursor.accept(sequence: "unique", "index") || cursor.accept("index") { return createIndex() }
        if cursor.accept("trigger") { return createTrigger(temporary: temporary) }
        if cursor.accept("view") {
            skipIfNotExists()
            return cursor.qualifiedName().map { .createView($0, temporary: temporary) } ?? .other
        }
        return .other
    }

    private mutating func createTable(temporary: Bool) -> StatementAction {
        skipIfNotExists()
        guard let name = cursor.qualifiedName() else { return .other }
        return .createTable(name, temporary: temporary, asSelect: cursor.isWord("as"))
    }

    private mutating func createVirtualTable() -> StatementAction {
        skipIfNotExists()
        guard let name = cursor.qualifiedName(), cursor.accept("using"), let module = cursor.name() else {
            return .other
        }
        return .createVirtualTable(name, module: module)
    }

    private mutating func createIndex() -> StatementAction {
        skipIfNotExists()
        guard let name = cursor.qualifiedName(), cursor.accept("on"), let table = cursor.name() else {
            return .other
        }
        return .createIndex(name, on: table)
    }

    /// Reads name [BEFORE | AFTER | INSTEAD OF] DELETE | INSERT | UPDATE [OF columns] ON table.
    private mutating func createTrigger(temporary: Bool) -> StatementAction {
        skipIfNotExists()
        guard let name = cursor.qualifiedName() else { return .other }
        if !cursor.accept("before", "after") { cursor.accept(sequence: "instead", "of") }
        if cursor.accept("update") {
            if cursor.accept("of") {
                repeat { _ = cursor.name() } while cursor.accept(symbol: ",")
            }
        } else if !cursor.accept("delete", "insert") {
            return .other
        }
        guard cursor.accept("on"), let table = cursor.qualifiedName() else { return .other }
        return .createTrigger(name, on: table.name, temporary: temporary)
    }

    mutating func drop() -> StatementAction {
        guard let token = cursor.token(), token.kind == .word else { return .other }
        cursor.position += 1
        cursor.accept(sequence: "if", "exists")
        guard let name = cursor.qualifiedName() else { return .other }
        switch token.text(in: cursor.source).foldedASCII {
        case "table": return .dropTable(name)
        case "index": return .dropIndex(name)
        case "view": return .dropView(name)
        case "trigger": return .dropTrigger(name)
        default: return .other
        }
    }

    /// Reads ALTER TABLE in its four forms (https://www.sqlite.org/lang_altertable.html).
    mutating func alter() -> StatementAction {
        guard cursor.accept("table"), let table = cursor.qualifiedName() else { return .other }
        if cursor.accept("rename") {
            if cursor.accept("to") { return cursor.name().map { .renameTable(table, to: $0) } ?? .other }
            skipColumnWord()
            guard let old = cursor.name(), cursor.accept("to"), let new = cursor.name() else { return .other }
            return .renameColumn(table, from: old, to: new)
        }
        if cursor.accept("add") {
            skipColumnWord()
            return cursor.name().map { .addColumn(table, column: $0) } ?? .other
        }
        if cursor.accept("drop") {
            skipColumnWord()
            return cursor.name().map { .dropColumn(table, column: $0) } ?? .other
        }
        return .other
    }

    private mutating func skipIfNotExists() { cursor.accept(sequence: "if", "not", "exists") }

    /// Skips COLUMN, which is optional. Before a name it is the keyword, though a column may have that name.
    private mutating func skipColumnWord() {
        if cursor.token(ahead: 1)?.name(in: cursor.source) != nil { cursor.accept("column") }
    }
}
