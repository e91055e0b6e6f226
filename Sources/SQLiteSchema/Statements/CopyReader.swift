/// A reader of the tables and the select list of the SELECT in an INSERT.
///
/// The walk has an explicit stack of parentheses, so that deep nesting cannot overflow the process's stack.
struct CopyReader {
    private enum Place {
        /// Within an expression, or before FROM: names are not tables.
        case expression
        /// Within a SELECT whose tables are collected, but not in its FROM.
        case select
        /// In a FROM clause; whether a table's name is next.
        case from(tableIsNext: Bool)
        /// In WITH; whether the name of a common table is next.
        case with(nameIsNext: Bool)
    }

    private let source: SQLSource
    private let tokens: [Token]
    private let firstSelect: Int
    private var commonNames: Set<String> = []
    private var found: [String] = []
    private var selectStart: Int?
    private var isCompound = false

    /// - Parameters:
    ///   - tokens: the tokens of an INSERT's WITH, followed by those of its SELECT.
    ///   - commonTables: the number of tokens of the WITH.
    init(source: SQLSource, tokens: [Token], commonTables: Int) {
        self.source = source
        self.tokens = tokens
        self.firstSelect = commonTables
    }

    func copySource() -> CopySource {
        var reader = self
        reader.walk()
        var seen = reader.commonNames
        let tables = reader.found.filter { seen.insert($0.foldedASCII).inserted }
        let items =
            reader.selectStart.map { SelectListReader(source: source, tokens: tokens).items(from: $0) } ?? []
        return CopySource(tables: tables, items: items, isCompound: reader.isCompound)
    }

    private mutating func walk() {
        var cursor = TokenCursor(source: source, tokens: tokens)
        var stack: [Place] = []
        var place = Place.select
        while let token = cursor.token() {
            if cursor.isSymbol("(") {
                stack.append(place)
                place = opened(at: cursor, in: place)
                cursor.position += 1
            } else if cursor.isSymbol(")") {
                place = stack.popLast() ?? .select
                if case .from = place { place = .from(tableIsNext: false) }
                cursor.position += 1
            } else if cursor.isSymbol(",") {
                if case .from = place { place = .from(tableIsNext: true) }
                if case .with = place { place = .with(nameIsNext: true) }
                cursor.position += 1
            } else if case .from(true) = place, let name = tableName(&cursor) {
                found.append(name)
                place = .from(tableIsNext: false)
            } else if case .with(true) = place, let name = cursor.name() {
                commonNames.insert(name.foldedASCII)
                place = .with(nameIsNext: false)
            } else {
                if token.kind == .word { place = self.place(after: place, cursor, isOuter: stack.isEmpty) }
                cursor.position += 1
            }
        }
    }

    private func opened(at cursor: TokenCursor, in place: Place) -> Place {
        switch place {
        case .from(true):
            let isSelect = ["select", "with", "values"].contains { cursor.isWord($0, ahead: 1) }
            return isSelect ? .select : .from(tableIsNext: true)
        case .with:
            let isBody = cursor.isWord("as", ahead: -1) || cursor.isWord("materialized", ahead: -1)
            return isBody ? .select : .expression
        default:
            return .expression
        }
    }

    /// Reads a table's name and skips its schema; nil at a keyword, which is here only in invalid SQL.
    private func tableName(_ cursor: inout TokenCursor) -> String? {
        guard cursor.token()?.name(in: source) != nil,
            !["select", "where", "join"].contains(where: { cursor.isWord($0) })
        else { return nil }
        return cursor.qualifiedName()?.name
    }

    private mutating func place(after place: Place, _ cursor: TokenCursor, isOuter: Bool) -> Place {
        guard let word = cursor.token()?.text(in: source).foldedASCII else { return place }
        if case .expression = place { return place }
        switch word {
        case "with":
            if case .select = place {
                return .with(nameIsNext: !cursor.isWord("recursive", ahead: 1))
            }
        case "recursive":
            if case .with(false) = place, cursor.isWord("with", ahead: -1) { return .with(nameIsNext: true) }
        case "select":
            if isOuter, selectStart == nil, cursor.position >= firstSelect { selectStart = cursor.position }
            return .select
        case "values":
            return .select
        case "from":
            // `a IS DISTINCT FROM b` is an operator.
            return cursor.isWord("distinct", ahead: -1) ? place : .from(tableIsNext: true)
        case "join":
            if case .from = place { return .from(tableIsNext: true) }
        case "union", "intersect", "except":
            if isOuter { isCompound = true }
            return .select
        case "where", "group", "having", "order", "limit", "window", "returning":
            if case .from = place { return .select }
        default:
            break
        }
        return place
    }
}
