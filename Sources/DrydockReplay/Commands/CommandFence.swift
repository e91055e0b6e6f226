import DrydockFiles
import DrydockFindings
import DrydockMigrations
import Foundation
import Synchronization

/// Keeps a project's own command from changing anything but its private copy, in three ways: the project's databases and
/// the snapshots are locked while it runs, the system lets it write nowhere else where it can (``WriteLimits``), and
/// afterwards everything that was locked is compared with what it was.
///
/// The runs of a verification share one. It also remembers whether a run was seen to open its copy: until then nothing is
/// run that could undo or apply a migration anywhere else.
package final class CommandFence: Sendable {
    private let databases: ProjectDatabases
    private let folder: String
    private let granted: [String]
    private let state = Mutex(State())

    private struct State {
        var users = 0
        var locks: [DatabaseLock] = []
        var sawAccess = false
        /// The file that a run changed in spite of all this. Nothing is run any more.
        var changedFile: String?
    }

    /// Why a command is not run.
    enum Obstacle: Error, Sendable {
        case database(String, DatabaseLock.Obstacle)
        case tooManyDatabases
        case changed(String)
    }

    /// How many databases are locked: each takes up to two of the files that a process may have open.
    private static let lockLimit = 200

    package init(_ command: ProjectCommand, snapshots: [Snapshot]) {
        databases = ProjectDatabases(
            command, further: snapshots.map(\.path), environment: ProcessInfo.processInfo.environment)
        folder = FolderListing.realPath(command.folder)
        granted = command.writable
    }

    /// The databases that are locked while a command runs, as messages show them.
    var lockedNames: [String] { databases.paths.prefix(Self.lockLimit).map(ProjectFolders.shown) }

    /// Whether a run was seen to open its private copy.
    var sawAccess: Bool { state.withLock { $0.sawAccess } }
    func noteAccess() { state.withLock { $0.sawAccess = true } }

    package func limits(for copy: PrivateCopy) -> WriteLimits {
        WriteLimits(own: copy.folder, granted: granted, kept: databases.paths + [folder])
    }

    /// Locks the databases, after waiting for a writer as long as is allowed.
    /// - Throws: ``Obstacle``.
    func enter(patience: Duration) async throws {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try state.withLock { try enter(&$0) }
            } catch let obstacle as Obstacle {
                guard case .database(_, .isWritten) = obstacle, ContinuousClock.now < deadline else {
                    throw obstacle
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    private func enter(_ state: inout State) throws {
        if let file = state.changedFile { throw Obstacle.changed(file) }
        if state.users == 0 {
            if !WriteLimits.isSupported, !databases.isComplete || databases.paths.count > Self.lockLimit {
                throw Obstacle.tooManyDatabases
            }
            var locks: [DatabaseLock] = []
            for path in databases.paths.prefix(Self.lockLimit) where FolderListing.exists(path) {
                do {
                    locks.append(try DatabaseLock(path))
                } catch let obstacle as DatabaseLock.Obstacle {
                    throw Obstacle.database(ProjectFolders.shown(path), obstacle)
                }
            }
            state.locks = locks
        }
        state.users += 1
    }

    /// Ends what ``enter(patience:)`` began, and notes whether one of the databases has changed.
    package func leave() {
        state.withLock { state in
            state.users -= 1
            state.changedFile = state.changedFile ?? state.locks.lazy.compactMap(\.changedFile).first
            if state.users == 0 { state.locks = [] }
        }
    }

    // MARK: - What is said

    /// What a command can write, which databases were locked, and that these are what they were.
    package var text: String {
        let names = lockedNames
        let others = names.count > 1 ? " and \(counted(names.count - 1, "other database"))" : ""
        let locks = names.first.map {
            "\($0)\(others) \(names.count > 1 ? "were" : "was") locked meanwhile, and nothing in "
                + "\(names.count > 1 ? "them" : "it") changed."
        }
        let limits =
            WriteLimits.isSupported
            ? "It can write only its copy and temporary files; 'migrate: writable' in drydock.yml names what else it may."
            : nil
        return [limits, locks].compactMap(\.self).joined(separator: " ")
    }

    /// The finding on what a run changed although it must not.
    package func breach(_ command: ProjectCommand) -> Finding? {
        guard let file = state.withLock({ $0.changedFile }) else { return nil }
        return Finding(
            .migrationFailed,
            "'\(command.command)' changed \(ProjectFolders.shown(file)), which is not its private copy",
            help:
                "Put the file back from a backup. The command must open only the path in $DRYDOCK_DATABASE; nothing was run "
                + "after that.")
    }
}

extension CommandFence.Obstacle {
    /// Why the command is not run, after its name.
    package var fact: String {
        switch self {
        case .database(let name, .isWritten): "was not run, because another program is writing \(name)"
        case .database(let name, .cannotBeLocked(let reason)):
            "was not run, since \(name) cannot be locked against it: \(reason)"
        case .tooManyDatabases:
            "was not run, since the project has more files than can be searched for databases"
        case .changed(let file): "was not run again, since \(file) changed while it ran"
        }
    }

    package var help: String {
        switch self {
        case .database(_, .isWritten):
            "Drydock locks the project's databases while a command runs that could open them. Run this again when the other "
                + "program has ended its transaction."
        case .database: "Drydock locks the project's databases while a command runs that could open them."
        case .tooManyDatabases:
            "Drydock locks the project's databases while a command runs that could open them, since this system does not "
                + "limit what a command may write. Run it in a checkout of its own."
        case .changed: ""
        }
    }
}
