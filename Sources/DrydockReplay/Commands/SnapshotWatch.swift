import DrydockFindings
import DrydockMigrations
import Foundation

/// Notices that snapshots, or the files beside them, change while a project's own command runs: it can write anywhere.
struct SnapshotWatch: Sendable {
    private struct Mark: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
        }
    }

    private static let endings = ["", "-wal", "-journal", "-shm"]

    private let snapshots: [Snapshot]
    private let marks: [String: Mark]

    init(_ snapshots: [Snapshot]) {
        self.snapshots = snapshots
        marks = Self.marks(of: snapshots)
    }

    private static func marks(of snapshots: [Snapshot]) -> [String: Mark] {
        var marks: [String: Mark] = [:]
        for snapshot in snapshots {
            for ending in endings { marks[snapshot.path + ending] = Mark(snapshot.path + ending) }
        }
        return marks
    }

    /// Replaces what the replays found of changed snapshots by what must be the cause.
    func report(_ command: ProjectCommand, in findings: inout [Finding]) {
        let now = Self.marks(of: snapshots)
        for snapshot in snapshots {
            let changed = Self.endings.map { snapshot.path + $0 }.filter { marks[$0] != now[$0] }
            guard let first = changed.first else { continue }
            findings.removeAll { $0.rule == .snapshotUnreadable && $0.snapshot == snapshot.path }
            var finding = Finding(
                .snapshotUnreadable, "\(first) changed while '\(command.command)' ran",
                help: """
                    Drydock never writes a snapshot: the command does not open only $DRYDOCK_DATABASE. Put the snapshot \
                    back, and have the project open the path that it is given.
                    """)
            finding.snapshot = snapshot.path
            findings.append(finding)
        }
    }
}
