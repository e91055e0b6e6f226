import SQLiteSchema

/// Writes a lock. What is the same gives the same text.
extension Lock {
    private static let heading = """
        # What is released. Written by drydock lock; every line stands for itself: a merge keeps those of both sides.
        version \(version)
        """

    public var text: String {
        var lines = [Self.heading]
        if !isOfClosuresAlone {
            lines.append("migrations \(LockWord.text(migrationsFolder)) format=\(LockWord.text(format))")
        }
        lines.append("")
        for migration in migrations {
            lines.append(
                LockWord.line(
                    ["migration", migration.identifier],
                    [
                        ("file", migration.file), ("bytes", migration.bytes), ("tokens", migration.tokens),
                        ("checksum", migration.checksum),
                    ]))
        }
        for closure in closures {
            lines.append(
                LockWord.line(
                    ["closure", closure.identifier], [("sql", closure.sql), ("values", closure.values)]))
        }
        for snapshot in snapshots.sorted(by: { naturallyPrecedes($0.path, $1.path) }) {
            lines.append("")
            lines += Self.lines(of: snapshot)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of snapshot: LockedSnapshot) -> [String] {
        var lines = [
            LockWord.line(
                ["snapshot", snapshot.path],
                [
                    ("content", snapshot.content), ("tokens", snapshot.tokens), ("at", snapshot.version),
                    ("sqlite", snapshot.library), ("locked", snapshot.date),
                ])
        ]
        if !snapshot.rows.isEmpty {
            let counts = snapshot.rows.sorted { $0.key < $1.key }.map { ($0.key, Optional(String($0.value))) }
            lines.append(LockWord.line(["rows", snapshot.path], counts))
        }
        for (key, text) in snapshot.baselines.sorted(by: { $0.key < $1.key }) {
            lines.append(LockWord.line(["baseline", snapshot.path], [("by", key)]) + " " + text)
        }
        return lines
    }
}

/// How a word is written: as it is where it reads back, else in double quotes.
enum LockWord {
    static func line(_ words: [String], _ pairs: [(String, String?)]) -> String {
        (words.map(text) + pairs.compactMap { name, value in value.map { "\(text(name))=\(text($0))" } })
            .joined(separator: " ")
    }

    static func text(_ word: String) -> String {
        let scalars = word.unicodeScalars
        let isPlain =
            scalars.first != "#" && scalars.allSatisfy { !isSpecial($0) && !isHidden($0) && $0 != " " }
        guard !isPlain || word.isEmpty else { return word }
        var text = "\"".unicodeScalars
        for scalar in scalars {
            if isHidden(scalar) {
                text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                if scalar == "\"" || scalar == "\\" { text.append("\\") }
                text.append(scalar)
            }
        }
        text.append("\"")
        return String(text)
    }

    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "\\" || scalar == "="
    }

    /// What an editor does not show, or shows as something else: control and format characters, odd spaces.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar != " " else { return false }
        let properties = scalar.properties
        return properties.isWhitespace || properties.generalCategory == .control
            || properties.generalCategory == .format
    }
}
