import ArgumentParser
import Drydock
import DrydockReport
import Foundation

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Replay every snapshot to the newest version and hold every rule.",
        discussion: """
            Each snapshot is replayed step by step from its own version. After every step each row, column and \
            value is compared with what it was. Snapshots are never written and never copied. Where there is none, \
            tables are filled with generated rows: with those that a person would type, and with rarer ones that the \
            constraints allow, for which a finding is a warning.

            EXAMPLES
              drydock verify                           Snapshots/, with the migrations of the project
              drydock verify                           without snapshots: generated rows in every table
              drydock verify Snapshots/v3.sqlite -v    one snapshot, every step shown
              drydock verify --up-to v7_rename_sender  stop there
              drydock verify --strict                  warnings fail too
              drydock verify -m prisma/migrations      another tool's folder, recognised by itself
              drydock verify --migrate-command "python manage.py migrate"
                                                       the project's own command, on copies
              drydock verify --rollback                every step down and up again
              drydock verify --engine all              every step on GRDB and on SwiftNIO
              drydock verify --report json=out.json    a file besides what is printed
              drydock verify --probe --report sql=out  generated rows too, and scripts that show what they find

            A loss that is meant is declared in the migration:
              -- drydock: deletes from email where is_spam = 1

            EXIT STATUS
              0  passed
              1  findings of severity error, an unreadable snapshot or nothing to verify
              2  no report could be made: a folder is missing, drydock.yml is wrong, there are several folders of
                 migrations, or two tools would run them differently
              64 bad usage
            """)

    @Argument(
        help: ArgumentHelp(
            "Snapshots to replay: SQLite files, SQL dumps, folders of them. (default: Snapshots)",
            valueName: "snapshot"), completion: .file())
    var snapshots: [String] = []

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var project: ProjectCommandOptions

    @OptionGroup var snapshotsOptions: SnapshotsOptions

    @Option(name: Setting.engine.name, help: Setting.engine.help)
    var engine: ReplayEngines?

    @Flag(name: Setting.rollback.name, inversion: .prefixedNo, help: Setting.rollback.help)
    var rollback: Bool?

    @OptionGroup var probes: ProbeFlags

    @Option(name: Setting.upTo.name, help: Setting.upTo.help)
    var upTo: String?

    @Option(
        name: Setting.jobs.name("j", allowingJoined: true), help: Setting.jobs.help,
        transform: NumberOption.atLeastOne)
    var jobs: Int?

    @OptionGroup var limits: LimitOptions

    @Flag(name: Setting.fullCheck.name, inversion: .prefixedNo, help: Setting.fullCheck.help)
    var fullCheck: Bool?

    @Flag(name: Setting.cache.name, inversion: .prefixedNo, help: Setting.cache.help)
    var cache: Bool?

    @OptionGroup var output: OutputOptions

    @OptionGroup var replay: ReplayOptions

    @OptionGroup var tool: ToolOptions

    @OptionGroup var stubs: StubOptions

    func validate() throws {
        try output.checkFormat()
        if source.migrations != nil, project.command != nil {
            throw ValidationError("--migrations and --migrate-command exclude each other")
        }
    }

    func run() async throws {
        let failure = FailureOutput(Self.self, OutputFormat(output.format))
        try await failure.run {
            let config = try ConfigFile.load(stubs.config)
            failure.prints(output.format(config))
            limits.apply(config)
            let settings = try VerifySettings(self, config)
            try settings.reports.check(against: settings.request)
            failure.writes(settings.reports)
            guard let report = try await VerifyRun(settings: settings).report() else { throw ExitCode(130) }
            if !report.hasPassed { throw ExitCode(1) }
        }
    }
}
