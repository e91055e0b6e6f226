import Foundation

/// The repository's files.
enum Repository {
    struct File {
        var path: String
        var text: String

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The target that the file belongs to.
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

    static func swiftFiles(in path: String) throws -> [File] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: path).path)
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            File(path: path + "/" + name, text: try text(path + "/" + name))
        }
    }
}
