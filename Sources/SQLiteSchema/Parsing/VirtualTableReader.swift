/// Reads CREATE VIRTUAL TABLE, after its name.
enum VirtualTableReader {
    /// Reads `USING module [(argument, ...)]` (https://www.sqlite.org/lang_createvtab.html).
    static func read(_ name: String, _ cursor: inout DDLCursor) throws(SchemaError) -> VirtualTable {
        try cursor.expect("using")
        var table = VirtualTable(name: name, module: try cursor.name("the name of a module"))
        guard cursor.isSymbol("(") else { return table }
        if cursor.isSymbol(")", ahead: 1) {
            cursor.position += 2
            return table
        }
        let parts = cursor.groups.split(try cursor.parenthesis()).filter { !$0.isEmpty }
        for part in parts { table.arguments.append(argument(part, cursor)) }
        return table
    }

    private static func argument(_ range: Range<Int>, _ cursor: DDLCursor) -> VirtualTable.Argument {
        let source = cursor.source
        var text = ""
        var end = cursor.tokens[range.lowerBound].range.lowerBound
        var items = NormalizedSQL(cursor.tokens[range], in: source).items
        for (place, token) in cursor.tokens[range].enumerated() {
            if token.range.lowerBound > end { text += " " }
            text += token.text(in: source)
            end = token.range.upperBound
            guard token.kind != .word, let name = token.name(in: source), place < items.count else {
                continue
            }
            let couldBeName = !name.isEmpty && name.utf8.allSatisfy(CharacterClass.isIdentifier)
            items[place] = couldBeName ? .word(name.foldedASCII) : .literal(DefaultValue.quoted(name))
        }
        return VirtualTable.Argument(text: text, normalized: NormalizedSQL(items: items))
    }
}
