import Foundation

/// The repository's files.
enum Repository {
    struct File {
        var path: String
        var text: String

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// Returns the lines in which a regular expression finds something.
        func lines(with pattern: String) throws -> [String] {
            // `Regex`, a line at a time, took a minute for the whole repository in a debug build.
            let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
            let text = NSString(string: text)
            return expression.matches(in: self.text, range: NSRange(location: 0, length: text.length)).map {
                text.substring(with: text.lineRange(for: $0.range)).trimmingCharacters(in: .newlines)
            }
        }

        /// Returns the same, without lines that are only a comment.
        func codeLines(with pattern: String) throws -> [String] {
            try lines(with: pattern).filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        }

        /// The target that it belongs to.
        var target: String { String(path.split(separator: "/")[1]) }

        var imports: Set<String> {
            get throws {
                let lines = try lines(
                    with: #"^[ \t]*(@\w+(\([^)]*\))? +)?(\w+ +)?import +(struct |class |func |enum )?\w+"#)
                return Set(
                    lines.compactMap { $0.split(separator: " ").last?.prefix { $0 != "." } }.map(String.init))
            }
        }
    }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func folders(in path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            at: root.appending(path: path), includingPropertiesForKeys: [.isDirectoryKey]
        ).filter(\.hasDirectoryPath).map(\.lastPathComponent)
    }

    /// The paths of code and pages below a folder, without those of builds.
    static func texts(in path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: path).path)
            .filter { name in
                (name.hasSuffix(".swift") || name.hasSuffix(".md"))
                    && !name.split(separator: "/").contains { $0.hasPrefix(".") }
            }.map { path + "/" + $0 }
    }

    static func swiftFiles(in path: String) throws -> [File] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: path).path)
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            File(path: path + "/" + name, text: try text(path + "/" + name))
        }
    }
}
