import DatabaseEngine
import SQLiteSchema

/// A column that is filled, with what is known of its values before the first row.
struct ColumnPlan: Sendable {
    var name: String
    var folded: String
    var affinity: Affinity
    var kind: ColumnKind
    var isNotNull: Bool
    /// Whether it is an alias of the rowid.
    var isRowid = false
    /// Whether it is the rowid of a table that has no column for it.
    var isImplicit = false
    /// Whether it alone is a key.
    var isUnique = false
    /// Whether values of another class are refused: the table is STRICT, and the type is not ANY.
    var isStrict = false
    var declaredType: String
    /// A collation of SQLite's own, if the column has one that is not BINARY.
    var collation: String?
    /// Its place among the columns of its table, lesser values first: numbers, dates and words grow with it.
    var rank = 0
    /// Values that statements compare it with.
    var suggestions: [SQLValue] = []
    /// The keys that migrations handle one by one, which ordinary rows keep to; empty where any will do.
    var handledKeys: [SQLValue] = []
    /// Paths that statements read in its JSON, such as `$.kind`, with the values that they compare them with.
    var jsonPaths: [JSONPath] = []
    /// Whether a condition that is not understood depends on it.
    var isUncertain = false

    /// The texts that it may have are few and known: an enumeration, a flag.
    var isBoolean: Bool { kind == .boolean }
}

/// A path in a JSON value.
struct JSONPath: Sendable, Hashable {
    /// Creates a path; one that leads into an array, such as `$[0].name`, is a path in its elements.
    init(_ text: String, isElement: Bool = false) {
        self.text = text
        self.isElement = isElement
        if !isElement, text.hasPrefix("$["), let end = text.firstIndex(of: "]") {
            self.text = "$" + text[text.index(after: end)...]
            self.isElement = true
        }
    }

    var text: String
    var values: [SQLValue] = []
    /// Whether it is a path in each element of an array.
    var isElement = false
}
