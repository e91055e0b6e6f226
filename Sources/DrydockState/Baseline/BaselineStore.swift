import SQLiteSchema

/// Remembers baselines in the user's cache folder by the content of a snapshot, and the content hash by the snapshot's
/// stat.
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

    package func load(_ hash: ContentHash) -> Baseline? { files?.read(name(hash)) }

    package func save(_ baseline: Baseline, for hash: ContentHash) { files?.write(baseline, to: name(hash)) }

    private func name(_ hash: ContentHash) -> String { "\(hash.hex)-\(key.hex).baseline" }
}
