import ArgumentParser
import Drydock

/// The project's own command that migrates, in place of a folder of SQL.
struct ProjectCommandOptions: ParsableArguments {
    @Option(name: Setting.migrateCommand.name, help: Setting.migrateCommand.help)
    var command: String?

    @Option(name: Setting.migrateDatabase.name, help: Setting.migrateDatabase.help)
    var database: String?

    @Option(name: Setting.migrateEnvironment.name, help: Setting.migrateEnvironment.help)
    var environment: [PlaceholderOption] = []

    @Option(
        name: Setting.migrateWritable.name, help: Setting.migrateWritable.help, completion: .file())
    var writable: [String] = []

    @Option(
        name: Setting.migrateFolder.name, help: Setting.migrateFolder.help, completion: .directory)
    var folder: String?

    @Option(name: Setting.migrateList.name, help: Setting.migrateList.help)
    var list: String?

    @Option(name: Setting.migrateHistory.name, help: Setting.migrateHistory.help)
    var history: String?

    func validate() throws {
        guard let database, ProjectCommand.Passing(database) == nil else { return }
        throw ValidationError(
            "--\(Setting.migrateDatabase.flag ?? "") '\(database)' is not \(ProjectCommandConfig.passing)")
    }

    /// Returns what the command line and drydock.yml describe; nil where neither does.
    /// - Throws: RequestError if no command is named.
    func settings(_ config: ConfigFile) throws -> ProjectCommand? {
        var own = config.migrate
        own.command = command ?? own.command
        own.database = database.flatMap { ProjectCommand.Passing($0) } ?? own.database
        own.writable += writable
        own.folder = folder ?? own.folder
        own.list = list ?? own.list
        own.history = history.map { CommandHistory(query: $0) } ?? own.history
        for option in environment { own.environment[option.name] = option.value }
        return try own.settings(in: config.folder)
    }
}

/// What drydock.yml says under `migrate:`.
struct ProjectCommandConfig: Equatable {
    var command: String?
    var database: ProjectCommand.Passing?
    var environment: [String: String] = [:]
    var writable: [String] = []
    var folder: String?
    var list: String?
    var history: CommandHistory?

    static let passing =
        "a variable for the path, such as $DATABASE_PATH, or a URL with $DRYDOCK_DATABASE in it"

    /// - Parameter place: the folder of drydock.yml.
    /// - Throws: RequestError if something is described, and no command.
    func settings(in place: String) throws -> ProjectCommand? {
        guard let command, !command.allSatisfy(\.isWhitespace) else {
            guard self == ProjectCommandConfig() else {
                throw RequestError(
                    .settingInvalid,
                    "'migrate' has no 'command' that migrates the database in $DRYDOCK_DATABASE")
            }
            return nil
        }
        var settings = ProjectCommand(command: command)
        settings.folder = folder ?? (place.isEmpty ? "." : place)
        (settings.database, settings.environment) = (database, environment)
        (settings.list, settings.history, settings.writable) = (list, history, writable)
        return settings
    }
}
