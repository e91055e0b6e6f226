import Foundation

/// The repository's files.
enum Repository {
    struct File {
        var path: String
        var text: String

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The lines that are more than a comment.
        var codeLines: [Substring] {
            text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        }

        /// The target that it belongs to.
        var target: String { String(path.split(separator: "/")[1]) }

        var imports: Set<String> {
            Set(
                text.matches(
                    of:
                        /(?m)^\s*(?:@\w+(?:\([^)]*\))?\s+)?(?:\w+\s+)?import\s+(?:struct |class |func |enum )?(\w+)/
                )
                .map { String($0.output.1) })
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
