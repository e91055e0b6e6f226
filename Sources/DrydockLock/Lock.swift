import DrydockFiles
import DrydockFindings
import DrydockReplay
import DrydockState

/// What a project has released: its migrations in order and its snapshots, as recorded in `drydock.lock`.
///
/// Every line of the file is independent, so that a merge may keep the lines of both sides.
public struct Lock: Sendable, Equatable {
    public static let defaultPath = "drydock.lock"
    /// The version of the file that is written, and the newest that can be read.
    public static let version = 2

    /// The folder of the migrations, relative to the lock's folder; empty if there are only closures.
    public var migrationsFolder: String
    /// The name of the migrations' format.
    public var format: String
    /// In the order in which they run.
    public var migrations: [LockedMigration] = []
    /// In natural order.
    public var snapshots: [LockedSnapshot] = []
    /// What an app's closures execute, in the order of registration.
    public var closures: [LockedClosure] = []
    /// Where snapshots that Drydock made come from, in natural order; they need not be locked yet.
    public var origins: [LockedOrigin] = []

    public init(migrationsFolder: String, format: String) {
        self.migrationsFolder = migrationsFolder
        self.format = format
    }

    /// Reads a lock.
    /// - Returns: Nil if the file does not exist.
    /// - Throws: ``RequestError`` with file and line if it cannot be read or parsed.
    public static func load(_ path: String) throws -> Lock? {
        guard FolderListing.exists(path) else { return nil }
        guard !FolderListing.isFolder(path) else {
            throw RequestError(
                .lockInvalid,
                "the lock '\(path)' is a folder; --lock takes the file, such as \(path)/\(defaultPath)")
        }
        let bytes: [UInt8]
        do {
            bytes = try FolderListing.contents(of: path)
        } catch {
            throw RequestError(.lockInvalid, "the lock '\(path)' cannot be read: \(error)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestError(.lockInvalid, "\(path):1: the lock is not UTF-8 text; restore it")
        }
        let lock = try Lock(text, path: path)
        // If the file was cut short, the rest of its last line may still read as an entry.
        guard bytes.last == UInt8(ascii: "\n") else {
            let line = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            throw RequestError(
                .lockInvalid,
                "\(path):\(line): the lock ends in the middle of a line, as if it was cut short; restore it, or end the "
                    + "line if it is complete")
        }
        return lock
    }

    /// The error for a lock that is named and missing.
    package static func missing(_ path: String) -> RequestError {
        RequestError(.notFound, "there is no lock '\(path)'; write it with: drydock lock")
    }

    /// Whether only an app's test records what closures execute; such a project has no migration files.
    package var isOfClosuresAlone: Bool { migrationsFolder.isEmpty && format.isEmpty && !closures.isEmpty }

    /// The identifiers that are locked, as history tables have them.
    public var migrationIdentifiers: Set<String> { Set(migrations.map(\.identifier)) }

    /// Writes the lock, replacing the file.
    /// - Throws: ``RequestError`` if it cannot be written.
    package func write(to path: String) throws {
        do {
            try AtomicFile.write(Array(text.utf8), to: path)
        } catch {
            throw RequestError(.notWritable, "the lock '\(path)' cannot be written: \(error)")
        }
    }

    public func migration(_ identifier: String) -> LockedMigration? {
        migrations.first { $0.identifier == identifier }
    }

    /// - Parameter path: Relative to the lock's folder.
    public func snapshot(_ path: String) -> LockedSnapshot? { snapshots.first { $0.path == path } }

    /// - Parameter path: Relative to the lock's folder.
    public func origin(_ path: String) -> LockedOrigin? { origins.first { $0.path == path } }

    /// Adds where a snapshot comes from to a lock.
    /// - Parameters:
    ///   - file: The path of the lock.
    ///   - snapshot: The path of the snapshot.
    ///   - origin: Gets the snapshot's name in the lock as its ``LockedOrigin/path``, and the hash of the file.
    /// - Returns: Why it was not added: there is no lock, or the snapshot is not in the project; nil if it was.
    /// - Throws: ``RequestError`` if the lock cannot be read or written; what is wrong with a snapshot that cannot be read.
    public static func record(_ origin: LockedOrigin, of snapshot: String, in file: String) throws -> String?
    {
        guard var lock = try load(file) else { return "there is no \(file)" }
        let name = LockPlace(file).name(of: snapshot)
        // A project may have its snapshots in another folder, of which the lock has some by then.
        let folder = PathParts.folder(of: name)
        let isOfProject =
            !name.hasPrefix("../") || lock.snapshots.contains { PathParts.folder(of: $0.path) == folder }
        guard isOfProject else { return "\(snapshot) is outside the folder of \(file)" }
        var origin = origin
        origin.path = name
        origin.content = try ContentHashes(files: nil).hash(of: snapshot).hash.hex
        lock.origins.removeAll { $0.path == origin.path }
        lock.origins.append(origin)
        lock.origins.sort { naturallyPrecedes($0.path, $1.path) }
        try lock.write(to: file)
        return nil
    }
}

/// A migration at the time it was locked.
public struct LockedMigration: Sendable, Hashable {
    public var identifier: String
    /// The file, relative to the migrations' folder; nil if its name is the identifier followed by `.sql`, or if there
    /// is not a file.
    public var file: String?
    /// SHA-256 of the file, 64 hexadecimal digits.
    public var bytes: String?
    /// SHA-256 of what runs (`TokenDigest`); nil for a migration in code.
    public var tokens: String?
    /// The same without the way back, if the same file has one; nil if it does not, or it was not recorded.
    public var up: String?
    /// What the tool reads besides the statements (``Migration/marks``): `none`, or 16 hexadecimal digits; nil if it
    /// was not recorded.
    public var marks: String?
    /// The checksum that the tool itself records, if it is neither that of the bytes nor that of the tokens.
    public var checksum: String?
    /// The way back, if it is a separate file; nil if there was none, or it was not recorded.
    public var down: LockedDown?

