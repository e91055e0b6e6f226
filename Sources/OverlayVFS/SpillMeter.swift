import Synchronization

/// Counts what written pages take in temporary files.
///
/// It counts for the overlays that are made while it is the task's meter:
/// `Overlay.$spillMeter.withValue(meter) { ... }`.
package final class SpillMeter: Sendable {
    private let bytes = Mutex((now: 0, peak: 0))

    package init() {}

    /// The most that all of them took at one time, in bytes.
    package var peak: Int { bytes.withLock { $0.peak } }

    func add(_ count: Int) {
        bytes.withLock { bytes in
            bytes.now += count
            bytes.peak = max(bytes.peak, bytes.now)
        }
    }
}
