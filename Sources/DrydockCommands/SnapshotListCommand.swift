import ArgumentParser
import Drydock
import DrydockReport

struct SnapshotListCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "snapshot list",
        abstract: "Show the snapshots, and which versions have none.",
        usage: "[OPTIONS]",
        about: """
            Shows the snapshots of the project: the version of each, its rows and size,
            where it comes from, and whether it is what drydock.lock has. Then come the
            released versions that have no snapshot.
            """,
        examples: """
            drydock snapshot list
            drydock snapshot list --format json | jq '.versionsWithout'
            """,
        common: "snapshots lock migrations migration-format format",
        exitStatus: """
            0  shown
            2  the snapshots or the migrations cannot be read
            64 bad usage
            130 interrupted
            """)

    static let configuration = CommandConfiguration(
        commandName: "list", abstract: help.abstract, discussion: help.discussion)

    @OptionGroup var list: SnapshotListOptions

    func run() async throws {
        _ = try await list.show(Self.self)
    }
}
