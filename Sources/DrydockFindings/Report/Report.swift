/// The result of a command: what every report has, and a body that is the command's own. Plain values, ready to be
/// rendered.
///
///     switch report.body {
///     case .verify(let verify): print(verify.replays.count, "snapshots replayed")
///     case .lint(let lint): print(lint.statements, "statements linted")
///     default: break
///     }
public struct Report: Sendable {
    public var body: Body
    public var findings: [Finding] = []
    public var notChecked: [NotChecked] = []
    /// The name of the format in which the migrations were read; nil where none were.
    public var migrationFormat: String?
    /// How the migrations were read and run, where the folder and its history do not say it: one of ``migrationFormat`` first.
    public var readings: [ReportReading] = []
    /// The folder of migrations, if none was named and a search found it.
    public var foundMigrations: String?
    /// Wall-clock seconds of the whole run.
    public var seconds: Double = 0
    /// Which part of a run it is; nil for a whole run.
    public var part: ReportPart?
    /// Whether warnings count as failures.
    public var isStrict = false

    public init(_ body: Body) { self.body = body }

    /// What only one command's report has.
    public enum Body: Sendable {
        case verify(VerifySummary)
        case lint(LintSummary)
        case lock(LockSummary)
        case migrate(MigrateSummary)
        case rollOut(RollOutSummary)
        case health(HealthSummary)
        case diff(DiffSummary)
        case vacuum(VacuumSummary)
        case vacuums(VacuumFleetSummary)
    }

    /// The command that produced the report.
    public var command: String {
        switch body {
        case .verify: "verify"
        case .lint: "lint"
        case .lock: "lock"
        case .migrate, .rollOut: "migrate"
        case .health: "health"
        case .diff: "diff"
        case .vacuum, .vacuums: "vacuum"
        }
    }

    public var hasPassed: Bool {
        !findings.contains { $0.severity == .error || isStrict && $0.severity == .warning }
            && !body.isFailure
    }
}

extension Report.Body {
    /// Whether the command failed, whatever was found.
    fileprivate var isFailure: Bool {
        switch self {
        case .verify, .lint, .lock, .vacuum: false
        case .vacuums(let vacuums): vacuums.hasTrouble
        case .migrate(let migrate): migrate.isFailure
        case .rollOut(let rollOut): rollOut.isFailure
        case .health(let health): health.hasTrouble
        case .diff(let diff): !diff.isSame
        }
    }
}

extension Report {
    /// What was linted; nil in another command's report.
    public var lint: LintSummary? { if case .lint(let lint) = body { lint } else { nil } }

    /// What was locked; nil in another command's report.
    public var lock: LockSummary? { if case .lock(let lock) = body { lock } else { nil } }

    /// What was done to a live database; nil in another command's report.
    public var migrate: MigrateSummary? { if case .migrate(let migrate) = body { migrate } else { nil } }

    /// What was done to many live databases; nil in another report.
    public var rollOut: RollOutSummary? { if case .rollOut(let rollOut) = body { rollOut } else { nil } }

    /// What was checked in live databases; nil in another command's report.
    public var health: HealthSummary? { if case .health(let health) = body { health } else { nil } }

    /// How two schemas differ; nil in another command's report.
    public var diff: DiffSummary? { if case .diff(let diff) = body { diff } else { nil } }

    /// What was vacuumed; nil in another command's report.
    public var vacuum: VacuumSummary? { if case .vacuum(let vacuum) = body { vacuum } else { nil } }

    /// What was vacuumed of several databases; nil in another report.
    public var vacuums: VacuumFleetSummary? {
        if case .vacuums(let vacuums) = body { vacuums } else { nil }
    }

    /// The replays of `verify`, or the rehearsal of `migrate`.
    public var replays: [ReplaySummary] {
        switch body {
        case .verify(let verify): verify.replays
        case .migrate(let migrate): migrate.replays
        case .lint, .lock, .health, .diff, .vacuum, .vacuums, .rollOut: []
        }
    }
}

/// What `drydock verify` replayed.
public struct VerifySummary: Sendable {
    /// The snapshots in the order in which they were named.
    public var replays: [ReplaySummary]
    /// What each migration does to the schema; nil unless requested (`VerifyRequest.wantsHistory`).
    public var history: SchemaHistory?

    public init(replays: [ReplaySummary] = [], history: SchemaHistory? = nil) {
        (self.replays, self.history) = (replays, history)
    }
}
