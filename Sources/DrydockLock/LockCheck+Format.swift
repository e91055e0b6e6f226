import DrydockFindings
import DrydockMigrations
import DrydockReplay

/// Checks the format of a lock against the folder.
extension LockCheck {
    /// Refuses a format that the user names if it is not the lock's: its migrations may have other names.
    /// - Throws: ``RequestError`` if the format differs.
    package func refuse(named format: String?) throws {
        guard let format, format != lock.format else { return }
        throw RequestError(
            .lockInvalid,
            "\(place.path) was made from \(lock.format) migrations, not from \(format); if the tool was changed, "
                + "delete the lock and run 'drydock lock'")
    }

    /// Refuses a lock's format if it does not exist, or finds nothing to read in the folder of another format.
    /// - Throws: ``RequestError`` if the format does not fit.
    func refuseForeignFormat(_ folder: String) throws {
        guard lock.format != CustomFormat.formatName, !lock.migrations.isEmpty else { return }
        let files = try FolderFiles(folder)
        let format = MigrationFormats.all.first { $0.name == lock.format }
        guard format?.evidence(in: files) == nil else { return }
        // A named format may read more than it would be detected by.
        let reading = try? MigrationFormats.load(folder: folder, named: lock.format)
        guard reading?.migrations.contains(where: { $0.fault == nil }) != true else { return }
        let other = MigrationFormats.all.compactMap { format in
            format.evidence(in: files).map { (name: format.name, strength: $0.strength) }
        }.max { $0.strength < $1.strength }
        if let other { throw mismatch(folder, other.name) }
        guard format == nil else { return }
        throw RequestError(
            .lockInvalid,
            "\(formatLine): the lock says format=\(LockWord.text(lock.format)), which is not a format; restore the line"
        )
    }

    /// Refuses a reading without any locked migration if another format reads one: an edited file is not enough to make
    /// the folder another format's.
    /// - Throws: ``RequestError`` if another format fits.
    func refuseOtherFormat(_ set: MigrationSet, _ options: FormatOptions) throws {
        guard !lock.migrations.isEmpty, isForeign(set), let files = try? FolderFiles(set.folder) else {
            return
        }
        let others = MigrationFormats.all.filter { $0.name != lock.format && $0.evidence(in: files) != nil }
        for format in others {
            let reading = try? MigrationFormats.load(folder: set.folder, named: format.name, options: options)
            if let reading, agrees(reading) { throw mismatch(set.folder, format.name) }
        }
    }

    /// Returns whether every locked migration is missing, or is the same file with different statements.
    private func isForeign(_ set: MigrationSet) -> Bool {
        let now = Dictionary(
            set.migrations.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        return lock.migrations.allSatisfy { locked in
            guard let migration = now[locked.identifier] else { return true }
            let entry = LockedMigration(migration, in: set)
            return entry.bytes == locked.bytes && entry.tokens != locked.tokens
                && !TokenDigest.isOfOtherTransaction(migration, locked.tokens)
        }
    }

    /// Returns whether any migration is equal to its locked entry.
    private func agrees(_ set: MigrationSet) -> Bool {
        let locked = Dictionary(
            lock.migrations.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        return set.migrations.contains { migration in
            guard migration.fault == nil, let entry = locked[migration.identifier] else { return false }
            return entry.tokens == (migration.isCode ? nil : TokenDigest.of(migration))
        }
    }

    private func mismatch(_ folder: String, _ name: String) -> RequestError {
        RequestError(
            .lockInvalid,
            "\(formatLine): the lock says format=\(LockWord.text(lock.format)), and the migrations in '\(folder)' are "
                + "read as \(name); correct the line. If the tool was changed, delete the lock and run 'drydock lock'"
        )
    }

    private var formatLine: String {
        let line = entry("migrations", lock.migrationsFolder).line.map { ":\($0)" } ?? ""
        return place.path + line
    }
}
