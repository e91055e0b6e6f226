import ArgumentParser
import Drydock

/// What a folder of another tool's migrations does not show.
struct ToolOptions: ParsableArguments {
    @Option(name: Setting.base.name, help: Setting.base.help, completion: .file())
    var base: String?

    @Option(name: Setting.transaction.name, help: Setting.transaction.help)
    var transaction: ToolPolicy.Transaction?

    @Option(name: Setting.historyTable.name, help: Setting.historyTable.help)
    var historyTable: String?

    @Flag(name: Setting.mixed.name, inversion: .prefixedNo, help: Setting.mixed.help)
    var mixed: Bool?

    @Flag(name: Setting.foreignKeys.name, inversion: .prefixedNo, help: Setting.foreignKeys.help)
    var foreignKeys: Bool?

    @Flag(
        name: Setting.doubleQuotedStrings.name, inversion: .prefixedNo, help: Setting.doubleQuotedStrings.help
    )
    var doubleQuotedStrings: Bool?

    @Option(name: Setting.placeholders.name, help: Setting.placeholders.help)
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
