import DatabaseEngine
import Drydock
import Foundation
import Yams

/// `drydock.yml`: what a project would otherwise repeat on the command line.
///
/// Its keys are those of ``Setting/all``.
struct ConfigFile {
    /// The values of those settings that have one, by key.
    var values: [String: any Sendable] = [:]
    var reports: [ReportFile] = []
    var sqliteLibraries: [String] = []
    var options = FormatOptions()
    var migrate = ProjectCommandConfig()
    var functions: [FunctionStub] = []
    var collations: [CollationStub] = []
    var health = HealthConfig()
    var mask: [String] = []
    var unmasked: [String] = []
    var lint: [Rule: LintSeverity] = [:]
    var declarations: [String: [Declaration]] = [:]
    /// Declarations that are not valid.
    var findings: [Finding] = []
    /// The folder of the file, relative to the working folder; empty for that folder, and where there is no file.
    var folder = ""
    /// The path of the file; nil where there is none.
    var source: String?

    static let defaultPath = "drydock.yml"

    /// What the file says of a setting.
    subscript<Value>(setting: ValueSetting<Value>) -> Value? { values[setting.key] as? Value }

    /// Reads a file; without a path drydock.yml, in the working folder or one above it, where there is one. What the file
    /// names is relative to it.
    /// - Throws: RequestError with file, line and what is expected.
    static func load(_ path: String?) throws -> ConfigFile {
        guard let name = path ?? ConfigPlace.find() else { return ConfigFile() }
        var file = try read(name)
        file.source = name
        if name.contains("/") { file.place(in: PathParts.folder(of: name)) }
        return file
    }

    private static func read(_ name: String) throws -> ConfigFile {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: name) {
                throw RequestError(
                    .unreadable,
                    "'\(name)' is a link to '\(target)', which cannot be reached; correct the link, or delete it"
                )
            }
            throw RequestError(
                .notFound,
                "there is no configuration file '\(name)'; correct the path after --config, or leave it out to use "
                    + "\(defaultPath) of the current folder, or of one above it, where there is one")
        }
        guard !isFolder.boolValue else {
            throw RequestError(
                .unreadable, "'\(name)' is a folder, not a configuration file; name the file in it")
        }
        guard let bytes = FileManager.default.contents(atPath: name) else {
            throw RequestError(
                .unreadable, "the configuration file '\(name)' cannot be read; check its permissions")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestError(
                .settingInvalid, "the configuration file '\(name)' is not UTF-8 text; save it as UTF-8")
        }
        return try ConfigFile(text, name: name)
    }

    private init() {}

    /// The settings of a project without a file.
    static let empty = ConfigFile()

    /// Makes the paths in the file relative to the working folder.
    private mutating func place(in folder: String) {
        self.folder = folder
        for setting in [Setting.migrations, Setting.snapshots, Setting.lock] {
            values[setting.key] = (values[setting.key] as? String).map(path)
        }
        migrate.folder = migrate.folder.map(path)
        migrate.writable = migrate.writable.map(path)
        options.base = options.base.map { SchemaBase(path: path($0.path)) }
        health.baseline = health.baseline.map(path)
        sqliteLibraries = sqliteLibraries.map(path)
        for index in reports.indices { reports[index].path = path(reports[index].path) }
    }

    /// Returns the path of what is in the folder of the file.
    func path(_ name: String) -> String { ProjectFolders.path(name, in: folder) }

    init(_ text: String, name: String) throws {
        let reader = YAMLReader(file: name, text: text)
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw RequestError(.settingInvalid, "\(name)\(error.fact)", file: name, line: error.line)
        }
        guard let root, root != Node("") else { return }
        try read(root, reader)
    }

    /// Reads `declarations:`; one that is not understood becomes a finding.
    mutating func readDeclarations(_ node: Node, _ reader: YAMLReader) throws {
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
    fileprivate var line: Int? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
        default: nil
        }
    }

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
