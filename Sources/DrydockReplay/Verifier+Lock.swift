import DrydockFindings
import DrydockMigrations

/// Checks the project's lock as part of a verification.
extension Verifier {
    /// - Returns: nil where there is no lock, or it belongs to other migrations; that is listed as not checked.
    /// - Throws: ``RequestError`` when it cannot be read.
    package func lockCheck(_ request: VerifyRequest, _ report: inout Report) throws -> LockCheck? {
        guard let path = request.lock else { return nil }
        guard request.command == nil else {
            report.notChecked.append(
                NotChecked(
                    .migrationEdited,
                    .unsupported("\(path) records files, and the project's own command runs the migrations")))
            return nil
        }
        guard let lock = try Lock.load(path) else { throw Lock.missing(path) }
        guard !lock.isOfClosuresAlone else { return nil }
        let check = LockCheck(lock, path: path)
        guard check.isOf(request.migrationsFolder) else {
            report.notChecked.append(
                NotChecked(
                    .migrationEdited,
                    .foreignLock("\(try check.mismatch(request.migrationsFolder))")))
            return nil
        }
        return check
    }

    /// Returns the findings that need no replay; the content of a snapshot is checked when it is opened.
    package func lockFindings(
        _ check: LockCheck, _ request: VerifyRequest, _ set: MigrationSet
    ) throws -> [Finding] {
        let migrations = try check.migrations(
            in: request.migrationsFolder, options: request.format, known: set)
        return check.findings(migrations) + (request.snapshots.isEmpty ? check.removedSnapshots() : [])
    }
}

extension Verifier {
    /// Returns the format that the lock of these migrations has; nil if there is none, or it cannot be read, which is
    /// reported where it is checked.
    package func lockedFormat(_ request: VerifyRequest) -> String? {
        guard let path = request.lock, let lock = try? Lock.load(path), !lock.migrations.isEmpty,
            LockCheck(lock, path: path).isOf(request.migrationsFolder)
        else { return nil }
        return lock.format
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

extension FormatChoice {
    /// Returns the histories of snapshots, as far as they are needed to recognise the folder's format.
    package func histories(of snapshots: [Snapshot], _ opener: SnapshotOpener) async throws -> [HistoryFacts]
    {
        guard needsHistory else { return [] }
        var histories: [HistoryFacts] = []
        for snapshot in snapshots {
            try Task.checkCancellation()
            // A snapshot that cannot be read is reported when it is replayed.
            guard let facts = try? await opener.facts(of: snapshot) else { continue }
            histories.append(facts)
            if isDecided(by: facts) { break }
        }
        return histories
    }
}
