/// Reads foreign keys, of a column or of a table.
enum ForeignKeyReader {
    /// Reads what follows REFERENCES (https://www.sqlite.org/foreignkeys.html).
    static func read(
        _ constraintName: String?, columns: [String], isOfColumn: Bool, _ cursor: inout DDLCursor
    ) throws(SchemaError) -> ForeignKey {
        var key = ForeignKey(
            name: constraintName, columns: columns, parent: try cursor.name("the name of the parent table"),
            isOfColumn: isOfColumn)
        if cursor.isSymbol("(") { key.parentColumns = try cursor.nameList("the name of a parent column") }
        while true {
            if cursor.accept(sequence: "on", "delete") {
                key.onDelete = try action(&cursor)
            } else if cursor.accept(sequence: "on", "update") {
                key.onUpdate = try action(&cursor)
            } else if cursor.accept(sequence: "on", "insert") {
                // Parsed and ignored by SQLite.
                _ = try action(&cursor)
            } else if cursor.accept("match") {
                key.match = try cursor.name("the name of a match type")
            } else {
                return key
            }
        }
    }

    private static func action(_ cursor: inout DDLCursor) throws(SchemaError) -> ForeignKey.Action {
        if cursor.accept(sequence: "set", "null") { return .setNull }
        if cursor.accept(sequence: "set", "default") { return .setDefault }
        if cursor.accept("cascade") { return .cascade }
        if cursor.accept("restrict") { return .restrict }
        if cursor.accept(sequence: "no", "action") { return .noAction }
        throw cursor.failure("expected SET NULL, SET DEFAULT, CASCADE, RESTRICT or NO ACTION")
    }

    /// Reads `[NOT] DEFERRABLE [INITIALLY DEFERRED | IMMEDIATE]`, which applies to the last foreign key
    /// before it, even one of another column (`sqlite3DeferForeignKey`).
    @discardableResult
    static func deferral(of table: inout Table, _ cursor: inout DDLCursor) throws(SchemaError) -> Bool {
        let isNegated = cursor.accept(sequence: "not", "deferrable")
        guard isNegated || cursor.accept("deferrable") else { return false }
        var isDeferred = false
        if cursor.accept("initially") {
            isDeferred = cursor.isWord("deferred")
            if !cursor.accept("deferred", "immediate") {
                throw cursor.failure("expected DEFERRED or IMMEDIATE")
            }
        }
        if !table.foreignKeys.isEmpty {
            table.foreignKeys[table.foreignKeys.count - 1].isDeferred = isDeferred && !isNegated
        }
        return true
    }
}
