import ArgumentParser
import Drydock
import DrydockReport
import SQLiteSchema

struct HealthCommand: DrydockSubcommand, TakesManyNames {
    static let help = CommandHelp(
        name: "health",
        abstract: "Check databases that may be in use.",
        usage: "[OPTIONS] DATABASE...",
        about: """
            Checks databases that may be in use: damage, broken references, free space,
            settings. Nothing is written, and no read transaction lasts longer than a slice,
            so programs can go on using the database. What was not reached is listed.
            """,
        examples: """
            drydock health app.sqlite
            drydock health app.sqlite --deep              every index entry and every row
            drydock health 'data/*.sqlite' --jobs 4       several at once
            drydock health app.sqlite --budget 5s --continue health.state
                                                          5 s; the next run continues
            drydock health app.sqlite --accept            known now, not reported again
            drydock health app.sqlite --follow            watch it, as top does
            drydock health app.sqlite -w freelist=40 -c wal-size=1073741824
            drydock health app.sqlite --format nagios     a line for a monitoring system
            drydock health app.sqlite -q --report prometheus=drydock.prom
            """,
        common: """
            deep budget continue from shard resume jobs only without warning critical follow
            interval accept format report quiet verbose
            """,
        details: """
            CHECKS
            \(checks)
            """,
        exitStatus: """
            0  healthy (notes do not count)
            1  findings
            2  a database is missing or cannot be read at all, or drydock.yml is wrong
            64 bad usage
            130 interrupted, as --follow always ends
            With --format nagios: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.
            """)

    @Argument(help: TargetOptions.databases, completion: .file())
    var databases: [String] = []
    static var names: WritableKeyPath<Self, [String]> { \.databases }

    @OptionGroup var lists: ListOptions

    @OptionGroup var targets: TargetOptions

    @Flag(help: "Check every index entry, text and value too.")
    var deep = false

    @Option(name: Setting.budget.name, help: Setting.budget.help, transform: TimeLimit.parsed)
    var budget: TimeLimit?

    @Option(name: Setting.slice.name, help: Setting.slice.help, transform: TimeLimit.parsed)
    var slice: TimeLimit?

    @Option(
        name: .customLong("continue"),
        help: ArgumentHelp(
            "Continue from where the last run stopped; this file records where that is.",
            valueName: "path"), completion: .file())
    var progress: String?

    @Option(
        name: Setting.jobs.name("j", allowingJoined: true), help: Setting.jobs.help,
        transform: NumberOption.atLeastOne)
    var jobs: Int?

    @Option(help: ArgumentHelp("Run only this check; may be repeated.", valueName: "check"))
    var only: [String] = []

    @Option(name: Setting.without.name, help: Setting.without.help)
    var without: [String] = []

