import DrydockFindings
import DrydockReplay
import Foundation

/// A build of SQLite: a library in a file.
public struct SQLiteBuild: Sendable, Hashable, Codable {
    /// The file, as it was named.
    public var path: String
    /// Such as `3.34.1`.
    public var version: String
    /// The check-in that it was built from, with its date.
    public var sourceID: String
    /// The options that it was built with, without `SQLITE_` (https://www.sqlite.org/compile.html), sorted.
    public var options: [String] = []

    /// The oldest version that can run migrations for Drydock.
    public static let oldest = SQLiteVersion(22)

    /// The version as messages name it.
    var title: String { "SQLite \(version)" }

    /// The version as a number; nil for one that Drydock does not understand.
    public var number: SQLiteVersion? { SQLiteVersion(version) }
}

/// Why a file is not a library that can be used.
public enum SQLiteBuildFault: Error, Sendable, Hashable, Codable {
    case missing
    /// The system's own message.
    case notLoadable(String)
    case notSQLite
    case tooOld(SQLiteBuild)
    /// A process that was to load the library found another one: the path of that, and its version.
    case notTaken(path: String, version: String)
    /// The process that was to load it could not be started, or ended early.
    case noProcess(String)

    /// Why, after the path of the file.
    public var text: String {
        switch self {
        case .missing: "does not exist"
        case .notLoadable(let message): "cannot be loaded: \(message)"
        case .notSQLite: "is not a SQLite library"
        case .tooOld(let build):
            "is \(build.title), which is too old: a migration can be run on \(SQLiteBuild.oldest) and later"
        case .notTaken(let path, let version):
            "was not loaded: SQLite \(version) of \(path) was loaded instead. Drydock must be linked with libsqlite3 dynamically"
        case .noProcess(let message): "cannot be tried: \(message)"
        }
    }
}
