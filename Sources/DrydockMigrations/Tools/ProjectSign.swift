import DrydockFiles
import DrydockFindings
import Foundation

/// What a file of a project says if it names the tool that runs its migrations: a dependency, or a configuration.
package struct ProjectSign: Sendable {
    private let file: String
    private let kind: Kind

    private enum Kind: Sendable {
        /// The file, or the folder, exists.
        case exists
        /// A key of a TOML file, or a section about it.
        case crate(String)
        case module(String)
        /// A module that a Go file imports, itself or a package of it.
        case imports(String)
        case package([String])
        /// A word in a line that is not a comment.
        case word(String)
    }

    private init(_ file: String, _ kind: Kind) { (self.file, self.kind) = (file, kind) }

    /// A file, or a folder, that exists.
    static func exists(_ file: String) -> ProjectSign { ProjectSign(file, .exists) }

    /// A word in a line of a file that is not a comment.
    static func word(_ word: String, in file: String) -> ProjectSign { ProjectSign(file, .word(word)) }

    /// A crate on which a Rust project depends.
    static func crate(_ name: String) -> ProjectSign { ProjectSign("Cargo.toml", .crate(name)) }

    /// Packages of npm, of which a project depends on one.
    static func packages(_ names: String...) -> ProjectSign { ProjectSign("package.json", .package(names)) }

    /// A Go module that a project imports, or depends on.
    static func goModule(_ module: String) -> [ProjectSign] {
        [ProjectSign(goFiles, .imports(module)), ProjectSign("go.mod", .module(module))]
    }

    /// A word in a file of Gradle's.
    static func gradle(_ word: String) -> [ProjectSign] {
        ["build.gradle", "build.gradle.kts"].map { .word(word, in: $0) }
    }

    /// A format of Atlas's, which runs other tools' folders too: its configuration names them.
    static func atlas(_ format: String) -> [ProjectSign] {
        ["format=\(format)", "format = \"\(format)\"", "format = \(format)"].map {
            .word($0, in: "atlas.hcl")
        }
    }

    /// Stands for the Go files of a folder: a module may have several tools, and the file that embeds the migrations, or one
    /// beside it, imports theirs.
    private static let goFiles = "*.go"
    private static let goFileLimit = 64

    /// The tools that a folder's files name, and where.
    package struct Found: Sendable, Hashable {
        /// By tool, the path of the file that names it.
        package var places: [String: String] = [:]
    }

    /// Returns those of the given tools that the nearest folder names, from the migrations upwards to the project's root.
    package static func nearest(to folder: String, among tools: Set<String>) -> Found? {
        let signs = ToolProfile.all.filter { tools.contains($0.name) }.flatMap { tool in
            tool.signs.map { (tool: tool.name, sign: $0) }
        }
        // What a source imports is what it uses; its module may depend on more.
        let kinds = [signs.filter { $0.sign.file == goFiles }, signs.filter { $0.sign.file != goFiles }]
        for above in ProjectFolders.upwards(from: folder) {
            for rows in kinds {
                let found = found(by: rows, in: above == "/" ? "" : above)
                if !found.places.isEmpty { return found }
            }
        }
        return nil
    }

    private static func found(by signs: [(tool: String, sign: ProjectSign)], in folder: String) -> Found {
        var found = Found()
        for (file, rows) in Dictionary(grouping: signs, by: \.sign.file) {
            for path in paths(file, in: folder) {
                let text = ProjectText(path)
                for row in rows where row.sign.matches(text) {
                    found.places[row.tool] = ProjectFolders.shown(path)
                }
            }
        }
        return found
    }

    private static func paths(_ file: String, in folder: String) -> [String] {
        guard file == goFiles else {
            return FolderListing.exists(folder + "/" + file) ? [folder + "/" + file] : []
        }
        let names = (FolderListing.entries(in: folder.isEmpty ? "/" : folder) ?? []).map(\.name)
        return names.filter { $0.hasSuffix(".go") && !$0.hasSuffix("_test.go") }.sorted().prefix(goFileLimit)
            .map { folder + "/" + $0 }
    }

    private func matches(_ text: ProjectText) -> Bool {
        switch kind {
        case .exists: true
        case .crate(let name): text.lines.contains { Self.names(crate: name, $0) }
        case .module(let name):
            text.lines.contains { line in
                !line.hasPrefix("module ") && !line.hasSuffix("// indirect")
                    && (line.contains(name + "/v") || line.contains(name + " "))
            }
        case .imports(let module):
            text.lines.contains { $0.contains("\"\(module)\"") || $0.contains("\"\(module)/") }
        case .package(let names): !text.packages.isDisjoint(with: names)
        case .word(let word): text.lines.contains { $0.lowercased().contains(word.lowercased()) }
        }
    }

    private static func names(crate: String, _ line: Substring) -> Bool {
        if line.hasPrefix("[") { return line.contains("dependencies.\(crate)]") }
        if line.contains("package = \"\(crate)\"") { return true }
        let key = line.prefix { $0 != "=" && $0 != "." && !$0.isWhitespace }
        return key == crate || key == "\"\(crate)\""
    }
}

/// The text of a file that may name a tool.
struct ProjectText {
    private static let limit = 1 << 20
    private let text: String

    init(_ path: String) {
        let bytes = (try? FolderListing.contents(of: path, limit: Self.limit)) ?? []
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The lines that are not comments, without what indents them.
    var lines: [Substring] {
        text.split(whereSeparator: \.isNewline).map { line in
            line.drop(while: \.isWhitespace)
        }.filter { !$0.hasPrefix("#") && !$0.hasPrefix("//") }
    }

    /// The packages on which a package.json depends.
    var packages: Set<String> {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            return []
        }
        let keys = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
        return Set(keys.flatMap { key in (object[key] as? [String: Any]).map { Array($0.keys) } ?? [] })
    }
}
