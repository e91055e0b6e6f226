import DatabaseEngine
import SQLiteSchema

/// One versioned step of a migration set.
public struct Migration: Sendable {
    /// The identifier, as the history table has it.
    public var identifier: String
    /// The file's path, as reports show it.
    public var path: String
    public var statements: [SQLStatement]
    public var declarations: [Declaration]
    /// Why the migration cannot be run at all, such as a file that is not UTF-8.
    public var fault: Finding?

    public var foreignKeyChecks: EngineMigration.ForeignKeyChecks {
        declarations.contains { $0.kind == .foreignKeysImmediate } ? .immediate : .deferred
    }
}

/// An ordered folder of migrations.
public struct MigrationSet: Sendable {
    public var folder: String
    public var format: any MigrationFormat
    public var migrations: [Migration]
    /// What is wrong with the set whatever the snapshot.
    public var findings: [Finding]

    public func index(of identifier: String) -> Int? {
        migrations.firstIndex { $0.identifier == identifier }
    }
}

/// How a tool names, orders, splits, wraps and records migrations.
///
/// A format is one file, registered in ``MigrationFormats/all``.
public protocol MigrationFormat: Sendable {
    /// The name that the command line and drydock.yml use.
    var name: String { get }

    /// The table in which applied migrations are recorded; left out of conservation and of schemas.
    var historyTable: String { get }

    /// Whether a folder is this tool's, by its files.
    func recognises(folder: String) -> Bool

    /// Reads a folder.
    /// - Throws: ``RequestError`` when the folder as a whole cannot be read. A file that cannot be read is
    ///   a migration with a fault.
    func load(folder: String) throws -> MigrationSet

    /// The identifiers that a database has applied, or nil when it does not tell.
    func appliedIdentifiers(_ connection: any Connection) throws -> [String]?
}

public enum MigrationFormats {
    /// The one place where a format is registered; the first that recognises a folder reads it.
    public static let all: [any MigrationFormat] = [DrydockFormat()]

    /// - Throws: ``RequestError`` when there is no such folder or it cannot be read.
    static func load(folder: String) throws -> MigrationSet {
        let format = all.first { $0.recognises(folder: folder) } ?? DrydockFormat()
        return try format.load(folder: folder)
    }
}

/// A request that no report can answer, such as a folder that does not exist. The command line ends with
/// status 2.
public struct RequestError: Error, CustomStringConvertible, Sendable {
    /// The fact, then what to do.
    public var description: String

    public init(_ description: String) {
        self.description = description
    }
}
