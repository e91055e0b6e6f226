import ArgumentParser
import Drydock
import DrydockReport

struct LockCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "lock",
        abstract: "Record what is released, so that no change slips in.",
        usage: "[OPTIONS]",
        about: """
            Records in drydock.lock which migrations and snapshots are released, with their
            checksums. Commit the file: drydock verify then reports every later change. New
            entries are added; an entry is rewritten or dropped only with --replace.
            """,
        examples: """
            drydock lock                         add what is new
            drydock lock --check                 write nothing: a pre-commit hook
            drydock lock --replace v12_threads   edited before anyone had it
            drydock lock --replace v1.sqlite     the snapshot was recreated
            """,
        common: "check replace lock migrations snapshots format report quiet",
        details: """
            drydock.lock has a line for each migration with the checksums of its file, of
            its SQL (which comments, white space and line endings do not change), and of
            what its tool reads beside it; a line for its way back; and for each snapshot
            its content, version, rows, and the SQLite that wrote it. A line that was edited
            by hand is recognised.
            """,
        exitStatus: """
            0  everything is unchanged since it was locked, or was added
            1  something has changed
            2  no report could be made: there is no lock to check, or it is broken
            64 bad usage
            """)

    @Flag(help: "Write nothing.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "Rewrite this entry, or drop it if its file is gone; a migration or a snapshot. May be repeated.",
            valueName: "name"))
    var replace: [String] = []

    @Flag(
        help:
            "Record for locked snapshots what this SQLite finds wrong with them, so that a machine with an empty cache need not check them again."
    )
    var baselines = false

    @OptionGroup var lockOptions: LockOptions

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var snapshots: SnapshotsOptions

    @OptionGroup var tool: ToolOptions

    @Flag(name: Setting.cache.name, inversion: .prefixedNo, help: Setting.cache.help)
    var cache: Bool?

    @OptionGroup var output: OutputOptions

    @OptionGroup var redaction: RedactOptions

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var limits: LimitOptions

    func validate() throws {
        try output.checkNoScripts()
        try output.checkFormat()
        if check, !replace.isEmpty || baselines {
            throw ValidationError("--check writes nothing: leave out --replace and --baselines")
        }
    }

    func run() async throws {
        let failure = FailureOutput(Self.self, OutputFormat(output.format))
        try await limits.run(stubs, failure, writing: { output.files($0) }) { config, limits in
            failure.prints(output.format(config))
            let place = try source.place(config)
            let request = request(config, place)
            var guarded = VerifyRequest()
            guarded.migrations.folder = request.migrations.folder
            guarded.snapshots.folder = request.snapshotsFolder ?? guarded.snapshots.folder
            guarded.lock = request.path
            let files = output.files(config)
            try failure.writes(files) { try files.check(against: guarded, config) }
            var report = try await Locker(engine: limits.engine(engines.driver(config))).run(request)
            report.foundMigrations = place.found
            let options = output.options(config, redacts: redaction.isOn(config))
            try output.write(report, options, config)
            if !report.hasPassed { throw ExitCode(1) }
        }
    }

    func request(_ config: ConfigFile, _ place: MigrationsFinder.Place) -> LockRequest {
        var request = LockRequest()
        request.path = lockOptions.path(config)
        request.migrations.folder = place.path
        // A project without snapshots has something to lock as well.
        let usual = SnapshotsOptions.usual(config)
        let fallback = FolderListing.exists(usual) ? usual : nil
        request.snapshotsFolder = snapshots.folder(config) ?? fallback
        request.replace = replace
        request.isCheck = check
        request.addsBaselines = baselines
        request.isStrict = output.isStrict(config)
        request.cacheFolder = cache ?? config[Setting.cache] ?? true ? CacheFolder.path : nil
        request.migrations.format = source.format(config)
        request.migrations.options = tool.options(config)
        (request.migrations.functions, request.migrations.collations) = stubs.stubs(config)
        return request
    }
}
