import ArgumentParser
import Drydock

/// Whether a replay is compared with the lock.
struct NoLockOption: ParsableArguments {
    @Flag(name: .customLong("no-lock"), help: "Do not check the lock.")
    var noLock = false

    func check(_ options: LockOptions) throws {
        if options.lock != nil, noLock { throw ValidationError("--lock and --no-lock exclude each other") }
    }

    /// The lock that is checked; nil for none. One that is named must exist.
    func heldLock(_ options: LockOptions, _ config: ConfigFile) -> String? {
        if noLock { return nil }
        let path = options.path(config)
        return options.isNamed(config) || FolderListing.exists(path) ? path : nil
    }
}

/// Where the lock is.
struct LockOptions: ParsableArguments {
    @Option(
        name: Setting.lock.name, help: Setting.lock.help, completion: .file(extensions: ["lock"]))
    var lock: String?

    func isNamed(_ config: ConfigFile) -> Bool { lock != nil || config[Setting.lock] != nil }

    func path(_ config: ConfigFile) -> String { lock ?? config[Setting.lock] ?? LockFile.beside(config) }

    /// Refuses a lock that is named and missing.
    /// - Throws: RequestError.
    func checkIsThere(_ config: ConfigFile) throws {
        let path = path(config)
        guard !isNamed(config) || FolderListing.exists(path) else { throw Lock.missing(path) }
    }
}

/// Whether values are shown.
struct RedactOptions: ParsableArguments {
    @Flag(name: Setting.redact.name, inversion: .prefixedNo, help: Setting.redact.help)
    var redact: Bool?

    func isOn(_ config: ConfigFile) -> Bool { redact ?? config[Setting.redact] ?? VerifySettings.isCI }
}

/// Declarations for migrations that cannot be edited.
struct DeclareOptions: ParsableArguments {
    @Option(name: Setting.declarations.name, help: Setting.declarations.help)
    var declare: [DeclareOption] = []

    /// Those of the file, and those of the command line.
    /// - Throws: RequestError.
    func all(_ config: ConfigFile) throws -> [String: [Declaration]] {
        var declarations = config.declarations
        for option in declare {
            switch Declaration.parse(
                option.text, place: .init(file: "--declare"), migration: option.migration)
            {
            case .success(let parsed): declarations[option.migration, default: []] += parsed
            case .failure(let fault):
                throw RequestError(
                    .settingInvalid,
                    "--declare '\(option.text)': \(fault.finding.message). \(fault.finding.help)")
            }
        }
        return declarations
    }
}
