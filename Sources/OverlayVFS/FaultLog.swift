import Synchronization

/// Remembers what failed in overlays, also where SQLite tried again, or went on without, and said nothing.
///
/// It hears of the overlays that are made while it is the task's log:
/// `Overlay.$faultLog.withValue(log) { ... }`.
package final class FaultLog: Sendable {
    private let noted = Mutex<OverlayError?>(nil)

    package init() {}

    /// The first time that the disk or the way to it gave out. Files that others changed or that are none are
    /// not meant: whoever reads them is told.
    package var first: OverlayError? { noted.withLock { $0 } }

    func note(_ error: OverlayError) {
        switch error {
        case .unreadable, .spillFailed, .writtenTooMuch: noted.withLock { $0 = $0 ?? error }
        default: break
        }
    }
}
