import Drydock
import Foundation
import SQLiteSchema

/// Returns a document of the JSON contract: the same text for the same values, indented, with invisible characters
/// escaped.
func jsonText(_ value: some Encodable) -> String {
    guard let data = try? jsonDocument(value) else { return "{}\n" }
    return VisibleText.json(String(decoding: data, as: UTF8.self)) + "\n"
}
