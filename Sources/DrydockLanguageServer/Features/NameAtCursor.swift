import Drydock
import SQLiteSchema

/// The name that an editor's cursor is on, and what it stands for in the schema of that moment.
struct NameAtCursor {
    enum Meaning {
        case object(LintContext.Object)
        case column(String, of: LintContext.Object)
    }

    let token: Token
    let meanings: [Meaning]

    /// - Returns: nil if the cursor is on no name, or the name is not known.
    init?(_ context: LintContext, offset: Int) {
        let statement = context.statement
        let tokens = statement.tokens
        let place =
            tokens.firstIndex { $0.range.contains(offset) && $0.name(in: statement.source) != nil }
            ?? tokens.firstIndex { $0.range.upperBound == offset && $0.name(in: statement.source) != nil }
        guard let place, let name = tokens[place].name(in: statement.source) else { return nil }
        token = tokens[place]
        // What the statement creates is there only afterwards.
        var objects = context.before
        let known = Set(objects.map { [$0.type, $0.name.foldedASCII] })
        objects += context.after.filter { !known.contains([$0.type, $0.name.foldedASCII]) }
        let reader = Reader(statement: statement, objects: objects)
        meanings = reader.meanings(of: name, at: place)
        if meanings.isEmpty { return nil }
    }

    private struct Reader {
        let statement: SQLStatement
        let objects: [LintContext.Object]

        private func name(_ place: Int) -> String? {
            statement.tokens.indices.contains(place)
                ? statement.tokens[place].identifier(in: statement.source) : nil
        }

        private func isSymbol(_ symbol: String, _ place: Int) -> Bool {
            statement.tokens.indices.contains(place)
                && statement.tokens[place].isSymbol(symbol, in: statement.source)
        }

        private func object(_ name: String) -> LintContext.Object? {
            objects.first { $0.name.foldedASCII == name.foldedASCII }
        }

        func meanings(of name: String, at place: Int) -> [Meaning] {
            if isSymbol(".", place - 1), let owner = self.name(place - 2) {
                // `main.account` is a table, `a.sender` a column.
                if ["main", "temp"].contains(owner.foldedASCII), let object = object(name) {
                    return [.object(object)]
                }
                if let table = table(owner), table.column(name) != nil { return [.column(name, of: table)] }
                return []
            }
            let columns = tables.filter { $0.column(name) != nil }.map { Meaning.column(name, of: $0) }
            guard let object = object(name) ?? table(name) else { return columns }
            // A column may have the name of a table: in parentheses, or as the name after SET, a column is meant.
            return columns.isEmpty || !isInParentheses(place) ? [.object(object)] : columns
        }

        private func isInParentheses(_ place: Int) -> Bool {
            var depth = 0
            for index in 0..<place {
                if isSymbol("(", index) { depth += 1 }
                if isSymbol(")", index) { depth -= 1 }
            }
            return depth > 0
        }

        /// The tables that the statement names.
        private var tables: [LintContext.Object] {
            let names = Set(statement.tokens.compactMap { $0.name(in: statement.source)?.foldedASCII })
            var seen: Set<String> = []
            return objects.filter {
                ["table", "view"].contains($0.type) && names.contains($0.name.foldedASCII)
                    && seen.insert($0.name.foldedASCII).inserted
            }
        }

        /// Returns the table of a name, or of an alias: `FROM email AS e`, `JOIN email e`.
        private func table(_ name: String) -> LintContext.Object? {
            let found = { (candidate: String?) in
                candidate.flatMap(object).flatMap { ["table", "view"].contains($0.type) ? $0 : nil }
            }
            if let table = found(name) { return table }
            for place in statement.tokens.indices where self.name(place)?.foldedASCII == name.foldedASCII {
                let isNamed = self.name(place - 1)?.foldedASCII == "as"
                if let table = found(self.name(isNamed ? place - 2 : place - 1)) { return table }
            }
            return nil
        }
    }
}

extension LintContext.Object {
    /// Returns a column's definition in a CREATE TABLE, as it is written; nil if there is no such column.
    func column(_ name: String) -> String? {
        guard type == "table" else { return nil }
        let source = SQLSource(name: self.name, sql)
        let tokens = source.tokens().filter(\.isSignificant)
        guard let open = tokens.firstIndex(where: { $0.isSymbol("(", in: source) }) else { return nil }
        var (depth, start) = (1, open + 1)
        for index in tokens.indices.dropFirst(open + 1) {
            if tokens[index].isSymbol("(", in: source) { depth += 1 }
            if tokens[index].isSymbol(")", in: source) { depth -= 1 }
            guard depth == 0 || depth == 1 && tokens[index].isSymbol(",", in: source) else { continue }
            if start < index, tokens[start].name(in: source)?.foldedASCII == name.foldedASCII {
                return source.text(in: tokens[start].range.lowerBound..<tokens[index - 1].range.upperBound)
            }
            start = index + 1
            if depth == 0 { break }
        }
        return nil
    }
}
