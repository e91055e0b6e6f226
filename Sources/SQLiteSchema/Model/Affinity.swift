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
        // Byte by byte, since this runs for every column again and again, and `contains` works on characters.
        let type = declaredType.utf8.map(lowerASCII)
        func has(_ part: StaticString) -> Bool {
            let length = part.utf8CodeUnitCount
            guard type.count >= length else { return false }
            return (0...type.count - length).contains { start in
                (0..<length).allSatisfy { type[start + $0] == part.utf8Start[$0] }
            }
        }
        if strict, type.elementsEqual("any".utf8) {
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
