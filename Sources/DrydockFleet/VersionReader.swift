import DatabaseEngine
import DrydockFindings
import DrydockMigrate
import DrydockMigrations
import DrydockReplay
import DrydockVerify

/// Reads which migration each of many databases has applied last, as the history of the project's tool says.
///
///     var verify = VerifyRequest()
///     verify.migrations.folder = "Migrations"
///     let reader = try VersionReader(verify, on: GRDBDriver())
///     let version = try await reader.version(of: "app.sqlite")
public struct VersionReader: Sendable {
    private let migrator: Migrator
    private let request: MigrateRequest

    /// - Parameter verify: the migrations, and whose they are.
    /// - Throws: ``RequestError`` if the migrations cannot be read.
    public init(_ verify: VerifyRequest, on engine: any Engine) throws {
        let choice = try FormatChoice(verify.migrations)
        migrator = Migrator(engine: engine, shares: ReplayShares(choice))
        var request = MigrateRequest(path: "")
        (request.mode, request.verify, request.isOneOfMany) = (.check, verify, true)
        self.request = request
    }

    /// Returns the newest migration that a database has applied; nil where it has no history.
    /// - Throws: ``RequestError`` if the migrations cannot be read; a database that cannot be has no version.
    public func version(of path: String) async throws -> String? {
        var one = request
        one.path = path
        do {
            return try await migrator.version(one)
        } catch let error as RequestError {
            switch error.reason {
            case .formatUnknown, .formatAmbiguous, .migrationsInvalid, .settingInvalid: throw error
            default: return nil
            }
        }
    }
}
