/// Returns a text that is the same for equal values, in every run: dictionaries and sets are in the order of their text.
///
///     hexDigest(of: stableText(request))
///
/// Every stored property counts, those that are added later too.
package func stableText(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    let children = mirror.children.map { child in
        (child.label.map { $0 + "=" } ?? "") + stableText(child.value)
    }
    switch mirror.displayStyle {
    case .dictionary, .set: return "[" + children.sorted().joined(separator: ",") + "]"
    case .enum: return children.isEmpty ? "\(value)" : "(" + children.joined(separator: ",") + ")"
    case .optional: return children.first ?? "nil"
    case nil:
        return children.isEmpty ? String(reflecting: value) : "(" + children.joined(separator: ",") + ")"
    default: return "\(mirror.subjectType)(" + children.joined(separator: ",") + ")"
    }
}
