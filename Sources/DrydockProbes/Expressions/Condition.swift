import DatabaseEngine

/// What one part of a constraint says of one column, or of two.
enum Condition: Sendable, Hashable {
    case isIn(String, [SQLValue])
    case isNotIn(String, [SQLValue])
    /// A comparison with `<`, `<=`, `>` or `>=`.
    case bound(String, Comparison, SQLValue)
    case length(String, ClosedRange<Int>)
    case pattern(String, TextPattern)
    /// Text that must not occur.
    case excludes(String, TextPattern)
    case isNull(String)
    case isNotNull(String)
    /// A comparison of two columns; `=` and `<>` too.
    case order(String, Comparison, String)
    case json(String, JSONShape)
    case form(String, TextForm)
    case storage(String, Set<String>)
    /// A condition that is not understood, on these columns.
    case unknown(Set<String>)

    enum Comparison: String, Sendable, Hashable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case equal = "="
        case different = "<>"

        /// The comparison that says the same with the operands exchanged.
        var exchanged: Comparison {
            switch self {
            case .less: .greater
            case .lessOrEqual: .greaterOrEqual
            case .greater: .less
            case .greaterOrEqual: .lessOrEqual
            case .equal, .different: self
            }
        }

        var negated: Comparison {
            switch self {
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            case .equal: .different
            case .different: .equal
            }
        }
    }

    /// The folded names of the columns.
    var columns: Set<String> {
        switch self {
        case .isIn(let name, _), .isNotIn(let name, _), .bound(let name, _, _), .length(let name, _),
            .pattern(let name, _), .excludes(let name, _), .isNull(let name), .isNotNull(let name),
            .json(let name, _), .form(let name, _), .storage(let name, _):
            [name]
        case .order(let a, _, let b): [a, b]
        case .unknown(let names): names
        }
    }
}

/// A form of text that a constraint or a name asks for.
enum TextForm: Sendable, Hashable {
    case lowercase, uppercase
    case date, timestamp, time
}

/// What a JSON value must be.
package enum JSONShape: Sendable, Hashable {
    case any, object, array
}

extension Condition {
    /// Returns the condition with its columns under other names; nil if one has none.
    func renamed(_ names: [String: String]) -> Condition? {
        func new(_ name: String) -> String? { names[name] }
        switch self {
        case .isIn(let name, let list): return new(name).map { .isIn($0, list) }
        case .isNotIn(let name, let list): return new(name).map { .isNotIn($0, list) }
        case .bound(let name, let comparison, let value):
            return new(name).map { .bound($0, comparison, value) }
        case .length(let name, let range): return new(name).map { .length($0, range) }
        case .pattern(let name, let pattern): return new(name).map { .pattern($0, pattern) }
        case .excludes(let name, let pattern): return new(name).map { .excludes($0, pattern) }
        case .isNull(let name): return new(name).map { .isNull($0) }
        case .isNotNull(let name): return new(name).map { .isNotNull($0) }
        case .order(let a, let comparison, let b):
            guard let a = new(a), let b = new(b) else { return nil }
            return .order(a, comparison, b)
        case .json(let name, let shape): return new(name).map { .json($0, shape) }
        case .form(let name, let form): return new(name).map { .form($0, form) }
        case .storage(let name, let types): return new(name).map { .storage($0, types) }
        case .unknown(let columns): return .unknown(Set(columns.compactMap(new)))
        }
    }
}
