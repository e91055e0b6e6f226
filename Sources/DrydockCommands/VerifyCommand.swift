import ArgumentParser
import Drydock
import DrydockReport
import Foundation

struct VerifyCommand: DrydockSubcommand, TakesManyNames {
    static let help = CommandHelp(
        name: "verify",
        abstract: "Replay snapshots, and prove that nothing was lost.",
        usage: "[OPTIONS] [SNAPSHOT...]",
        about: """
            Replays every snapshot step by step from its own version to the newest one, and
            compares each row, column and value with what it was before the step. Snapshots
            are never written. Without any, tables are filled with generated rows: ordinary
            ones, and unusual ones, for which a finding is only a warning.
            """,
        examples: """
            drydock verify                           Snapshots/, or generated rows
            drydock verify Snapshots/v3.sqlite -v    one snapshot, every step shown
            drydock verify -m prisma/migrations      another tool's migrations
            drydock verify --up-to v7_rename_sender  stop there
            drydock verify --rollback                undo each step, and run it again
            drydock verify --crash                   kill each step, and start again
            drydock verify --probe --report sql=out  generated rows too, with scripts
            drydock verify --report html=out.html    a page to read, besides the text
            drydock verify --migrate-command "python manage.py migrate"
                                                     the project's own command, on copies
            """,
        common: """
            migrations migration-format snapshots probe from shard resume up-to strict declare
            format report quiet verbose
            """,
        note: """
            An intended loss is declared in the migration:
              -- drydock: deletes from email where is_spam = 1
            """,
        exitStatus: """
            0  passed
            1  findings of severity error, an unreadable snapshot or nothing to verify
            2  no report could be made: a folder is missing, drydock.yml is wrong, there
               are several folders of migrations, or tools would read them differently
            64 bad usage
            130 interrupted
            """)

    @Argument(help: SnapshotsOptions.snapshots, completion: .file())
    var snapshots: [String] = []
    static var names: WritableKeyPath<Self, [String]> { \.snapshots }

    @OptionGroup var lists: ListOptions

    @OptionGroup var targets: TargetOptions

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var project: ProjectCommandOptions

    @OptionGroup var snapshotsOptions: SnapshotsOptions

    @Option(name: Setting.engine.name, help: Setting.engine.help)
    var engine: ReplayEngines?

    @OptionGroup var checks: CheckOptions

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

    @OptionGroup var lockOptions: LockOptions

    @OptionGroup var noLock: NoLockOption

    @OptionGroup var redaction: RedactOptions

    @OptionGroup var declarations: DeclareOptions

    @OptionGroup var tool: ToolOptions

    @OptionGroup var stubs: StubOptions

    func validate() throws {
        try output.checkFormat()
        try noLock.check(lockOptions)
        if source.migrations != nil, project.command != nil {
            throw ValidationError("--migrations and --migrate-command exclude each other")
        }
    }

    func run() async throws {
        let failure = FailureOutput(Self.self, OutputFormat(output.format))
        try await failure.run {
            let config = try failure.config(stubs.config) { output.files($0) }
            failure.prints(output.format(config))
            limits.apply(config)
            var settings = try VerifySettings(self, config)
            if !lists.isEmpty || targets.isOfMany {
                let folder = settings.request.snapshots.folder
                try settings.choose(
                    try await targets.targets(
                        snapshots, lists, usual: { try SnapshotFolder.snapshots(in: folder).map(\.path) },
                        on: settings.engines.first))
            }
            try failure.writes(settings.reports) {
                try settings.reports.check(against: settings.request, config)
            }
            guard let report = try await VerifyRun(settings: settings).report() else { throw ExitCode(130) }
            if !report.hasPassed { throw ExitCode(1) }
        }
    }
}
