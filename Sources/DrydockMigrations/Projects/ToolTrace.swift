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
        /// A module that a Go file imports, itself or a package of it.
        case imports(String)
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
        + [
            ("golang-migrate", "github.com/golang-migrate/migrate"), ("goose", "github.com/pressly/goose"),
            ("dbmate", "github.com/amacneil/dbmate"), ("maragudk-migrate", "github.com/maragudk/migrate"),
            ("maragudk-migrate", "maragu.dev/migrate"),
        ].flatMap { tool, module in
            [ToolTrace(tool, goFiles, .imports(module)), ToolTrace(tool, "go.mod", .module(module))]
        }
        + WranglerConfig.names.map { ToolTrace("d1", $0, .word("d1_databases")) }
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
        let traces = all.filter { tools.contains($0.tool) }
        // What a source imports is what it uses; its module may depend on more.
        let kinds = [traces.filter { $0.file == goFiles }, traces.filter { $0.file != goFiles }]
        for above in ProjectFolders.upwards(from: folder) {
            for rows in kinds {
                let found = found(by: rows, in: above == "/" ? "" : above)
                if !found.places.isEmpty { return found }
            }
        }
        return nil
    }

    private static func found(by traces: [ToolTrace], in folder: String) -> Found {
        var found = Found()
        for (file, rows) in Dictionary(grouping: traces, by: \.file) {
            for path in paths(file, in: folder) {
                let text = TraceText(path)
                for row in rows where row.matches(text) {
                    found.places[row.tool] = ProjectFolders.shown(path)
                }
            }
        }
        return found
    }

    /// Returns the package.json of a folder that Drizzle filled, if wrangler is all there is to run its migrations. A Durable
    /// Object, like Expo, bundles them by a `migrations.js`.
    static func packageOfOnlyD1(above folder: FolderFiles) -> String? {
        guard folder.exists("meta/_journal.json"), !folder.exists("migrations.js") else { return nil }
        for above in ProjectFolders.upwards(from: folder.path)
        where FolderListing.exists(above + "/package.json") {
            let packages = TraceText(above + "/package.json").packages
            guard packages.contains("drizzle-orm") || packages.contains("wrangler") else { continue }
            let isOnly = packages.contains("wrangler") && packages.isDisjoint(with: sqliteDrivers)
            return isOnly ? ProjectFolders.shown(above + "/package.json") : nil
        }
        return nil
    }

    private static let sqliteDrivers: Set<String> = [
        "better-sqlite3", "@libsql/client", "@tursodatabase/database", "sql.js", "expo-sqlite",
        "@op-engineering/op-sqlite", "sqlite3", "bun-sqlite",
    ]

    private static func paths(_ file: String, in folder: String) -> [String] {
        guard file == goFiles else {
            return FolderListing.exists(folder + "/" + file) ? [folder + "/" + file] : []
        }
        let names = (FolderListing.entries(in: folder.isEmpty ? "/" : folder) ?? []).map(\.name)
        return names.filter { $0.hasSuffix(".go") && !$0.hasSuffix("_test.go") }.sorted().prefix(goFileLimit)
            .map { folder + "/" + $0 }
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
struct TraceText {
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
