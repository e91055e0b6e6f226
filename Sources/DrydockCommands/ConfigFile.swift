import DatabaseEngine
import Drydock
import DrydockReport
import Foundation
import SQLiteSchema
import Yams

/// `drydock.yml`: what a project would otherwise repeat on the command line. The keys are the long flags.
struct ConfigFile {
    var migrations: String?
    var snapshots: String?
    var upTo: String?
    var jobs: Int?
    var timeout: TimeLimit?
    var strict: Bool?
    var format: String?
    var reports: [ReportFile] = []
    var redact: Bool?
    var quiet: Bool?
    var verbose: Bool?
    var functions: [FunctionStub] = []
    var collations: [CollationStub] = []
    var declarations: [String: [Declaration]] = [:]
    /// Declarations that are not understood.
    var findings: [Finding] = []

    static let defaultPath = "drydock.yml"

    private static let keys = [
        "migrations", "snapshots", "up-to", "jobs", "timeout", "strict", "format", "report", "redact",
        "quiet",
        "verbose", "functions", "collations", "declarations",
    ]

    /// Reads a file; without a path drydock.yml, where there is one.
    /// - Throws: RequestError with file, line and what is expected.
    static func load(_ path: String?) throws -> ConfigFile {
        let name = path ?? defaultPath
        guard let text = try? String(contentsOfFile: name, encoding: .utf8) else {
            if path == nil, !FileManager.default.fileExists(atPath: name) { return ConfigFile() }
            throw RequestError("the configuration file '\(name)' cannot be read as UTF-8 text")
        }
        return try ConfigFile(text, name: name)
    }

    private init() {}

    init(_ text: String, name: String) throws {
        let reader = YAMLReader(file: name)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw RequestError("\(name) is no YAML: \(error)")
        }
        guard let root, root != Node("") else { return }
        for (key, value) in try reader.mapping(root, "the file") {
            let word = try reader.string(key, "a key")
            // Both spellings of a flag's name are taken: up-to and upTo.
            let folded = word.lowercased().replacing("-", with: "").replacing("_", with: "")
            switch folded {
            case "migrations": migrations = try reader.string(value, word)
            case "snapshots": snapshots = try reader.string(value, word)
            case "upto": upTo = try reader.string(value, word)
            case "jobs": jobs = try reader.positive(value, word)
            case "timeout":
                timeout = try reader.parsed(value, word, "a duration such as 90s or 5m", TimeLimit.init)
            case "strict": strict = try reader.bool(value, word)
            case "format":
                format = try reader.parsed(
                    value, word, "one of: \(ReportRenderers.all.map(\.name).joined(separator: ", "))"
                ) {
                    ReportRenderers.named($0)?.name
                }
            case "report":
                reports = try reader.list(value).map {
                    try reader.parsed($0, word, "FORMAT=PATH", ReportFile.init)
                }
            case "redact": redact = try reader.bool(value, word)
            case "quiet": quiet = try reader.bool(value, word)
            case "verbose": verbose = try reader.bool(value, word)
            case "functions": functions = try reader.functions(value)
            case "collations": collations = try reader.collations(value)
            case "declarations": try readDeclarations(value, reader)
            default:
                let nearest = nearestName(to: word, in: Self.keys)
                throw reader.fault(
                    key,
                    "'\(word)' is no key"
                        + (nearest.map { "; did you mean '\($0)'?" }
                            ?? ", which are: \(Self.keys.joined(separator: ", "))"))
            }
        }
    }

    private mutating func readDeclarations(_ node: Node, _ reader: YAMLReader) throws {
        for (key, value) in try reader.mapping(node, "declarations") {
            let migration = try reader.string(key, "a migration")
            for entry in reader.list(value) {
                let text = try reader.string(entry, "a declaration")
                var place = Finding.Place(file: reader.file)
                place.line = entry.mark?.line
                place.column = entry.mark?.column
                place.lineText = text
                switch Declaration.parse(text, place: place, migration: migration) {
                case .success(let more): declarations[migration, default: []] += more
                case .failure(let fault): findings.append(fault.finding)
                }
            }
        }
    }
}

/// Reads YAML nodes, with errors that say where.
struct YAMLReader {
    let file: String

    func fault(_ node: Node, _ message: String) -> RequestError {
        RequestError("\(file)\(node.mark.map { ":\($0.line):\($0.column)" } ?? ""): \(message)")
    }

    func mapping(_ node: Node, _ name: String) throws -> [(Node, Node)] {
        guard let mapping = node.mapping else {
            throw fault(node, "\(name) must be a mapping of keys to values")
        }
        return mapping.map { ($0.key, $0.value) }
    }

    func list(_ node: Node) -> [Node] { node.sequence.map(Array.init) ?? [node] }

    func string(_ node: Node, _ name: String) throws -> String {
        guard let scalar = node.scalar else { throw fault(node, "\(name) must be text") }
        return scalar.string
    }

    func bool(_ node: Node, _ name: String) throws -> Bool {
        guard let value = node.bool else { throw fault(node, "\(name) must be true or false") }
        return value
    }

    func positive(_ node: Node, _ name: String) throws -> Int {
        guard let value = node.int, value > 0 else {
            throw fault(node, "\(name) must be a number of at least 1")
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

    /// `name: value`, or `name: {returns: value, arguments: 2}`, or `name: {argument: 0}`.
    func functions(_ node: Node) throws -> [FunctionStub] {
        try mapping(node, "functions").map { key, value in
            var stub = FunctionStub(
                name: try string(key, "a function"), argumentCount: nil, result: .constant(.null))
            guard value.mapping != nil else {
                stub.result = .constant(try constant(value))
                return stub
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
                    throw fault(key, "'\(other)' is no key of a function: returns, arguments, argument")
                }
            }
            return stub
        }
    }

    /// `name: nocase`, or a list of names, which sort as BINARY.
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
