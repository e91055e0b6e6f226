import DrydockFindings
import DrydockMigrations
import DrydockState
import DatabaseEngine
import SQLiteSchema

/// A function that SQLite reports as unknown.
package struct UnknownFunction {
    package let name: String
    /// The version that added it; nil where it is not a function of SQLite.
    package let since: SQLiteVersion?
    private let version: String
    private let folder: String
    /// A known function with a similar name.
    private let near: String?

    /// Nil for any other error.
    package init?(_ error: EngineError, of migration: Migration?, on connection: any Connection) {
        self.init(message: error.message, of: migration, on: connection)
    }

    /// - Parameter migration: one of the project, whose files say which SQLite it brings.
    package init?(message: String, of migration: Migration?, on connection: any Connection) {
        let missing = [SQLiteMessage.noSuchFunction, .unknownFunction]
        let found = missing.lazy.compactMap { missing -> String? in
            guard let start = missing.firstRange(in: message)?.upperBound else { return nil }
            return String(message[start...].prefix { $0 != "(" && !$0.isWhitespace })
        }.first
        guard let found else { return nil }
        name = found
        since = SQLiteFeatureTable.functions[found.foldedASCII]
        let known = try? connection.rows("SELECT DISTINCT name FROM pragma_function_list") { $0.string(0) }
        near = nearestName(to: found, in: known ?? [])
        folder = migration.map { PathParts.folder(of: $0.path) } ?? "."
        version = (try? connection.firstRow("SELECT sqlite_version()") { $0.string(0) }) ?? ""
    }

    /// Whether the oldest SQLite that the project supports has the function: then its absence here is not the
    /// migration's fault.
    package func isSupported(since minimum: SQLiteVersion?) -> Bool {
        guard let since, let minimum else { return false }
        return since <= minimum
    }

    package var help: Help {
        guard let since else {
            return Help(near.map { "Did you mean \($0)()? " } ?? "") + .standIn(.function(name))
        }
        return NewerSQLite("\(name)()", since: since, version: version, folder: folder).help
    }
}

/// Explains "no such function": whether another version of SQLite has it.
struct FunctionExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        UnknownFunction(refused.error, of: refused.migration, on: refused.connection).map {
            FailureExplanation(help: $0.help)
        }
    }
}
