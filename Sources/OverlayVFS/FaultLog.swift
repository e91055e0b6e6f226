import Synchronization

/// A log of what failed in overlays, including failures after which SQLite tried again or went on silently.
///
/// It records the faults of the overlays that are created while it is the task's log:
/// `Overlay.$faultLog.withValue(log) { ... }`.
package final class FaultLog: Sendable {
    private let noted = Mutex<OverlayError?>(nil)

    package init() {}

    /// The first failure of the disk, or of the connection to it. A file that was changed or is not a
    /// database is not recorded: its reader gets the error.
    package var first: OverlayError? { noted.withLock { $0 } }

    func note(_ error: OverlayError) {
        switch error {
        case .unreadable, .spillFailed, .writtenTooMuch: noted.withLock { $0 = $0 ?? error }
        default: break
        }
    }
}
