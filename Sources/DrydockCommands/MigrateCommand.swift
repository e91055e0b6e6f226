import ArgumentParser
import Drydock

struct MigrateCommand: DrydockSubcommand, TakesManyNames {
    static let help = CommandHelp(
        name: "migrate",
        abstract: "Rehearse a database's migrations; --apply runs them.",
        usage: "[OPTIONS] DATABASE...",
        about: """
            Runs a live database's pending migrations on a copy, and checks every rule of
            'drydock verify'. Nothing is written to the database, which stays in use.

            With --apply, the result replaces the database in one transaction, after a check
            that nobody wrote in the meantime. A kill leaves the old or the migrated
            database. A backup is kept beside it, NAME.VERSION-TIME.backup.
            """,
        examples: """
            drydock migrate app.sqlite                   rehearse: findings, time, disk
            drydock migrate app.sqlite --check           only what is pending
            drydock migrate app.sqlite --apply
            drydock migrate app.sqlite --apply --backup-folder /var/backups
            drydock migrate app.sqlite -m db/migrations --up-to 20240501
            drydock migrate 'tenants/*.sqlite' --apply --canary 3 --wave 10%,100%
            drydock migrate --from fleet.json --apply --shard 2/8 --log 2.jsonl
            """,
        common: """
            migrations migration-format check apply backup-folder no-backup up-to busy-timeout
            canary wave max-failures log from shard resume jobs strict format report
            """,
        details: """
            With --apply the database is locked, compared with the copy byte by byte, and
            its pages are replaced in one transaction. If another program committed
            meanwhile, the migrations are rehearsed again on what it wrote.

            Many databases are all inspected first, and those at the newest version are left
            alone, so the same command continues after a failure, a kill or Ctrl-C. One that
            another program has locked is tried again at the end. --check says which
            databases have a schema that is not that of their version.

            An intended loss is declared in the migration, or in drydock.yml:
              -- drydock: deletes from email where is_spam = 1
            """,
        exitStatus: """
            0  rehearsed or migrated without an error, or nothing is pending
            1  errors were found, or with --check something is pending. One database is
               then not migrated; of many, some may be, and the text says which
            2  no report could be made, or nothing was migrated; the database is
               unchanged, unless the text says that it is migrated, or how many of
               several are, and only the report, --log or --resume could not be written
            130 interrupted; the database is unchanged
            64 bad usage
            """)

    @Argument(help: TargetOptions.databases, completion: .file())
    var databases: [String] = []
    static var names: WritableKeyPath<Self, [String]> { \.databases }

    private static let usual = RollOutRequest(databases: [], migrate: MigrateRequest(path: ""))

    @OptionGroup var lists: ListOptions

    @OptionGroup var targets: TargetOptions

    @OptionGroup var source: MigrationsOptions

    @Flag(help: "Only say what is pending.")
    var check = false

    @Flag(help: "Rehearse, and migrate if nothing is wrong.")
    var apply = false

    @Option(
        help: ArgumentHelp("Where the backup goes: a new file.", valueName: "path"), completion: .file())
    var backup: String?

    @Option(
        help: ArgumentHelp(
            "Where backups go; their names say version and time.", default: "beside the database",
            valueName: "folder"), completion: .directory)
    var backupFolder: String?

    @Flag(name: .customLong("no-backup"), help: "Keep no backup.")
    var noBackup = false

    @Option(
        help: ArgumentHelp(
            "The folder for copies that are not kept.", default: "TMPDIR, otherwise /tmp", valueName: "folder"
        ),
        completion: .directory)
    var temporaryFolder: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for locks; 0 tries once.",
            default: usual.migrate.busyTimeout.written, valueName: "duration"),
        transform: TimeLimit.wait)
    var busyTimeout: TimeLimit?

    @Option(
        help: ArgumentHelp(
            "Migrate this many databases first; one of each schema and version, then the smallest.",
            default: "\(usual.canary)", valueName: "count"),
        transform: NumberOption.reader(0..., "a number of at least 0"))
    var canary: Int?

    @Option(
        name: .customLong("wave"),
        help: ArgumentHelp(
            "Then waves, such as 1%,10%,100%; these are shares of all databases, and each wave waits for the one before.",
            default: "100%", valueName: "shares"))
    var waves: String?

    @Option(
        help: ArgumentHelp(
            "Stop after this many failures; no further database is started.",
            default: "\(usual.maxFailures)", valueName: "count"),
        transform: NumberOption.atLeastOne)
    var maxFailures: Int?

    @Option(
        help: ArgumentHelp(
            "A log of which database has which version; one JSON object per line, written to the disk before and after each installation.",
            valueName: "path"), completion: .file())
    var log: String?

    @Option(
        name: Setting.jobs.name("j", allowingJoined: true), help: Setting.jobs.help,
        transform: NumberOption.atLeastOne)
    var jobs: Int?

    @Option(name: Setting.upTo.name, help: Setting.upTo.help)
    var upTo: String?

    @OptionGroup var limits: LimitOptions

    @Flag(name: Setting.fullCheck.name, inversion: .prefixedNo, help: Setting.fullCheck.help)
    var fullCheck: Bool?

    @OptionGroup var output: OutputOptions

    @OptionGroup var lockOptions: LockOptions

    @OptionGroup var noLock: NoLockOption

    @OptionGroup var redaction: RedactOptions

    @OptionGroup var declarations: DeclareOptions

    @OptionGroup var tool: ToolOptions

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    func validate() throws {
        try output.checkNoScripts()
        try output.checkFormat()
        try noLock.check(lockOptions)
        if databases.isEmpty, lists.isEmpty { throw ValidationError(ListOptions.noDatabase) }
        if databases.contains("") || backup == "" || backupFolder == "" || log == "" {
            throw ValidationError("the name of a file is empty")
        }
        if !apply, let option = rollOutOption { throw ValidationError("\(option) is for --apply") }
        if let waves {
            do { _ = try RollOutWave.list(waves) } catch { throw ValidationError(error.description) }
        }
        if check, apply { throw ValidationError("--check and --apply exclude each other") }
        if [backup != nil, backupFolder != nil, noBackup].count(where: { $0 }) > 1 {
            throw ValidationError("--backup, --backup-folder and --no-backup exclude each other")
        }
    }

    /// An option that only migrating has.
    private var rollOutOption: String? {
        let given = [
            ("--canary", canary != nil), ("--wave", waves != nil), ("--max-failures", maxFailures != nil),
            ("--log", log != nil),
        ]
        return given.first(where: \.1)?.0
    }

    /// Whether an option that only applies to many databases is given, even with a single database.
    var isOfMany: Bool { rollOutOption != nil || targets.isOfMany }

    func run() async throws {
        let failure = FailureOutput(Self.self, OutputFormat(output.format))
        try await failure.run {
            let config = try failure.config(stubs.config) { output.files($0) }
            failure.prints(output.format(config))
            limits.apply(config)
            let chosen = try await targets.targets(databases, lists, on: engines.driver(config))
            var settings = try MigrateSettings(self, config, chosen.paths)
            try failure.writes(settings.reports) {
                try settings.reports.check(against: settings.request.verify, config)
            }
            try settings.choose(chosen)
            guard let report = try await MigrateRun(settings: settings).report() else { throw ExitCode(130) }
            if !report.hasPassed { throw ExitCode(1) }
        }
    }
}
