import DrydockFindings
import SQLiteSchema

/// The parser of declarations: one a line, names quoted in any of SQLite's ways, comma-separated lists accepted.
public enum DeclarationParser {
    /// What may follow `drydock:`, as help and error messages show it.
    public static let forms = [
        "drops table TABLE", "drops column TABLE.COLUMN", "drops index INDEX", "drops trigger TRIGGER",
        "drops view VIEW", "drops constraint KIND (...) of TABLE", "renames table TABLE to TABLE",
        "renames column TABLE.COLUMN to TABLE.COLUMN", "rewrites TABLE.COLUMN",
        "deletes from TABLE where CONDITION",
        "inserts into TABLE", "preserves QUERY", "foreign-keys immediate", "ignore RULE because REASON",
    ]

    private static let verbs = forms.map { String($0.prefix { $0 != " " }) }

    /// Returns the declarations in a migration's comments. A comment that begins like one and is not valid is an
    /// `invalid-declaration`.
    package static func declarations(
        in source: SQLSource, findings: inout [Finding], migration: String
    ) -> [Declaration] {
        var result: [Declaration] = []
        for line in source.comments.filter(isDeclaring).flatMap(\.lines) {
            guard let words = declarationWords(of: line.text) else { continue }
            let place = Finding.Place(source, offset: line.location.offset)
            switch Declaration.parse(words, place: place, migration: migration) {
            case .success(let declarations): result += declarations
            case .failure(let failure): findings.append(failure.finding)
            }
        }
        return result
    }

    /// Returns whether a comment begins with `drydock:`. One that is only quoted in a comment, or was commented out,
    /// such as `-- -- drydock: ...`, declares nothing.
    private static func isDeclaring(_ comment: SQLComment) -> Bool {
        comment.lines.first { !$0.text.isEmpty }.map { declarationWords(of: $0.text) != nil } ?? false
    }

    /// Returns the text after `drydock:`, or nil for an ordinary comment.
    private static func declarationWords(of text: String) -> String? {
        guard text.prefix(7).lowercased() == "drydock" else { return nil }
        let words = text.dropFirst(7).drop { $0.isWhitespace }
        if words.first == ":" { return String(words.dropFirst().drop { $0.isWhitespace }) }
        // Without its colon, the comment is a declaration only if a verb follows.
        let verb = words.prefix { !$0.isWhitespace }.lowercased()
        return verbs.contains(verb) ? ": " + words : nil
    }

    static func invalid(_ fault: Fault, place: Finding.Place, migration: String) -> Finding {
        Finding(
            .invalidDeclaration, fault.message, help: "Write: \(fault.form)", migration: migration,
            place: place)
    }

    struct Fault: Error {
        var message: String
        /// The nearest correct form.
        var form: String
    }

    /// Parses what follows `drydock:`.
    static func parse(_ words: String) throws(Fault) -> [Declaration.Kind] {
        var reader = WordReader(words)
        let verb = reader.word() ?? ""
        switch verb {
        case "drops": return try parseDrops(&reader)
        case "renames": return try [parseRenames(&reader)]
        case "rewrites":
            return try reader.list("rewrites TABLE.COLUMN") { (reader) throws(Fault) in
                let (table, column) = try reader.name("rewrites TABLE.COLUMN")
                return .rewrites(table: table, column: column)
            }
        case "deletes":
            let form = "deletes from TABLE where CONDITION"
            try reader.expect("from", form)
            let table = try reader.plainName(form)
            guard !reader.isAtEnd else { return [.deletes(table: table, condition: nil)] }
            try reader.expect("where", form)
            let condition = reader.rest
            guard !condition.isEmpty else { throw Fault(message: "no condition follows 'where'", form: form) }
            return [.deletes(table: table, condition: condition)]
        case "inserts":
            try reader.expect("into", "inserts into TABLE")
            return try reader.list("inserts into TABLE") { (reader) throws(Fault) in
                .inserts(table: try reader.plainName("inserts into TABLE"))
            }
        case "preserves":
            guard !reader.isAtEnd else {
                throw Fault(message: "no query follows 'preserves'", form: "preserves QUERY")
            }
            return [.preserves(query: reader.rest)]
        case "foreign-keys":
            try reader.expect("immediate", "foreign-keys immediate")
            try reader.expectEnd("foreign-keys immediate")
            return [.foreignKeysImmediate]
        case "ignore": return [try parseIgnore(&reader)]
        default:
            if words.hasPrefix(": ") {
                throw Fault(message: "the colon after 'drydock' is missing", form: "drydock" + words)
            }
            let nearest = nearestName(to: verb, in: verbs)
            throw Fault(
                message: verb.isEmpty ? "nothing follows 'drydock:'" : "'\(verb)' is not a declaration",
                form: forms.filter { form in nearest.map { form.hasPrefix($0) } ?? true }.joined(
                    separator: "  |  "))
        }
    }

