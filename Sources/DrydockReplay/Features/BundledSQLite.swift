import DrydockFiles
import DrydockFindings
import DrydockMigrations

/// A package that brings its own SQLite to an app, as the lock file of a project names it.
struct BundledSQLite: Sendable, Hashable {
    let package: String
    let version: String
    /// The path of the file that names it.
    let file: String
    /// The second part of the SQLite version: 46 in 3.46; nil where it is not known.
    let minor: Int?
    /// Whether the package may have a newer one than that.
    let isNewer: Bool

    /// Returns the package that the nearest folder names, from the migrations upwards to the project's root.
    static func nearest(to folder: String) -> BundledSQLite? {
        for above in ProjectFolders.upwards(from: folder) {
            for source in LockFile.all {
                let path = above == "/" ? "/" + source.name : above + "/" + source.name
                guard let bytes = try? FolderListing.contents(of: path, limit: 1 << 24) else { continue }
                let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
                for package in BundledPackage.all {
                    guard let version = source.version(package.name, lines) else { continue }
                    let (minor, isNewer) = package.minor(of: version)
                    return BundledSQLite(
                        package: package.name, version: version, file: ProjectFolders.shown(path),
                        minor: minor, isNewer: isNewer)
                }
            }
        }
        return nil
    }
}

extension BundledSQLite: CustomStringConvertible {
    package var description: String {
        let sqlite = minor.map { "SQLite 3.\($0)" + (isNewer ? " or newer" : "") } ?? "its own SQLite"
        return "\(package) \(version) in \(file) includes \(sqlite)"
    }
}

/// A package that brings its own SQLite.
private struct BundledPackage {
    let name: String
    /// The versions from which the package has another SQLite, and the second part of that version.
    private let steps: [(version: [Int], minor: Int)]
    /// Whether the steps are all that there were.
    private let isComplete: Bool
    /// Whether the package's versions are those of SQLite.
    private let isSQLite: Bool

    private init(_ name: String, _ steps: String, isComplete: Bool = true) {
        (self.name, self.isComplete) = (name, isComplete)
        isSQLite = steps.isEmpty
        self.steps = steps.split(separator: " ").compactMap { step in
            let parts = step.split(separator: ":")
            return parts.last.flatMap { Int($0) }.map { (Self.numbers(parts[0]), $0) }
        }
    }

    /// From the sources that each package has at the tags of its versions.
    static let all: [BundledPackage] = [
        BundledPackage(
            "libsqlite3-sys",
            "0.22:35 0.23:36 0.23.2:37 0.24:38 0.25:39 0.26:41 0.27:44 0.28:45 0.29:46 0.31:48 0.32:49 0.35:50 0.36:51 "
                + "0.38:53"),
        BundledPackage(
            "github.com/mattn/go-sqlite3",
            "1.14.6:34 1.14.7:35 1.14.8:36 1.14.10:37 1.14.12:38 1.14.15:39 1.14.17:42 1.14.18:44 1.14.20:45 1.14.23:46 "
                + "1.14.28:49 1.14.29:50 1.14.33:51 1.14.44:53"),
        BundledPackage(
            "modernc.org/sqlite",
            "1.19.2:39 1.20:40 1.21:41 1.29.8:45 1.30:46 1.36.1:49 1.38:50 1.44:51", isComplete: false),
        BundledPackage(
            "better-sqlite3",
            "8.2:41 8.4:42 8.6:43 9.1:44 9.3:45 10.1:46 11.5:47 11.8:48 11.9:49 12.2:50 12.4.2:51 12.9:53"),
        BundledPackage("org.xerial:sqlite-jdbc", ""),
        BundledPackage("@sqlite.org/sqlite-wasm", ""),
    ]

    /// Returns the second part of the SQLite version that a version of the package has, and whether it may be a later one.
    func minor(of version: String) -> (Int?, isNewer: Bool) {
        let numbers = Self.numbers(version)
        if isSQLite { return (numbers.count > 1 && numbers[0] == 3 ? numbers[1] : nil, false) }
        let place = steps.lastIndex { !numbers.lexicographicallyPrecedes($0.version) }
        return (place.map { steps[$0].minor }, !isComplete || place == steps.count - 1)
    }

    private static func numbers(_ version: some StringProtocol) -> [Int] {
        version.split(separator: ".").map { part in Int(part.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
    }
}

/// A file in which a project's package manager writes the versions that it uses.
private struct LockFile {
    let name: String
    /// Returns the version of a package; nil where the file does not name it.
    let version: @Sendable (_ package: String, _ lines: [Substring]) -> String?

    static let all = [
        LockFile(name: "Cargo.lock") { package, lines in
            guard let place = lines.firstIndex(of: "name = \"\(package)\"") else { return nil }
            let entry = lines[place...].prefix { $0 != "[[package]]" }
            // Without the C compiler it uses the system's library.
            guard entry.contains(where: { $0.contains("\"cc\"") }) else { return nil }
            return entry.lazy.compactMap { value(of: "version = ", in: $0) }.first
        },
        LockFile(name: "go.mod") { package, lines in
            lines.lazy.compactMap { line in
                let words = line.split(separator: " ").drop { $0 == "require" }.map {
                    $0.trimmingPrefix { $0.isWhitespace }
                }
                guard words.count > 1, words[0] == package, words[1].hasPrefix("v") else { return nil }
                return String(words[1].dropFirst())
            }.first
        },
        LockFile(name: "package-lock.json") { package, lines in
            let key = "\"node_modules/\(package)\": {"
            guard let place = lines.firstIndex(where: { $0.trimmingPrefix { $0.isWhitespace } == key }) else {
                return nil
            }
            return lines[place...].lazy.compactMap { value(of: "\"version\": ", in: $0) }.first
        },
        LockFile(name: "pnpm-lock.yaml") { package, lines in
            version(behind: [package + "@", "/" + package + "@"], lines)
        },
        LockFile(name: "bun.lock") { package, lines in version(behind: [package + "@"], lines) },
        LockFile(name: "yarn.lock") { package, lines in
            guard
                let place = lines.firstIndex(where: {
                    $0.hasPrefix(package + "@") || $0.hasPrefix("\"" + package + "@")
                })
            else { return nil }
            return lines[place...].lazy.compactMap {
                value(of: "version ", in: $0) ?? value(of: "version: ", in: $0)
            }.first
        },
        LockFile(name: "build.gradle", version: coordinate),
        LockFile(name: "build.gradle.kts", version: coordinate),
    ]

    /// Returns the rest of a line behind a beginning, without quotes and commas.
    private static func value(of start: String, in line: Substring) -> String? {
        let text = line.trimmingPrefix { $0.isWhitespace }
        guard text.hasPrefix(start) else { return nil }
        return String(text.dropFirst(start.count).filter { !"\"',".contains($0) })
    }

    /// Returns what looks like a version directly behind one of some beginnings, wherever they are in a line.
    private static func version(behind starts: [String], _ lines: [Substring]) -> String? {
        for line in lines {
            for start in starts {
                guard let range = line.firstRange(of: start) else { continue }
                let before = line[..<range.lowerBound].last
                let version = line[range.upperBound...].prefix { $0.isNumber || $0 == "." }
                guard !version.isEmpty, before.map({ " '\"".contains($0) }) ?? true else { continue }
                return String(version)
            }
        }
        return nil
    }

    private static let coordinate: @Sendable (String, [Substring]) -> String? = { package, lines in
        version(behind: [package + ":"], lines)
    }
}
