import DrydockFindings
import DrydockMigrations
import DrydockState
import OverlayVFS

/// Finds what is known of a snapshot by its content.
extension SnapshotReplay {
    /// Checks the snapshot against the lock, and finds what is known of it.
    /// - Throws: ``OverlayError`` when it cannot be read.
    mutating func recognise() throws -> OpenedSnapshot.Recognition? {
        guard !context.isRehearsal, let store = context.baselines else { return nil }
        var known: (hash: ContentHash, by: ContentHashes.Recognition)?
        func hash() throws -> ContentHash {
            let found = try known ?? store.hashes.hash(of: snapshot.path)
            known = found
            return found.hash
        }
        switch try context.lock?.check(snapshot, hash: hash) {
        case .finding(let finding): add(finding)
        case .notChecked(let entry): notChecked(entry.rule, entry.cause)
        case nil: break
        }
        guard snapshot.kind == .database, store.remembers else { return nil }
        _ = try hash()
        guard let known else { return nil }
        if let baseline = store.load(known.hash) {
            return .init(hash: known.hash, by: known.by, baseline: baseline)
        }
        let locked = context.lock?.baseline(of: snapshot, known.hash, store.key)
        return .init(hash: known.hash, by: known.by, baseline: locked, isFromLock: locked != nil)
    }
}
