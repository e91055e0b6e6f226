import DrydockFindings

/// The databases that a command line names.
enum DatabaseNames {
    /// Paths, patterns among them replaced by what they match, in order; each database once.
    /// - Throws: ``RequestError`` for a pattern that matches nothing.
    static func resolve(_ names: [String]) throws -> [String] {
        var seen: Set<String> = []
        var paths: [String] = []
        for name in names {
            let isPattern = !FolderListing.exists(name) && name.contains { "*?[".contains($0) }
            let matches = isPattern ? PathPattern.matches(name).filter(isDatabase) : [name]
            if matches.isEmpty { throw RequestError("no database matches '\(name)'") }
            for path in matches where seen.insert(FolderListing.realPath(path)).inserted {
                paths.append(path)
            }
        }
        guard !paths.isEmpty else { throw RequestError("no database is named") }
        return paths
    }

    /// A pattern means databases, not what lies beside them.
    private static func isDatabase(_ path: String) -> Bool {
        !FolderListing.isFolder(path) && !["-wal", "-shm", "-journal"].contains { path.hasSuffix($0) }
    }
}
