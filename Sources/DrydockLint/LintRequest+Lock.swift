import DrydockFindings
import DrydockReplay

extension LintRequest {
    /// Takes from a lock which migrations are released, and whose they are where nobody else says it.
    ///
    /// - Parameters:
    ///   - path: the lock.
    ///   - isNamed: it must be there, and of these migrations.
    /// - Throws: ``RequestError`` when it cannot be read, or is not what was named.
    public mutating func take(lock path: String, isNamed: Bool) throws {
        guard let lock = try Lock.load(path) else {
            if isNamed { throw RequestError("there is no lock '\(path)'; write it with: drydock lock") }
            return
        }
        let check = LockCheck(lock, path: path)
        guard check.isOf(migrationsFolder) else {
            guard isNamed else { return }
            throw RequestError(
                "\(try check.mismatch(migrationsFolder)). --lock names another lock, --migrations another folder"
            )
        }
        try check.refuse(named: migrationFormat)
        // What is locked is known by its name: read otherwise, it would be new.
        _ = try check.migrations(in: migrationsFolder, options: format)
        locked = lock.migrationIdentifiers
        migrationFormat = migrationFormat ?? lock.format
    }
}
