import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import DrydockState
import SQLiteSchema

/// One run of ``Locker``: the findings, and the new content of the lock.
struct LockRun {
    let request: LockRequest
    let check: LockCheck
    let set: MigrationSet

    private(set) var lock: Lock
    private var summary: LockSummary
    private var findings: [Finding] = []
    private var notChecked: [NotChecked] = []
    /// The entries that --replace names, as the lock spells them.
    private var replacedMigrations: Set<String> = []
    private var replacedSnapshots: Set<String> = []

    init(request: LockRequest, check: LockCheck, set: MigrationSet) {
        self.request = request
        self.check = check
        self.set = set
        lock = check.lock
        summary = LockSummary(path: request.path, isCheck: request.isCheck)
    }

    var report: Report {
        var summary = summary
        summary.migrationCount = lock.migrations.count
        summary.snapshotCount = lock.snapshots.count
        var report = Report(.lock(summary))
        report.findings = findings
        report.notChecked = notChecked
        report.isStrict = request.isStrict
        return report
    }

    // MARK: - Names

    /// Finds the entries that --replace names.
    /// - Throws: ``RequestError`` for a name that is neither locked nor in a folder, or that is ambiguous.
    mutating func resolve(_ snapshots: [Snapshot]) throws {
        let files = Set(lock.snapshots.map(\.path) + snapshots.map { check.place.name(of: $0.path) })
        for name in request.replace {
            if lock.migration(name) != nil {
                replacedMigrations.insert(name)
                continue
            }
            if let index = set.index(of: name)
                ?? set.migrations.firstIndex(where: { set.downFile($0) == name })
            {
                replacedMigrations.insert(set.migrations[index].identifier)
                continue
            }
            let exact = files.filter { $0 == name || $0 == check.place.name(of: name) }
            let matches = exact.isEmpty ? files.filter { $0.hasSuffix("/" + name) } : exact
            guard let match = matches.first, matches.count == 1 else { throw unknown(name, matches, files) }
            replacedSnapshots.insert(match)
        }
    }

