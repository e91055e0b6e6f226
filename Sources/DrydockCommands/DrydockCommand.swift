import ArgumentParser
import DatabaseEngine
import Drydock
import Foundation
import SQLiteSchema

/// The command `drydock`. Each subcommand is one file.
public struct DrydockCommand: AsyncParsableCommand {
    public static let version = "0.1.0"

    /// One line for `--version`: a report depends on the SQLite as much as on Drydock, and there may be several on a machine.
    static var versionLine: String {
        let library = ["SQLite \(SQLiteLibrary.version)", SQLiteLibrary.path].compactMap(\.self).joined(
            separator: ", ")
        return VisibleText.line("drydock \(version) (\(library))")
    }

    public static let configuration = CommandConfiguration(
        commandName: "drydock",
        abstract: "Rehearse SQLite migrations on real databases, and prove that nothing was lost.",
        discussion: """
            drydock verify                 replay Snapshots/, or generated rows
            drydock lint                   check the migrations, without any rows
            drydock diff old.db new.db     how two schemas differ; --sql: the SQL for it
            drydock health app.db          check a database that may be in use
            drydock migrate app.db         rehearse its migrations; --apply applies them
            drydock init                   start: drydock.yml, and with --ci a CI job

            Options: drydock verify --help, or all of them: drydock help verify
            Shell completions: drydock --generate-completion-script bash|zsh|fish
            """,
        version: versionLine,
        subcommands: [
            VerifyCommand.self, LintCommand.self, DiffCommand.self, SchemaCommand.self, NewCommand.self,
            StatsCommand.self, HealthCommand.self, VacuumCommand.self, MigrateCommand.self,
            LockCommand.self, InitCommand.self, WatchCommand.self, LspCommand.self, ManifestCommand.self,
            MergeCommand.self, LibrariesCommand.self, ShrinkCommand.self, SnapshotCommand.self,
        ])

    public init() {}

    /// What results depend on besides their settings.
    static var versionOfResults: String { "\(version), SQLite \(SQLiteLibrary.version)" }

    /// Checks that the command line can be read, before anything reads it: on Linux, Swift reads it from a file, and may end
    /// with a trap where that is missing.
    /// - Returns: the exit status if it cannot.
    public static func checkSystem() -> Int32? {
        guard let fault = systemFault() else { return nil }
        Terminal.complain(fault)
        return 2
    }

    /// - Parameter file: the one with the command line.
    static func systemFault(_ file: String = "/proc/self/cmdline") -> String? {
        #if os(Linux)
        guard access(file, R_OK) != 0 else { return nil }
        return
            "the command line cannot be read: there is no '\(file)'; mount /proc (mount -t proc proc /proc)"
        #else
        return nil
        #endif
    }

    /// Does the work of a process that ``verify`` started with another SQLite library, if this is one.
    /// - Returns: the exit status; nil if the process was started by a person.
    public static func workOnLibrary() async -> Int32? {
        await LibraryWork.status(
            Array(CommandLine.arguments.dropFirst()),
            engines: [{ ReplayEngines.grdb.first }, { ReplayEngines.nio.first }])
    }

    /// Sets signals and SQLite up, before anything else is done.
    /// - Returns: the exit status if SQLite is too old.
    public static func prepare() -> Int32? {
        Interruption.prepare()
        SQLiteLibrary.prepare()
        guard let fault = SQLiteLibrary.fault else { return nil }
        Terminal.complain(fault)
        return 2
    }
}
