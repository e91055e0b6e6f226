import DrydockFindings
import DrydockReplay
import DrydockVerify

/// Why a finding has no smaller database that gives it, and what to do instead.
enum ShrinkObstacle {
    case unreadable, damaged, slow, locked, ofFiles, notReplayed

    /// - Returns: nil where smaller databases can give the finding.
    init?(_ finding: Finding) {
        switch finding.rule {
        case .snapshotUnreadable: self = .unreadable
        case .integrityFailure where finding.tags.contains(.preExisting): self = .damaged
        case .timeLimit: self = .slow
        case .migrationRemoved, .snapshotEdited, .snapshotRemoved, .migrationVaries: self = .locked
        case .nothingVerified, .fileLeftOut, .migrationEmpty, .migrationInCode: self = .ofFiles
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .unreadable: "the snapshot's file cannot be read, so there are no rows to leave out"
        case .damaged: "the snapshot's file is damaged, and a new file with its rows would not be"
        case .slow: "what takes too long on many rows does not take long on a few"
        case .locked: "this is about drydock.lock, not about rows"
        case .ofFiles: "this is about the project's files, not about rows"
        case .notReplayed: "no snapshot that was replayed has this finding"
        }
    }

    var remedy: String {
        switch self {
        case .unreadable, .damaged: "Recover it with sqlite3's .recover, or share the file itself"
        case .slow: "drydock snapshot take --rows N writes part of the snapshot, to share"
        case .locked: "Share drydock.lock and the folder of migrations: it needs no snapshot"
        case .ofFiles: "Share the folder of migrations: it needs no snapshot"
        case .notReplayed: "drydock verify --report json=FILE writes what is known about it"
        }
    }
}
