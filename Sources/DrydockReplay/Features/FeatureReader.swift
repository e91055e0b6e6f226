import SQLiteSchema

/// Finds in a statement's tokens what an older SQLite does not know, also within views and triggers.
package struct FeatureReader {
    private let statement: SQLStatement
    private let isIndex: Bool
    private let tokens: [Token]
    /// Words, symbols and numbers in lower case; for quoted names and strings only their kind.
    private let texts: [String]

    package init(_ statement: SQLStatement, isIndex: Bool) {
        self.statement = statement
        self.isIndex = isIndex
        tokens = statement.tokens
        texts = tokens.map { token in
            switch token.kind {
            case .word, .symbol, .number: token.text(in: statement.source).foldedASCII
            case .quotedIdentifier: "NAME"
            case .string: "STRING"
            default: ""
            }
        }
    }

    package var features: [SQLiteFeature] {
        patterns + functions + names + numbers + rowValues + recursions
    }

    private func feature(
        _ since: SQLiteVersion, _ what: String, _ place: Int, _ kind: SQLiteFeature.Kind = .syntax
    ) -> SQLiteFeature {
        SQLiteFeature(since: since, what: what, token: tokens[place], kind: kind)
    }

    // MARK: - Tokens

    private var patterns: [SQLiteFeature] {
        let words = Set(texts)
        return SQLiteFeatureTable.patterns.compactMap { entry in
            guard entry.tokens.allSatisfy({ $0.first?.isUppercase == true || words.contains($0) }) else {
                return nil
            }
            return texts.indices.first { matches(entry.tokens, at: $0) }.map {
                feature(entry.since, entry.what, $0)
            }
        }
    }

    private func matches(_ pattern: [String], at place: Int) -> Bool {
        guard place + pattern.count <= tokens.count else { return false }
        return pattern.indices.allSatisfy { offset in
            let at = place + offset
            return switch pattern[offset] {
            case "NAME": tokens[at].identifier(in: statement.source) != nil
            case "NUMBER": tokens[at].kind == .number
            case "STRING": tokens[at].kind == .string
            default: texts[at] == pattern[offset]
            }
        }
    }

    private var numbers: [SQLiteFeature] {
        tokens.indices.filter { tokens[$0].kind == .number }.flatMap { place in
            (texts[place].hasPrefix("0x") ? [feature(.init(8, 6), "a hexadecimal number", place)] : [])
                + (texts[place].contains("_") ? [feature(.init(46), "a number with _", place)] : [])
        }
    }

    /// TRUE and FALSE, and tables that were added later.
    private var names: [SQLiteFeature] {
        texts.indices.compactMap { place in
            if ["true", "false"].contains(texts[place]), text(place + 1) != "(", text(place - 1) != "." {
                return feature(.init(23), texts[place].uppercased(), place)
            }
            guard let name = tokens[place].identifier(in: statement.source)?.foldedASCII,
                text(place - 1) != "as", let since = SQLiteFeatureTable.tables[name]
            else { return nil }
            return feature(since, name, place, .name)
        }
    }

    private func text(_ place: Int) -> String { texts.indices.contains(place) ? texts[place] : "" }

    /// Returns the position of the parenthesis that closes the one at a position.
    private func closing(_ open: Int) -> Int {
        var depth = 0
        for place in open..<texts.count {
            if texts[place] == "(" { depth += 1 }
            if texts[place] == ")" { depth -= 1 }
            if depth == 0 { return place }
        }
        return texts.count
    }

    /// Returns the positions of commas directly in the parenthesis that opens at a position.
    private func commas(_ open: Int) -> [Int] { places(of: ",", in: (open + 1)..<closing(open)) }

    /// Returns the positions of a text within a range, outside nested parentheses.
    private func places(of text: String, in range: Range<Int>) -> [Int] {
        var depth = 0
        return range.filter { place in
            if texts[place] == "(" { depth += 1 }
            if texts[place] == ")" { depth -= 1 }
            return depth == 0 && texts[place] == text
        }
    }

    // MARK: - Functions

    private var functions: [SQLiteFeature] {
        texts.indices.dropLast().flatMap { place -> [SQLiteFeature] in
            guard texts[place + 1] == "(",
                let name = tokens[place].identifier(in: statement.source)?.foldedASCII
            else { return [] }
            if name == "filter", text(place - 1) == ")" {
                // As a window function it is as old as window functions.
                let isWindow = text(closing(place + 1) + 1) == "over"
                return isWindow ? [] : [feature(.init(30), "FILTER", place)]
            }
            guard !isNamed(place), !isType(place) else { return [] }
            var features = details(name, place)
            if let since = SQLiteFeatureTable.functions[name] {
                features.append(feature(since, "\(name)()", place, .name))
            }
            return features
        }
    }

    /// Whether the word before a parenthesis names something that is created or written, rather than a function.
    private func isNamed(_ place: Int) -> Bool {
        let before = text(place - 1)
        if before == "on" { return isIndex }
        let words = ["table", "into", "exists", "view", "index", "references", "with", "recursive", "."]
        return words.contains(before)
            || before == "," && text(closing(place + 1) + 1) == "as"
                && text(closing(place + 1) + 2) == "("
    }

    /// Whether the word is the type of a column, such as CHAR(36).
    private func isType(_ place: Int) -> Bool {
        guard texts[place] == "char", closing(place + 1) == place + 3, tokens[place + 2].kind == .number,
            place > 0, tokens[place - 1].name(in: statement.source) != nil
        else { return false }
        return statement.first(["create", "table"]) != nil || statement.first(["alter", "table"]) != nil
    }

    /// Returns the features of arguments that newer versions accept.
    private func details(_ name: String, _ place: Int) -> [SQLiteFeature] {
        let (open, close) = (place + 1, closing(place + 1))
        switch name {
        case "iif" where commas(open).count != 2:
            let isShort = commas(open).count == 1
            return [
                feature(
                    isShort ? .init(48) : .init(49),
                    isShort ? "iif() with two arguments" : "iif() with many arguments", place, .name)
            ]
        case "raise":
            // Before, the message is one string.
            guard let comma = commas(open).first, close < texts.count else { return [] }
            let isString = comma + 2 == close && texts[comma + 1] == "STRING"
            return isString ? [] : [feature(.init(47), "RAISE with an expression", place)]
        case _ where SQLiteFeatureTable.dateFunctions.contains(name):
            return dates(name, (open + 1)..<max(close, open + 1))
        case _ where SQLiteFeatureTable.aggregates.contains(name):
            let order = places(of: "order", in: (open + 1)..<max(close, open + 1))
            guard let first = order.first, text(first + 1) == "by" else { return [] }
            return [feature(.init(44), "ORDER BY in an aggregate", first)]
        default: return []
        }
    }

    private func dates(_ name: String, _ range: Range<Int>) -> [SQLiteFeature] {
        let strings = range.filter { tokens[$0].kind == .string }
        return strings.flatMap { place -> [SQLiteFeature] in
            let value = tokens[place].stringValue(in: statement.source) ?? ""
            if name == "strftime", place == range.lowerBound {
                let letters = zip(value, value.dropFirst()).filter { $0.0 == "%" }.map(\.1)
                return letters.compactMap { letter in
                    SQLiteFeatureTable.formatLetters[letter].map {
                        feature($0, "%\(letter) in strftime()", place, .value)
                    }
                }
            }
            return SQLiteFeatureTable.dateModifiers[value.foldedASCII].map {
                [feature($0, "the date modifier '\(value)'", place, .value)]
            } ?? []
        }
    }

    // MARK: - Parentheses

    /// `(a, b) = (1, 2)`, at the start of an expression (https://www.sqlite.org/rowvalue.html).
    private var rowValues: [SQLiteFeature] {
        let before: Set<String> = [
            "where", "and", "or", "not", "on", "when", "having", "set", "is", "between", "=", "==", "<", ">",
            "<=", ">=", "<>", "!=",
        ]
        return texts.indices.dropFirst().filter { place in
            texts[place] == "(" && before.contains(texts[place - 1]) && !commas(place).isEmpty
                && !["select", "values", "with"].contains(text(place + 1))
        }.prefix(1).map { feature(.init(15), "a row value", $0) }
    }

    /// Common tables that two or more parts of their UNION read.
    private var recursions: [SQLiteFeature] {
        guard texts.contains("with") else { return [] }
        return texts.indices.compactMap { place in
            guard let name = tokens[place].identifier(in: statement.source)?.foldedASCII else { return nil }
            var next = place + 1
            if text(next) == "(" { next = closing(next) + 1 }
            guard text(next) == "as", text(next + 1) == "(" else { return nil }
            let range = (next + 2)..<max(closing(next + 1), next + 2)
            let unions = places(of: "union", in: range)
            let bounds = zip([range.lowerBound] + unions, unions + [range.upperBound])
            let recursive = bounds.count { from, to in
                tokens[from..<to].contains {
                    $0.identifier(in: statement.source)?.foldedASCII == name
                }
            }
            return recursive > 1
                ? feature(.init(34), "a recursive WITH that reads itself twice", place) : nil
        }
    }

    /// Returns the comma after the first tuple of VALUES.
    package func secondTuple(_ range: Range<Int>) -> Token? {
        places(of: ",", in: range).first.map { tokens[$0] }
    }
}
