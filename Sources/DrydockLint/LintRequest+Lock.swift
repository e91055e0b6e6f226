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
        guard check.isOf(migrations.folder) else {
            guard isNamed else { return }
            throw RequestError(
                .lockInvalid,
                "\(try check.mismatch(migrations.folder)). --lock names another lock, --migrations another folder"
            )
        }
        try check.refuse(named: migrations.format)
        // Locked migrations are identified by name: in another format they would seem new.
        _ = try check.migrations(in: migrations.folder, options: migrations.options)
        locked = lock.migrationIdentifiers
        migrations.format = migrations.format ?? lock.format
    }
}
