import ArgumentParser
import DatabaseEngine
import Drydock
import DrydockReport

struct MergeCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "merge",
        abstract: "Make one report of the parts that shards wrote.",
        usage: "[OPTIONS] PART...",
        about: """
            Makes the report of a whole run from the JSON reports of its shards, in any
            format, with the exit status of a whole run. No database is read. The parts
            of verify are merged where the migrations and drydock.yml are, and in the
            folder in which the shards ran. A shard is 'verify' or 'health' with its
            option for it: docs/merge.md.
            """,
        examples: """
            drydock merge part-1.json part-2.json
            drydock merge 'parts/*.json' --format markdown --report html=report.html
            """,
        options: """
                --format F        what is printed: human, json, html, junit, ...
                --report F=PATH   write a report to a file too; may be repeated
            -q, --quiet           only what is wrong
            -v, --verbose         steps and notes too
            """,
        exitStatus: """
            0  passed
            1  errors were found
            2  no report could be made: a part is missing, is there twice, or is of
               another run; or a database could not be read
            64 bad usage
            """)

    @Argument(
        help: "The JSON reports of all shards; in quotes, patterns such as 'parts/*.json'.",
        completion: .file())
    var parts: [String] = []

    @Option(
        help: ArgumentHelp(
            "What goes to standard output: \(formats.joined(separator: ", ")). (default: human; auto where CI is set)",
            valueName: "format"), completion: .list(formats))
    var format: String?

    @Option(
        help: ArgumentHelp("Write a report to a file as well; may be repeated.", valueName: "format=path"),
        transform: HealthReportFile.parsed)
    var report: [HealthReportFile] = []

    @Flag(name: .shortAndLong, help: "Show only what is wrong.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Show steps and notes too.")
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
            let files = try parts.flatMap { try DatabaseNames.resolve([$0], "report of a shard") }
            let merge = try PartMerge(files, version: DrydockCommand.version)
            for file in report
            where files.map(FolderListing.realPath).contains(FolderListing.realPath(file.path)) {
                throw RequestError(
                    .settingInvalid,
                    "the report would overwrite the part '\(file.path)'; give it another path")
            }
            failure.writes(report.compactMap(\.plain))
            let (merged, redacts) = try await merged(merge)
            var options = RenderOptions.forOutput(
                redacts: redacts || merge.isRedacted, isQuiet: quiet, isVerbose: verbose)
            try output.write(merged, options, among: ReportRenderers.ofHealth)
            options = options.dated
            (options.usesColor, options.width) = (false, nil)
            for file in report + output.files(besides: report.compactMap(\.plain)).map(HealthReportFile.init)
            {
                guard let renderer = ReportRenderers.ofHealth.named(file.format) else { continue }
                try file.write(renderer.render(merged, options))
            }
            if merged.health?.hasTrouble == true { throw ExitCode(2) }
            if !merged.hasPassed { throw ExitCode(1) }
        }
    }

    /// Returns the report of all parts, and whether it hides values.
    private func merged(_ merge: PartMerge) async throws -> (Report, Bool) {
        switch try DrydockCommand.parseAsRoot(merge.first.arguments) {
        case let command as VerifyCommand:
            let config = try ConfigFile.load(command.stubs.config)
            var settings = try VerifySettings(command, config)
            try check(settings.digest, merge)
            (settings.request.listed, settings.request.kept) = (merge.paths, merge.kept)
            settings.request.migrationFormat = settings.request.migrationFormat ?? merge.first.migrationFormat
            settings.request.wantsHistory = ([format ?? ""] + report.map(\.format)).contains(
                HTMLRenderer().name)
            let verifier = Verifier(engine: settings.engines.first, comparingWith: settings.engines.other)
            return (try await verifier.run(settings.request), settings.options.redacts)
        case let command as HealthCommand:
            var settings = try HealthSettings(command, try ConfigFile.load(command.stubs.config))
            try check(settings.digest, merge)
            (settings.request.listed, settings.request.kept) = (merge.paths, merge.kept)
            return (try await HealthInspector(engine: command.engines.driver()).run(settings.request), false)
        default:
            throw RequestError(.settingInvalid, "reports of drydock \(merge.command) are not made in shards")
        }
    }

    private func check(_ settings: String, _ merge: PartMerge) throws {
        guard settings != merge.first.settings else { return }
        throw RequestError(
            .settingInvalid,
            "the settings or the migrations here are not those of the parts; merge them in the folder in which the shards ran, "
                + "with the same drydock.yml, migrations and lock")
    }
}
