import Drydock
import DrydockLanguageServer

/// Finds the project of a file in an editor: the nearest drydock.yml, otherwise the migrations of the workspace or of the
/// Git repository.
struct EditorProjects: ProjectFinder {
    func project(ofFolder folder: String, workspaces: [String]) throws -> LintProject? {
        let config = try config(above: folder, workspaces)
        // The defaults of drydock lint, replaced by the settings of the file.
        let command = try LintCommand.parse([])
        if config[Setting.migrations] == nil, config.migrate.command != nil { return nil }
        guard let place = try place(command, config, folder) else { return nil }
        var request = try command.request(config, place)
        try request.take(lock: command.lockOptions.path(config), isNamed: command.lockOptions.isNamed(config))
        let limits = command.limits
        return LintProject(
            request: request, engine: command.engines.driver(config),
            timeLimit: command.limits.timeout(config).duration, setLimits: { limits.apply(config) })
    }

    private func config(above folder: String, _ workspaces: [String]) throws -> ConfigFile {
        if let path = ConfigPlace.find(above: folder) { return try ConfigFile.load(path) }
        var config = ConfigFile.empty
        let folders = ProjectFolders.upwards(from: folder)
        let workspace = workspaces.filter { folder == $0 || folder.hasPrefix($0 + "/") }
            .max { $0.count < $1.count }
        // A lock is beside a project's drydock.yml, and where there is none, in the project's folder.
        let locked = folders.first { FolderListing.exists($0 + "/" + Lock.defaultPath) }
        config.folder = locked ?? workspace ?? folders.last ?? folder
        return config
    }

    /// Returns the folder of migrations that a file of a folder may belong to; nil if there is none.
    private func place(
        _ command: LintCommand, _ config: ConfigFile, _ folder: String
    ) throws -> MigrationsFinder.Place? {
        if config[Setting.migrations] != nil { return try command.source.place(config) }
        do {
            let place = try command.source.place(config)
            if Self.holds(place.path, folder) { return place }
        } catch let error as RequestError where error.reason == .notFound {
            // There may be several, and an open file says which is meant.
        }
        // Tools that give each migration a folder have the migrations in the one above.
        let folders = [folder, PathParts.folder(of: folder)]
        return folders.first { MigrationsSurvey.sign(of: $0) != nil }.map {
            MigrationsFinder.Place(path: $0, wasFound: true)
        }
    }

    private static func holds(_ place: String, _ folder: String) -> Bool {
        let (place, folder) = (FolderListing.realPath(place), FolderListing.realPath(folder))
        return folder == place || folder.hasPrefix(place + "/")
    }
}