    private func unknown(_ name: String, _ matches: Set<String>, _ files: Set<String>) -> RequestError {
        guard matches.isEmpty else {
            return RequestError(
                .settingInvalid,
                "--replace '\(name)' may be any of: \(matches.sorted(by: naturallyPrecedes).joined(separator: ", "))"
            )
        }
        let paths = files.sorted()
        // A snapshot can also be named by the last part of its path.
        let known =
            lock.migrations.map(\.identifier) + set.migrations.map(\.identifier) + paths
            + paths.map { PathParts.name(of: $0) }
        let nearest = nearestName(to: name, in: known)
        return RequestError(
            .settingInvalid,
            "--replace '\(name)' is neither a migration nor a snapshot, locked or not"
                + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    }

    // MARK: - Checks

    mutating func checkMigrations() {
        let known = lock.migrationIdentifiers
        for migration in set.migrations where !migration.isRepeatable {
            let isNew = !known.contains(migration.identifier)
            guard isNew || replacedMigrations.contains(migration.identifier) else { continue }
            if let fault = migration.fault { findings.append(fault) }
            if isNew { summary.unlocked.append(migration.identifier) }
        }
        summary.unlocked += newDowns().map(\.file)
        for var finding in check.findings(set) where !isReplaced(finding) {
            let isNew = finding.migration.map { !known.contains($0) } ?? false
            if isNew, !request.isCheck, finding.rule == .migrationOutOfOrder, finding.severity == .error {
                finding.severity = .warning
                finding.sentence += "; it is locked now"
            }
            findings.append(finding)
        }
        if set.migrations.isEmpty {
            findings.append(
                Finding(
                    .nothingVerified, "there is no migration in \(request.migrations.folder)",
                    help: "--migrations names another folder.", place: .init(file: request.migrations.folder))
            )
        }
    }

    /// Returns the ways back of locked migrations that are not recorded yet: old locks have none, and one may be added
    /// later.
    private func newDowns() -> [(identifier: String, file: String, down: LockedDown)] {
        let lacking = Set(lock.migrations.filter { $0.down == nil }.map(\.identifier))
        return set.migrations.compactMap { migration in
            guard lacking.contains(migration.identifier), migration.fault == nil,
                let file = set.downFile(migration), let down = LockedMigration(migration, in: set).down
            else { return nil }
            return (migration.identifier, file, down)
        }
    }

    private func isReplaced(_ finding: Finding) -> Bool {
        finding.migration.map(replacedMigrations.contains) ?? false
    }

    /// Compares the locked snapshots with the files.
    mutating func checkSnapshots(_ snapshots: [Snapshot]) throws {
        let hashes = ContentHashes(files: request.cacheFolder.map(CacheFiles.init))
        let listed = Set(snapshots.map { check.place.name(of: $0.path) })
        summary.unlocked += listed.filter { lock.snapshot($0) == nil }.sorted(by: naturallyPrecedes)
        for locked in lock.snapshots where !replacedSnapshots.contains(locked.path) {
            let snapshot = Snapshot(path: check.place.file(locked.path))
            guard FolderListing.exists(snapshot.path) else {
                findings.append(check.removed(locked))
                continue
            }
            do {
                switch try check.check(snapshot, hash: { try hashes.hash(of: snapshot.path).hash }) {
                case .finding(let finding): findings.append(finding)
                case .notChecked(let entry): notChecked.append(entry)
                case nil: break
                }
            } catch {
                note(Finding(.snapshotUnreadable, "\(error)"), of: snapshot)
            }
        }
    }

    mutating func note(_ finding: Finding, of snapshot: Snapshot) {
        var finding = finding
        finding.snapshot = snapshot.path
        findings.append(finding)
    }

    // MARK: - Entries

    /// Adds new entries and rewrites those to replace; every other line stays as it is.
    mutating func lockMigrations() {
        let places = Dictionary(
            set.migrations.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let known = lock.migrationIdentifiers
        summary.removed += lock.migrations.map(\.identifier).filter {
            replacedMigrations.contains($0) && places[$0] == nil
        }
        // A migration that cannot be read keeps its entry.
        let unreadable = Set(set.migrations.filter { $0.fault != nil }.map(\.identifier))
        lock.migrations.removeAll {
            replacedMigrations.contains($0.identifier) && !unreadable.contains($0.identifier)
        }
        for (identifier, file, down) in newDowns() {
            guard let index = lock.migrations.firstIndex(where: { $0.identifier == identifier }) else {
                continue
            }
            lock.migrations[index].down = down
            summary.added.append(file)
            summary.unlocked.removeAll { $0 == file }
        }
        var kept = lock.migrationIdentifiers
        for (index, migration) in set.migrations.enumerated() {
            let identifier = migration.identifier
            guard migration.fault == nil, !migration.isRepeatable, kept.insert(identifier).inserted else {
                continue
            }
            if !known.contains(identifier) { summary.added.append(identifier) }
            let names = [identifier, set.downFile(migration)]
            summary.unlocked.removeAll { names.contains($0) }
            let next = lock.migrations.firstIndex { places[$0.identifier].map { $0 > index } ?? false }
            lock.migrations.insert(LockedMigration(migration, in: set), at: next ?? lock.migrations.count)
        }
        noteReplaced(known)
    }

    /// Sorts the entries to replace into those that changed, in content or position, and those that did not.
    private mutating func noteReplaced(_ known: Set<String>) {
        let old = check.lock.migrations.filter { lock.migration($0.identifier) != nil }
        let new = lock.migrations.filter { known.contains($0.identifier) }
        let isOrdered = old.map(\.identifier) == new.map(\.identifier)
        let unreadable = Set(set.migrations.filter { $0.fault != nil }.map(\.identifier))
        for entry in new
        where replacedMigrations.contains(entry.identifier) && !unreadable.contains(entry.identifier) {
            if isOrdered, check.lock.migration(entry.identifier) == entry {
                summary.unchanged.append(entry.identifier)
            } else {
                summary.replaced.append(entry.identifier)
            }
        }
    }

    /// Returns whether a snapshot gets an entry: it is new, or to be replaced.
    func isWanted(_ snapshot: Snapshot) -> Bool {
        let name = check.place.name(of: snapshot.path)
        return check.lock.snapshot(name) == nil || replacedSnapshots.contains(name)
    }

    /// Returns whether an unchanged snapshot lacks a baseline of this SQLite.
    func lacksBaseline(_ name: String, _ key: BaselineKey) -> Bool {
        guard request.addsBaselines, let locked = lock.snapshot(name), locked.tokens == nil else {
            return false
        }
        return locked.baselines[key.hex] == nil
            && !findings.contains { $0.snapshot == check.place.file(name) && $0.rule == .snapshotEdited }
    }

    mutating func dropSnapshots() {
        summary.removed += lock.snapshots.map(\.path).filter {
            replacedSnapshots.contains($0) && !FolderListing.exists(check.place.file($0))
        }
        let gone = summary.removed
        lock.snapshots.removeAll { gone.contains($0.path) }
        lock.origins.removeAll { gone.contains($0.path) }
    }

    package mutating func add(_ entry: LockedSnapshot) {
        if let index = lock.snapshots.firstIndex(where: { $0.path == entry.path }) {
            if lock.snapshots[index].covers(entry) {
                summary.unchanged.append(entry.path)
            } else {
                lock.snapshots[index] = entry
                summary.replaced.append(entry.path)
            }
        } else {
            lock.snapshots.append(entry)
            lock.snapshots.sort { naturallyPrecedes($0.path, $1.path) }
            summary.added.append(entry.path)
        }
        summary.unlocked.removeAll { $0 == entry.path }
    }

    package mutating func add(baselinesOf entry: LockedSnapshot) {
        guard let index = lock.snapshots.firstIndex(where: { $0.path == entry.path }),
            lock.snapshots[index].content == entry.content, !entry.baselines.isEmpty
        else { return }
        lock.snapshots[index].baselines.merge(entry.baselines) { old, _ in old }
        summary.replaced.append(entry.path)
    }
}

extension LockedSnapshot {
    /// Returns whether another entry adds nothing: a new date alone does not count, nor the baseline of another SQLite.
    fileprivate func covers(_ entry: LockedSnapshot) -> Bool {
        var entry = entry
        entry.date = date
        entry.baselines.merge(baselines) { new, _ in new }
        return entry == self
    }
}
