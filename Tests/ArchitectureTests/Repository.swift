import Foundation

/// The repository's files.
enum Repository {
    struct File {
        var path: String
        var text: String

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

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

    /// The names in a target's `dependencies:` as Package.swift writes them.
    static func dependencies(of target: String, in manifest: String) throws -> [String] {
        guard let start = manifest.firstRange(of: "name: \"\(target)\"", after: "targets: [\n"),
            let line = manifest[start.upperBound...].firstMatch(of: /^[^\[\n]*\n?[^\[\n]*\[([^\]]*)\]/),
            manifest[start.upperBound...].prefix(30).contains("dependencies")
        else { return [] }
        return line.output.1.split(separator: ",").map { $0.filter { !" \n\"".contains($0) } }.filter {
            !$0.isEmpty
        }
    }
}

extension String {
    fileprivate func firstRange(of text: String, after marker: String) -> Range<String.Index>? {
        guard let targets = ranges(of: marker).last else { return nil }
        return self[targets.upperBound...].firstRange(of: text)
    }
}
