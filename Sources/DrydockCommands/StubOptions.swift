import ArgumentParser
import DatabaseEngine
import Drydock

/// Stand-ins for what an app registers with SQLite, and the file that names them for a project.
struct StubOptions: ParsableArguments {
    @Option(
        name: .customLong("function"),
        help: ArgumentHelp(
            "A stand-in for an SQL function that the app registers: NAME, NAME=VALUE or NAME=$0 for its first argument; may be repeated.",
            valueName: "name=value"))
    var functions: [FunctionOption] = []

    @Option(
        name: .customLong("collation"),
        help: ArgumentHelp(
            "A stand-in for a collation that the app registers: NAME or NAME=binary|nocase|rtrim; may be repeated.",
            valueName: "name=order"))
    var collations: [CollationOption] = []

    @Option(
        help: ArgumentHelp(
            "The configuration file. (default: drydock.yml where there is one)", valueName: "path"),
        completion: .file(extensions: ["yml", "yaml"]))
    var config: String?

    /// Returns those of the file, then those of the command line.
    func stubs(_ config: ConfigFile) -> (functions: [FunctionStub], collations: [CollationStub]) {
        (config.functions + functions.map(\.stub), config.collations + collations.map(\.stub))
    }
}

extension ConfigFile {
    /// Returns a source. If it is a folder of migrations, they are read with the project's settings.
    func source(_ text: String, migrationFormat: String? = nil) throws -> SchemaSource {
        var source = try SchemaSource(text)
        source.migrationFormat = migrationFormat ?? self.migrationFormat
        source.options = options
        return source
    }
}
