import ArgumentParser
import Drydock
import DrydockReport

/// The options of `drydock snapshot list` and `drydock snapshot check`, which print the same.
struct SnapshotListOptions: ParsableArguments {
    @OptionGroup var snapshots: SnapshotsOptions

    @OptionGroup var lockOptions: LockOptions

    @OptionGroup var source: MigrationsOptions

    @OptionGroup var tool: ToolOptions

    @Flag(name: Setting.cache.name, inversion: .prefixedNo, help: Setting.cache.help)
    var cache: Bool?

    @OptionGroup var limits: LimitOptions

    @OptionGroup var stubs: StubOptions

    @OptionGroup var engines: EngineOptions

    @Option(help: OutputFormat.humanOrJSON, completion: .list(SnapshotOutput.formats))
    var format: String?

    func validate() throws { try SnapshotOutput.check(format) }

    /// Prints the list.
    /// - Returns: The list; nil if the command ended without one.
    func show(_ command: any ParsableCommand.Type) async throws -> SnapshotList? {
        var shown: SnapshotList?
        try await limits.run(stubs, FailureOutput(command, format: format)) { config, limits in
            try lockOptions.checkIsThere(config)
            let list = try await Locker(engine: limits.engine(engines.driver(config))).list(request(config))
            if format == "json" {
                Terminal.write(JSONSnapshots.text(list, isCheck: command == SnapshotCheckCommand.self))
            } else {
                Terminal.show(
                    SnapshotListText(list: list, options: RenderOptions(usesColor: Terminal.outputHasColor))
                        .text)
            }
            shown = list
        }
        return shown
    }

    func request(_ config: ConfigFile) throws -> LockRequest {
        var request = LockRequest()
        request.path = lockOptions.path(config)
        request.migrations.folder = try source.place(config).path
        request.snapshotsFolder = snapshots.folder(config) ?? SnapshotsOptions.usual(config)
        request.cacheFolder = cache ?? config[Setting.cache] ?? true ? CacheFolder.path : nil
        request.migrations.format = source.format(config)
        request.migrations.options = tool.options(config)
        (request.migrations.functions, request.migrations.collations) = stubs.stubs(config)
        return request
    }
}
