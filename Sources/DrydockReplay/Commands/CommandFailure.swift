import DrydockFindings
import DrydockMigrations

/// Why a run of the project's own command does not count.
package struct CommandFailure: Error {
    /// The command, as drydock.yml has it.
    package var command: String
    /// What happened, after the command's name: `ended with exit status 1`.
    package var fact: String
    package var help: String
    /// The last lines that it printed.
    package var lines: [String] = []
    package var kind = Kind.failed

    package enum Kind: Sendable, Hashable {
        case failed
        /// It succeeded, and the database is what it was.
        case changedNothing
        /// Its time was up, or the run was interrupted.
        case stopped
        /// It could not be run, or may not: that says nothing about what it does.
        case notRun
    }

    /// Whether another run would not do better.
    package var isFinal: Bool { kind == .stopped || kind == .notRun }

    /// Returns the finding for a migration, or for the command as a whole.
    package func finding(_ migration: Migration?) -> Finding {
        let name = migration.map { $0.identifier == command ? "" : "\($0.identifier): " } ?? ""
        let evidence = lines.isEmpty ? nil : Evidence(details: lines, areDetailsData: true)
        return Finding(
            .migrationFailed, "\(name)'\(command)' \(fact)", help: help, migration: migration?.identifier,
            tags: kind == .notRun ? [.notChecked] : [], evidence: evidence)
    }

    /// The failure in a sentence, without what was printed: that may quote values.
    package var text: String { "'\(command)' \(fact)" }
}
