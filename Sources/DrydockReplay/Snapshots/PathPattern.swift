import DrydockFindings
import Foundation

/// Names with `*`, `?` and `[...]` in them, and `**` for any number of folders, none among them, which a shell leaves
/// to the tool where the pattern is quoted, or where it does not know `**`.
enum PathPattern {
    /// The paths that match, in order, each once. Hidden folders and links to folders are not entered for `**`.
    static func matches(_ pattern: String) -> [String] {
        var parts = pattern.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let deep = parts.firstIndex(of: "**") else { return glob(pattern) }
        let head = parts[..<deep].joined(separator: "/")
        parts.removeFirst(deep + 1)
        // More of them in a row are one, and one at the end is everything below.
        while parts.first == "**" { parts.removeFirst() }
        let tail = parts.isEmpty ? "*" : parts.joined(separator: "/")
        let roots = deep == 0 ? ["."] : head.isEmpty ? ["/"] : glob(head).filter(FolderListing.isFolder)
        var found: Set<String> = []
        for root in roots {
            for folder in folders(below: root) {
                let prefix = folder == "." ? "" : folder == "/" ? "/" : escaped(folder) + "/"
                found.formUnion(matches(prefix + tail))
            }
        }
        return found.sorted()
    }

    /// The folder itself, and those in it, at any depth.
    private static func folders(below root: String) -> [String] {
        var result = [root]
        var next = 0
        while next < result.count {
            let folder = result[next]
            next += 1
            for name in ((try? FolderListing.files(in: folder)) ?? []).sorted() {
                let path = folder == "." ? name : folder == "/" ? "/" + name : "\(folder)/\(name)"
                var status = stat()
                if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { result.append(path) }
            }
        }
        return result
    }

    /// A name in which nothing stands for anything else.
    private static func escaped(_ path: String) -> String {
        String(path.flatMap { "*?[\\".contains($0) ? ["\\", $0] : [$0] })
    }

    private static func glob(_ pattern: String) -> [String] {
        var matches = glob_t()
        defer { globfree(&matches) }
        guard Foundation.glob(pattern, 0, nil, &matches) == 0 else { return [] }
        return (0..<Int(matches.gl_pathc)).compactMap { index in
            matches.gl_pathv[index].map { String(cString: $0) }
        }
    }
}
