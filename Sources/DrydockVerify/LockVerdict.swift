import DrydockFindings
import DrydockLock
import DrydockMigrations
import DrydockReplay

/// What the lock of a request says of its migrations, without a replay.
package struct LockVerdict: Sendable {
    /// Checks the content of snapshots as they are opened; nil where there is no lock, or it belongs to other migrations.
    package private(set) var check: LockCheck?
    /// What needs no replay.
    package private(set) var findings: [Finding] = []
    package private(set) var notChecked: [NotChecked] = []

    /// - Throws: ``RequestError`` when it cannot be read.
    package init(_ request: VerifyRequest, _ set: MigrationSet) throws {
        guard let path = request.lock else { return }
        guard request.command == nil else {
            notChecked.append(
                NotChecked(
                    .migrationEdited,
                    .unsupported("\(path) records files, and the project's own command runs the migrations")))
            return
        }
        guard let lock = try Lock.load(path) else { throw Lock.missing(path) }
        guard !lock.isOfClosuresAlone else { return }
        let check = LockCheck(lock, path: path)
        guard check.isOf(request.migrations.folder) else {
            notChecked.append(
                NotChecked(
                    .migrationEdited,
                    .foreignLock("\(try check.mismatch(request.migrations.folder))")))
            return
        }
        let migrations = try check.migrations(
            in: request.migrations.folder, options: request.migrations.options, known: set)
        self.check = check
        findings =
            check.findings(migrations) + (request.snapshots.paths.isEmpty ? check.removedSnapshots() : [])
    }
}

extension VerifyRequest {
    /// The format that the lock of these migrations has; nil if there is none, or it cannot be read, which is reported
    /// where it is checked.
    package var lockedFormat: String? {
        guard let lock, let known = try? Lock.load(lock), !known.migrations.isEmpty,
            LockCheck(known, path: lock).isOf(migrations.folder)
        else { return nil }
        return known.format
    }
}

extension Report {
    /// Adds violations of the lock, except those that a snapshot's own history already shows.
    package mutating func add(locked: [Finding]) {
        findings += locked.filter { finding in
            !findings.contains {
                $0.rule == finding.rule && $0.migration == finding.migration && $0.migration != nil
                    && $0.severity >= finding.severity
            }
        }
    }
}
