import DrydockFindings
import DrydockMigrations
import DrydockState

extension FreshInstall {
    /// Reads what the project's own command made of an empty database.
    package static func make(
        _ project: CommandProject, _ context: ReplayContext, _ watchdog: Watchdog
    ) async throws -> FreshInstall {
        var fresh = FreshInstall()
        fresh.passed = project.passed
        fresh.failure = project.failure.map { InstallFailure($0, of: project) }
        let inspector = context.inspector(watchdog)
        for (count, image) in project.made { fresh.catalogs[count] = try await inspector.catalog(of: image) }
        return fresh
    }
}
