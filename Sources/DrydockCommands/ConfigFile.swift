import DatabaseEngine
import Drydock
import DrydockReport
import Foundation
import SQLiteSchema
import Yams

/// The file `drydock.yml`: what a project would otherwise repeat on the command line. The keys are the long flags.
struct ConfigFile {
    var migrations: String?
    var snapshots: String?
    var lock: String?
    var upTo: String?
    var jobs: Int?
    var timeout: RunLimit?
    var memory: MemoryLimit?
    var strict: Bool?
    var fullCheck: Bool?
    var format: String?
    var reports: [ReportFile] = []
    var redact: Bool?
    var quiet: Bool?
    var verbose: Bool?
    var rollback: Bool?
    var migrationFormat: String?
    var options = FormatOptions()
    var functions: [FunctionStub] = []
    var collations: [CollationStub] = []
    var health = HealthConfig()
    var lint: [Rule: LintSeverity] = [:]
    var sqlite: SQLiteVersion?
    var declarations: [String: [Declaration]] = [:]
    /// Declarations that are not valid.
    var findings: [Finding] = []

    static let defaultPath = "drydock.yml"

    private static let keys = [
        "migrations", "snapshots", "up-to", "jobs", "timeout", "memory", "strict", "full-check", "format",
        "report",
        "redact", "quiet", "verbose", "functions", "collations", "declarations", "migration-format",
        "foreignKeys",
        "doubleQuotedStrings", "transaction", "historyTable", "mixed", "placeholders", "base", "rollback",
        "custom", "lock", "lint", "sqlite", "health",
    ]

    /// Reads a file; without a path, drydock.yml if it exists.
    /// - Throws: RequestError with file, line and what is expected.
    static func load(_ path: String?) throws -> ConfigFile {
        let name = path ?? defaultPath
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
            if path == nil { return ConfigFile() }
            throw RequestError(
                "there is no configuration file '\(name)'; correct the path after --config, or leave it out to use "
                    + "\(defaultPath) of the current folder where there is one")
        }
        guard !isFolder.boolValue else {
            throw RequestError("'\(name)' is a folder, not a configuration file; name the file in it")
        }
        guard let bytes = FileManager.default.contents(atPath: name) else {
            throw RequestError("the configuration file '\(name)' cannot be read; check its permissions")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestError("the configuration file '\(name)' is not UTF-8 text; save it as UTF-8")
        }
        return try ConfigFile(text, name: name)
    }

    private init() {}

    init(_ text: String, name: String) throws {
        let reader = YAMLReader(file: name, text: text)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw RequestError("\(name)\(error.fact)")
        }
        guard let root, root != Node("") else { return }
        for (key, value) in try reader.mapping(root, "the file") {
            let word = try reader.string(key, "a key")
            switch word.foldedKey {
            case "migrations": migrations = try reader.string(value, word)
            case "snapshots": snapshots = try reader.string(value, word)
            case "lock": lock = try reader.string(value, word)
            case "upto": upTo = try reader.string(value, word)
            case "jobs": jobs = try reader.positive(value, word)
            case "timeout":
                timeout = try reader.parsed(
                    value, word, "a duration such as 90s or 5m, or none", RunLimit.init)
            case "memory":
                memory = try reader.parsed(
                    value, word, "a size such as 512MB or 4GB, or none", MemoryLimit.init)
            case "strict": strict = try reader.bool(value, word)
            case "full-check": fullCheck = try reader.bool(value, word)
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
            case "health": health = try reader.health(value)
            case "declarations": try readDeclarations(value, reader)
            case "migrationformat":
                migrationFormat = try reader.parsed(
                    value, word, "one of: \(MigrationFormats.names.joined(separator: ", "))"
                ) {
                    MigrationFormats.names.contains($0) ? $0 : nil
                }
            case "foreignkeys": options.foreignKeys = try reader.bool(value, word)
            case "doublequotedstrings": options.doubleQuotedStrings = try reader.bool(value, word)
            case "transaction": options.transaction = try reader.choice(value, word)
            case "placeholders": options.placeholders = try reader.texts(value, word)
            case "historytable": options.historyTable = try reader.string(value, word)
            case "mixed": options.mixed = try reader.bool(value, word)
            case "base": options.base = SchemaBase(path: try reader.string(value, word))
            case "rollback": rollback = try reader.bool(value, word)
            case "custom": options.custom = try reader.custom(value)
            case "lint": lint = try reader.lint(value)
            case "sqlite":
                sqlite = try reader.parsed(
                    value, word, SQLiteVersion.expectation(for: value.scalar?.string ?? ""),
                    SQLiteVersion.init)
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
                place.lineText = entry.mark.flatMap { reader.line($0.line) }
                switch Declaration.parse(text, place: place, migration: migration) {
                case .success(let more): declarations[migration, default: []] += more
                case .failure(let fault): findings.append(fault.finding)
                }
            }
        }
    }
}

extension YamlError {
    /// Returns the fault as text after the file's name: `:2:1 is not valid YAML: did not find expected node content`.
    fileprivate var fact: String {
        switch self {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            ":\(mark) is not valid YAML: \(problem)"
        default: " is not valid YAML: \(self)"
        }
    }
}
