import DrydockFindings
import DrydockMigrations
import Crypto
import Foundation
import OverlayVFS

/// Knows what snapshots hold, by their stat where that is remembered.
package struct ContentHashes: Sendable {
    /// Nil for a memory of nothing.
    package let files: CacheFiles?

    package init(files: CacheFiles?) {
        self.files = files
    }

    /// How a snapshot was known.
    package enum Recognition: String, Sendable {
        /// By its size, times and inode.
        case stat
        /// By the hash of its content.
        case content
    }

    /// The hash of a snapshot and what belongs to it.
    /// - Throws: ``OverlayError`` when the snapshot cannot be read.
    package func hash(of path: String) throws -> (hash: ContentHash, by: Recognition) {
        if let known = known(path) { return (known, .stat) }
        let stat = SnapshotStat(of: path)
        // An empty log or journal says nothing.
        let parts = try Snapshot.suffixes.filter {
            $0.isEmpty || (try? FolderListing.size(of: path + $0)) ?? 0 > 0
        }.map { try MappedFile(path: path + $0) }
        let hash = try ContentHash(of: parts)
        if let stat, stat == SnapshotStat(of: path), !stat.isRacy() {
            files?.write(StatEntry(stat: stat, hash: hash.hex), to: file(path))
        }
        return (hash, .content)
    }

    private struct StatEntry: Codable {
        var stat: SnapshotStat
        var hash: String
    }

    private func known(_ path: String) -> ContentHash? {
        guard let entry: StatEntry = files?.read(file(path)), let now = SnapshotStat(of: path),
            entry.stat == now
        else { return nil }
        return ContentHash(hex: entry.hash)
    }

    private func file(_ path: String) -> String {
        SHA256.hash(data: Data(FolderListing.realPath(path).utf8)).hex + ".stat"
    }
}
