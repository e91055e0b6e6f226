/// A splitter that cuts a text into statements where `sqlite3_complete` and the parser would.
///
/// A `;` ends a statement, except in CREATE TRIGGER, which ends with `; END ;`. CASE and BEGIN need not be
/// counted to find that END: no expression contains a `;`, so the END of a CASE, or a column with that name,
/// never follows one. The states are those of complete.c (https://www.sqlite.org/c3ref/complete.html), which
/// differs from the parser for a byte order mark between words; there this splitter follows the parser.
/// Statements with nothing but comments are dropped.
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

    /// - Parameter range: the part of the text to split, as if nothing followed it; nil for all of it.
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
            // In `EXPLAIN QUERY PLAN CREATE` the words in between have no effect.
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
    /// Returns the statements of the text in order.
    public func statements() -> [SQLStatement] { Array(StatementSplitter(self)) }

    /// Returns the statements of a part of the text; their positions are those in the whole text.
    public func statements(in range: Range<Int>) -> [SQLStatement] {
        Array(StatementSplitter(self, in: range))
    }
}
