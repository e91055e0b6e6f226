/// Returns a JSON document in UTF-8 that is the same for the same values: members in the order of their keys.
///
/// The bytes are those of Foundation's `JSONEncoder` with sorted keys and unescaped slashes, which holds the whole
/// document in dictionaries first.
///
/// - Parameter isIndented: whether it has several lines, for people.
/// - Throws: `EncodingError` for a number that JSON does not have.
package func jsonDocument(_ value: some Encodable, isIndented: Bool = true) throws -> [UInt8] {
    let text = JSONText(isIndented: isIndented)
    let frame = JSONFrame(text, depth: 0)
    try frame.encode(value, isNested: false)
    frame.end()
    return text.bytes
}
