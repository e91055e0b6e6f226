/// Remembers baselines in the user's cache folder, by what a snapshot holds, and what it holds by its stat.
///
/// It is a cache: what cannot be read or written is found out again, and whoever deletes it loses time alone.
struct BaselineStore: Sendable {
    let key: BaselineKey
    /// Nil for a memory of nothing.
    private let files: CacheFiles?
    let hashes: ContentHashes

    init(folder: String?, key: BaselineKey) {
        self.key = key
        files = folder.map(CacheFiles.init)
        hashes = ContentHashes(files: files)
    }

    /// Whether anything is remembered.
    var remembers: Bool { files != nil }

    func load(_ hash: ContentHash) -> Baseline? { files?.read(name(hash)) }

    func save(_ baseline: Baseline, for hash: ContentHash) { files?.write(baseline, to: name(hash)) }

    private func name(_ hash: ContentHash) -> String { "\(hash.hex)-\(key.hex).baseline" }
}
