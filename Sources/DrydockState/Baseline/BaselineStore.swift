import SQLiteSchema

/// Remembers baselines in the user's cache folder by the content of a snapshot, and the content hash by the snapshot's
/// stat. Whether a snapshot may be known is seen without hashing it, by its ``ContentMark``.
///
/// A baseline that cannot be read or written is computed again, so deleting the cache costs only time.
package struct BaselineStore: Sendable {
    package let key: BaselineKey
    /// Nil where nothing is remembered.
    private let files: CacheFiles?
    package let hashes: ContentHashes

    package init(folder: String?, key: BaselineKey) {
        self.key = key
        files = folder.map(CacheFiles.init)
        hashes = ContentHashes(files: files)
    }

    package var remembers: Bool { files != nil }

    /// A baseline, and the hash of the content that it is about.
    package struct Entry: Codable {
        fileprivate var hash: String
        fileprivate var baseline: Baseline

        package func baseline(of hash: ContentHash) -> Baseline? { self.hash == hash.hex ? baseline : nil }
    }

    package func entry(_ mark: ContentMark) -> Entry? { files?.read(name(mark)) }

    package func save(_ baseline: Baseline, for hash: ContentHash, _ mark: ContentMark) {
        files?.write(Entry(hash: hash.hex, baseline: baseline), to: name(mark))
    }

    private func name(_ mark: ContentMark) -> String { "\(mark.hex)-\(key.hex).baseline" }
}
