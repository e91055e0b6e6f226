import Foundation
import SQLiteSchema

/// A document of the JSON contract: the same for the same values, in lines, with what does not show spelled out.
func jsonText(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return "{}\n" }
    return VisibleText.json(String(decoding: data, as: UTF8.self)) + "\n"
}
