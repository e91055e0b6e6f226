import Drydock
import SQLiteSchema
import Yams

extension YAMLReader {
    /// Reads `custom:`, a format that the project describes.
    func custom(_ node: Node) throws -> CustomFormat {
        var format = CustomFormat(files: "", query: "")
        for (key, value) in try mapping(node, "custom") {
            let word = try string(key, "a key")
            switch word.foldedKey {
            case "files": format.files = try string(value, word)
            case "identifier": format.identifier = try string(value, word)
            case "order": format.order = try choice(value, word)
            case "transaction": format.policy.transaction = try choice(value, word)
            case "foreignkeys": format.policy.foreignKeys = try bool(value, word)
            case "doublequotedstrings": format.policy.doubleQuotedStrings = try bool(value, word)
            case "late": format.policy.late = try choice(value, word)
            case "schema": format.schema = try string(value, word)
            case "history": try readHistory(value, &format)
            default:
                throw fault(
                    key,
                    Self.unknown(
                        word, in: "custom",
                        [
                            "files", "identifier", "order", "transaction", "foreignKeys",
                            "doubleQuotedStrings", "late", "schema", "history",
                        ]))
            }
        }
        guard format.files.contains("(?<version>") || format.identifier != "${version}", !format.files.isEmpty
        else {
            throw fault(
                node,
                "custom needs 'files', a pattern with the group version, such as '(?<version>[0-9]+)_.*[.]sql'"
            )
        }
        guard !format.query.isEmpty else {
            throw fault(node, "custom needs 'history' with a 'query' that returns what is applied")
        }
        return format
    }

    private func readHistory(_ node: Node, _ format: inout CustomFormat) throws {
        guard node.mapping != nil else {
            format.query = try string(node, "history")
            return
        }
        for (key, value) in try mapping(node, "history") {
            let word = try string(key, "a key")
            switch word {
            case "table": format.historyTable = try string(value, word)
            case "query": format.query = try string(value, word)
            case "newest": format.isNewestOnly = try bool(value, word)
            case "setup": format.setup = try list(value).map { try string($0, word) }
            case "record": format.record = try list(value).map { try string($0, word) }
            default:
                throw fault(
                    key, Self.unknown(word, in: "history", ["table", "query", "newest", "setup", "record"]))
            }
        }
    }

    /// Reads one of the words of an enumeration.
    func choice<Value: RawRepresentable & CaseIterable>(_ node: Node, _ name: String) throws -> Value
    where Value.RawValue == String {
        try parsed(node, name, "one of: \(Value.allCases.map(\.rawValue).joined(separator: ", "))") {
            Value(rawValue: $0.lowercased())
        }
    }

    /// Reads `name: value`, with values as they are written.
    func texts(_ node: Node, _ name: String) throws -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in try mapping(node, name) {
            result[try string(key, "a name")] = try string(value, "a value")
        }
        return result
    }
}

extension String {
    /// The key in one spelling: `up-to` and `upTo` are the same.
    var foldedKey: String { lowercased().replacing("-", with: "").replacing("_", with: "") }
}
