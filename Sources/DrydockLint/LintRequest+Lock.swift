import DrydockFindings
import DrydockLock
import DrydockReplay

extension LintRequest {
    /// Reads from a lock which migrations are released, and their format where nothing else names it.
    ///
    /// - Parameters:
    ///   - path: the lock.
    ///   - isNamed: whether the lock must exist and belong to these migrations.
    /// - Throws: ``RequestError`` when it cannot be read, or belongs to other migrations.
    public mutating func take(lock path: String, isNamed: Bool) throws {
        guard let lock = try Lock.load(path) else {
            if isNamed { throw Lock.missing(path) }
            return
        }
        let check = LockCheck(lock, path: path)
        guard check.isOf(migrationsFolder) else {
            guard isNamed else { return }
            throw RequestError(
                .lockInvalid,
                "\(try check.mismatch(migrationsFolder)). --lock names another lock, --migrations another folder"
            )
        }
        try check.refuse(named: migrationFormat)
        // Locked migrations are identified by name: in another format they would seem new.
        _ = try check.migrations(in: migrationsFolder, options: format)
        locked = lock.migrationIdentifiers
        migrationFormat = migrationFormat ?? lock.format
    }
}
