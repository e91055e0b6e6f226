import SQLiteSchema

extension Finding {
    /// A replacement of a part of a file, as `drydock lint --fix` writes it.
    public struct Edit: Sendable, Hashable {
        public var file: String
        /// The line on which the part begins, from 1.
        public var line: Int
        /// The character of the line at which it begins, from 1.
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
            (file, line, linePosition) = (source.name, location.line, location.column)
            (self.replaced, replacement) = (replaced, edit.text)
        }
    }
}
