import DrydockFiles
import DrydockFindings

/// What a project's configuration of wrangler says of D1 databases: the folder of whose migrations `wrangler d1 migrations
/// apply` runs, whoever generated the files, and the table of their history
/// (developers.cloudflare.com/workers/wrangler/configuration/#d1-databases).
struct WranglerConfig: Sendable {
    struct Database: Sendable, Hashable {
        /// The folder of its migrations, relative to the configuration.
        var folder = "migrations"
        /// The table of its history, if it is not D1's own.
        var table: String?
    }

    static let names = ["wrangler.toml", "wrangler.json", "wrangler.jsonc"]

    let path: String
    let databases: [Database]

    init(_ path: String) {
        self.path = path
        databases = Self.databases(in: ProjectText(path).lines.joined(separator: "\n"))
    }

    /// Returns the nearest configuration, from a folder of migrations upwards, that names the folder.
    ///
    /// A project that keeps its own identifiers to itself has the configuration as an example, such as
    /// `wrangler.example.json` or `wrangler.toml.example`.
    static func naming(_ folder: String) -> (file: String, database: Database)? {
        let real = FolderListing.realPath(folder)
        for above in ProjectFolders.upwards(from: folder) {
            let files = (FolderListing.entries(in: above) ?? []).map(\.name).filter { name in
                name.hasPrefix("wrangler.") && [".toml", ".json"].contains { name.contains($0) }
            }
            let ordered = names.filter(files.contains) + files.filter { !names.contains($0) }.sorted()
            for file in ordered {
                let config = WranglerConfig(above + "/" + file)
                for database in config.databases
                where FolderListing.realPath(above + "/" + database.folder) == real {
                    return (ProjectFolders.shown(config.path), database)
                }
            }
        }
        return nil
    }

    /// Reads TOML's `[[d1_databases]]`, also in an environment, and lists of tables as TOML and JSON have them.
    private static func databases(in text: String) -> [Database] {
        text.matches(of: /d1_databases"?\s*(\]\]|[:=]\s*\[)/).flatMap { match in
            let rest = text[match.range.upperBound...]
            guard match.1 == "]]" else {
                return rest.prefix { $0 != "]" }.split(separator: "}").filter { $0.contains("{") }.map(
                    database)
            }
            return [database(rest.firstRange(of: "\n[").map { rest[..<$0.lowerBound] } ?? rest)]
        }
    }

    private static func database(_ entry: Substring) -> Database {
        var database = Database()
        if let folder = entry.firstMatch(of: /migrations_dir"?\s*[:=]\s*["']([^"']+)["']/) {
            database.folder = String(folder.1)
        }
        database.table = entry.firstMatch(of: /migrations_table"?\s*[:=]\s*["']([^"']+)["']/).map {
            String($0.1)
        }
        return database
    }
}
