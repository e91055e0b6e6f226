import ArgumentParser
import Drydock

/// The checks of a replay that run only if requested.
struct CheckOptions: ParsableArguments {
    @Flag(name: Setting.rollback.name, inversion: .prefixedNo, help: Setting.rollback.help)
    var rollback: Bool?

    @Flag(name: Setting.crash.name, inversion: .prefixedNo, help: Setting.crash.help)
    var crash: Bool?

    @Flag(name: Setting.crashWrites.name, inversion: .prefixedNo, help: Setting.crashWrites.help)
    var crashWrites: Bool?

    @Option(
        name: Setting.crashStates.name, help: Setting.crashStates.help, transform: NumberOption.atLeastOne)
    var crashStates: Int?

    @Option(
        name: Setting.sqliteLibraries.name, help: Setting.sqliteLibraries.help, completion: .file())
    var sqliteLibraries: [String] = []

    /// Adds those of the command line, otherwise those of the file, to a request.
    func apply(_ config: ConfigFile, to request: inout VerifyRequest) {
        request.checks.rollback = rollback ?? config[Setting.rollback] ?? false
        request.checks.crashes = crash ?? config[Setting.crash] ?? false
        request.checks.crashWrites = crashWrites ?? config[Setting.crashWrites] ?? false
        request.checks.crashStates = crashStates ?? config[Setting.crashStates] ?? request.checks.crashStates
        request.checks.sqliteLibraries = sqliteLibraries.isEmpty ? config.sqliteLibraries : sqliteLibraries
    }
}
