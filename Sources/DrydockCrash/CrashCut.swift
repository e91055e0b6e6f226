import DrydockReplay
import OverlayVFS

/// A durable state that is left where a tool stops while it runs migrations.
struct CrashCut: Sendable {
    enum Cause: Sendable, Hashable {
        /// A kill between two commits.
        case kill
        /// A kill after an earlier migration, whose connection this one relies on.
        case between(earlier: String)
        /// A kill, or a power cut, between two writes.
        case killDuring
        /// A power cut after which a write is missing, or a part of it.
        case powerCut
        /// The file could not grow.
        case diskFull
        /// Another program had a lock.
        case busy
        /// A second kill, at a moment of the next start.
        case again(CrashPoint)
    }

    var image: Image
    var cause: Cause
    /// What had been done by then, or was being done.
    var point: CrashPoint
    /// The pages that may differ from the state before.
    var pages: Set<UInt32>
    /// Whether a commit left the state.
    var isCommitted = false
    /// What `integrity_check` says of the state; nil where it was not asked, or has nothing to say.
    var damage: String?

    /// When it came, for a sentence.
    var text: String {
        switch cause {
        case .kill: "killed \(point.after)"
        case .between(let earlier): "killed between \(earlier) and \(point.migration.identifier)"
        case .killDuring: "killed \(point.during)"
        case .powerCut: "after a power cut \(point.during)"
        case .diskFull: "after the disk was full \(point.at)"
        case .busy: "after the database was busy \(point.at)"
        case .again(let second): "killed \(point.after), and again \(second.after) on the next start"
        }
    }

    /// When it came, in a list.
    var shortText: String {
        switch cause {
        case .kill: point.after
        case .between(let earlier): "after \(earlier)"
        case .killDuring: "killed \(point.during)"
        case .powerCut: "power cut \(point.during)"
        case .diskFull: "disk full \(point.at)"
        case .busy: "busy \(point.at)"
        case .again(let second): "\(point.after), then \(second.after)"
        }
    }
}
