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
    /// A known function with a similar name.
    private let near: String?

    /// Nil for any other error.
    package init?(_ error: EngineError, on connection: any Connection) {
        self.init(message: error.message, on: connection)
    }

    package init?(message: String, on connection: any Connection) {
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
        return "\(name)() came with SQLite \(since), and this is \(version). Write it another way"
            + (["if", "iif"].contains(name.foldedASCII)
                ? ", such as CASE WHEN ... THEN ... ELSE ... END." : ".")
    }
}

/// Explains "no such function": whether another version of SQLite has it.
struct FunctionExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        UnknownFunction(refused.error, on: refused.connection).map { FailureExplanation(help: $0.help) }
    }
}
