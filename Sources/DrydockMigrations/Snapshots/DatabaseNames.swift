import DrydockFiles
import DrydockFindings

/// The databases that a command line names.
package enum DatabaseNames {
    /// Returns the paths in order, with patterns replaced by the paths that they match; each database once.
    /// - Throws: ``RequestError`` for a pattern that matches nothing.
    package static func resolve(_ names: [String], _ kind: String = "database") throws -> [String] {
        var seen: Set<[UInt8]> = []
        var paths: [String] = []
        for name in names {
            let matches = isPattern(name) ? try matches(name).filter(isDatabase) : [name]
            if matches.isEmpty { throw nothing(kind, name) }
            for path in matches where seen.insert(FolderListing.identity(of: path)).inserted {
                paths.append(path)
            }
        }
        guard !paths.isEmpty else { throw RequestError(.settingInvalid, "no database is named") }
        try FolderListing.refuseLookAlikes(paths)
        return paths
    }

    /// Returns the one database that a name or a pattern refers to.
    /// - Throws: ``RequestError`` for a pattern that matches none or several.
    package static func one(_ name: String) throws -> String {
        let paths = try resolve([name])
        guard paths.count == 1 else {
            throw RequestError(
                .settingInvalid,
                "'\(name)' matches \(paths.count) databases, and this command takes one: "
                    + paths.prefix(4).joined(separator: ", ") + (paths.count > 4 ? ", …" : ""))
        }
        return paths[0]
    }

    /// Returns the snapshots that a pattern matches. A pattern that does not restrict file names matches every file
    /// that is a snapshot by its name or its first bytes; any other pattern matches whatever fits it.
    /// - Throws: ``RequestError`` where it matches nothing.
    package static func snapshots(_ pattern: String) throws -> [String] {
        let last = PathParts.name(of: pattern)
        let meansAll = last.allSatisfy { $0 == "*" }
        let paths = try matches(pattern).filter {
            isDatabase($0) && (!meansAll || SnapshotFolder.isSnapshot($0))
        }
        if paths.isEmpty { throw nothing("snapshot", pattern) }
        return paths
    }

    /// - Throws: ``RequestError`` where not all folders could be opened.
    private static func matches(_ pattern: String) throws -> [String] {
        try FolderListing.searching(".") { PathPattern.matches(pattern) }
    }

    private static func nothing(_ kind: String, _ pattern: String) -> RequestError {
        RequestError(.notFound, "no \(kind) matches '\(pattern)'")
    }

    package static func isPattern(_ name: String) -> Bool {
        !FolderListing.exists(name) && name.contains { "*?[".contains($0) }
    }

    /// Whether a path is a database, rather than a file beside one.
    private static func isDatabase(_ path: String) -> Bool {
        !FolderListing.isFolder(path) && !SnapshotFile.isSidecar(path)
    }
}
