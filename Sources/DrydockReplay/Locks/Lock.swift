import DrydockFindings

/// What a project has released: its migrations in their order and its snapshots, as `drydock.lock` keeps them.
///
/// Every line of the file stands for itself, so that a merge may keep the lines of both sides.
public struct Lock: Sendable, Equatable {
    public static let defaultPath = "drydock.lock"
    /// The newest form of the file that this version reads and the one that it writes.
    public static let version = 2

    /// The folder of the migrations, seen from the lock's own; empty where there are closures alone.
    public var migrationsFolder: String
    /// The name of the migrations' format.
    public var format: String
    /// In the order in which they run.
    public var migrations: [LockedMigration] = []
    /// In natural order.
    public var snapshots: [LockedSnapshot] = []
    /// What an app's closures execute, in the order in which they are registered.
    public var closures: [LockedClosure] = []

    public init(migrationsFolder: String, format: String) {
        self.migrationsFolder = migrationsFolder
        self.format = format
    }

    /// Reads a lock.
    /// - Returns: nil when there is no such file.
    /// - Throws: ``RequestError`` with file and line when it cannot be read or understood.
    public static func load(_ path: String) throws -> Lock? {
        guard FolderListing.exists(path) else { return nil }
        guard !FolderListing.isFolder(path) else {
            throw RequestError(
                "the lock '\(path)' is a folder; --lock takes the file, such as \(path)/\(defaultPath)")
        }
        let bytes: [UInt8]
        do {
            bytes = try FolderListing.contents(of: path)
        } catch {
            throw RequestError("the lock '\(path)' cannot be read: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestError("\(path):1: the lock is not UTF-8 text; restore it")
        }
        let lock = try Lock(text, path: path)
        // Cut short, what is left of its last line may still read as an entry.
        guard bytes.last == UInt8(ascii: "\n") else {
            let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            throw RequestError(
                "\(path):\(line): the lock ends within a line, as one that was cut short; restore it, or end the "
                    + "line if it is whole")
        }
        return lock
    }

    /// A project without files of migrations: a test of its own holds what its closures execute.
    var isOfClosuresAlone: Bool { migrationsFolder.isEmpty && format.isEmpty && !closures.isEmpty }

    /// The identifiers that are locked, as the history tables have them.
    public var migrationIdentifiers: Set<String> { Set(migrations.map(\.identifier)) }

    /// Writes it in the place of what is there.
    /// - Throws: ``RequestError``.
    package func write(to path: String) throws {
        do {
            try AtomicFile.write(Array(text.utf8), to: path)
        } catch {
            throw RequestError("the lock '\(path)' cannot be written: \(error)")
        }
    }

    public func migration(_ identifier: String) -> LockedMigration? {
        migrations.first { $0.identifier == identifier }
    }

    /// - Parameter path: seen from the lock's folder.
    public func snapshot(_ path: String) -> LockedSnapshot? { snapshots.first { $0.path == path } }
}

/// A migration as it was when it was locked.
public struct LockedMigration: Sendable, Hashable {
    public var identifier: String
    /// The file, seen from the folder of the migrations; nil where its name is the identifier with `.sql` behind
    /// it, and for a version without one.
    public var file: String?
    /// SHA-256 of the file, 64 hexadecimal digits.
    public var bytes: String?
    /// SHA-256 of what runs (`TokenDigest`); nil for a migration in code.
    public var tokens: String?
    /// The same without its way back, where the same file holds that; nil where it does not, or it was not noted.
    public var up: String?
    /// What the tool reads beside the statements (``Migration/marks``): `none`, or 16 hexadecimal digits; nil
    /// where that was not noted.
    public var marks: String?
    /// What the tool itself keeps, where that is neither.
    public var checksum: String?
    /// The way back, where it is a file of its own; nil where there was none, or it was not noted.
    public var down: LockedDown?

    public init(identifier: String) { self.identifier = identifier }
}

/// A migration that is a closure, as it ran on an empty database when it was locked.
public struct LockedClosure: Sendable, Hashable {
    public var identifier: String
    /// SHA-256 of the SQL that it executes (`TokenDigest`), with `?` where values are bound.
    public var sql: String
    /// The same with the values in their places; nil where none are, or they are others each time.
    public var values: String?

    public init(identifier: String, sql: String, values: String?) {
        self.identifier = identifier
        self.sql = sql
        self.values = values
    }
}

/// A migration's way back as it was when it was locked.
public struct LockedDown: Sendable, Hashable {
    /// SHA-256 of the file, 64 hexadecimal digits.
    public var bytes: String
    /// SHA-256 of what runs (`TokenDigest`).
    public var tokens: String
}

/// A snapshot as it was when it was locked, and where it comes from.
public struct LockedSnapshot: Sendable, Hashable {
    /// Seen from the lock's folder.
    public var path: String
    /// The hash of the file and a `-wal` or `-journal` beside it, 64 hexadecimal digits.
    public var content: String
    /// SHA-256 of a dump's statements (`TokenDigest`); nil for a database.
    public var tokens: String?
    /// The newest migration that it has applied; nil where it does not tell.
    public var version: String?
    /// The version of SQLite that wrote last, such as 3.40.1; nil where that is not known.
    public var library: String?
    /// The day on which it was locked, such as 2026-01-31.
    public var date: String
    /// How many rows each table has.
    public var rows: [String: Int] = [:]
    /// What is wrong with it as it is, as one line of text, by what found it out (`BaselineKey`).
    public var baselines: [String: String] = [:]

    public init(path: String, content: String, date: String) {
        self.path = path
        self.content = content
        self.date = date
    }
}
