/// The conversion that a column applies to stored values (https://www.sqlite.org/datatype3.html#affname).
public enum Affinity: String, Sendable, Hashable {
    case integer = "INTEGER"
    case text = "TEXT"
    /// Also called NONE: values are stored unchanged.
    case blob = "BLOB"
    case real = "REAL"
    case numeric = "NUMERIC"

    /// Determines the affinity of a declared type, by the five rules of section 3.1; an empty text means no
    /// type.
    ///
    /// - Parameter strict: whether the table is STRICT: only there does ANY store values unchanged
    ///   (https://www.sqlite.org/stricttables.html).
    public init(declaredType: String, strict: Bool = false) {
        let type = declaredType.foldedASCII
        func has(_ part: String) -> Bool { type.contains(part) }
        if strict, type == "any" {
            self = .blob
        } else if has("int") {
            self = .integer
        } else if has("char") || has("clob") || has("text") {
            self = .text
        } else if has("blob") || type.isEmpty {
            self = .blob
        } else if has("real") || has("floa") || has("doub") {
            self = .real
        } else {
            self = .numeric
        }
    }
}
