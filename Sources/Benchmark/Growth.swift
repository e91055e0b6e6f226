import Foundation

/// How the cost grows with the size of a database, and with the number of its tables.
struct Growth {
    struct Line {
        var name: String
        /// The median for each size, in seconds; nil where it is not measured.
        var seconds: [Double?]
    }

    var title: String
    var sizes: [String]
    var lines: [Line]

    var markdown: String {
        var text = "## \(title)\n\n| | \(sizes.joined(separator: " | ")) |\n"
        text += "|---|\(String(repeating: "---|", count: sizes.count))\n"
        for line in lines {
            let cells = line.seconds.map { $0.map { "\(TaskResult.format($0)) s" } ?? "" }
            text += "| \(line.name) | \(cells.joined(separator: " | ")) |\n"
        }
        return text + "\n"
    }

    /// - Parameter contenders: those for a size; nil for what is not measured there.
    private init<Size>(
        _ title: String, _ sizes: [Size], named name: (Size) -> String,
        _ contenders: (Size) throws -> [(String, Contender?)]
    ) throws {
        self.title = title
        self.sizes = sizes.map(name)
        lines = []
        for (index, size) in sizes.enumerated() {
            for (number, (name, contender)) in try contenders(size).enumerated() {
                if index == 0 { lines.append(Line(name: name, seconds: [])) }
                guard let contender else {
                    lines[number].seconds.append(nil)
                    continue
                }
                _ = try contender.run()
                let runs = try (0..<3).map { _ in try contender.run().seconds }
                lines[number].seconds.append(runs.sorted()[1])
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
                ("verify, ADD COLUMN, snapshot known", Contender("", verify)),
                ("verify, the same, not known", Contender("", verify + ["--no-cache"])),
                ("health --deep", Contender("", [drydock, "health", "--deep", "-q", database.snapshot])),
                (
                    "sqlite3 integrity_check",
                    Contender("", ["sqlite3", "-readonly", database.snapshot, "PRAGMA integrity_check"])
                ),
                ("stats", Contender("", [drydock, "stats", database.snapshot])),
                ("sqlite3_analyzer", Contender("", ["sqlite3_analyzer", database.snapshot])),
                (
                    "diff --data, one row of 5,000 changed",
                    Contender("", [drydock, "diff", "--data", database.snapshot, changed], statuses: [1])
                ),
                ("sqldiff", Contender("", ["sqldiff", database.snapshot, changed])),
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
            return [
                ("stats", Contender("", [drydock, "stats", database.path])),
                (
                    "sqlite3_analyzer",
                    count > 1000 ? nil : Contender("", ["sqlite3_analyzer", database.path])
                ),
                ("schema", Contender("", [drydock, "schema", database.path])),
                ("health", Contender("", [drydock, "health", "-q", database.path])),
                (
                    "sqlite3 integrity_check",
                    Contender("", ["sqlite3", "-readonly", database.path, "PRAGMA integrity_check"])
                ),
            ]
        }
    }
}