    /// The declaration that allows a loss, by the rule that reports it.
    private static let allowingForms = [
        Rule.rowsLost.rawValue: "deletes from TABLE where CONDITION",
        Rule.valuesChanged.rawValue: "rewrites TABLE.COLUMN",
        Rule.tableDropped.rawValue: "drops table TABLE",
        Rule.columnDropped.rawValue: "drops column TABLE.COLUMN",
    ]

    private static func parseIgnore(_ reader: inout WordReader) throws(Fault) -> Declaration.Kind {
        let form = "ignore RULE because REASON"
        let name = reader.word() ?? ""
        guard let rule = Rule(named: name), Rule.ignorable.contains(rule) else {
            if let form = allowingForms[name] {
                throw Fault(message: "'\(name)' cannot be ignored; declare what is intended", form: form)
            }
            let nearest = nearestName(to: name, in: Rule.ignorable.map(\.rawValue))
            throw Fault(
                message: name.isEmpty
                    ? "no rule follows 'ignore'"
                    : "'\(name)' is not a rule of drydock lint"
                        + (nearest.map { "; did you mean '\($0)'?" } ?? ", which --list-rules shows"),
                form: nearest.map { "ignore \($0) because REASON" } ?? form)
        }
        guard reader.word() == "because", !reader.isAtEnd else {
            throw Fault(message: "no reason follows 'ignore \(name)'", form: "ignore \(name) because REASON")
        }
        return .ignores(rule: rule, reason: reader.rest)
    }

    private static func parseDrops(_ reader: inout WordReader) throws(Fault) -> [Declaration.Kind] {
        let word = reader.word()
        if let object = word.flatMap(Declaration.Object.init) {
            let form = "drops \(object.rawValue) \(object.rawValue.uppercased())"
            return try reader.list(form) { (reader) throws(Fault) in
                .dropsObject(object, try reader.plainName(form))
            }
        }
        switch word {
        case "constraint": return try reader.list(constraintForms[0], parseConstraint)
        case "table":
            return try reader.list("drops table TABLE") { (reader) throws(Fault) in
                .dropsTable(try reader.plainName("drops table TABLE"))
            }
        case "column", "columns":
            let form = "drops column TABLE.COLUMN"
            return try reader.list(form) { (reader) throws(Fault) in
                let (table, column) = try reader.name(form)
                guard let column else {
                    throw Fault(message: "'\(table)' does not name a column", form: form)
                }
                return .dropsColumn(table: table, column: column)
            }
        case let other:
            throw Fault(
                message: "'drops' is followed by '\(other ?? "nothing")'",
                form: forms.filter { $0.hasPrefix("drops") }.joined(separator: "  |  "))
        }
    }

    private static func parseRenames(_ reader: inout WordReader) throws(Fault) -> Declaration.Kind {
        switch reader.word() {
        case "table":
            let form = "renames table TABLE to TABLE"
            let from = try reader.plainName(form)
            try reader.expect("to", form)
            let to = try reader.plainName(form)
            try reader.expectEnd(form)
            return .renamesTable(from: from, to: to)
        case "column":
            let form = "renames column TABLE.COLUMN to TABLE.COLUMN"
            let (table, from) = try reader.name(form)
            guard let from else { throw Fault(message: "'\(table)' does not name a column", form: form) }
            try reader.expect("to", form)
            let (other, to) = try reader.name(form)
            try reader.expectEnd(form)
            return .renamesColumn(table: table, from: from, to: to ?? other)
        case let other:
            throw Fault(
                message: "'renames' is followed by '\(other ?? "nothing")'",
                form: "renames table TABLE to TABLE  |  renames column TABLE.COLUMN to TABLE.COLUMN")
        }
    }
}

/// A reader of a declaration, word by word, with SQLite's own lexer.
struct WordReader {
    private let source: SQLSource
    private let tokens: [Token]
    private var index = 0

