import DatabaseEngine
import Drydock
import SQLiteSchema
import Yams

/// A reader of YAML nodes, with errors that give the place.
struct YAMLReader {
    let file: String
    let text: String

    /// Returns a line as written, counted from 1.
    func line(_ number: Int) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.contains(number - 1) ? String(lines[number - 1]) : nil
    }

    func fault(_ node: Node, _ message: String) -> RequestError {
        RequestError(
            .settingInvalid, "\(file)\(node.mark.map { ":\($0.line):\($0.column)" } ?? ""): \(message)",
            file: file, line: node.mark?.line)
    }

    /// Says that a key is not one of these, and which was probably meant.
    static func unknown(_ word: String, in place: String, _ keys: [String]) -> String {
        "'\(word)' is not a key of \(place); "
            + (nearestName(to: word, in: keys).map { "did you mean '\($0)'?" }
                ?? "its keys are: \(keys.joined(separator: ", "))")
    }

    func mapping(_ node: Node, _ name: String) throws -> [(Node, Node)] {
        // A key without a value holds nothing.
        if node.null != nil { return [] }
        guard let mapping = node.mapping else {
            throw fault(node, "\(name) must be a mapping of keys to values")
        }
        return mapping.map { ($0.key, $0.value) }
    }

    func list(_ node: Node) -> [Node] {
        if node.null != nil { return [] }
        return node.sequence.map(Array.init) ?? [node]
    }

    func string(_ node: Node, _ name: String) throws -> String {
        guard let scalar = node.scalar else { throw fault(node, "\(name) must be text") }
        return scalar.string
    }

    func bool(_ node: Node, _ name: String) throws -> Bool {
        guard let value = node.bool else { throw fault(node, "\(name) must be true or false") }
        return value
    }

    func positive(_ node: Node, _ name: String, upTo most: Int? = nil) throws -> Int {
        guard let value = node.int, value > 0, value <= most ?? .max else {
            let range = most.map { "from 1 to \($0)" } ?? "of at least 1"
            throw fault(node, "\(name) must be a number \(range)")
        }
        return value
    }

    func parsed<Value>(_ node: Node, _ name: String, _ expected: String, _ parse: (String) -> Value?) throws
        -> Value
    {
        let text = try string(node, name)
        guard let value = parse(text) else { throw fault(node, "\(name): '\(text)' is not \(expected)") }
        return value
    }

    /// Reads `name: value`, or `name: {returns: value, arguments: 2}`, or `name: {argument: 0}`.
    func functions(_ node: Node) throws -> [FunctionStub] {
        try mapping(node, "functions").map { key, value in
            var stub = FunctionStub(
                name: try string(key, "a function"), argumentCount: nil, result: .constant(.null))
            guard value.mapping != nil else {
                stub.result = .constant(try constant(value))
                return try checked(stub, key)
            }
            for (key, value) in try mapping(value, stub.name) {
                switch try string(key, "a key") {
                case "returns": stub.result = .constant(try constant(value))
                case "arguments":
                    guard let count = value.int, count >= 0 else {
                        throw fault(value, "arguments must be a number")
                    }
                    stub.argumentCount = count
                case "argument":
                    guard let index = value.int, index >= 0 else {
                        throw fault(value, "argument must be a number from 0")
                    }
                    stub.result = .argument(index)
                case let other:
                    throw fault(
                        key, Self.unknown(other, in: "a function", ["returns", "arguments", "argument"]))
                }
            }
            return try checked(stub, key)
        }
    }

    private func checked(_ stub: FunctionStub, _ node: Node) throws -> FunctionStub {
        if let fault = stub.fault { throw self.fault(node, fault) }
        return stub
    }

    /// Reads `name: nocase`, or a list of names, which sort as BINARY.
    func collations(_ node: Node) throws -> [CollationStub] {
        guard node.mapping != nil else {
            return try list(node).map { CollationStub(name: try string($0, "a collation"), order: .binary) }
        }
        return try mapping(node, "collations").map { key, value in
            let order = try parsed(value, "collations", "one of: binary, nocase, rtrim") {
                CollationStub.Order(rawValue: $0.lowercased())
            }
            return CollationStub(name: try string(key, "a collation"), order: order)
        }
    }

    private func constant(_ node: Node) throws -> SQLValue {
        guard let scalar = node.scalar else { throw fault(node, "a value must be null, a number or text") }
        if scalar.style == .singleQuoted || scalar.style == .doubleQuoted { return SQLValue(scalar.string) }
        if node.null != nil { return .null }
        if let flag = node.bool { return .integer(flag ? 1 : 0) }
        return SQLValue(literal: scalar.string)
    }
}
