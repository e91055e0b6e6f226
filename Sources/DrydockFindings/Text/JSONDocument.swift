import Foundation

/// Returns a JSON document that is the same for the same values.
///
/// - Parameter isIndented: whether it has several lines, for people.
/// - Throws: `EncodingError` for a number that JSON does not have.
package func jsonDocument(_ value: some Encodable, isIndented: Bool = true) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
    return try encoder.encode(value)
}
