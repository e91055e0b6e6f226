import SQLiteSchema

extension Finding {
    /// A replacement of a part of a file, as `drydock lint --fix` writes it.
    public struct Edit: Sendable, Hashable, Codable {
        public var file: String
        /// The line on which the part begins, from 1.
        public var line: Int
        /// The code point of the line at which it begins, from 1; a byte order mark is one.
        public var linePosition: Int
        /// The part as it is; empty where the edit only inserts.
        public var replaced: String
        public var replacement: String

        /// Returns nil where the part is not valid UTF-8, so that no text can stand for it.
        public init?(_ edit: SQLEdit, in source: SQLSource) {
            guard edit.range.lowerBound >= 0, edit.range.upperBound <= source.bytes.count,
                let replaced = String(validating: source.bytes[edit.range], as: UTF8.self)
            else { return nil }
            let location = source.location(at: edit.range.lowerBound)
            let hasMark = location.line == 1 && source.bytes.starts(with: [0xEF, 0xBB, 0xBF])
            (file, line) = (source.name, location.line)
            linePosition = location.column + (hasMark ? 1 : 0)
            (self.replaced, replacement) = (replaced, edit.text)
        }
    }
}
