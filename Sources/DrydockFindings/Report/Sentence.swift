/// What a finding says. A value of a row is marked where it enters, so that every report can hide it.
///
///     let sentence: Sentence = "0002_people fails: \(error.sentence)"
///     sentence.text           // 0002_people fails: malformed JSON
///     sentence.withoutValues  // 0002_people fails: an error whose message is not shown, since it may quote a row …
public struct Sentence: Sendable, Hashable {
    /// The words, with the values.
    public private(set) var text: String
    /// The words without the values; nil where there are none.
    public private(set) var redacted: String?

    /// - Parameter redacted: the text without values of rows; nil where it has none.
    public init(_ text: String, redacted: String? = nil) {
        self.text = text
        self.redacted = redacted == text ? nil : redacted
    }

    /// What may be shown where values are hidden.
    public var withoutValues: String { redacted ?? text }

    /// Returns the sentence with both of its texts changed.
    package func map(_ change: (String) -> String) -> Sentence {
        Sentence(change(text), redacted: redacted.map(change))
    }

    package static func + (a: Sentence, b: Sentence) -> Sentence {
        let quotes = a.redacted != nil || b.redacted != nil
        return Sentence(a.text + b.text, redacted: quotes ? a.withoutValues + b.withoutValues : nil)
    }

    package static func += (a: inout Sentence, b: Sentence) { a = a + b }
}

extension Sentence: ExpressibleByStringInterpolation {
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sentence = Sentence("")

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { sentence += Sentence(literal) }

        public mutating func appendInterpolation(_ words: some CustomStringConvertible) {
            sentence += Sentence(words.description)
        }

        public mutating func appendInterpolation(_ part: Sentence) { sentence += part }
    }

    public init(stringLiteral text: String) { self.init(text) }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sentence }
}

// A String does not keep what is a value of a row. So a sentence within a string literal does not compile, as "ambiguous":
// neither of two candidates is the better one. (One that is unavailable would be passed over.)
package protocol NotInStrings {}
package protocol NorInStrings {}
extension Sentence: NotInStrings, NorInStrings {}
extension DefaultStringInterpolation {
    package mutating func appendInterpolation(_ sentence: some NotInStrings) {}
    package mutating func appendInterpolation(_ sentence: some NorInStrings) {}
}

/// A sentence that quotes no value is stored as its text alone.
extension Sentence: Codable {
    private enum CodingKeys: CodingKey { case text, redacted }

    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text)
            return
        }
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try parts.decode(String.self, forKey: .text),
            redacted: try parts.decodeIfPresent(String.self, forKey: .redacted))
    }

    public func encode(to encoder: any Encoder) throws {
        guard let redacted else {
            var alone = encoder.singleValueContainer()
            return try alone.encode(text)
        }
        var parts = encoder.container(keyedBy: CodingKeys.self)
        try parts.encode(text, forKey: .text)
        try parts.encode(redacted, forKey: .redacted)
    }
}

/// What a sentence can be made from: text without values of rows, or text in which they are marked.
public protocol SentenceConvertible: Sendable {
    var asSentence: Sentence { get }
}

extension Sentence: SentenceConvertible {
    public var asSentence: Sentence { self }
}

extension String: SentenceConvertible {
    public var asSentence: Sentence { Sentence(self) }
}

extension Sequence<Sentence> {
    package func joined(separator: String) -> Sentence {
        enumerated().reduce(into: Sentence("")) { all, next in
            if next.offset > 0 { all += Sentence(separator) }
            all += next.element
        }
    }
}
