import Drydock
import SQLiteSchema
import Yams

extension YAMLReader {
    /// Reads `migrate: history:`, a query, or a mapping as `custom: history:` has it.
    func commandHistory(_ node: Node, _ name: String) throws -> CommandHistory {
        guard node.mapping != nil else { return CommandHistory(query: try string(node, name)) }
        var history = CommandHistory(query: "")
        for (key, value) in try mapping(node, name) {
            let word = try string(key, "a key")
            switch word {
            case "table": history.table = try string(value, word)
            case "query": history.query = try string(value, word)
            case "newest": history.isNewestOnly = try bool(value, word)
            default: throw fault(key, Self.unknown(word, in: name, ["table", "query", "newest"]))
            }
        }
        guard !history.query.isEmpty else {
            throw fault(node, "\(name) needs a 'query' that returns the names of what is applied")
        }
        return history
    }
}
