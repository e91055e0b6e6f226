import ArgumentParser
import Drydock

/// Where the migrations are, and in which format.
struct MigrationsOptions: ParsableArguments {
    @Option(
        name: Setting.migrations.name("m"), help: Setting.migrations.help,
        completion: .directory)
    var migrations: String?

    @Option(
        name: Setting.migrationFormat.name, help: Setting.migrationFormat.help,
        completion: .list(MigrationFormats.names))
    var migrationFormat: String?

    /// Returns the folder that is named, otherwise the one that a search finds below drydock.yml or the working folder.
    /// - Throws: RequestError if there is none, or more than one, or the one that is named is too high or too low.
    func place(_ config: ConfigFile) throws -> MigrationsFinder.Place {
        guard let named = migrations ?? config[Setting.migrations] else {
            do {
                return try MigrationsFinder.find(in: config.folder)
            } catch var error as RequestError where config.migrate.command != nil {
                error.description +=
                    "; 'migrate: command' in drydock.yml is only for verify, and this command needs SQL"
                throw error
            }
        }
        let format = format(config) ?? config.options.custom?.name
        try MigrationsFinder.check(named: named, format: format)
        return MigrationsFinder.Place(path: named, wasFound: false)
    }

    func format(_ config: ConfigFile) -> String? { migrationFormat ?? config[Setting.migrationFormat] }

    func validate() throws {
        guard let migrationFormat, !MigrationFormats.names.contains(migrationFormat) else { return }
        throw ValidationError(
            "there is no migration format '\(migrationFormat)'; choose one of: "
                + MigrationFormats.names.joined(separator: ", "))
    }
}

/// Where the snapshots are.
struct SnapshotsOptions: ParsableArguments {
    @Option(name: Setting.snapshots.name("s"), help: Setting.snapshots.help, completion: .directory)
    var folder: String?

    static let snapshots = ArgumentHelp(
        "Snapshots to replay; SQLite files, SQL dumps, folders of them.", default: usualName,
        valueName: "snapshot")
    static let usualName = "Snapshots"

    /// The folder that is named; nil for the usual one.
    func folder(_ config: ConfigFile) -> String? { folder ?? config[Setting.snapshots] }

    /// The usual folder, beside drydock.yml or in the working folder.
    static func usual(_ config: ConfigFile) -> String { config.path(usualName) }
}
