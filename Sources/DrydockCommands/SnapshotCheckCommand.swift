import ArgumentParser
import Drydock
import DrydockReport

struct SnapshotCheckCommand: DrydockSubcommand {
    static let help = CommandHelp(
        name: "snapshot check",
        abstract: "Check that every snapshot can be replayed.",
        usage: "[OPTIONS]",
        about: """
            Checks of every snapshot whether SQLite finds it undamaged, whether its version
            is one of the migrations, and whether it is what was locked. What is already
            wrong with its rows is shown too; drydock verify blames no migration for that.
            """,
        examples: """
            drydock snapshot check
            drydock snapshot check -s Snapshots/old
            """,
        common: "snapshots lock migrations migration-format format",
        exitStatus: """
            0  every snapshot can be replayed
            1  one is damaged, at an unknown version, changed since it was locked, or
               missing; or there is none
            2  the snapshots or the migrations cannot be read
            64 bad usage
            130 interrupted
            """)

    static let configuration = CommandConfiguration(
        commandName: "check", abstract: help.abstract, discussion: help.discussion)

    @OptionGroup var list: SnapshotListOptions

    func run() async throws {
        let snapshots = try await list.show(Self.self)
        if snapshots?.isSound == false { throw ExitCode(1) }
    }
}
