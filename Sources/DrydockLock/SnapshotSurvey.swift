import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import OverlayVFS
import SQLiteSchema

/// Collects what a lock records of a snapshot: its version, its rows, the SQLite that wrote it, and what is wrong with
/// it.
package struct SnapshotSurvey: Sendable {
    package let context: ReplayContext
    package let store: BaselineStore
    private let date: String

    package init(context: ReplayContext, store: BaselineStore, date: String) {
        (self.context, self.store, self.date) = (context, store, date)
    }

    /// Returns the entry of a snapshot.
    /// - Parameter name: The snapshot's name in the lock.
    /// - Throws: ``SnapshotFault`` if it cannot be read or is damaged, ``OverlayError``, ``EngineError``.
    package func entry(_ snapshot: Snapshot, named name: String) async throws -> LockedSnapshot {
        let watchdog = Watchdog(timeout: nil)
        let overlay = try await SnapshotOpener(engine: context.engine, settings: context.settings(watchdog))
            .open(
                snapshot)
        let hash = try store.hashes.hash(of: snapshot.path).hash
        let mark = try ContentMark(overlay.snapshotFiles)
        var entry = LockedSnapshot(path: name, content: hash.hex, date: date)
        entry.tokens = LockedSnapshot.tokens(of: snapshot)
        entry.version = try await context.engine.use(overlay, settings: context.settings(watchdog)) {
            database in
            let version = try await version(database)
            try await database.withConnection { try $0.checkpoint() }
            return version
        }
        try await inspect(overlay.freeze().image, snapshot, hash, mark, watchdog, into: &entry)
        try overlay.checkUnchanged()
        return entry
    }

    private func version(_ database: any OpenDatabase) async throws -> String? {
        let set = context.set
        let history = try await database.withConnection { try set.history($0) }
        guard let history else { return nil }
        let plan = ReplayPlan(history: history, set: set, targetCount: set.migrations.count)
        return plan.unknown.last ?? plan.from
    }

    private func inspect(
        _ image: Image, _ snapshot: Snapshot, _ hash: ContentHash, _ mark: ContentMark, _ watchdog: Watchdog,
        into entry: inout LockedSnapshot
    ) async throws {
        let inspector = context.inspector(watchdog)
        let isDatabase = snapshot.kind == .database
        let known = isDatabase ? store.entry(mark)?.baseline(of: hash) : nil
        let (state, check) =
            if let known {
                (try await inspector.inspect(image, earlier: nil, baseline: known), known.integrity)
            } else {
                try await inspector.inspectWhole(image)
            }
        let catalog = state.catalog
        let rows = try await inspector.withConnection(to: image) { try catalog.rowCounts($0) }
        if let damage = check.damage.first {
            throw SnapshotFault(
                snapshot.path, "is damaged: \(damage)",
                help: "Recover it with sqlite3's .recover, or take another copy.")
        }
        entry.rows = rows
        guard isDatabase, let baseline = Baseline(state, check) else { return }
        if known == nil { store.save(baseline, for: hash, mark) }
        entry.baselines[store.key.hex] = baseline.lockText
        let number = state.pages?.file.header.libraryVersion ?? 0
        if number > 0 { entry.library = "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)" }
    }
}

extension Catalog {
    /// Counts the rows of every table that stores its own rows; a table that cannot be read is left out.
    fileprivate func rowCounts(_ connection: any Connection) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for table in tables.values where table.keepsRows {
            let count = try? connection.firstRow("SELECT count(*) FROM main.\(quotedName(table.name))") {
                Int($0.integer(0))
            }
            if let count { counts[table.name] = count }
        }
        return counts
    }
}
