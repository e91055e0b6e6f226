import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport

struct MergeCommand: DrydockSubcommand, TakesManyNames {
    static let help = CommandHelp(
        name: "merge",
        abstract: "Combine the parts that shards wrote into one report.",
        usage: "[OPTIONS] PART...",
        about: """
            Combines the JSON reports of all shards into the report of a whole run, in any
            format, with the exit status of a whole run. No database is read. Merge the
            parts of verify and migrate where the migrations and drydock.yml are, in the
            folder in which the shards ran. 'verify', 'health', 'stats', 'migrate'
            and 'vacuum' have shards: docs/merge.md.
            """,
        examples: """
            drydock merge part-1.json part-2.json
            drydock merge 'parts/*.json' --format markdown --report html=report.html
            """,
        common: "format report quiet verbose",
        exitStatus: """
            0  passed
            1  errors were found
            2  no report could be made: a part is missing, is given twice, or is from
               another run; or a database could not be read
            64 bad usage
            """)

    @Argument(
        help: "The JSON reports of all shards; in quotes, patterns such as 'parts/*.json'.",
        completion: .file())
    var parts: [String] = []
    static var names: WritableKeyPath<Self, [String]> { \.parts }

    @Option(help: OutputFormat.help(formats), completion: .list(formats))
    var format: String?

    @Option(help: ReportFile.help, transform: HealthReportFile.parsed)
    var report: [HealthReportFile] = []

    @Flag(name: Setting.quiet.name("q"), help: Setting.quiet.help)
    var quiet = false

    @Flag(name: Setting.verbose.name("v"), help: Setting.verbose.help)
    var verbose = false

    private static let formats = OutputFormat.names(ReportRenderers.ofHealth)

    func validate() throws {
        if parts.isEmpty { throw ValidationError("no part is named") }
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
        if let format, !Self.formats.contains(format) {
            throw ValidationError(
                "there is no format '\(format)'; choose one of: \(Self.formats.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let output = OutputFormat(format)
        let failure = FailureOutput(Self.self, output)
        try await failure.run {
            let named = parts.map { name in
                Result { try DatabaseNames.resolve([name], "report of a shard") }
            }
            let found = Set(named.flatMap { (try? $0.get()) ?? [] }.map(FolderListing.realPath))
            try failure.writes(report.compactMap(\.plain)) {
                for file in report where found.contains(FolderListing.realPath(file.path)) {
                    throw RequestError(
                        .settingInvalid,
                        "the report would overwrite the part '\(file.path)'; give it another path")
                }
                for file in report { try file.checkIsWritable() }
            }
            let merge = try PartMerge(named.flatMap { try $0.get() }, version: DrydockCommand.version)
            if let command = try merge.command(as: StatsCommand.self) {
                return try write(try command.merged(merge), failure)
            }
            let (merged, redacts) = try await merged(merge)
            let options = RenderOptions.forOutput(
                redacts: redacts || merge.isRedacted, isQuiet: quiet, isVerbose: verbose)
            let files = report + output.files(besides: report.compactMap(\.plain)).map(HealthReportFile.init)
            try ReportFile.write {
                try files.write(merged, options)
            } thenPrint: {
                try output.write(merged, options, among: ReportRenderers.ofHealth)
            }
            if merged.health?.hasTrouble == true || merged.vacuums?.hasTrouble == true { throw ExitCode(2) }
            if !merged.hasPassed { throw ExitCode(1) }
        }
    }

    /// Returns the report of all parts, and whether it hides values.
    private func merged(_ merge: PartMerge) async throws -> (Report, Bool) {
        switch try merge.parsed() {
        case let command as VerifyCommand:
            let config = try ConfigFile.load(command.stubs.config)
            var settings = try VerifySettings(command, config)
            try merge.check(settings: settings.digest)
            settings.request.snapshots.listed = ListedSnapshots(merge.paths)
            settings.request.keeping = KeptReplays(merge.kept)
            settings.request.migrations.format =
                settings.request.migrations.format ?? merge.first.migrationFormat
            settings.request.wantsHistory = ([format ?? ""] + report.map(\.format)).contains(
                HTMLRenderer().name)
            let verifier = Verifier(engine: settings.engines.first, comparingWith: settings.engines.other)
            var report = try await verifier.run(settings.request)
            report.foundMigrations = settings.place.found
            return (report, settings.options.redacts)
        case let command as HealthCommand:
            var settings = try HealthSettings(command, try ConfigFile.load(command.stubs.config))
            try merge.check(settings: settings.digest)
            (settings.request.listed, settings.request.kept) = (merge.paths, merge.kept)
            return (try await HealthInspector(engine: command.engines.driver()).run(settings.request), false)
        case let command as MigrateCommand:
            let config = try ConfigFile.load(command.stubs.config)
            let settings = try MigrateSettings(command, config, merge.paths)
            try merge.check(settings: settings.digest)
            guard let rollOut = settings.rollOut else { throw merge.notInShards }
            var report = try RollOut.merged(rollOut, merge.kept)
            report.foundMigrations = settings.place.found
            return (report, settings.options.redacts)
        case let command as VacuumCommand:
            try merge.check(settings: command.digest)
            return (try FleetVacuum.merged(merge.paths, merge.kept), false)
        default: throw merge.notInShards
        }
    }

    /// Writes statistics, which have formats of their own.
    private func write(_ statistics: FleetStatistics, _ failure: FailureOutput) throws {
        let name = OutputFormat(format).isHuman ? "human" : format ?? "human"
        if let other = ([name] + report.map(\.format)).first(where: { !StatsCommand.formats.contains($0) }) {
            throw RequestError(
                .settingInvalid,
                "drydock stats has no format '\(other)'; choose one of: "
                    + StatsCommand.formats.joined(separator: ", "))
        }
        try ReportFile.write {
            try ReportFile.writeEach(report) {
                try $0.write(StatsCommand.text(statistics, nil, $0.format, RenderOptions(isQuiet: quiet)))
            }
        } thenPrint: {
            let options = RenderOptions(usesColor: Terminal.outputHasColor, isQuiet: quiet)
            let text = StatsCommand.text(statistics, nil, name, options)
            if name == "human" { Terminal.show(text) } else { Terminal.write(text) }
        }
        if statistics.hasTrouble { throw ExitCode(2) }
    }
}

extension PartMerge {
    /// Returns the command of the parts, as it was given to them.
    /// - Throws: `RequestError` where this version does not know it.
    fileprivate func parsed() throws -> any ParsableCommand {
        do {
            return try DrydockCommand.parseAsRoot(DrydockCommand.joiningNumbers(first.arguments))
        } catch {
            throw RequestError(
                .settingInvalid,
                "the command line of the parts cannot be read: \(DrydockCommand.message(for: error))")
        }
    }

    fileprivate func command<Command: ParsableCommand>(as type: Command.Type) throws -> Command? {
        try parsed() as? Command
    }

    fileprivate var notInShards: RequestError {
        RequestError(.settingInvalid, "reports of drydock \(command) are not made in shards")
    }

    /// - Throws: `RequestError` where the settings here are not those of the parts.
    func check(settings: String) throws {
        guard settings != first.settings else { return }
        throw RequestError(
            .settingInvalid,
            "the settings or the migrations here are not those of the parts; merge them in the folder in which the shards ran, "
                + "with the same drydock.yml, migrations and lock")
    }
}

extension StatsCommand {
    /// Returns the statistics of all shards.
    fileprivate func merged(_ merge: PartMerge) throws -> FleetStatistics {
        try merge.check(settings: Self.digest)
        return try FleetStatistics.merged(merge.paths, merge.kept)
    }
}