    init(_ text: String) {
        source = SQLSource(name: "declaration", text)
        var tokens = source.tokens().filter(\.isSignificant)
        // People end a declaration like a statement.
        while tokens.last?.isSymbol(";", in: source) == true { tokens.removeLast() }
        self.tokens = tokens
    }

    var isAtEnd: Bool { index >= tokens.count }

    /// The remaining text as written, without a comment or semicolon at its end.
    var rest: String {
        guard let last = tokens.last, !isAtEnd else { return "" }
        let range = tokens[index].range.lowerBound..<last.range.upperBound
        return String(decoding: source.bytes[range], as: UTF8.self)
    }

    /// Reads the next bare word in lower case, hyphens included.
    mutating func word() -> String? {
        guard !isAtEnd, tokens[index].kind == .word else { return nil }
        var end = tokens[index].range.upperBound
        let start = tokens[index].range.lowerBound
        index += 1
        while !isAtEnd, tokens[index].range.lowerBound == end,
            tokens[index].kind == .word || tokens[index].text(in: source) == "-"
        {
            end = tokens[index].range.upperBound
            index += 1
        }
        return String(decoding: source.bytes[start..<end], as: UTF8.self).foldedASCII
    }

    mutating func expect(_ expected: String, _ form: String) throws(DeclarationParser.Fault) {
        let found = isAtEnd ? "nothing" : tokens[index].text(in: source)
        guard word() == expected else {
            throw .init(message: "'\(expected)' is expected instead of '\(found)'", form: form)
        }
    }

    func expectEnd(_ form: String) throws(DeclarationParser.Fault) {
        guard isAtEnd else { throw .init(message: "'\(rest)' is not expected", form: form) }
    }

    /// Reads `TABLE` or `TABLE.COLUMN`, with or without the database's schema name in front.
    mutating func name(_ form: String) throws(DeclarationParser.Fault) -> (String, String?) {
        let first = try part(form)
        guard skip(".") else { return (first, nil) }
        if skip("*") { return (first, nil) }
        let second = try part(form)
        guard skip(".") else { return (first, second) }
        guard first.foldedASCII == Self.schema else {
            throw .init(
                message: "'\(first)' is not the schema of the database, whose name is main", form: form)
        }
        return (second, skip("*") ? nil : try part(form))
    }

    /// Reads a table, index, trigger or view, with or without the database's schema name in front.
    mutating func plainName(_ form: String) throws(DeclarationParser.Fault) -> String {
        let (table, column) = try name(form)
        guard let column else { return table }
        guard table.foldedASCII == Self.schema else {
            throw .init(message: "'\(table).\(column)' names a column where a table is expected", form: form)
        }
        return column
    }

    /// SQLite's name of the database that a connection was opened on.
    private static let schema = "main"

    mutating func skip(_ text: String) -> Bool {
        guard !isAtEnd, tokens[index].text(in: source) == text else { return false }
        index += 1
        return true
    }

    mutating func part(_ form: String) throws(DeclarationParser.Fault) -> String {
        guard !isAtEnd, let name = tokens[index].identifier(in: source) else {
            throw .init(message: isAtEnd ? "a name is missing" : "'\(rest)' is not a name", form: form)
        }
        index += 1
        // What a comment cannot hold, or a reader would not see in it, is spelled out.
        return VisibleText.name(name)
    }

    /// Reads what stands in parentheses, as written; nil where no parenthesis follows.
    mutating func parenthesized(_ form: String) throws(DeclarationParser.Fault) -> String? {
        guard skip("(") else { return nil }
        let start = index
        var depth = 1
        while !isAtEnd {
            if tokens[index].isSymbol("(", in: source) { depth += 1 }
            if tokens[index].isSymbol(")", in: source) { depth -= 1 }
            index += 1
            guard depth == 0 else { continue }
            guard index - 1 > start else { break }
            let range = tokens[start].range.lowerBound..<tokens[index - 2].range.upperBound
            return String(decoding: source.bytes[range], as: UTF8.self)
        }
        throw .init(
            message: depth == 0 ? "the parentheses are empty" : "a ')' is missing", form: form)
    }

    /// Reads a comma-separated list, to the end.
    mutating func list(
        _ form: String,
        _ element: (inout WordReader) throws(DeclarationParser.Fault) -> Declaration.Kind
    ) throws(DeclarationParser.Fault) -> [Declaration.Kind] {
        var result = [try element(&self)]
        while !isAtEnd, tokens[index].text(in: source) == "," {
            index += 1
            result.append(try element(&self))
        }
        try expectEnd(form)
        return result
    }
}
