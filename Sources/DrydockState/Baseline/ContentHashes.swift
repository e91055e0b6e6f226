import Crypto
import DrydockFiles
import DrydockMigrations
import Foundation
import OverlayVFS
import SQLiteSchema

/// Returns the content hashes of snapshots, from their stat where the hash is remembered.
package struct ContentHashes: Sendable {
    /// Nil where nothing is remembered.
    package let files: CacheFiles?

    package init(files: CacheFiles?) {
        self.files = files
    }

    /// How the hash of a snapshot was found.
    package enum Recognition: String, Sendable {
        /// By its size, times and inode.
        case stat
        /// By the hash of its content.
        case content
    }

    /// Returns the hash of a snapshot and its `-wal` and `-journal`; of a compressed one, that of what it holds, which
    /// does not depend on how it was compressed.
    /// - Throws: ``OverlayError``, ``CompressionFault`` when the snapshot cannot be read.
    package func hash(of path: String) throws -> (hash: ContentHash, by: Recognition) {
        if let known = known(path) { return (known, .stat) }
        let stat = SnapshotStat(of: path)
        let hash = try ContentHashing(parts(of: path)).finish()
        remember(hash, of: path, since: stat)
        return (hash, .content)
    }

    /// Remembers the hash of a snapshot, unless its files may have changed since they were opened.
    /// - Parameter stat: from before that.
    package func remember(_ hash: ContentHash, of path: String, since stat: SnapshotStat?) {
        guard let stat, stat == SnapshotStat(of: path), !stat.isRacy() else { return }
        files?.write(StatEntry(stat: stat, hash: hash.hex), to: file(path))
    }

    private func parts(of path: String) throws -> [MappedFile] {
        if let file = CompressedFile(path) { return [try file.content()] }
        // An empty log or journal has no content.
        let path = FolderListing.realPath(path)
        return try Sidecar.content.filter {
            $0.isEmpty || (try? FolderListing.size(of: path + $0)) ?? 0 > 0
        }.map { try MappedFile(path: path + $0) }
    }

    private struct StatEntry: Codable {
        var stat: SnapshotStat
        var hash: String
    }

    /// Returns the hash of a snapshot that is as it was when it was hashed; nil where that is not known.
    package func known(_ path: String) -> ContentHash? {
        guard let entry: StatEntry = files?.read(file(path)), let now = SnapshotStat(of: path),
            entry.stat == now
        else { return nil }
        return ContentHash(hex: entry.hash)
    }

    private func file(_ path: String) -> String {
        SHA256.hash(data: Data(FolderListing.realPath(path).utf8)).hex + ".stat"
    }
}
