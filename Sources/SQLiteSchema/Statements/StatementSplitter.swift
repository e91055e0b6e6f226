/// Cuts a text into statements where `sqlite3_complete` and the parser would.
///
/// A `;` ends a statement, except in CREATE TRIGGER, which ends with `; END ;`. That END needs no count of
/// CASE and BEGIN: no expression holds a `;`, so the END of a CASE, or a column that is named so, never
/// follows one. The source is https://www.sqlite.org/c3ref/complete.html and complete.c, whose states these
/// are; where it and the parser differ, in a byte order mark between the words, this is as the parser.
/// Statements that hold nothing but comments are dropped.
public struct StatementSplitter: Sequence, IteratorProtocol, Sendable {
    private enum State {
        case start, normal, explain, create, trigger, triggerSemicolon, triggerEnd
    }

    private let source: SQLSource
    private let bytes: [UInt8]
    private let end: Int
    private var offset: Int
    private var count = 0
    private var tokens: [Token] = []

    /// - Parameter range: the part of the text to be cut, as if nothing stood behind it; nil for all of it.
    public init(_ source: SQLSource, in range: Range<Int>? = nil) {
        self.source = source
        bytes = source.bytes
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        offset = range.lowerBound
        end = range.upperBound
    }

    public mutating func next() -> SQLStatement? {
        guard offset < end else { return nil }
        tokens.removeAll(keepingCapacity: true)
        let terminator = bytes.withUnsafeBufferPointer {
            scan(TokenScanner(bytes: UnsafeBufferPointer(rebasing: $0[..<end])))
        }
        guard let first = tokens.first, let last = tokens.last else { return nil }
        count += 1
        return SQLStatement(
            source: source,
            range: first.range.lowerBound..<last.range.upperBound,
            terminatorEnd: terminator?.range.upperBound ?? last.range.upperBound,
            tokens: Array(tokens),
            index: count)
    }

    /// Collects the tokens of the next statement and returns the `;` that ends it.
    private mutating func scan(_ scanner: TokenScanner) -> Token? {
        var state = State.start
        while offset < scanner.bytes.count {
            let token = scanner.token(at: offset)
            offset = token.range.upperBound
            guard token.isSignificant else { continue }
            if token.kind == .symbol, scanner.bytes[token.range.lowerBound] == UInt8(ascii: ";") {
                switch state {
                case .start: continue
                case .trigger, .triggerSemicolon: state = .triggerSemicolon
                default: return token
                }
            } else if state != .normal {
                state = Self.state(after: state, token, scanner)
            }
            tokens.append(token)
        }
        return nil
    }

    private static func state(after state: State, _ token: Token, _ scanner: TokenScanner) -> State {
        func isWord(_ word: StaticString) -> Bool {
            guard token.kind == .word, token.range.count == word.utf8CodeUnitCount else { return false }
            return word.withUTF8Buffer { word in
                token.range.indices.allSatisfy {
                    lowerASCII(scanner.bytes[$0]) == word[$0 - token.range.lowerBound]
                }
            }
        }
        switch state {
        case .start:
            return isWord("create") ? .create : isWord("explain") ? .explain : .normal
        case .explain:
            // `EXPLAIN QUERY PLAN CREATE`: the words between change nothing.
            return isWord("create") ? .create : isWord("query") || isWord("plan") ? .explain : .normal
        case .create:
            return isWord("trigger") ? .trigger : isWord("temp") || isWord("temporary") ? .create : .normal
        case .triggerSemicolon:
            return isWord("end") ? .triggerEnd : .trigger
        case .trigger, .triggerEnd:
            return .trigger
        case .normal:
            return .normal
        }
    }
}

extension SQLSource {
    /// The statements of the text in their order.
    public func statements() -> [SQLStatement] { Array(StatementSplitter(self)) }

    /// The statements of a part of the text; their places are those in the whole.
    public func statements(in range: Range<Int>) -> [SQLStatement] {
        Array(StatementSplitter(self, in: range))
    }
}
