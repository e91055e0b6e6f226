import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// Writes a lock. Equal locks have equal text.
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
            lines.append(LockLine.of(migration).text)
            if let down = migration.down { lines.append(LockLine.of(down, of: migration.identifier).text) }
        }
        lines += closures.map { LockLine.of($0).text }
        for snapshot in snapshots.sorted(by: { naturallyPrecedes($0.path, $1.path) }) {
            lines.append("")
            lines.append(LockLine.of(snapshot).text)
            if !snapshot.rows.isEmpty {
                lines.append(LockLine.of(rows: snapshot.rows, of: snapshot.path).text)
            }
            for (key, text) in snapshot.baselines.sorted(by: { $0.key < $1.key }) {
                lines.append(LockLine.of(baseline: text, by: key, of: snapshot.path).text)
            }
        }
        if !origins.isEmpty { lines.append("") }
        for origin in origins.sorted(by: { naturallyPrecedes($0.path, $1.path) }) {
            lines.append(LockLine.of(origin).text)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The line of an entry, with a checksum that shows edits by hand.
struct LockLine {
    private let head: String
    private let rest: String?

    private init(_ words: [String], _ pairs: [(String, String?)], rest: String? = nil) {
        head = LockWord.line(words, pairs)
        self.rest = rest
    }

    var text: String { head + " #" + digits + (rest.map { " " + $0 } ?? "") }

    /// CRC-32 of the line without the checksum, in hexadecimal digits.
    var digits: String {
        var sum = CRC32()
        sum.update((head + (rest.map { " " + $0 } ?? "")).utf8)
        let digits = String(sum.value, radix: 16)
        return String(repeating: "0", count: Self.digitCount - digits.count) + digits
    }

    static let digitCount = 8

    static func of(_ migration: LockedMigration) -> LockLine {
        LockLine(
            ["migration", migration.identifier],
            [
                ("file", migration.file), ("bytes", migration.bytes), ("tokens", migration.tokens),
                ("up", migration.up), ("marks", migration.marks), ("checksum", migration.checksum),
            ])
    }

    static func of(_ down: LockedDown, of identifier: String) -> LockLine {
        LockLine(["down", identifier], [("bytes", down.bytes), ("tokens", down.tokens)])
    }

    static func of(_ closure: LockedClosure) -> LockLine {
        LockLine(["closure", closure.identifier], [("sql", closure.sql), ("values", closure.values)])
    }

    static func of(_ snapshot: LockedSnapshot) -> LockLine {
        LockLine(
            ["snapshot", snapshot.path],
            [
                ("content", snapshot.content), ("tokens", snapshot.tokens), ("at", snapshot.version),
                ("sqlite", snapshot.library), ("locked", snapshot.date),
            ])
    }

    static func of(_ origin: LockedOrigin) -> LockLine {
        LockLine(
            ["origin", origin.path],
            [
                ("by", origin.way.rawValue), ("of", origin.source), ("at", origin.version),
                ("sqlite", origin.library), ("rows", String(origin.rows)), ("seed", String(origin.seed)),
                ("masked", origin.masked.isEmpty ? nil : LockWord.list(origin.masked)),
                ("made", origin.date), ("content", origin.content),
            ])
    }

    static func of(rows: [String: Int], of snapshot: String) -> LockLine {
        LockLine(["rows", snapshot], rows.sorted { $0.key < $1.key }.map { ($0.key, String($0.value)) })
    }

    static func of(baseline: String, by key: String, of snapshot: String) -> LockLine {
        LockLine(["baseline", snapshot], [("by", key)], rest: baseline)
    }
}

/// Writes words: as they are if they can be read back, otherwise in double quotes.
enum LockWord {
    /// Writes names as one word, so that ``names(of:)`` reads them back.
    static func list(_ names: [String]) -> String {
        names.map { $0.replacing("%", with: "%25").replacing(",", with: "%2C") }.joined(separator: ",")
    }

    static func names(of list: String) -> [String] {
        list.split(separator: ",").map {
            String($0).replacing("%2C", with: ",").replacing("%25", with: "%")
        }
    }

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
                text.append(contentsOf: VisibleText.spelling(scalar).unicodeScalars)
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

    /// Returns whether editors hide a character or show it as another: control and format characters, unusual spaces.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar != " " else { return false }
        return VisibleText.isHidden(scalar) || scalar.properties.isWhitespace
    }
}
