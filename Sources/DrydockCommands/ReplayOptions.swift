import ArgumentParser
import Drydock

/// What every replay is checked against, and what is shown of it.
struct ReplayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The lock to hold. (default: drydock.lock beside drydock.yml, where there is one)",
            valueName: "path"),
        completion: .file(extensions: ["lock"]))
    var lock: String?

    @Flag(name: .customLong("no-lock"), help: "Hold no lock.")
    var noLock = false

    @Flag(inversion: .prefixedNo, help: "Show keys and shapes instead of values. (default: where CI is set)")
    var redact: Bool?

    @Option(
        name: .customLong("declare"),
        help: ArgumentHelp(
            "A declaration for a migration that cannot be edited; may be repeated.",
            valueName: "migration:declaration"))
    var declarations: [DeclareOption] = []

    func validate() throws {
        if lock != nil, noLock { throw ValidationError("--lock and --no-lock exclude each other") }
    }

    /// Returns the lock to check; nil for none. A named lock must exist.
    func heldLock(_ config: ConfigFile, _ stubs: StubOptions) -> String? {
        if noLock { return nil }
        if let named = lock ?? config.lock { return named }
        let usual = LockFile.beside(stubs.config)
        return FolderListing.exists(usual) ? usual : nil
    }
}
