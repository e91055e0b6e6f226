import ArgumentParser
import Drydock
import DrydockReport

struct SnapshotNewCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "snapshot new",
        abstract: "Write a snapshot of generated rows.",
        usage: "[OPTIONS] -o FILE",
        about: """
            Runs the migrations up to a version on an empty database, and fills its tables
            with rows as a person would type them, which satisfy every constraint. Use it
            for versions of which no database is left.
            """,
        examples: """
            drydock snapshot new --at v3_create_labels -o Snapshots/v3.sqlite
            drydock snapshot new -o Snapshots/newest.sqlite --rows 500
            """,
        common: "output at rows seed lock migrations migration-format format",
        exitStatus: """
            0  written
            2  not written: FILE exists, or a migration fails
            64 bad usage
            130 interrupted; nothing was written
            """)

    static let configuration = CommandConfiguration(
        commandName: "new", abstract: help.abstract, discussion: help.discussion)

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to create; it must not exist.", valueName: "file"),
        completion: .file())
    var output: String

    @Option(
        help: ArgumentHelp("The last migration that runs.", default: "the newest", valueName: "version"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "The least number of rows for each table.", default: "\(GeneratedSnapshotRequest.usualRows)",
            valueName: "count"),
        transform: NumberOption.reader(1...100_000, "a number from 1 to 100000"))
    var rows: Int?

    @Option(
        help: ArgumentHelp(
            "The same seed gives the same rows.", default: "\(SnapshotOutput.seed)", valueName: "number"),
        transform: NumberOption.atLeastOne)
    var seed = SnapshotOutput.seed

    @OptionGroup var lockOptions: LockOptions

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var tool: ToolOptions

    @OptionGroup var limits: LimitOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var engines: EngineOptions

    @Option(help: OutputFormat.humanOrJSON, completion: .list(SnapshotOutput.formats))
    var format: String?

    func validate() throws {
        if output.isEmpty || output.hasSuffix("/") { throw ValidationError("-o needs the name of a file") }
        try SnapshotOutput.check(format)
    }

    func run() async throws {
        try await limits.run(stubs, FailureOutput(Self.self, format: format)) { config, limits in
            var request = GeneratedSnapshotRequest(
                source: try config.source(source.place(config).path, source.format(config), tool),
                output: output)
            request.version = at
            request.rows = rows ?? request.rows
            request.seed = UInt64(seed)
            (request.functions, request.collations) = stubs.stubs(config)
            var snapshot = try await SnapshotGenerator(engine: limits.engine(engines.driver(config))).run(
                request)
            var origin = LockedOrigin(
                way: .generated, library: SnapshotOutput.library, rows: snapshot.rowCount, seed: seed,
                date: SnapshotOutput.today)
            origin.version = snapshot.version
            snapshot.notes += SnapshotOutput.record(origin, of: output, in: lockOptions.path(config))
            if format == "json" {
                Terminal.write(JSONGenerated.text(snapshot))
            } else {
                Terminal.show(
                    SnapshotNewText(
                        snapshot: snapshot, options: RenderOptions(usesColor: Terminal.outputHasColor)
                    ).text)
            }
        }
    }
}
