import ArgumentParser
import Drydock
import DrydockReport
import Foundation
import SQLiteSchema

struct LintCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "lint",
        abstract: "Check the migrations for what fails or loses rows.",
        usage: "[OPTIONS]",
        about: """
            Reads the migrations, and reports what will fail or lose rows. Each statement is
            checked against the schema that the migrations before it create in an empty
            database, and against what their tool does around it. No migration is run on
            rows.
            """,
        examples: """
            drydock lint                           what is not in drydock.lock yet
            drydock lint --all                     locked migrations too
            drydock lint --since v11_create_tags   only what is newer than that release
            drydock lint --sqlite android-11       what the oldest SQLite must understand
            drydock lint --rule positional-copy=error --rule redundant-index=off
            drydock lint --fix                     make the corrections that are certain
            drydock lint --list-rules              every rule
            """,
        common: """
            migrations migration-format since new all rule sqlite fix strict format report quiet
            verbose
            """,
        note: """
            A comment before a statement allows it:
              -- drydock: ignore unique-over-existing because ids are unique on the server
            """,
        exitStatus: """
            0  passed
            1  findings of severity error, or no migration
            2  no report could be made, or a file could not be rewritten: the report is
               of the files as they are then
            64 bad usage
            """)

    @OptionGroup var source: MigrationsOptions

    @Option(help: ArgumentHelp("Only migrations after this one, as one set.", valueName: "version"))
    var since: String?

    @Flag(
        help: ArgumentHelp(
            "Only migrations that are not locked; as one set.", default: "where there is a drydock.lock"))
    var new = false

    @Flag(help: "Locked migrations too.")
    var all = false

    @OptionGroup var lockOptions: LockOptions

    @OptionGroup var snapshots: SnapshotsOptions

    @Option(name: Setting.rules.name, help: Setting.rules.help)
    var rules: [String] = []

    @Option(name: Setting.sqlite.name, help: Setting.sqlite.help)
    var sqlite: String?

    @Flag(
        help:
            "Write the corrections that are certain; only to linted migrations that are not locked. Each file is written completely or not at all, even if another one fails."
    )
    var fix = false

    @Flag(help: "List the rules; with --format markdown, their documentation.")
    var listRules = false

    @OptionGroup var output: OutputOptions

    @OptionGroup var declarations: DeclareOptions

    @OptionGroup var tool: ToolOptions

    @OptionGroup var engines: EngineOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var limits: LimitOptions

    /// The formats of the list of rules.
    private static let listFormats = ["human", "markdown"]

    private var listsMarkdown: Bool { listRules && output.format == "markdown" }

    func validate() throws {
        try output.checkNoScripts()
        if listRules {
            try output.checkFormat(of: Self.listFormats)
        } else {
            try output.checkFormat()
        }
        if let sqlite, SQLiteVersion(sqlite) == nil {
            throw ValidationError(
                "--sqlite '\(sqlite)' is not \(SQLiteVersion.expectation(for: sqlite))")
        }
        for rule in rules {
            do { _ = try RuleOption(rule) } catch {
                throw ValidationError("--rule '\(rule)': \(error.description)")
            }
        }
        if [new, all, since != nil].count(where: { $0 }) > 1 {
            throw ValidationError("--new, --all and --since exclude each other")
        }
    }

    func run() async throws {
        if listRules {
            return Terminal.write(listsMarkdown ? RuleDocumentation.markdown : RuleDocumentation.list)
        }
        let failure = FailureOutput(Self.self, OutputFormat(output.format))
        try await limits.run(stubs, failure, writing: { output.files($0) }) { config, limits in
            failure.prints(output.format(config))
            if source.migrations == nil, config[Setting.migrations] == nil,
                let command = try config.migrate.settings(in: config.folder)
            {
                return try output.write(.notLinted(command), output.options(config), config)
            }
            let place = try source.place(config)
            var request = try request(config, place)
            try request.take(lock: lockOptions.path(config), isNamed: lockOptions.isNamed(config))
            var guarded = VerifyRequest()
            guarded.migrations.folder = request.migrations.folder
            guarded.snapshots.folder = snapshots.folder(config) ?? guarded.snapshots.folder
            guarded.lock = lockOptions.path(config)
            let files = output.files(config)
            try failure.writes(files) { try files.check(against: guarded, config) }
            let linter = Linter(engine: limits.engine(engines.driver(config)))
            var outcome = try await fix ? linter.fix(request) : linter.run(request)
            var isWritten = true
            if fix {
                let written = apply(outcome)
                isWritten = written.count == outcome.rewrites.count
                // A report must not list fixes that were not written.
                if !isWritten {
                    outcome.report = try await linter.report(request, of: outcome, written: written)
                }
            }
            outcome.report.foundMigrations = place.found
            try output.write(outcome.report, output.options(config), config)
            if !isWritten { throw ExitCode(2) }
            if !outcome.report.hasPassed { throw ExitCode(1) }
        }
    }

    /// The request, without the information of the lock.
    func request(_ config: ConfigFile, _ place: MigrationsFinder.Place) throws -> LintRequest {
        var request = LintRequest()
        request.migrations.folder = place.path
        request.migrations.format = source.format(config)
        request.migrations.options = tool.options(config)
        // Those of a folder that is named here are another project's.
        let folder =
            snapshots.folder(config) ?? (source.migrations == nil ? SnapshotsOptions.usual(config) : nil)
        if let folder, FolderListing.isFolder(folder) { request.snapshotsFolder = folder }
        (request.migrations.functions, request.migrations.collations) = stubs.stubs(config)
        request.migrations.declarations = try declarations.all(config)
        request.findings = config.findings
        request.isStrict = output.isStrict(config)
        request.severities = config.lint
        for option in rules.compactMap({ try? RuleOption($0) }) {
            request.severities[option.rule] = option.severity
        }
        request.minimumSQLite = sqlite.flatMap(SQLiteVersion.init) ?? config[Setting.sqlite]
        request.since = since
        request.onlyNew = new
        request.includesLocked = all
        return request
    }

    /// Writes what can be written: a file that cannot be keeps no other from it.
    /// - Returns: the paths of the files that were written.
    private func apply(_ outcome: LintOutcome) -> Set<String> {
        var written: Set<String> = []
        for rewrite in outcome.rewrites {
            do {
                try rewrite.write()
                written.insert(rewrite.path)
                Terminal.show(error: "drydock: rewrote \(VisibleText.line(rewrite.path))\n")
            } catch {
                Terminal.complain("\(error)")
            }
        }
        for file in outcome.kept {
            Terminal.show(
                error:
                    "drydock: \(VisibleText.line(file.path)) was not changed: \(VisibleText.line(file.reason))\n"
            )
        }
        if outcome.rewrites.isEmpty, outcome.kept.isEmpty {
            Terminal.writeError("drydock: there is nothing to rewrite\n")
        }
        return written
    }
}
