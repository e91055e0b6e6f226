import Foundation
import SQLiteSchema

/// Returns a document of the JSON contract: the same text for the same values, indented, with invisible characters
/// escaped.
func jsonText(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return "{}\n" }
    return VisibleText.json(String(decoding: data, as: UTF8.self)) + "\n"
}
