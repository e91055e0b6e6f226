import DrydockFiles
import DrydockFindings
import Foundation

/// What a project's source says of foreign keys on the app's connections, such as `PRAGMA foreign_keys = ON`.
///
/// Rust, Go, TypeScript, JavaScript and Python are read, apart from tests and examples. It is said in so many words or not at
/// all: what a variable holds is not followed.
struct ForeignKeySigns: Sendable {
    struct Sign: Sendable, Hashable {
        var isOn: Bool
        /// FILE:LINE.
        var place: String
    }

    /// In the order of the search.
    private(set) var signs: [Sign] = []

    /// Whether all say the same.
    var agree: Bool { Set(signs.map(\.isOn)).count == 1 }

    /// The first sign that they are on, and the first that they are off.
    var ofEither: [Sign] { [true, false].compactMap { isOn in signs.first { $0.isOn == isOn } } }

    /// Returns what the project around a folder of migrations says; nil if nothing.
    ///
    /// The project is the nearest folder above with a manifest that has source in it; without any manifest, the nearest up to
    /// the working folder.
    static func nearest(to folder: String) -> ForeignKeySigns? {
        var above = ProjectFolders.upwards(from: folder)
        // Neither the file system nor a home folder is a project.
        if let last = above.last, !FolderListing.exists(last + "/.git") { above.removeLast() }
        let projects = above.filter { root in manifests.contains { FolderListing.exists(root + "/" + $0) } }
        let here = FolderListing.realPath(".")
        let parents = above.dropFirst()
        let near = parents.filter { $0 == here || $0.hasPrefix(here + "/") }
        let roots = projects.isEmpty ? near.isEmpty ? Array(parents.prefix(1)) : near : projects
        for root in roots {
            var search = SourceSearch(root)
            search.run()
            guard search.fileCount > 0 else { continue }
            return search.signs.isEmpty ? nil : ForeignKeySigns(signs: search.signs)
        }
        return nil
    }

    private static let manifests = [
        "Cargo.toml", "go.mod", "package.json", "deno.json", "pyproject.toml", "setup.py", "requirements.txt",
    ]
}

/// A bounded search through the source of a project.
private struct SourceSearch {
    private(set) var signs: [ForeignKeySigns.Sign] = []
    private(set) var fileCount = 0
    private let root: String
    private var byteCount = 0

    private static let endings: Set<String> = [
        "rs", "go", "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "py",
    ]
    private static let folderLimit = 4000
    private static let fileLimit = 4000
    private static let byteLimit = 64 << 20
    /// Longer files are bundles, or generated.
    private static let sizeLimit = 1 << 20

    init(_ root: String) { self.root = root }

    /// Reads the files of a folder before those of the folders in it.
    mutating func run() {
        var queue = [""]
        var next = 0
        while next < queue.count, next < Self.folderLimit {
            let folder = queue[next]
            next += 1
            let path = folder.isEmpty ? root : root + "/" + folder
            let entries = (FolderListing.entries(in: path) ?? []).sorted {
                naturallyPrecedes($0.name, $1.name)
            }
            for entry in entries where !entry.name.hasPrefix(".") {
                let name = folder.isEmpty ? entry.name : folder + "/" + entry.name
                guard !SearchLimits.isTrial(name) else { continue }
                switch entry.kind {
                case .folder where !SearchLimits.skipped.contains(entry.name.lowercased()): queue.append(name)
                case .file: read(name)
                case .folder, .link: break
                }
            }
        }
    }

    private mutating func read(_ name: String) {
        let file = PathParts.name(of: name)
        guard let ending = file.split(separator: ".").last, Self.endings.contains(String(ending)),
            // A migration in code sets it for itself.
            file.prefixMatch(of: /[A-Za-z]?[0-9]/) == nil, file != "conftest.py",
            fileCount < Self.fileLimit, byteCount < Self.byteLimit,
            let bytes = try? FolderListing.contents(of: root + "/" + name, limit: Self.sizeLimit)
        else { return }
        fileCount += 1
        byteCount += bytes.count
        guard bytes.count < Self.sizeLimit, SourceLine.words.contains(where: { bytes.has($0) }) else {
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        var found: [(line: Int, sign: ForeignKeySigns.Sign)] = []
        for (index, line) in lines.enumerated() {
            // Rust keeps the tests of a file at its end.
            if ending == "rs", line.contains("#[cfg(test)]"),
                lines[(index + 1)...].first?.contains("mod ") == true
            {
                break
            }
            guard let isOn = SourceLine(line, isPython: ending == "py").enforces else { continue }
            let place = ProjectFolders.shown(root + "/" + name) + ":\(index + 1)"
            found.append((index, .init(isOn: isOn, place: place)))
        }
        // What turns them off, migrates and turns them on again has them off while it migrates.
        let around = zip(found, found.dropFirst()).first { off, on in
            !off.sign.isOn && on.sign.isOn
                && lines[off.line...on.line].contains { $0.lowercased().contains("migrat") }
        }
        signs += around.map { [$0.0.sign] } ?? found.map(\.sign)
    }
}

/// A line of source.
private struct SourceLine {
    private let text: Substring

    /// What a line that says it has in it.
    static let words = ["foreign_keys", "_fk", "ENABLE_FKEY"]

    init(_ line: Substring, isPython: Bool) {
        let line = line.drop(while: \.isWhitespace)
        let isComment =
            isPython ? line.hasPrefix("#") : ["//", "/*", "* ", "*/"].contains { line.hasPrefix($0) }
        let comment = line.firstRange(of: isPython ? " #" : " //")
        text = isComment ? "" : line[..<(comment?.lowerBound ?? line.endIndex)]
    }

    /// Whether it turns foreign keys on, or off; nil if it does neither.
    var enforces: Bool? {
        guard Self.words.contains(where: text.contains) else { return nil }
        let pattern =
            /(?<name>_?foreign_keys|_fk|ENABLE_FKEY)(?<between>[\s"'`=(:,&]{1,8})(?<value>on|off|true|false|yes|no|1|0)\b/
            .ignoresCase()
        guard let match = text.firstMatch(of: pattern), match.between.contains(where: "=(:,".contains),
            !match.between.contains("==")
        else { return nil }
        let before = text[..<match.range.lowerBound]
        // `foreign_keys` may be a name of the app's own.
        let isSetting =
            match.name.hasPrefix("_") || match.name.hasSuffix("FKEY")
            || before.lowercased().contains("pragma")
            || before.hasSuffix(".") && match.between == "("
        return isSetting ? ["on", "true", "yes", "1"].contains(match.value.lowercased()) : nil
    }
}

extension [UInt8] {
    /// Returns whether a text stands somewhere in the bytes.
    fileprivate func has(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, count >= wanted.count else { return false }
        var rest = self[...(count - wanted.count)]
        while let start = rest.firstIndex(of: first) {
            if self[start...].starts(with: wanted) { return true }
            rest = rest[(start + 1)...]
        }
        return false
    }
}
