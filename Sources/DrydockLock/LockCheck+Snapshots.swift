import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import SQLiteSchema

extension LockCheck: ReleaseRecord {
    package func check(_ snapshot: Snapshot, hash: () throws -> ContentHash) throws -> ReleaseVerdict? {
        guard let locked = lock.snapshot(place.name(of: snapshot.path)) else { return nil }
        guard try hash().hex != locked.content else { return nil }
        if SnapshotFile.isPointer(snapshot.path) {
            return .notChecked(
                NotChecked(
                    .snapshotEdited, snapshot: snapshot.path, .pointer(snapshot: snapshot.path)))
        }
        // The line endings of a dump may differ on another system.
        let tokens = LockedSnapshot.tokens(of: snapshot)
        if let tokens, tokens == locked.tokens { return nil }
        let version = locked.version.map { "at \($0), " } ?? ""
        let fact =
            snapshot.kind == .dump
            ? tokens == nil
                ? ": it is not UTF-8 text" : ": its statements have changed, not only its line endings"
            : ""
        let cause =
            snapshot.kind == .dump
            ? "" : ": opening it with SQLite, or a -wal beside it, is enough to change it"
        var finding = Finding(
            .snapshotEdited, of: snapshot.path,
            "is not what is locked (\(version)locked on \(locked.date))\(fact)",
            help: "Put the released one back\(cause). If it was recreated on purpose: drydock lock --replace "
                + LockWord.text(locked.path), place: .init(file: snapshot.path))
        finding.snapshot = snapshot.path
        return .finding(finding)
    }

    /// Returns findings for locked snapshots that are missing.
    package func removedSnapshots() -> [Finding] {
        lock.snapshots.filter { !FolderListing.exists(place.file($0.path)) }.map(removed)
    }

    package func removed(_ locked: LockedSnapshot) -> Finding {
        let version = locked.version.map { " (at \($0))" } ?? ""
        return Finding(
            .snapshotRemoved, "\(place.file(locked.path))\(version) is locked but missing",
            help:
                "Restore it: as long as users may have this version, its upgrade must be checked. If nobody has it: "
                + "drydock lock --replace \(LockWord.text(locked.path))",
            place: entry("snapshot", locked.path))
    }

    package func baseline(of snapshot: Snapshot, _ hash: ContentHash, _ key: BaselineKey) -> Baseline? {
        guard let locked = lock.snapshot(place.name(of: snapshot.path)), locked.content == hash.hex else {
            return nil
        }
        return locked.baselines[key.hex].flatMap { Baseline(lockText: $0) }
    }
}

extension LockedSnapshot {
    /// Returns the digest of a dump's statements; nil for a database, and for a file that is not UTF-8.
    package static func tokens(of snapshot: Snapshot) -> String? {
        guard snapshot.kind == .dump, let bytes = try? CompressedFile.bytes(of: snapshot.path),
            firstInvalidUTF8(in: bytes) == nil
        else { return nil }
        return TokenDigest.of(SQLSource(name: snapshot.path, bytes: bytes).statements())
    }
}
