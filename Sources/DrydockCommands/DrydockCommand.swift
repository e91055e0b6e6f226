import ArgumentParser
import DatabaseEngine
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
            drydock verify                 replay all of Snapshots/ with Migrations/
            drydock verify -m db/migrate   with another folder of migrations
            drydock lint                   read the migrations, and run no row through them
            drydock diff old.db new.db     what tells two schemas apart; --sql: the way
            drydock health app.db          check a database that may be in use
            drydock vacuum app.db          make it small again, and lose nothing
            drydock migrate app.db         rehearse its migrations; with --apply do it
            drydock lock                   write down what is released; verify holds it
            drydock init                   begin: drydock.yml, and with --ci a job
            drydock help verify            all options

            Shell completions: drydock --generate-completion-script bash|zsh|fish
            """,
        version: versionLine,
        subcommands: [
            VerifyCommand.self, LintCommand.self, DiffCommand.self, SchemaCommand.self, NewCommand.self,
            StatsCommand.self, HealthCommand.self, VacuumCommand.self, MigrateCommand.self,
            LockCommand.self, InitCommand.self,
        ])

    public init() {}

    /// Sets SQLite up, before anything else uses it.
    /// - Returns: the exit status if SQLite is too old.
    public static func prepare() -> Int32? {
        SQLiteLibrary.prepare()
        guard let fault = SQLiteLibrary.fault else { return nil }
        Terminal.complain(fault)
        return 2
    }
}
