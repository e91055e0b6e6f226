import Foundation

/// How the cost grows with the size of a database, and with the number of its tables.
struct Growth {
    struct Line {
        var name: String
        /// The medians in seconds, by the place of the size; missing where it is not measured.
        var seconds: [Int: Double] = [:]
    }

    var title: String
    var sizes: [String]
    var lines: [Line]

    var markdown: String {
        var text = "## \(title)\n\n| | \(sizes.joined(separator: " | ")) |\n"
        text += "|---|\(String(repeating: "---|", count: sizes.count))\n"
        for line in lines {
            let cells = sizes.indices.map { line.seconds[$0].map { "\(TaskResult.format($0)) s" } ?? "" }
            text += "| \(line.name) | \(cells.joined(separator: " | ")) |\n"
        }
        return text + "\n"
    }

    /// - Parameter contenders: those for a size.
    private init<Size>(
        _ title: String, _ sizes: [Size], named name: (Size) -> String,
        _ contenders: (Size) throws -> [Contender]
    ) throws {
        self.title = title
        self.sizes = sizes.map(name)
        lines = []
        for (index, size) in sizes.enumerated() {
            for contender in try contenders(size) {
                _ = try contender.run()
                let seconds = try (0..<3).map { _ in try contender.run() }.sorted()[1]
                if let line = lines.firstIndex(where: { $0.name == contender.name }) {
                    lines[line].seconds[index] = seconds
                } else {
                    lines.append(Line(name: contender.name, seconds: [index: seconds]))
                }
            }
        }
    }

    static func ofSize(_ drydock: String, _ folder: String) throws -> Growth {
        try Growth("How the cost grows with the size", [10, 100, 500, 2000], named: { "\($0) MB" }) { size in
            let database = BenchmarkDatabase(folder: "\(folder)/\(size)", megabytes: size)
            try database.make()
            let changed = "\(folder)/\(size)/growth.sqlite"
            if !FileManager.default.fileExists(atPath: changed) {
                try FileManager.default.copyItem(atPath: database.snapshot, toPath: changed)
                try database.sqlite(changed, "UPDATE email SET subject = subject || '!' WHERE id % 5000 = 7;")
            }
            try "ALTER TABLE email ADD COLUMN note TEXT;".write(
                toFile: "\(folder)/\(size)/Migrations/v2.sql", atomically: true, encoding: .utf8)
            let verify = [
                "env", "XDG_CACHE_HOME=\(folder)/\(size)/cache", drydock, "verify", "-q", "--no-lock", "-m",
                "\(folder)/\(size)/Migrations", "-s", "\(folder)/\(size)/Snapshots",
            ]
            return [
                Contender("verify, ADD COLUMN, snapshot known", verify),
                Contender("verify, the same, without a cache", verify + ["--no-cache"]),
                Contender("health --deep", [drydock, "health", "--deep", "-q", database.snapshot]),
                Contender(
                    "sqlite3 integrity_check",
                    ["sqlite3", "-readonly", database.snapshot, "PRAGMA integrity_check"]),
                Contender("stats", [drydock, "stats", database.snapshot]),
                Contender("sqlite3_analyzer", ["sqlite3_analyzer", database.snapshot]),
                Contender(
                    "diff --data, one row of 5,000 changed",
                    [drydock, "diff", "--data", database.snapshot, changed], statuses: [1]),
                Contender("sqldiff", ["sqldiff", database.snapshot, changed]),
            ]
        }
    }

    static func ofTables(_ drydock: String, _ folder: String) throws -> Growth {
        try Growth(
            "How the cost grows with the number of tables", [1, 100, 1000, 10_000],
            named: { "\($0) table\($0 == 1 ? "" : "s")" }
        ) { count in
            let database = TableDatabase(folder: folder, tables: count)
            try database.make()
            let analyzer = Contender("sqlite3_analyzer", ["sqlite3_analyzer", database.path])
            return [
                Contender("stats", [drydock, "stats", database.path]),
                Contender("schema", [drydock, "schema", database.path]),
                Contender("health", [drydock, "health", "-q", database.path]),
                Contender(
                    "sqlite3 integrity_check",
                    ["sqlite3", "-readonly", database.path, "PRAGMA integrity_check"]),
                // It takes minutes for more.
            ] + (count > 1000 ? [] : [analyzer])
        }
    }
}
