import DrydockFindings

/// The databases that a command line names.
package enum DatabaseNames {
    /// Paths, patterns among them replaced by what they match, in order; each database once.
    /// - Throws: ``RequestError`` for a pattern that matches nothing.
    package static func resolve(_ names: [String]) throws -> [String] {
        var seen: Set<String> = []
        var paths: [String] = []
        for name in names {
            let matches = isPattern(name) ? PathPattern.matches(name).filter(isDatabase) : [name]
            if matches.isEmpty { throw RequestError("no database matches '\(name)'") }
            for path in matches where seen.insert(FolderListing.realPath(path)).inserted {
                paths.append(path)
            }
        }
        guard !paths.isEmpty else { throw RequestError("no database is named") }
        return paths
    }

    /// The one database that a name or a pattern means.
    /// - Throws: ``RequestError`` for a pattern that matches none or several.
    package static func one(_ name: String) throws -> String {
        let paths = try resolve([name])
        guard paths.count == 1 else {
            throw RequestError(
                "'\(name)' matches \(paths.count) databases, and this command takes one: "
                    + paths.prefix(4).joined(separator: ", ") + (paths.count > 4 ? ", …" : ""))
        }
        return paths[0]
    }

    /// The snapshots that a pattern matches. One that says nothing of their names means all that is a snapshot by its
    /// name or its first bytes; one that does means whatever it matches.
    /// - Throws: ``RequestError`` where it matches nothing.
    static func snapshots(_ pattern: String) throws -> [String] {
        let last = pattern.split(separator: "/").last ?? ""
        let meansAll = last.allSatisfy { $0 == "*" }
        let paths = PathPattern.matches(pattern).filter {
            isDatabase($0) && (!meansAll || SnapshotFolder.isSnapshot($0))
        }
        if paths.isEmpty { throw RequestError("no snapshot matches '\(pattern)'") }
        return paths
    }

    static func isPattern(_ name: String) -> Bool {
        !FolderListing.exists(name) && name.contains { "*?[".contains($0) }
    }

    /// A pattern means databases, not what lies beside them.
    private static func isDatabase(_ path: String) -> Bool {
        !FolderListing.isFolder(path) && !["-wal", "-shm", "-journal"].contains { path.hasSuffix($0) }
    }
}
