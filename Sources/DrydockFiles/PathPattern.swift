import Foundation

/// Expands names with `*`, `?` and `[...]`, and `**` for any number of folders, including none, which a shell leaves to
/// the tool where the pattern is quoted, or where the shell does not know `**`.
package enum PathPattern {
    /// Returns the matching paths in order, each once. `**` does not enter hidden folders and links to folders.
    package static func matches(_ pattern: String) -> [String] {
        var parts = pattern.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let deep = parts.firstIndex(of: "**") else { return glob(pattern) }
        let head = parts[..<deep].joined(separator: "/")
        parts.removeFirst(deep + 1)
        // Several in a row are the same as one, and one at the end means everything below.
        while parts.first == "**" { parts.removeFirst() }
        let tail = parts.isEmpty ? "*" : parts.joined(separator: "/")
        let roots = deep == 0 ? ["."] : head.isEmpty ? ["/"] : glob(head).filter(FolderListing.isFolder)
        var found: Set<[UInt8]> = []
        for root in roots {
            for folder in folders(below: root) {
                // What is in it cannot be read, which whoever gets the path says.
                if ByteName.isIn(folder) {
                    found.insert(Array(folder.utf8))
                    continue
                }
                let prefix = folder == "." ? "" : folder == "/" ? "/" : escaped(folder) + "/"
                found.formUnion(matches(prefix + tail).map { Array($0.utf8) })
            }
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the folder itself, and the folders in it, at any depth.
    private static func folders(below root: String) -> [String] {
        var result = [root]
        var next = 0
        while next < result.count {
            let folder = result[next]
            next += 1
            let entries = ByteName.isIn(folder) ? [] : FolderListing.entries(in: folder) ?? []
            for name in entries.filter({ $0.kind == .folder && !$0.name.hasPrefix(".") }).map(\.name).sorted()
            {
                result.append(folder == "." ? name : folder == "/" ? "/" + name : "\(folder)/\(name)")
            }
        }
        return result
    }

    /// Returns a pattern that matches only the path itself.
    private static func escaped(_ path: String) -> String {
        String(path.flatMap { "*?[\\".contains($0) ? ["\\", $0] : [$0] })
    }

    /// Called with each folder that cannot be opened; the search continues.
    private static let noteRefusal: @convention(c) (UnsafePointer<CChar>?, Int32) -> Int32 = { _, code in
        FolderListing.note(code)
        return 0
    }

    private static func glob(_ pattern: String) -> [String] {
        var matches = glob_t()
        defer { globfree(&matches) }
        guard Foundation.glob(pattern, 0, noteRefusal, &matches) == 0 else { return [] }
        return (0..<Int(matches.gl_pathc)).compactMap { index in
            matches.gl_pathv[index].map { path in
                String(validatingCString: path)
                    ?? ByteName.text(of: UnsafeRawBufferPointer(start: path, count: strlen(path)))
            }
        }
    }
}
