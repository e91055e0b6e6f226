import DatabaseEngine
import DrydockFindings
import DrydockMigrations
import SQLiteSchema

/// Something that came with a newer SQLite than the one that Drydock runs on.
package struct NewerSQLite {
    package let what: String
    package let since: SQLiteVersion
    /// The version that Drydock runs on.
    package let version: String
    /// The folder of the migrations, from which the project's files are looked for.
    package let folder: String

    package init(_ what: String, since: SQLiteVersion, version: String, folder: String) {
        (self.what, self.since, self.version, self.folder) = (what, since, version, folder)
    }

    /// The newest feature that explains why SQLite refused a statement; nil where none does.
    package init?(_ refused: RefusedStatement) {
        let query = "SELECT sqlite_version()"
        guard let statement = refused.statement,
            let version = try? refused.connection.firstRow(query, [], { $0.string(0) })
        else { return nil }
        self.init(
            statement, message: refused.error.message, version: version,
            folder: PathParts.folder(of: refused.migration.path))
    }

    package init?(_ statement: SQLStatement, message: String, version: String, folder: String) {
        guard let number = SQLiteVersion(version) else { return nil }
        let newer = SQLiteFeature.features(of: statement).filter {
            $0.since > number && Self.explains($0, message)
        }
        guard let feature = newer.max(by: { $0.since < $1.since }) else { return nil }
        self.init(feature.what, since: feature.since, version: version, folder: folder)
    }

    private static func explains(_ feature: SQLiteFeature, _ message: String) -> Bool {
        let known: [SQLiteMessage]
        switch feature.kind {
        case .syntax:
            known = [.syntaxError, .unrecognizedToken, .unrecognizedOption, .noSuchTokenizer]
            return known.contains { $0.matches(message) }
        case .name:
            known = [.noSuchTable, .noSuchFunction, .wrongArgumentCount]
            return known.contains { known in
                known.rest(of: message).map { feature.what.hasPrefix($0) } ?? false
            }
        case .value: return false
        }
    }

    /// When it came, as part of a sentence.
    package var fact: String { "\(what) came with SQLite \(since), and this is \(version)" }

    /// Whether the app's own SQLite is too old as well.
    var isTooNewForApp: Bool { BundledSQLite.nearest(to: folder).map(isTooNew) ?? false }

    private func isTooNew(for bundled: BundledSQLite) -> Bool {
        !bundled.isNewer && bundled.minor.map { $0 < since.minor } ?? false
    }

    package var help: Help {
        let fact = (what.contains("()") ? fact : fact.prefix(1).uppercased() + fact.dropFirst()) + ". "
        let ways =
            "'drydock verify --sqlite-library FILE' tries each step on another build of SQLite, and LD_LIBRARY_PATH=FOLDER runs "
            + "drydock itself on one. "
        let otherwise = "Write it another way\(example)"
        guard let bundled = BundledSQLite.nearest(to: folder) else {
            return Help(
                fact + "If the app ships its own, newer SQLite: " + ways
                    + "If it does not: w" + otherwise.dropFirst() + ".")
        }
        guard !isTooNew(for: bundled) else {
            return Help(fact + "\(bundled), which is too old as well. \(otherwise), or update it.")
        }
        return Help(
            fact + "\(bundled). " + ways + "Where the app uses the system's SQLite: w" + otherwise.dropFirst()
                + ".")
    }

    private var example: String {
        ["if()", "iif()"].contains(what) || what.hasPrefix("iif() ")
            ? ", such as CASE WHEN ... THEN ... ELSE ... END" : ""
    }
}

/// Explains a statement that SQLite refuses since it is too old for it.
struct NewerSQLiteExplainer: RefusalExplainer {
    func explanation(of refused: RefusedStatement) throws -> FailureExplanation? {
        guard let newer = NewerSQLite(refused) else { return nil }
        guard SQLiteMessage.syntaxError.matches(refused.error.message),
            let general = RefusalHelp(
                error: refused.error, statement: refused.statement, migration: refused.migration
            ).help
        else { return FailureExplanation(help: newer.help) }
        return FailureExplanation(help: newer.help + " " + general)
    }
}
