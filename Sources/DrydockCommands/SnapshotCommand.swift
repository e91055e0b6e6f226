import ArgumentParser

/// Makes and lists snapshots; each is a command below it.
struct SnapshotCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "snapshot",
        abstract: "Take, make and list snapshots, and mask them.",
        usage: "take|new|list|check ...",
        about: """
            Creates what drydock verify replays: a few thousand rows of a database of any
            size, with all rows that they refer to, and with private values masked.
            """,
        examples: """
            drydock snapshot take app.sqlite -o Snapshots/v7.sqlite
            drydock snapshot new -o Snapshots/newest.sqlite
            drydock snapshot list
            drydock snapshot take --help
            """,
        exitStatus: """
            0  done
            1  take: --strict-mask finds a column that is neither masked nor allowed;
               check: a snapshot is damaged, changed or missing
            2  not done: a file exists, or something cannot be read
            64 bad usage
            130 interrupted; nothing was written
            """)

    static let configuration = CommandConfiguration(
        commandName: help.name, abstract: help.abstract, discussion: help.discussion,
        subcommands: [
            SnapshotTakeCommand.self, SnapshotNewCommand.self, SnapshotListCommand.self,
            SnapshotCheckCommand.self,
        ])
}
