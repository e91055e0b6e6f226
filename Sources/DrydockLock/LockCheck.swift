import Crypto
import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// Compares a project with its lock.
package struct LockCheck: Sendable {
    package let lock: Lock
    package let place: LockPlace
    private let released: Set<String>

    package init(_ lock: Lock, path: String) {
        self.lock = lock
        released = Set(lock.migrations.map(\.identifier))
        place = LockPlace(path)
    }

    /// Reads the migrations so that they do not depend on the placeholder values of the app.
    /// - Parameter known: The migrations as they run; used if reading them for the lock would give the same.
    /// - Throws: ``RequestError`` if the folder cannot be read.
    package func migrations(
        in folder: String, options: FormatOptions, known: MigrationSet? = nil
    ) throws -> MigrationSet {
        let options = options.withStandIns
        try refuseForeignFormat(folder)
        let isSame = known?.format.name == lock.format && options.placeholders.isEmpty
        let set =
            try (isSame ? known : nil)
            ?? MigrationFormats.load(folder: folder, named: lock.format, options: options)
        try refuseOtherFormat(set, options)
        return set
    }

    /// Returns whether the lock is of these migrations.
    package func isOf(_ folder: String) -> Bool {
        FolderListing.realPath(place.file(lock.migrationsFolder)) == FolderListing.realPath(folder)
    }

    /// Returns a message that the lock is of other migrations.
    /// - Throws: ``RequestError`` if the folder does not exist: then the folder is wrong, and not the lock.
    package func mismatch(_ folder: String) throws -> String {
        _ = try FolderListing.files(in: folder)
        let own = place.shown(lock.migrationsFolder)
        guard FolderListing.isFolder(own) else {
            return
                "\(place.path) is of the migrations in '\(own)', but there is no such folder; if it was moved, "
                + "correct the line 'migrations' of the lock"
        }
        return "\(place.path) is of the migrations in '\(own)', not of those in '\(folder)'"
    }

    // MARK: - Migrations

    package func isReleased(_ migration: Migration) -> Bool { released.contains(migration.identifier) }

    package func findings(_ set: MigrationSet) -> [Finding] {
        let now = set.migrations.filter { !$0.isRepeatable }
        let byName = Dictionary(now.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        var findings: [Finding] = []
        for locked in lock.migrations {
            if let migration = byName[locked.identifier] {
                findings += edited(migration, locked, set)
            } else {
                findings.append(removed(locked, now))
            }
        }
        return findings + late(now, set)
    }

    private func edited(_ migration: Migration, _ locked: LockedMigration, _ set: MigrationSet) -> [Finding] {
        let now = LockedMigration(migration, in: set)
        var findings = [editedFile(migration, now, locked, set)].compactMap(\.self)
        let isSameSQL = migration.fault == nil && !findings.contains { $0.severity == .error }
        if isSameSQL, let marks = locked.marks, marks != now.marks {
            // A comment in the file would have changed its bytes.
            let file = now.bytes == locked.bytes ? migration.companion : nil
            findings = [besides(migration, in: file, set)]
        }
        if let down = locked.down, down.tokens != now.down?.tokens {
            let path = migration.down?.path
            findings.append(
                finding(
                    migration, .error,
                    now.down == nil
                        ? "had a way back when it was locked, which is gone or cannot be read"
                        : "differs from what is locked: the SQL of its way back has changed", in: path))
        }
        return findings
    }

    package func finding(
        _ migration: Migration, _ severity: Finding.Severity, _ message: String, in file: String? = nil
    ) -> Finding {
        Finding(
            .migrationEdited, severity, "\(migration.identifier) \(message)",
            help:
                "Put the released file back, and write a new migration. If no database has applied it: "
                + "drydock lock --replace \(LockWord.text(migration.identifier))",
            migration: migration.identifier, place: .init(file: file ?? migration.path))
    }

    /// Returns the finding about the file itself, if it has changed.
    private func editedFile(
        _ migration: Migration, _ now: LockedMigration, _ locked: LockedMigration, _ set: MigrationSet
    ) -> Finding? {
        guard now.bytes != locked.bytes || now.tokens != locked.tokens else { return nil }
        // The tokens of a file that cannot be read say nothing.
        if migration.fault == nil, now.tokens == locked.tokens {
            switch set.format.checksums {
            case .own where now.checksum == locked.checksum: return nil
            case .own where migration.isCode:
                return finding(migration, .error, "differs from what is locked: its checksum has changed")
            case .none where !migration.isCode: return nil
            default: break
            }
            guard !migration.isCode else {
                return finding(
                    migration, .warning,
                    "is in code and was edited: whether it still does the same was not checked")
            }
            let consequence =
                set.policy.edited == .refuse
                ? "refuses it on databases that applied it"
                : "warns on databases that applied it, or asks to reset them"
            return finding(
                migration, .warning,
                "differs from what is locked only in comments, white space or line endings; "
                    + "\(set.format.name) keeps a checksum over them and \(consequence)")
        }
        return editedSQL(migration, now, locked, set)
    }

    private func removed(_ locked: LockedMigration, _ now: [Migration]) -> Finding {
        let known = lock.migrationIdentifiers
        let successor = now.first {
            !known.contains($0.identifier) && locked.tokens != nil && TokenDigest.of($0) == locked.tokens
        }
        let file = locked.file.map { " (\($0))" } ?? ""
        return Finding(
            .migrationRemoved,
            "\(locked.identifier)\(file) is locked but missing"
                + (successor.map { "; \($0.identifier) has the same SQL" } ?? ""),
            help: (successor == nil
                ? "Restore it" : "Give it back its old name: under a new name it runs again")
                + ". If no database has applied it: drydock lock --replace \(LockWord.text(locked.identifier))",
            migration: locked.identifier, place: entry("migration", locked.identifier))
    }

    // MARK: - Order

    private func late(_ now: [Migration], _ set: MigrationSet) -> [Finding] {
        let places = Dictionary(
            now.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let known = lock.migrationIdentifiers
        var findings: [Finding] = []
        let locked = lock.migrations.compactMap { places[$0.identifier] }
        let last = locked.max() ?? 0
        let highest = locked.max { now[$0].rank ?? 0 < now[$1].rank ?? 0 }
        for (index, migration) in now.enumerated() where !known.contains(migration.identifier) {
            let isOutranked = migration.isOutranked(by: highest.flatMap { now[$0].rank })
            guard index < last || isOutranked else { continue }
            let later = now[index < last ? last : highest ?? last].identifier
            findings.append(
                late(
                    migration, "\(migration.identifier) is new and sorts before \(later), which is locked",
                    set))
        }
        var newest = -1
        for locked in lock.migrations {
            guard let index = places[locked.identifier] else { continue }
            if index < newest {
                findings.append(
                    late(
                        now[index],
                        "\(locked.identifier) was locked after \(now[newest].identifier) and sorts before it",
                        set))
            }
            newest = max(newest, index)
        }
        return findings
    }

    private func late(_ migration: Migration, _ fact: String, _ set: MigrationSet) -> Finding {
        let format = set.format.name
        let policy: ToolPolicy.LateMigrations = migration.runsLate ? .run : set.policy.late
        let consequence =
            switch policy {
            case .run: "\(format) runs it late on databases that have the others."
            case .skip: "\(format) never runs it on databases that have the others."
            case .refuse: "\(format) stops on databases that have the others."
            }
        return Finding(
            .migrationOutOfOrder, policy == .run ? .warning : .error, fact,
            help: "\(consequence) Rename it so that it sorts last. If the others are not released either: "
                + "drydock lock\(lock.migration(migration.identifier) == nil ? "" : " --replace \(LockWord.text(migration.identifier))")",
            migration: migration.identifier, place: .init(file: migration.path))
    }
}

extension LockedMigration {
    /// Creates an entry for the current state of a migration.
    package init(_ migration: Migration, in set: MigrationSet) {
        self.init(identifier: migration.identifier)
        let prefix = set.folder + "/"
        if migration.path.hasPrefix(prefix) {
            let name = String(migration.path.dropFirst(prefix.count))
            if name != identifier + ".sql" { file = name }
            bytes = (try? FolderListing.contents(of: migration.path)).map { SHA256.digest(of: $0).hex }
        }
        if !migration.isCode, migration.fault == nil {
            tokens = TokenDigest.of(migration)
            if migration.hasWayBackInside { up = TokenDigest.of(migration.statements) }
            marks = TokenDigest.marks(migration)
        }
        if let way = migration.down, set.downFile(migration) != nil,
            let bytes = try? FolderListing.contents(of: way.path)
        {
            down = LockedDown(bytes: SHA256.digest(of: bytes).hex, tokens: TokenDigest.of(way.statements))
        }
        if set.format.checksums == .own { checksum = migration.checksum }
    }
}

extension MigrationSet {
    /// Returns the file of a migration's way back, relative to the folder; nil if it is not a separate file.
    func downFile(_ migration: Migration) -> String? {
        guard let down = migration.down, down.path != migration.path, down.path.hasPrefix(folder + "/") else {
            return nil
        }
        return String(down.path.dropFirst(folder.count + 1))
    }
}

extension FormatOptions {
    /// The options with a distinct stand-in for every placeholder, so that a migration's digest does not depend on
    /// placeholder values.
    fileprivate var withStandIns: FormatOptions {
        var options = self
        for key in placeholders.keys { options.placeholders[key] = "placeholder_" + key.utf8.hex }
        return options
    }
}
