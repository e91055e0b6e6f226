import DrydockFiles
import DrydockFindings
import DrydockMigrations
import DrydockReplay
import SQLiteSchema

/// Findings about what has changed in a locked migration whose digest differs.
extension LockCheck {
    func editedSQL(
        _ migration: Migration, _ now: LockedMigration, _ locked: LockedMigration, _ set: MigrationSet
    ) -> Finding {
        let edit = migration.fault == nil ? LockedEdit(migration, locked) : .sql
        if edit == .transaction { return besides(migration, in: migration.companion, set) }
        if migration.fault == nil, now.bytes == locked.bytes { return misread(migration) }
        return finding(migration, .error, edit.message)
    }

    /// Returns a finding for a migration with the same statements but a change in what the tool reads elsewhere.
    /// - Parameter file: The file in which the tool reads it; nil for comments, or if unknown.
    package func besides(_ migration: Migration, in file: String?, _ set: MigrationSet) -> Finding {
        var place = "comments or in a list of its own"
        let isThere = file.map(FolderListing.exists) ?? false
        if let file {
            let prefix = set.folder + "/"
            place = file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : file
            if !isThere { place += ", which is gone" }
        }
        return finding(
            migration, .error,
            "is not what is locked: its SQL is the same, but not what \(set.format.name) reads beside it, in \(place)",
            in: isThere ? file : nil)
    }

    /// Returns a finding for an unchanged file with different tokens: the lock was edited, or files are read
    /// differently.
    private func misread(_ migration: Migration) -> Finding {
        Finding(
            .migrationEdited,
            "\(migration.identifier) is byte for byte what is locked, but the digest of its SQL is different",
            help:
                "Its line in \(place.path) was edited, or drydock.yml now reads the file differently: correct "
                + "that, or: drydock lock --replace \(LockWord.text(migration.identifier))",
            migration: migration.identifier, place: entry("migration", migration.identifier))
    }
}

/// Which part of a migration's SQL has changed, as far as the digests show.
private enum LockedEdit {
    case sql, wayBack, wayBackAdded, wayBackGone, either
    /// Only the transaction that the files set.
    case transaction

    init(_ migration: Migration, _ locked: LockedMigration) {
        if TokenDigest.isOfOtherTransaction(migration, locked.tokens) {
            self = .transaction
        } else if TokenDigest.of(migration.statements) != locked.up ?? locked.tokens {
            // An older lock recorded only one digest for both.
            self = locked.up == nil && migration.hasWayBackInside ? .either : .sql
        } else if locked.up == nil {
            self = migration.hasWayBackInside ? .wayBackAdded : .sql
        } else {
            self = migration.hasWayBackInside ? .wayBack : .wayBackGone
        }
    }

    var message: String {
        switch self {
        case .sql, .transaction:
            "differs from what is locked: its SQL has changed, not only its comments or white space"
        case .wayBack: "differs from what is locked: the SQL of its way back has changed"
        case .wayBackAdded: "is not what is locked: it had no way back then, and has one"
        case .wayBackGone: "had a way back when it was locked, which is gone"
        case .either: "differs from what is locked: its SQL or that of its way back has changed"
        }
    }
}

extension TokenDigest {
    /// Returns whether a digest is that of the migration with another transaction setting.
    static func isOfOtherTransaction(_ migration: Migration, _ digest: String?) -> Bool {
        let words: [ToolPolicy.Transaction?] = [nil, ToolPolicy.Transaction.none, .each, .all]
        return words.contains { word in
            var other = migration
            other.ownTransaction = word
            return word != migration.ownTransaction && of(other) == digest
        }
    }
}
