import ArgumentParser
import Drydock

/// Where the migrations are, and in which format.
struct MigrationsOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder of migrations. (default: Migrations)", valueName: "folder"),
        completion: .directory)
    var migrations: String?

    @Option(
        help: ArgumentHelp(
            "Whose migrations they are: \(MigrationFormats.names.joined(separator: ", ")). (default: recognised)",
            valueName: "format"),
        completion: .list(MigrationFormats.names))
    var migrationFormat: String?

    func validate() throws {
        guard let migrationFormat, !MigrationFormats.names.contains(migrationFormat) else { return }
        throw ValidationError(
            "there is no migration format '\(migrationFormat)'; choose one of: "
                + MigrationFormats.names.joined(separator: ", "))
    }
}
