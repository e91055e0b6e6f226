import DatabaseEngine

/// What statements say of the values of columns, found in their tokens.
struct Usage: Sendable {
    /// A column that is compared with a value.
    struct Comparison: Sendable, Hashable {
        var column: String
        var value: SQLValue
        /// The pattern of LIKE or GLOB that the value matches, as others do.
        var pattern: TextPattern?
    }

    /// A column that is read as JSON.
    struct JSONUse: Sendable, Hashable {
        var column: String
        var path: String?
        var shape: JSONShape = .any
        /// Whether the path is one of the elements, rather than of the whole.
        var isElement = false
        /// What it is compared with at the path.
        var value: SQLValue?
    }

    var comparisons: [Comparison] = []
    var json: [JSONUse] = []

    var isEmpty: Bool { comparisons.isEmpty && json.isEmpty }
}
