/// A lexer that cuts a text into tokens by exactly the rules of SQLite's tokenize.c.
///
/// The tokens cover the text: each begins where the last one ended, whatever the bytes are. The only rule
/// newer than SQLite 3.40 is the digit separator `1_000` of 3.46, which older versions refuse. After a NUL,
/// where SQLite stops, the lexer goes on, so that a finding can show what is never run.
///
///     for token in Lexer(source) where token.isSignificant { print(token.text(in: source)) }
public struct Lexer: Sequence, IteratorProtocol, Sendable {
    private let bytes: [UInt8]
    private var offset = 0

    public init(_ source: SQLSource) { bytes = source.bytes }

    public mutating func next() -> Token? {
        guard offset < bytes.count else { return nil }
        let token = bytes.withUnsafeBufferPointer { TokenScanner(bytes: $0).token(at: offset) }
        offset = token.range.upperBound
        return token
    }
}

extension SQLSource {
    /// Returns all tokens of the text, whitespace and comments included.
    public func tokens() -> [Token] { Array(Lexer(self)) }
}
