/// Reads CREATE TRIGGER, after its name.
enum TriggerReader {
    /// Reads `[BEFORE | AFTER | INSTEAD OF] event ON table [FOR EACH ROW] [WHEN condition] BEGIN ... END`
    /// (https://www.sqlite.org/lang_createtrigger.html).
    static func read(_ name: String, _ cursor: inout DDLCursor) throws(SchemaError) -> Trigger {
        var timing = Trigger.Timing.before
        if cursor.accept("after") {
            timing = .after
        } else if cursor.accept(sequence: "instead", "of") {
            timing = .insteadOf
        } else {
            cursor.accept("before")
        }
        let event = try event(&cursor)
        try cursor.expect("on")
        let table = try cursor.qualifiedName("the name of a table").name
        cursor.accept(sequence: "for", "each", "row")
        var condition: SQLFragment?
        if cursor.accept("when") {
            let start = cursor.position
            while !cursor.isAtEnd, !isBodyStart(cursor) { cursor.position += 1 }
            guard cursor.position > start else { throw cursor.failure("expected a condition") }
            condition = cursor.groups.expression(start..<cursor.position)
        }
        guard isBodyStart(cursor) else { throw cursor.failure("expected BEGIN and a statement") }
        cursor.position += 1
        return Trigger(
            name: name, timing: timing, event: event, table: table, condition: condition,
            body: try body(&cursor))
    }

    private static func event(_ cursor: inout DDLCursor) throws(SchemaError) -> Trigger.Event {
        if cursor.accept("delete") { return .delete }
        if cursor.accept("insert") { return .insert }
        guard cursor.accept("update") else { throw cursor.failure("expected DELETE, INSERT or UPDATE") }
        guard cursor.accept("of") else { return .update(of: []) }
        var columns: [String] = []
        repeat { columns.append(try cursor.name("the name of a column")) } while cursor.accept(symbol: ",")
        return .update(of: columns)
    }

    /// A column may be named `begin`, but no expression continues with the first word of a statement.
    private static func isBodyStart(_ cursor: DDLCursor) -> Bool {
        cursor.isWord("begin")
            && ["select", "values", "with", "insert", "replace", "update", "delete"].contains {
                cursor.isWord($0, ahead: 1)
            }
    }

    /// Reads statements, each with its `;`, and END.
    private static func body(_ cursor: inout DDLCursor) throws(SchemaError) -> [SQLFragment] {
        let last = cursor.tokens.count - 1
        guard cursor.tokens[last].isWord("end", in: cursor.source), last > cursor.position,
            cursor.tokens[last - 1].isSymbol(";", in: cursor.source)
        else {
            cursor.position = cursor.tokens.count
            throw cursor.failure("expected END after the last statement of the trigger")
        }
        var body: [SQLFragment] = []
        var start = cursor.position
        for index in cursor.position..<last where cursor.tokens[index].isSymbol(";", in: cursor.source) {
            guard index > start else { throw cursor.failure("expected a statement", at: index) }
            body.append(SQLFragment(cursor.tokens[start..<index], in: cursor.source))
            start = index + 1
        }
        cursor.position = cursor.tokens.count
        return body
    }
}
