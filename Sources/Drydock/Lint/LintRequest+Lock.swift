extension LintRequest {
    /// Takes from a lock which migrations are released, and whose they are where nobody else says it.
    ///
    /// - Parameters:
    ///   - path: the lock.
    ///   - isNamed: it must be there, and of these migrations.
    /// - Throws: ``RequestError`` when it cannot be read, or is not what was named.
    public mutating func take(lock path: String, isNamed: Bool) throws {
        guard let lock = try Lock.load(path) else {
            if isNamed { throw RequestError("there is no lock '\(path)'; make it with: drydock lock") }
            return
        }
        guard LockCheck(lock, path: path).isOf(migrationsFolder) else {
            if isNamed {
                throw RequestError(
                    "'\(path)' is of the migrations in '\(lock.migrationsFolder)', not of those in "
                        + "'\(migrationsFolder)'")
            }
            return
        }
        locked = lock.migrationIdentifiers
        migrationFormat = migrationFormat ?? lock.format
    }
}
