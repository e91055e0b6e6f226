import ArgumentParser
import Drydock

/// What a folder of another tool's migrations does not show.
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

    @Option(
        help: ArgumentHelp(
            "The table in which the tool keeps its history. (default: the tool's own)", valueName: "name"))
    var historyTable: String?

    @Flag(inversion: .prefixedNo, help: "Flyway is configured with mixed. (default: as its files say)")
    var mixed: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Enforce foreign keys; in Drydock's own format GRDB decides. (default: as the tool does)")
    var foreignKeys: Bool?

    @Flag(inversion: .prefixedNo, help: "Read double-quoted text as a string. (default: as the tool does)")
    var doubleQuotedStrings: Bool?

    @Option(
        name: .customLong("placeholder"),
        help: ArgumentHelp(
            "What the app puts in for ${NAME}; may be repeated.", valueName: "name=value"))
    var placeholders: [PlaceholderOption] = []

    /// Returns those of the command line, otherwise those of the file.
    func options(_ config: ConfigFile) -> FormatOptions {
        var options = config.options
        options.foreignKeys = foreignKeys ?? options.foreignKeys
        options.doubleQuotedStrings = doubleQuotedStrings ?? options.doubleQuotedStrings
        options.transaction = transaction ?? options.transaction
        options.historyTable = historyTable ?? options.historyTable
        options.mixed = mixed ?? options.mixed
        options.base = base.map { SchemaBase(path: $0) } ?? options.base
        for option in placeholders { options.placeholders[option.name] = option.value }
        return options
    }
}
