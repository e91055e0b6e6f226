import DatabaseEngine
import DrydockFindings
import DrydockLint
import DrydockReplay
import DrydockVerify

/// A project as its settings describe it: what is linted and verified, and on which files that rests.
public struct WatchedProject: Sendable {
    /// Nil if nothing is linted.
    public var lint: LintRequest?
    /// Nil if nothing is verified.
    public var verify: VerifyRequest?
    public var engine: any Engine
    /// Another engine, which must have the same result for every step; nil for none.
    public var other: (any Engine)?
    /// How long a run of lint may take; nil for no limit. That of verify is in its request.
    public var timeLimit: Duration?
    /// Files and folders that count besides migrations, snapshots and the lock.
    public var inputs: [String] = []
    /// Files that are written after a round, whose changes do not begin another one.
    public var outputs: [String] = []

    public init(lint: LintRequest? = nil, verify: VerifyRequest? = nil, engine: any Engine) {
        (self.lint, self.verify, self.engine) = (lint, verify, engine)
    }

    /// What can be edited without a change of anything else.
    var migrations: Set<String> {
        var folders: Set<String> = []
        if let lint { folders.insert(lint.migrations.folder) }
        if let verify, verify.command == nil { folders.insert(verify.migrations.folder) }
        return folders
    }

    var paths: Set<String> {
        var paths = migrations.union(inputs)
        if let lint { paths.formUnion([lint.migrations.options.base?.path].compactMap(\.self)) }
        if let verify {
            let chosen = verify.snapshots
            paths.formUnion(chosen.paths.isEmpty ? [chosen.folder] : chosen.paths)
            paths.formUnion([verify.lock, verify.migrations.options.base?.path].compactMap(\.self))
        }
        return paths
    }
}
