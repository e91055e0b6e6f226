/// Remembers baselines in the user's cache folder, by what a snapshot holds, and what it holds by its stat.
///
/// It is a cache: what cannot be read or written is found out again, and whoever deletes it loses time alone.
package struct BaselineStore: Sendable {
    package let key: BaselineKey
    /// Nil for a memory of nothing.
    private let files: CacheFiles?
    package let hashes: ContentHashes

    package init(folder: String?, key: BaselineKey) {
        self.key = key
        files = folder.map(CacheFiles.init)
        hashes = ContentHashes(files: files)
    }

    /// Whether anything is remembered.
    package var remembers: Bool { files != nil }

    package func load(_ hash: ContentHash) -> Baseline? { files?.read(name(hash)) }

    package func save(_ baseline: Baseline, for hash: ContentHash) { files?.write(baseline, to: name(hash)) }

    private func name(_ hash: ContentHash) -> String { "\(hash.hex)-\(key.hex).baseline" }
}