    public init(identifier: String) { self.identifier = identifier }
}

/// A migration that is a closure, as it ran on an empty database when it was locked.
public struct LockedClosure: Sendable, Hashable {
    public var identifier: String
    /// SHA-256 of the SQL that it executes (`TokenDigest`), with `?` where values are bound.
    public var sql: String
    /// The same with the values in place of each `?`; nil if there are none, or if they vary from run to run.
    public var values: String?

    public init(identifier: String, sql: String, values: String?) {
        self.identifier = identifier
        self.sql = sql
        self.values = values
    }
}

/// A migration's way back at the time it was locked.
public struct LockedDown: Sendable, Hashable {
    /// SHA-256 of the file, 64 hexadecimal digits.
    public var bytes: String
    /// SHA-256 of what runs (`TokenDigest`).
    public var tokens: String
}

/// A snapshot at the time it was locked, and where it came from.
public struct LockedSnapshot: Sendable, Hashable {
    /// Relative to the lock's folder.
    public var path: String
    /// The hash of the file and of a `-wal` or `-journal` beside it, 64 hexadecimal digits.
    public var content: String
    /// SHA-256 of a dump's statements (`TokenDigest`); nil for a database.
    public var tokens: String?
    /// The newest migration that the snapshot has applied; nil if it has no history.
    public var version: String?
    /// The version of SQLite that wrote it last, such as 3.40.1; nil if unknown.
    public var library: String?
    /// The day on which it was locked, such as 2026-01-31.
    public var date: String
    /// How many rows each table has.
    public var rows: [String: Int] = [:]
    /// What is already wrong with it, as one line of text for each `BaselineKey`.
    public var baselines: [String: String] = [:]

    public init(path: String, content: String, date: String) {
        self.path = path
        self.content = content
        self.date = date
    }
}

/// Where a snapshot that Drydock made comes from.
public struct LockedOrigin: Sendable, Hashable {
    /// How a snapshot was made.
    public enum Way: String, Sendable, Hashable, CaseIterable {
        /// Of rows of a database.
        case taken
        /// Of generated rows.
        case generated
    }

    /// Relative to the lock's folder.
    public var path: String
    public var way: Way
    /// The name of the database that it was taken of, without its folder.
    public var source: String?
    /// The newest migration that it has applied; nil if unknown.
    public var version: String?
    /// The version of SQLite that made it.
    public var library: String
    public var rows: Int
    public var seed: Int
    /// The masked columns, as `table.column`.
    public var masked: [String] = []
    /// The day on which it was made, such as 2026-01-31.
    public var date: String
    /// The hash of the file as it was made, 64 hexadecimal digits: another file in its place comes from elsewhere.
    public var content: String?

    public init(path: String = "", way: Way, library: String, rows: Int, seed: Int, date: String) {
        (self.path, self.way, self.library) = (path, way, library)
        (self.rows, self.seed, self.date) = (rows, seed, date)
    }
}
