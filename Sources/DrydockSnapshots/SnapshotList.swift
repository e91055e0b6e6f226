import DatabaseEngine
import DrydockFiles
import DrydockFindings
import DrydockLock
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS

/// The snapshots of a project, and the versions that have none.
public struct SnapshotList: Sendable {
    public struct Entry: Sendable {
        /// What `drydock.lock` says about a snapshot.
        public enum Locked: String, Sendable { case no, unchanged, changed }

        public var path: String
        /// The newest migration that it has applied; nil if unknown.
        public var version: String?
        /// Whether the project's migrations have that version.
        public var isKnownVersion = true
        public var rows = 0
        public var bytes = 0
        /// The version of SQLite that wrote it last.
        public var library: String?
        /// Where it comes from, if Drydock made it, and the file is still that one.
        public var origin: LockedOrigin?
        /// Whether another file was in this place when Drydock made it, so that nothing is known of this one.
        public var isReplaced = false
        public var locked = Locked.no
        /// Why it cannot be read.
        public var fault: String?
        /// What is already wrong with it: a baseline, which no migration is blamed for.
        public var known: [String] = []

        public init(path: String) { self.path = path }

        /// Whether `drydock verify` can replay it, and it is what was locked.
        public var isSound: Bool { fault == nil && isKnownVersion && locked != .changed }
    }

    public var entries: [Entry] = []
    /// Released migrations at which there is no snapshot; all of them where there is no lock.
    public var versionsWithout: [String] = []
    /// Snapshots that are locked but missing.
    public var missing: [String] = []
    public var migrationFormat: String

    public init(migrationFormat: String) { self.migrationFormat = migrationFormat }

    /// Whether there is a snapshot, and all of them exist and are undamaged.
    public var isSound: Bool { !entries.isEmpty && missing.isEmpty && entries.allSatisfy(\.isSound) }
}

extension Locker {
    /// Looks at every snapshot of a project: its version, its rows, whether SQLite finds it whole, and what the lock says.
    /// - Throws: ``RequestError`` if the folder of snapshots or the migrations cannot be read.
    public func list(_ request: LockRequest) async throws -> SnapshotList {
        let old = try Lock.load(request.path)
        let snapshots = try request.snapshotsFolder.map { try SnapshotFolder.snapshots(in: $0) } ?? []
        let (check, set) = try await project(old, request, snapshots)
        let (survey, key) = try await survey(set, request)
        var list = SnapshotList(migrationFormat: set.format.name)
        for snapshot in snapshots {
            try Task.checkCancellation()
            list.entries.append(try await entry(snapshot, survey, check, key))
        }
        let versions = Set(list.entries.compactMap(\.version))
        let released = set.migrations.filter { old == nil || check.isReleased($0) }
        list.versionsWithout = released.map(\.identifier).filter { !versions.contains($0) }
        list.missing = check.lock.snapshots.map { check.place.file($0.path) }.filter {
            !FolderListing.exists($0) || FolderListing.isFolder($0)
        }
        return list
    }

    /// Returns the newest migration that a snapshot has applied; nil if it has no history.
    /// - Throws: ``RequestError``, ``SnapshotFault`` and others if it cannot be read.
    public func version(of snapshot: String, _ request: LockRequest) async throws -> String? {
        let snapshot = Snapshot(path: snapshot)
        let (check, set) = try await project(try Lock.load(request.path), request, [snapshot])
        return try await survey(set, request).0.entry(snapshot, named: check.place.name(of: snapshot.path))
            .version
    }

    private func survey(_ set: MigrationSet, _ request: LockRequest) async throws -> (
        SnapshotSurvey, BaselineKey
    ) {
        let key = try await BaselineKey(
            engine, set, functions: request.migrations.functions, collations: request.migrations.collations)
        let context = ReplayContext(
            engine: engine, set: set, targetCount: set.migrations.count, declarations: [:],
            functions: request.migrations.functions, collations: request.migrations.collations)
        return (
            SnapshotSurvey(
                context: context, store: BaselineStore(folder: request.cacheFolder, key: key),
                date: request.date),
            key
        )
    }

    private func entry(
        _ snapshot: Snapshot, _ survey: SnapshotSurvey, _ check: LockCheck, _ key: BaselineKey
    ) async throws -> SnapshotList.Entry {
        let name = check.place.name(of: snapshot.path)
        var entry = SnapshotList.Entry(path: snapshot.path)
        entry.bytes = (try? FolderListing.size(of: snapshot.path)) ?? 0
        let content = try? survey.store.hashes.hash(of: snapshot.path).hash.hex
        if let origin = check.lock.origin(name), let made = origin.content {
            entry.isReplaced = made != content
            if !entry.isReplaced { entry.origin = origin }
        }
        if let locked = check.lock.snapshot(name) {
            let isSame =
                locked.content == content
                || locked.tokens != nil && locked.tokens == LockedSnapshot.tokens(of: snapshot)
            entry.locked = isSame ? .unchanged : .changed
        }
        do {
            let found = try await survey.entry(snapshot, named: name)
            (entry.version, entry.library) = (found.version, found.library)
            entry.isKnownVersion = found.version.map { survey.context.set.index(of: $0) != nil } ?? true
            entry.rows = found.rows.values.reduce(0, +)
            entry.known = found.baselines[key.hex].flatMap { Baseline(lockText: $0) }?.messages ?? []
        } catch let fault as SnapshotFault {
            entry.fault = fault.sentence.text
        } catch let error as OverlayError {
            entry.fault = error.description
        } catch let error as EngineError where !error.isInterrupt {
            entry.fault = "cannot be read: \(error.message)"
        }
        return entry
    }
}
