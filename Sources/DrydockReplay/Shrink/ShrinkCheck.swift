import DrydockFindings

/// What gave a finding that is to be made small, and so is run on every small database.
enum ShrinkCheck: Sendable {
    /// The rules of a step, on the state before it.
    case step
    /// The way back of a migration.
    case rollback
    /// The starts after a crash, of one kind.
    case crashes(CrashLimits)
    /// Other SQLite libraries.
    case libraries
    /// A second engine.
    case engines
    /// A replay to its end, with all that verify says of it.
    case replay

    var crashLimits: CrashLimits? { if case .crashes(let limits) = self { limits } else { nil } }

    var isRollback: Bool { if case .rollback = self { true } else { false } }

    /// Whether what it finds depends on the schema of a fresh install.
    var comparesWithFreshInstall: Bool { if case .replay = self { true } else { false } }

    /// What `drydock verify` has to be told.
    var settings: ShrunkSettings {
        switch self {
        case .step, .replay, .libraries: ShrunkSettings()
        case .engines: ShrunkSettings(comparesEngines: true)
        case .rollback: ShrunkSettings(checksRollback: true)
        case .crashes(let limits):
            ShrunkSettings(checksCrashes: !limits.includesWrites, checksCrashWrites: limits.includesWrites)
        }
    }
}

/// The settings with which `drydock verify` gives a finding that was made small.
public struct ShrunkSettings: Sendable {
    public var checksRollback = false
    public var checksCrashes = false
    public var checksCrashWrites = false
    /// Whether both engines run each step.
    public var comparesEngines = false
    /// The files of other SQLite libraries, which a folder cannot bring along: `--sqlite-library`.
    public var sqliteLibraries: [String] = []
    /// Whether foreign keys are enforced, where the format does not say it and the project's source did.
    public var foreignKeys: Bool?
}

extension CrashLimits {
    /// One kind of crash after the other, the cheapest first.
    var kinds: [CrashLimits] {
        var (kills, faults, writes) = (self, self, self)
        (kills.includesFaults, kills.includesWrites) = (false, false)
        faults.includesWrites = false
        writes.includesFaults = false
        return [kills] + (includesFaults ? [faults] : []) + (includesWrites ? [writes] : [])
    }
}

extension VerifyRequest {
    /// Returns the request with the checks that alone can give findings of a rule.
    func checking(_ rule: Rule?) -> VerifyRequest {
        var request = self
        switch rule {
        case .rollbackFailed, .rollbackMismatch: request.checksRollback = true
        case .crashStuck, .crashLoses, .crashDiverges:
            // Kinds of crashes that were asked for are not added to.
            guard !checksCrashes, !checksCrashWrites else { break }
            (request.checksCrashes, request.checksCrashWrites) = (true, true)
        default: break
        }
        return request
    }
}

extension ReplayContext {
    /// Returns what replays of small databases need: one check, and nothing that outlasts them.
    func narrowed(to check: ShrinkCheck) -> ReplayContext {
        var context = self
        (context.baselines, context.memory, context.lock, context.catcher) = (nil, nil, nil, nil)
        context.checksRollback = check.isRollback
        context.crashLimits = check.crashLimits
        context.wantsScripts = true
        if case .libraries = check {} else { context.libraries = [] }
        if case .engines = check {} else { context.other = nil }
        return context
    }
}
