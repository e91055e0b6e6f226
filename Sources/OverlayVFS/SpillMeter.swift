import Synchronization

/// A meter of the temporary files that written pages take.
///
/// It counts for the overlays that are created while it is the task's meter:
/// `Overlay.$spillMeter.withValue(meter) { ... }`.
package final class SpillMeter: Sendable {
    private let bytes = Mutex((now: 0, peak: 0))

    package init() {}

    /// The largest total size of the files at one time, in bytes.
    package var peak: Int { bytes.withLock { $0.peak } }

    func add(_ count: Int) {
        bytes.withLock { bytes in
            bytes.now += count
            bytes.peak = max(bytes.peak, bytes.now)
        }
    }
}
