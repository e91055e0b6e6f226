import Drydock
import SQLiteSchema

/// Returns a document of the JSON contract: the same text for the same values, with invisible characters escaped.
/// - Parameter isIndented: whether it has several lines, for people.
func jsonText(_ value: some Encodable, isIndented: Bool = true) -> String {
    guard var bytes = try? jsonDocument(value, isIndented: isIndented) else { return "{}\n" }
    bytes.append(UInt8(ascii: "\n"))
    return VisibleText.json(String(decoding: bytes, as: UTF8.self))
}
