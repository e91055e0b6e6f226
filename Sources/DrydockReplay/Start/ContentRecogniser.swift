import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// Finds what the lock and earlier runs know of a snapshot by its content.
struct ContentRecogniser {
    let inputs: ReplayInputs

    private var context: ReplayContext { inputs.context }
    private var snapshot: Snapshot { inputs.snapshot }

    /// Checks the snapshot against the lock, and finds what is known of it. One that no run has seen before is not hashed
    /// yet: that is done while it is read for its first check.
    /// - Parameters:
    ///   - overlay: the snapshot, which nothing has written yet.
    ///   - stat: from before it was opened.
    /// - Throws: ``OverlayError`` when it cannot be read.
    func recognise(
        _ overlay: Overlay, since stat: SnapshotStat?, _ record: inout ReplayRecord
    ) throws -> Recognition? {
        guard !context.isRehearsal, let store = context.baselines else { return nil }
        var found: (hash: ContentHash, by: ContentHashes.Recognition)?
        func hash() throws -> ContentHash {
            let known = try found ?? store.hashes.hash(of: snapshot.path)
            found = known
            return known.hash
        }
        switch try context.lock?.check(snapshot, hash: hash) {
        case .finding(let finding): record.add(finding)
        case .notChecked(let entry): record.notChecked(entry.rule, entry.cause)
        case nil: break
        }
        guard snapshot.kind == .database, store.remembers else { return nil }
        let files = overlay.snapshotFiles
        let mark = try ContentMark(files)
        let entry = store.entry(mark)
        if found == nil, entry == nil, store.hashes.known(snapshot.path) == nil {
            return .init(mark: mark, content: .unread(ContentHashing(files), since: stat))
        }
        let content = try hash()
        var result = Recognition(mark: mark, content: .hashed(content))
        result.isByStat = found?.by == .stat
        result.baseline = entry?.baseline(of: content)
        if result.baseline == nil, let locked = context.lock?.baseline(of: snapshot, content, store.key) {
            (result.baseline, result.isFromLock) = (locked, true)
        }
        return result
    }

    /// Returns the hash of a snapshot that has been read.
    /// - Throws: ``OverlayError`` when it cannot be read.
    func hash(of known: Recognition) throws -> ContentHash {
        switch known.content {
        case .hashed(let hash): return hash
        case .unread(let hashing, let stat):
            let hash = try hashing.finish()
            context.baselines?.hashes.remember(hash, of: snapshot.path, since: stat)
            return hash
        }
    }
}

/// What is known of a snapshot by its content.
package struct Recognition {
    enum Content {
        case hashed(ContentHash)
        /// Its hash comes from the first reading.
        case unread(ContentHashing, since: SnapshotStat?)
    }

    let mark: ContentMark
    let content: Content
    var isByStat = false
    var baseline: Baseline?
    /// Whether the baseline comes from the lock, and lacks what only the cache keeps.
    var isFromLock = false

    /// What is to be hashed as it is read.
    var hashing: ContentHashing? {
        if case .unread(let hashing, _) = content { hashing } else { nil }
    }
}