    @Option(name: Setting.thresholds.name("w"), help: Setting.thresholds.help)
    var warning: [RangeOption] = []

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp(
            "The range outside of which it is an error; otherwise as --warning.", valueName: "check=range"))
    var critical: [RangeOption] = []

    @Option(
        name: Setting.baseline.name, help: Setting.baseline.help,
        completion: .file(extensions: ["json"]))
    var baseline: String?

    @Flag(help: "Record the findings in the file of known findings; they are not reported again.")
    var accept = false

    @Flag(
        help:
            "Show its health whenever something changes; of one database, until interrupted. On a terminal this is a screen, otherwise one JSON object per line."
    )
    var follow = false

    @Option(
        help: ArgumentHelp(
            "How often --follow looks; a duration such as 500ms or 5s.",
            default: TimeLimit.followed.duration.written, valueName: "duration"),
        transform: TimeLimit.parsed)
    var interval: TimeLimit?

    @Option(help: OutputFormat.help(formats), completion: .list(formats))
    var format: String?

    @Option(
        help: ReportFile.help,
        transform: HealthReportFile.parsed)
    var report: [HealthReportFile] = []

    @Flag(name: Setting.quiet.name("q"), help: Setting.quiet.help)
    var quiet = false

    @Flag(name: Setting.verbose.name("v"), help: Setting.verbose.help)
    var verbose = false

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    private static let formats = OutputFormat.names(ReportRenderers.ofHealth)

    private static var checks: String {
        HealthChecks.descriptions.map { text in
            let threshold = [text.threshold?.warning, text.threshold?.critical].compactMap { $0?.text }
            let range = text.measured.map { " [\($0): \(threshold.joined(separator: ", "))]" } ?? ""
            let name = text.name + String(repeating: " ", count: max(1, 18 - text.name.count))
            let lines = WrappedText.lines((text.summary + range)[...], to: 79, indent: 20)
            return "  " + name + lines.joined(separator: "\n" + String(repeating: " ", count: 20))
        }.joined(separator: "\n")
    }

    private static let interrupted = "drydock: interrupted; nothing was written\n"

    func validate() throws {
        if let format, !Self.formats.contains(format) {
            throw ValidationError(
                "there is no format '\(format)'; choose one of: \(Self.formats.joined(separator: ", "))")
        }
        if databases.isEmpty, lists.isEmpty { throw ValidationError(ListOptions.noDatabase) }
        if targets.shard != nil, accept { throw ValidationError("--accept and --shard exclude each other") }
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
        if let fault = followFault { throw ValidationError(fault) }
        // A monitoring system knows four statuses, and gets the fault in its own format.
        if format != "nagios", let usageFault { throw ValidationError(usageFault) }
    }

    /// What does not go together with following a database.
    private var followFault: String? {
        guard follow else { return interval == nil ? nil : "--interval is for --follow" }
        if databases.count > 1 { return "--follow takes one database; run one command for each" }
        if let format, !["human", "json"].contains(format) {
            return "--follow writes the formats human and json, and not '\(format)'"
        }
        let excluded = [
            ("--accept", accept), ("--continue", progress != nil), ("--report", !report.isEmpty),
            ("--quiet", quiet), ("--verbose", verbose), ("--resume", targets.resume != nil),
            ("--shard", targets.shard != nil),
        ]
        return excluded.first(where: \.1).map { "--follow and \($0.0) exclude each other" }
    }

    /// The checks with a figure that `--only` names.
    var namedFigures: [String] {
        HealthChecks.descriptions.filter { $0.measured != nil }.map(\.name).filter(only.contains)
    }

    /// What is wrong with the names of checks.
    var usageFault: String? {
        let ranges = warning + critical
        for name in only + without + ranges.compactMap(\.check) {
            if let fault = HealthChecks.fault(ofName: name) { return fault }
        }
        for range in ranges {
            do { _ = try range.check(among: namedFigures) } catch { return error.description }
        }
        return nil
    }

    func run() async throws {
        let failure = FailureOutput(Self.self, OutputFormat(format))
        do {
            let config = try failure.config(stubs.config) { _ in self.report.compactMap(\.plain) }
            let isList =
                !lists.isEmpty || targets.isOfMany || databases.contains(where: FolderListing.isFolder)
            let chosen =
                isList ? try await targets.targets(databases, lists, on: engines.driver(config)) : nil
            var settings = try failure.writes(report.compactMap(\.plain)) {
                let settings = try HealthSettings(self, config)
                if let chosen { try settings.check(chosen) }
                return settings
            }
            failure.writes(settings.reports.compactMap(\.plain))
            if let chosen { try settings.choose(chosen) }
            if follow {
                return try await HealthFollow(self, settings, engine: engines.driver(config)).run()
            }
            let showsStatus = Terminal.errorIsTerminal && !settings.options.isQuiet
            let inspector = HealthInspector(engine: engines.driver(config)) { event in
                guard showsStatus, case .checked(let path, let number, let count) = event, count > 1 else {
                    return
                }
                Terminal.progress("\(number)/\(count)  \(path)")
            }
            let request = settings.request
            let task = Task { try await inspector.run(request) }
            let interruption = Interruption(lastWords: Self.interrupted) { task.cancel() }
            defer { interruption.end() }
            let outcome = await task.result
            if showsStatus { Terminal.progress("") }
            var report = try outcome.get()
            report.part = settings.part
            try settings.write(report)
            if format == "nagios" { throw ExitCode(NagiosRenderer.status(of: report).rawValue) }
            if report.health?.hasTrouble == true { throw ExitCode(2) }
            if !report.hasPassed { throw ExitCode(1) }
        } catch let error as RequestError {
            guard format == "nagios" else { throw failure.end(error) }
            failure.write(error)
            Terminal.show(
                "DRYDOCK UNKNOWN - \(VisibleText.line(error.description).replacing("|", with: "/"))\n")
            throw ExitCode(NagiosRenderer.Status.unknown.rawValue)
        } catch is CancellationError {
            if follow { throw ExitCode(130) }
            Terminal.writeError(Self.interrupted)
            throw ExitCode(130)
        }
    }
}
