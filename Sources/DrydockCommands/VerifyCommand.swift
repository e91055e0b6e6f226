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
            value is held against what it was. Snapshots are never written and never copied.

            EXAMPLES
              drydock verify                           Migrations/ and Snapshots/
              drydock verify Snapshots/v3.sqlite -v    one snapshot, every step shown
              drydock verify --up-to v7_rename_sender  stop there
              drydock verify --strict                  warnings fail too
              drydock verify -m prisma/migrations      another tool's folder, recognised by itself
              drydock verify --rollback                every step down and up again
              drydock verify --engine all              every step on GRDB and on SwiftNIO
              drydock verify --report json=out.json    a file besides what is printed

            A loss that is meant is declared in the migration:
              -- drydock: deletes from email where is_spam = 1

            EXIT STATUS
              0  passed
              1  findings of severity error, an unreadable snapshot or nothing to verify
              2  no report could be made: a folder is missing, drydock.yml is wrong, the migrations can be read
                 in two ways
              64 bad usage
            """)

    @Argument(
        help: ArgumentHelp(
            "Snapshots to replay: SQLite files, SQL dumps, folders of them. (default: Snapshots)",
            valueName: "snapshot"), completion: .file())
    var snapshots: [String] = []

    @OptionGroup var source: MigrationsOptions

    @Option(
        name: [.customShort("s"), .customLong("snapshots")],
        help: ArgumentHelp("The folder of snapshots. (default: Snapshots)", valueName: "folder"),
        completion: .directory)
    var snapshotsFolder: String?

    @Option(
        help: ArgumentHelp(
            "What opens databases: GRDB.swift, SQLite on SwiftNIO, or both, which must make the same of every step.",
            valueName: "engine"))
    var engine: ReplayEngines = .grdb

    @Flag(inversion: .prefixedNo, help: "Undo every step and do it again.")
    var rollback: Bool?

    @Option(help: ArgumentHelp("The last migration to replay. (default: the newest)", valueName: "migration"))
    var upTo: String?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp(
            "How many snapshots are replayed at once. (default: one a core)", valueName: "count"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "How long one snapshot may take, such as 90s, 5m or 1h, or none for no limit. (default: 10m)",
            valueName: "duration"))
    var timeout: RunLimit?

    @OptionGroup var memory: MemoryOptions

    @Flag(
        inversion: .prefixedNo,
        help: "After a replay, check the integrity of the whole database, not only of what changed.")
    var fullCheck: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Remember between runs what a snapshot's own faults are, in the user's cache folder.")
    var cache = true

    @OptionGroup var output: OutputOptions

    @Flag(name: .shortAndLong, help: "Every step, and notes.")
    var verbose = false

    @OptionGroup var replay: ReplayOptions

    @OptionGroup var tool: ToolOptions

    @OptionGroup var stubs: StubOptions

    func validate() throws {
        try output.checkFormat()
        if let jobs, jobs < 1 { throw ValidationError("--jobs takes a number of at least 1") }
        if output.quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    }

    func run() async throws {
        do {
            let config = try ConfigFile.load(stubs.config)
            memory.apply(config)
            let settings = try VerifySettings(self, config)
            let run = VerifyRun(settings: settings)
            let report = try await run.report()
            guard let report else { throw ExitCode(130) }
            if !report.hasPassed { throw ExitCode(1) }
        } catch let error as RequestError {
            Terminal.complain(error.description, help: error.quote)
            throw ExitCode(2)
        }
    }
}
