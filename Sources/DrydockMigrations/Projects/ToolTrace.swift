import DrydockFindings
import Foundation

/// What a project's files say of the tool that runs its migrations: a dependency, or a configuration.
package struct ToolTrace: Sendable {
    /// The name of a format, or of a tool whose migrations Drydock does not read.
    let tool: String
    let file: String
    private let sign: Sign

    private enum Sign: Sendable {
        /// The file, or the folder, exists.
        case exists
        /// A key of a TOML file, or a section about it.
        case crate(String)
        case module(String)
        case package([String])
        /// A word in a line that is not a comment.
        case word(String)
    }

    private init(_ tool: String, _ file: String, _ sign: Sign) {
        (self.tool, self.file, self.sign) = (tool, file, sign)
    }

    /// The only place where such files are listed.
    static let all: [ToolTrace] =
        [
            ToolTrace("sqlx", "Cargo.toml", .crate("sqlx")),
            ToolTrace("sqlx", ".sqlx", .exists),
            ToolTrace("diesel", "Cargo.toml", .crate("diesel")),
            ToolTrace("diesel", "diesel.toml", .exists),
            ToolTrace("refinery", "Cargo.toml", .crate("refinery")),
            ToolTrace("refinery", "refinery.toml", .exists),
            ToolTrace("golang-migrate", "go.mod", .module("github.com/golang-migrate/migrate")),
            ToolTrace("goose", "go.mod", .module("github.com/pressly/goose")),
            ToolTrace("dbmate", "go.mod", .module("github.com/amacneil/dbmate")),
            ToolTrace("dbmate", "package.json", .package(["dbmate"])),
            ToolTrace("dbmate", ".env", .word("DBMATE_")),
            ToolTrace("dbmate", ".env", .word("DATABASE_URL=sqlite")),
            ToolTrace("dbmate", ".env", .word("DATABASE_URL=\"sqlite")),
            ToolTrace("prisma", "package.json", .package(["prisma", "@prisma/client"])),
            ToolTrace("drizzle", "package.json", .package(["drizzle-orm", "drizzle-kit"])),
            ToolTrace("Knex", "package.json", .package(["knex"])),
            ToolTrace("Sequelize", "package.json", .package(["sequelize", "sequelize-cli"])),
            ToolTrace("TypeORM", "package.json", .package(["typeorm"])),
            ToolTrace("drift", "pubspec.yaml", .word("drift:")),
            ToolTrace("flyway", "flyway.toml", .exists),
            ToolTrace("flyway", "flyway.conf", .exists),
            ToolTrace("flyway", "pom.xml", .word("flyway")),
        ]
        + ["wrangler.toml", "wrangler.json", "wrangler.jsonc"].map {
            ToolTrace("d1", $0, .word("d1_databases"))
        }
        + ["build.gradle", "build.gradle.kts"].flatMap { file in
            [
                ToolTrace("flyway", file, .word("flyway")),
                ToolTrace("sqldelight", file, .word("sqldelight")),
                ToolTrace("room", file, .word("room")),
            ]
        }
        // Atlas runs other tools' folders too, and its configuration names them.
        + ["golang-migrate", "goose", "dbmate", "flyway"].flatMap { tool in
            ["format=\(tool)", "format = \"\(tool)\"", "format = \(tool)"].map {
                ToolTrace(tool, "atlas.hcl", .word($0))
            }
        }

    /// The tools that a folder's files name, and where.
    package struct Found: Sendable, Hashable {
        /// By tool, the path of the file that names it.
        package var places: [String: String] = [:]
    }

    /// Returns those of the given tools that the nearest folder names, from the migrations upwards to the project's root.
    package static func nearest(to folder: String, among tools: Set<String>) -> Found? {
        let traces = all.filter { tools.contains($0.tool) }
        for above in ProjectFolders.upwards(from: folder) {
            var found = Found()
            for (file, rows) in Dictionary(grouping: traces, by: \.file) {
                let path = above == "/" ? "/" + file : above + "/" + file
                guard FolderListing.exists(path) else { continue }
                let text = TraceText(path)
                for row in rows where row.matches(text) {
                    found.places[row.tool] = ProjectFolders.shown(path)
                }
            }
            if !found.places.isEmpty { return found }
        }
        return nil
    }

    private func matches(_ text: TraceText) -> Bool {
        switch sign {
        case .exists: true
        case .crate(let name): text.lines.contains { Self.names(crate: name, $0) }
        case .module(let name):
            text.lines.contains { line in
                !line.hasPrefix("module ") && !line.hasSuffix("// indirect")
                    && (line.contains(name + "/v") || line.contains(name + " "))
            }
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
private struct TraceText {
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
