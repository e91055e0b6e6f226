import DrydockCrash
import DrydockFindings
import DrydockLibraries
import DrydockReplay
import DrydockVerify

/// What gave a finding that is to be made small, and so is run on every small database.
enum ShrinkCheck: Sendable {
    /// The rules of a step, on the state before it.
    case step
    /// A check that runs only if requested.
    case check(any StepCheck)
    /// A replay to its end, with all that verify says of it.
    case replay

    /// What is made besides the rules of a step.
    var check: (any StepCheck)? { if case .check(let check) = self { check } else { nil } }

    var isCrash: Bool { check is CrashLimits }
    var isRollback: Bool { check is WayBack }

    /// Whether what it finds depends on the schema of a fresh install.
    var comparesWithFreshInstall: Bool { if case .replay = self { true } else { false } }

    /// What `drydock verify` has to be told.
    var settings: ShrunkSettings {
        var settings = ShrunkSettings()
        switch check {
        case is SecondEngine: settings.comparesEngines = true
        case is WayBack: settings.checks.rollback = true
        case let limits as CrashLimits:
            settings.checks.crashes = !limits.includesWrites
            settings.checks.crashWrites = limits.includesWrites
        case let libraries as OtherLibraries:
            settings.checks.sqliteLibraries = libraries.builds.map(\.path)
        default: break
        }
        return settings
    }
}

/// The settings with which `drydock verify` reports a finding that was reduced.
public struct ShrunkSettings: Sendable {
    /// The checks that the finding needs; a folder cannot bring along files of other SQLite libraries.
    public var checks = RequestedChecks()
    /// Whether both engines run each step.
    public var comparesEngines = false
    /// Whether foreign keys are enforced, if the format does not say it but the project's source did.
    public var foreignKeys: Bool?
}

extension VerifyRequest {
    /// Returns the request with the checks that alone can give findings of a rule.
    func checking(_ rule: Rule?) -> VerifyRequest {
        var request = self
        switch rule {
        case .rollbackFailed, .rollbackMismatch: request.checks.rollback = true
        case .crashStuck, .crashLoses, .crashDiverges:
            // No further kinds of crashes are added to those requested.
            guard !checks.crashes, !checks.crashWrites else { break }
            (request.checks.crashes, request.checks.crashWrites) = (true, true)
        default: break
        }
        return request
    }
}

extension ReplayContext {
    /// Returns what replays of small databases need: one check, and nothing that outlasts them.
    func narrowed(to check: ShrinkCheck) -> ReplayContext {
        var context = self
        (context.baselines, context.cache, context.lock, context.listener) = (nil, nil, nil, nil)
        context.checks = [check.check].compactMap(\.self)
        context.wantsScripts = true
        return context
    }
}
