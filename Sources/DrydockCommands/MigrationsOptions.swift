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

    func folder(_ config: ConfigFile) -> String { migrations ?? config.migrations ?? "Migrations" }

    func format(_ config: ConfigFile) -> String? { migrationFormat ?? config.migrationFormat }

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

    /// The folder that is named; nil for the usual one.
    func folder(_ config: ConfigFile) -> String? { folder ?? config.snapshots }
}
