import ArgumentParser
import DatabaseEngine
import Drydock

/// Stand-ins for what an app registers with SQLite, and the file that names them for a project.
struct StubOptions: ParsableArguments {
    @Option(name: Setting.functions.name, help: Setting.functions.help)
    var functions: [FunctionOption] = []

    @Option(name: Setting.collations.name, help: Setting.collations.help)
    var collations: [CollationOption] = []

    @Option(
        help: ArgumentHelp(
            "The configuration file.", default: "\(ConfigFile.defaultPath), here or in a folder above",
            valueName: "path"),
        completion: .file(extensions: ["yml", "yaml"]))
    var config: String?

    /// Returns those of the file, then those of the command line.
    func stubs(_ config: ConfigFile) -> (functions: [FunctionStub], collations: [CollationStub]) {
        (config.functions + functions.map(\.stub), config.collations + collations.map(\.stub))
    }
}

extension ConfigFile {
    /// A source, whose migrations, if it is a folder of them, are read as the project says.
    func source(_ text: String, _ migrationFormat: String?, _ tool: ToolOptions) throws -> SchemaSource {
        var source = try SchemaSource(text)
        source.migrationFormat = migrationFormat ?? self[Setting.migrationFormat]
        source.options = tool.options(self)
        return source
    }
}
