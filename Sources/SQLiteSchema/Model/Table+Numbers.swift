/// What a column's declared type says of its values, beyond the affinity.
public enum NumberKind: Sendable, Hashable {
    /// TRUE and FALSE, which are 1 and 0.
    case truth
    case number
}

extension Table {
    /// Returns nil for a column whose type is not one of numbers. Such types may have the affinity of one, as DATETIME, JSON
    /// and INTERVAL do.
    public func numberKind(of column: Column) -> NumberKind? {
        let words = column.declaredType.foldedASCII.split { !$0.isLetter }
        func has(_ parts: String...) -> Bool {
            words.contains { word in parts.contains { word.hasPrefix($0) } }
        }
        switch affinity(of: column) {
        case .text, .blob: return nil
        case .real: return .number
        case .integer:
            return words.contains { $0 == "integer" || $0.hasSuffix("int") && $0 != "point" } ? .number : nil
        case .numeric: return has("bool") ? .truth : has("num", "dec", "money", "bit") ? .number : nil
        }
    }

    /// Returns the truth value that a text means in a column; nil where it means none.
    public func truth(of text: String, in column: Column) -> Bool? {
        guard let kind = numberKind(of: column) else { return nil }
        let word = text.foldedASCII
        if word == "true" || word == "false" { return word == "true" }
        guard kind == .truth else { return nil }
        return ["t", "yes", "y", "on"].contains(word)
            ? true : ["f", "no", "n", "off"].contains(word) ? false : nil
    }
}
