/// A column that CREATE TABLE creates.
public struct CreatedColumn: Sendable, Hashable {
    public var name: String
    /// Whether it is computed from other columns, so that no statement fills it.
    public var isGenerated: Bool
}

/// The rows of one SELECT with which a statement fills a table.
public struct SelectedRows: Sendable, Hashable {
    public var source: CopySource
    /// The name of each item in a table that CREATE TABLE AS creates; nil for `*`, and if SQLite makes a name
    /// up.
    public var names: [String?]
}

extension SQLStatement {
    /// The columns that CREATE TABLE lists, in order; nil for any other statement and for CREATE TABLE AS
    /// (https://www.sqlite.org/lang_createtable.html).
    public var createdColumns: [CreatedColumn]? {
        guard case .createTable(_, _, asSelect: false) = action,
            let open = tokens.firstIndex(where: { $0.isSymbol("(", in: source) })
        else { return nil }
        var cursor = TokenCursor(source: source, tokens: tokens)
        cursor.position = open + 1
        let constraints = ["constraint", "primary", "unique", "check", "foreign"]
        var columns: [CreatedColumn] = []
        while !cursor.isAtEnd, !cursor.isSymbol(")") {
            let isWord = cursor.token()?.kind == .word
            if isWord, constraints.contains(where: { cursor.isWord($0) }) { break }
            guard let name = cursor.name() else { break }
            var column = CreatedColumn(name: name, isGenerated: false)
            while !cursor.isAtEnd, !cursor.isSymbol(","), !cursor.isSymbol(")") {
                if cursor.isWord("as"), cursor.isSymbol("(", ahead: 1) { column.isGenerated = true }
                if cursor.isSymbol("(") { cursor.skipParentheses() } else { cursor.position += 1 }
            }
            columns.append(column)
            guard cursor.accept(symbol: ",") else { break }
        }
        return columns
    }

    /// Whether ADD COLUMN adds a generated column.
    public var addsGeneratedColumn: Bool {
        guard case .addColumn = action else { return false }
        return tokens.indices.dropLast().contains { index in
            tokens[index].isWord("as", in: source) && tokens[index + 1].isSymbol("(", in: source)
        }
    }

    /// The SELECTs whose rows an INSERT or CREATE TABLE AS puts into its table; UNION and the like join
    /// several.
    public var selectedRows: [SelectedRows] {
        let (common, queries) = filling
        return queries.map { arm in
            let query = Array(tokens[common] + tokens[arm.tokens])
            let reader = CopyReader(source: source, tokens: query, commonTables: common.count)
            return SelectedRows(
                source: reader.copySource(),
                names: SelectListReader(source: source, tokens: query).names(from: common.count))
        }
    }

    /// The tokens of WITH and the SELECTs of an INSERT or CREATE TABLE AS; none for any other statement.
    var filling: (commonTables: Range<Int>, queries: [InsertSource.Arm]) {
        guard case .createTable(_, _, asSelect: true) = action else {
            let source = insertSource
            return (source?.commonTables ?? 0..<0, source?.arms.filter { !$0.isValues } ?? [])
        }
        guard let place = tokens.firstIndex(where: { $0.isWord("as", in: source) }) else {
            return (0..<0, [])
        }
        var cursor = TokenCursor(source: source, tokens: tokens)
        cursor.position = place + 1
        cursor.skipCommonTables()
        let common = (place + 1)..<cursor.position
        return (common, arms(&cursor).filter { !$0.isValues })
    }

    /// Whether a trigger's body, or the statement itself, puts values anywhere: DELETE alone does not.
    public var putsValues: Bool {
        let words = tokens.filter { $0.kind == .word }.map { $0.text(in: source).foldedASCII }
        let body = words.firstIndex(of: "begin").map { words[$0...] } ?? words[...]
        return body.contains { ["insert", "replace", "update"].contains($0) }
    }

    /// The names that stand in it, unquoted and folded: of tables and columns, and words that are neither.
    public var mentionedNames: Set<String> {
        Set(
            tokens.compactMap { token in
                token.kind == .word || token.kind == .quotedIdentifier
                    ? token.name(in: source)?.foldedASCII : nil
            })
    }
}
