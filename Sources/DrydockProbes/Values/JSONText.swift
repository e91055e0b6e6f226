import DatabaseEngine

/// A JSON text as an app would store it, with what queries read from it.
struct JSONText {
    private let column: ColumnPlan
    private let row: ValueMaker.Row
    private let shape: JSONShape

    init(_ column: ColumnPlan, _ row: ValueMaker.Row, _ shape: JSONShape) {
        (self.column, self.row, self.shape) = (column, row, shape)
    }

    var text: String {
        let elements = column.jsonPaths.filter(\.isElement)
        if !elements.isEmpty, shape == .array || elements.count == column.jsonPaths.count {
            return "[\(object(elements, row.key)), \(object(elements, row.key + 1))]"
        }
        let name = ColumnKind.words(column.name).joined(separator: " ")
        if shape == .array { return "[\"\(name) \(row.key)\", \"\(name) \(row.key + 1)\"]" }
        return object(column.jsonPaths.filter { !$0.isElement }, row.key)
    }

    private func object(_ paths: [JSONPath], _ number: Int) -> String {
        let name = ColumnKind.words(column.name).joined(separator: " ")
        var root = Node()
        for path in paths {
            guard let keys = Self.keys(path.text), !keys.isEmpty else { continue }
            let value =
                row.index < path.values.count
                ? Self.literal(path.values[row.index]) : "\"\(keys[keys.count - 1]) \(number)\""
            root.set(keys[...], to: value)
        }
        if root.members.isEmpty { root.set(["name"], to: "\"\(name) \(number)\"") }
        return root.text
    }

    private struct Node {
        var value: String?
        var members: [(key: String, node: Node)] = []

        mutating func set(_ keys: ArraySlice<String>, to value: String) {
            guard let first = keys.first else {
                if members.isEmpty { self.value = value }
                return
            }
            self.value = nil
            if let place = members.firstIndex(where: { $0.key == first }) {
                members[place].node.set(keys.dropFirst(), to: value)
            } else {
                var node = Node()
                node.set(keys.dropFirst(), to: value)
                members.append((first, node))
            }
        }

        var text: String {
            if let value { return value }
            return "{" + members.map { "\(JSONText.quoted($0.key)): \($0.node.text)" }.joined(separator: ", ")
                + "}"
        }
    }

    /// The keys of a path such as `$.user.name`, or of the short form `user`; nil for one into an array.
    private static func keys(_ path: String) -> [String]? {
        guard path.hasPrefix("$") else { return path.isEmpty ? nil : [path] }
        guard !path.contains("[") else { return nil }
        return path.dropFirst().split(separator: ".").map { $0.filter { $0 != "\"" } }
    }

    private static func literal(_ value: SQLValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text: quoted(value.text ?? "")
        case .null, .blob: "null"
        }
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
