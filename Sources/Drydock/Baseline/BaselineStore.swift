import Crypto
import Foundation
import OverlayVFS

/// Remembers baselines in the user's cache folder, by what a snapshot holds, and what it holds by its stat.
///
/// It is a cache: what cannot be read or written is found out again, and whoever deletes it loses time alone.
struct BaselineStore: Sendable {
    let folder: String
    /// Whatever else a baseline depends on: the SQLite library, the stand-ins for functions and collations.
    let key: String

    /// How a snapshot was known.
    enum Recognition: String, Sendable {
        /// By its size, times and inode.
        case stat
        /// By the hash of its content.
        case content
    }

    /// Raise it when a baseline means something else than it did.
    private static let version = 1

    init(folder: String, key: String) {
        self.folder = folder
        self.key = SHA256.hash(data: Data("\(Self.version)\n\(key)".utf8)).prefix(8).hex
    }

    /// A snapshot's baseline, if it is known, and its hash in any case.
    /// - Throws: ``OverlayError`` when the snapshot cannot be read.
    func find(_ path: String) throws -> (baseline: Baseline?, hash: ContentHash, by: Recognition) {
        if let known = knownHash(path), let baseline = load(known) { return (baseline, known, .stat) }
        let stat = SnapshotStat(of: path)
        let files = try Snapshot.suffixes.filter { FolderListing.exists(path + $0) }.map {
            try MappedFile(path: path + $0)
        }
        let hash = try ContentHash(of: files)
        if let stat, stat == SnapshotStat(of: path), !stat.isRacy() {
            write(StatEntry(stat: stat, hash: hash.hex), to: statFile(path))
        }
        return (load(hash), hash, .content)
    }

    func save(_ baseline: Baseline, for hash: ContentHash) {
        write(baseline, to: file(hash))
    }

    // MARK: - Files

    private struct StatEntry: Codable {
        var stat: SnapshotStat
        var hash: String
    }

    private func knownHash(_ path: String) -> ContentHash? {
        guard let entry: StatEntry = read(statFile(path)), let now = SnapshotStat(of: path), entry.stat == now
        else { return nil }
        return ContentHash(hex: entry.hash)
    }

    private func load(_ hash: ContentHash) -> Baseline? { read(file(hash)) }

    private func file(_ hash: ContentHash) -> URL { url("\(hash.hex)-\(key).baseline") }

    private func statFile(_ path: String) -> URL {
        url(SHA256.hash(data: Data(FolderListing.realPath(path).utf8)).hex + ".stat")
    }

    private func url(_ name: String) -> URL { URL(fileURLWithPath: folder).appending(path: name) }

    private func read<Value: Decodable>(_ url: URL) -> Value? {
        guard let data = try? Data(contentsOf: url) else { return nil }
        return try? PropertyListDecoder().decode(Value.self, from: data)
    }

    /// A reader sees the old file or the new one.
    private func write(_ value: some Encodable, to url: URL) {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(value) else { return }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? data.write(to: url, options: .atomic)
    }
}
