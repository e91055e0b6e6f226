import ArgumentParser
import Drydock
import DrydockReport
import Foundation
import SQLiteSchema

struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Read the migrations and say what will fail or lose rows, without any snapshot.",
        discussion: """
            Each statement is held against the schema that it meets, which the migrations before it make on an \
            empty database, and against what their tool does around them. No row is run through them.

            EXAMPLES
              drydock lint                             what is not in drydock.lock yet; without one all
              drydock lint --all                       locked migrations too
              drydock lint --since v11_create_tags     only what is behind the last release, as one set
              drydock lint --new                       what is not in drydock.lock, which must be there
              drydock lint --rule positional-copy=error --rule redundant-index=off
              drydock lint --sqlite android-11         what the oldest SQLite must know
              drydock lint --fix                       write the rewrites that are certain
              drydock lint --list-rules                every rule

            One statement is let through by a comment before it:
              -- drydock: ignore unique-over-existing because message ids are unique on the server

            EXIT STATUS
              0  passed
              1  findings of severity error, or no migration
              2  no report could be made
              64 bad usage
            """)

    @OptionGroup var source: MigrationsOptions

    @Option(help: ArgumentHelp("Only migrations behind this one, as one set.", valueName: "version"))
    var since: String?

    @Flag(
        help: "Only migrations that are not locked, as one set. (default where there is a drydock.lock)")
    var new = false

    @Flag(help: "Locked migrations too.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "The lock. (default: drydock.lock beside drydock.yml, where there is one)", valueName: "path"),
        completion: .file(extensions: ["lock"]))
    var lock: String?

    @Option(
        name: .customLong("rule"),
        help: ArgumentHelp(
            "How a rule counts: off, note, warning or error; may be repeated.", valueName: "rule=severity"))
    var rules: [String] = []

    @Option(
        help: ArgumentHelp(
            "The oldest SQLite that must run them, such as 3.24, ios-15 or android-11. (default: any)",
            valueName: "version"))
    var sqlite: String?

    @Flag(
        help:
            "Write the rewrites that are certain, and nothing else, into migrations that are not locked; without a lock, into all that are linted."
    )
    var fix = false

    @Flag(help: "List the rules; with --format markdown their documentation.")
    var listRules = false

    @Flag(inversion: .prefixedNo, help: "Let warnings fail too.")
    var strict: Bool?

    @Option(
        help: ArgumentHelp("What goes to standard output: \(formats). (default: human)", valueName: "format"),
        completion: .list(ReportRenderers.all.map(\.name)))
    var format: String?

    @Option(
        help: ArgumentHelp("Write a report to a file as well; may be repeated.", valueName: "format=path"))
    var report: [ReportFile] = []

    @Flag(name: .shortAndLong, help: "Only what is wrong.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Notes too.")
    var verbose = false

    @OptionGroup var tool: ToolOptions

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    private static var formats: String { ReportRenderers.all.map(\.name).joined(separator: ", ") }

    func validate() throws {
        if let format, ReportRenderers.named(format) == nil, !(listRules && format == "markdown") {
            throw ValidationError("there is no format '\(format)'; choose one of: \(Self.formats)")
        }
        if let sqlite, SQLiteVersion(sqlite) == nil {
            throw ValidationError(
                "'\(sqlite)' is no version of SQLite 3, such as 3.24, nor one of: "
                    + SQLiteVersion.systemNames.joined(separator: ", "))
        }
        for rule in rules {
            do { _ = try RuleOption(rule) } catch {
                throw ValidationError("--rule '\(rule)': \(error.description)")
            }
        }
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
        if [new, all, since != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--new, --all and --since exclude each other")
        }
    }

    func run() async throws {
        if listRules {
            return Terminal.write(
                format == "markdown" ? RuleDocumentation.markdown : RuleDocumentation.list)
        }
        do {
            let config = try ConfigFile.load(stubs.config)
            let request = try request(config)
            var guarded = VerifyRequest()
            guarded.migrationsFolder = request.migrationsFolder
            for file in report { try file.check(against: guarded) }
            let outcome = try await Linter(engine: engines.driver).run(request)
            try write(outcome.report, config)
            if fix { try apply(outcome.rewrites) }
            if !outcome.report.hasPassed { throw ExitCode(1) }
        } catch let error as RequestError {
            Terminal.complain(error.description)
            throw ExitCode(2)
        }
    }

    private func request(_ config: ConfigFile) throws -> LintRequest {
        var request = LintRequest()
        request.migrationsFolder = source.migrations ?? config.migrations ?? "Migrations"
        request.migrationFormat = source.migrationFormat ?? config.migrationFormat
        request.format = tool.options(config)
        (request.functions, request.collations) = stubs.stubs(config)
        request.declarations = config.declarations
        request.findings = config.findings
        request.isStrict = strict ?? config.strict ?? false
        request.severities = config.lint
        for option in rules.compactMap({ try? RuleOption($0) }) {
            request.severities[option.rule] = option.severity
        }
        request.minimumSQLite = sqlite.flatMap(SQLiteVersion.init) ?? config.sqlite
        request.since = since
        request.onlyNew = new
        request.includesLocked = all
        try request.take(
            lock: lock ?? config.lock ?? LockFile.beside(stubs.config),
            isNamed: lock != nil || config.lock != nil)
        return request
    }

    private func write(_ report: VerifyReport, _ config: ConfigFile) throws {
        var options = RenderOptions(usesColor: Terminal.outputHasColor)
        options.isQuiet = quiet || !verbose && config.quiet ?? false
        options.isVerbose = verbose || !quiet && config.verbose ?? false
        if let renderer = ReportRenderers.named(format ?? config.format ?? "human") {
            Terminal.write(renderer.render(report, options))
        }
        options.usesColor = false
        for file in self.report {
            guard let renderer = ReportRenderers.named(file.format) else { continue }
            try file.write(renderer.render(report, options))
        }
    }

    private func apply(_ rewrites: [FileRewrite]) throws {
        for rewrite in rewrites {
            try rewrite.write()
            Terminal.writeError("drydock: rewrote \(rewrite.path)\n")
        }
        if rewrites.isEmpty { Terminal.writeError("drydock: there is nothing to rewrite\n") }
    }
}
