import ArgumentParser
import Drydock

/// What a folder of another tool's migrations does not tell.
struct ToolOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What is there before the first migration: a database or a .sql file.", valueName: "path"),
        completion: .file())
    var base: String?

    @Option(
        help: ArgumentHelp(
            "What runs in one transaction: each, all or none. (default: as the tool does)",
            valueName: "policy"))
    var transaction: ToolPolicy.Transaction?

    @Flag(inversion: .prefixedNo, help: "Enforce foreign keys. (default: as the tool does)")
    var foreignKeys: Bool?

    @Flag(inversion: .prefixedNo, help: "Read double-quoted text as a string. (default: as the tool does)")
    var doubleQuotedStrings: Bool?

    @Option(
        name: .customLong("placeholder"),
        help: ArgumentHelp(
            "What the app puts in for ${NAME}; may be repeated.", valueName: "name=value"))
    var placeholders: [PlaceholderOption] = []

    /// Those of the command line, else of the file.
    func options(_ config: ConfigFile) -> FormatOptions {
        var options = config.options
        options.foreignKeys = foreignKeys ?? options.foreignKeys
        options.doubleQuotedStrings = doubleQuotedStrings ?? options.doubleQuotedStrings
        options.transaction = transaction ?? options.transaction
        options.base = base.map { SchemaBase(path: $0) } ?? options.base
        for option in placeholders { options.placeholders[option.name] = option.value }
        return options
    }
}
