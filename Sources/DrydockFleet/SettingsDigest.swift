import DrydockFiles
import DrydockFindings
import DrydockMaintenance
import DrydockMigrate
import DrydockReplay
import DrydockVerify

/// What a result depends on besides its database. Results of equal settings can stand in one report.
package enum SettingsDigest {
    /// - Parameter version: that of Drydock and of SQLite.
    package static func of(_ request: VerifyRequest, version: String) -> String {
        var settings = request
        // Which databases they are, and how the work is done, make no other result.
        (settings.snapshots, settings.keeping) = (SnapshotChoice(), nil)
        (settings.jobs, settings.cacheFolder, settings.wantsHistory) = (1, nil, false)
        settings.migrations.format = nil
        let lock = request.lock.flatMap { try? FolderListing.contents(of: $0) }
        return hexDigest(
            of: [
                version, stableText(settings), files(in: request.migrations.folder),
                "\(lock?.hashed ?? "none")",
            ]
            .joined(separator: "\n") + request.checks.sqliteLibraries.map { "\n\(hash(of: $0))" }.joined())
    }

    package static func of(_ request: HealthRequest, version: String) -> String {
        var settings = request
        (settings.databases, settings.listed, settings.kept) = ([], nil, nil)
        (settings.jobs, settings.progress) = (1, nil)
        let known = request.baseline.flatMap { try? FolderListing.contents(of: $0) }
        return hexDigest(
            of: [version, stableText(settings), known?.hashed ?? "none"].joined(separator: "\n"))
    }

    /// Results of `drydock migrate` depend on the migrations and on how they are judged. How a roll-out goes on, in which waves
    /// and with which backups, makes no other result.
    package static func of(_ request: MigrateRequest, version: String) -> String {
        hexDigest(of: "migrate \(request.mode) " + of(request.verify, version: version))
    }

    package static func of(_ request: VacuumRequest, version: String) -> String {
        var settings = request
        (settings.path, settings.temporaryFolder) = ("", nil)
        return hexDigest(of: "vacuum \(version)\n" + stableText(settings))
    }

    package static func ofStatistics(version: String) -> String { hexDigest(of: "stats \(version)") }

    /// Returns the names and contents of all files in a folder and below, as a digest of each.
    private static func files(in folder: String) -> String {
        var lines: [String] = []
        var folders = [folder]
        var visited: Set<String> = []
        while let next = folders.popLast() {
            guard visited.insert(FolderListing.realPath(next)).inserted else { continue }
            for name in (try? FolderListing.files(in: next)) ?? [] {
                let path = next + "/" + name
                if FolderListing.isFolder(path) {
                    folders.append(path)
                } else {
                    lines.append("\(path) \(hash(of: path))")
                }
            }
        }
        return lines.sorted().joined(separator: "\n")
    }

    private static func hash(of path: String) -> String {
        (try? FolderListing.contents(of: path))?.hashed ?? "unreadable"
    }
}

extension [UInt8] {
    fileprivate var hashed: String { hexDigest(of: hex) }
}
