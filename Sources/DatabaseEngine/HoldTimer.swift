import Dispatch
import Synchronization

/// Ends transactions whose time is over. One timer serves all: a check of ten thousand databases holds each of them for a
/// moment, and arming a timer of the system for each takes longer than the transaction.
final class HoldTimer: Sendable {
    static let shared = HoldTimer()

    private struct Entry {
        weak var hold: FileHold?
        let number: Int
        let deadline: ContinuousClock.Instant
    }

    private struct State {
        /// Those that have ended stay until the timer fires.
        var entries: [Entry] = []
        /// When the timer fires next; nil while it has nothing to do.
        var next: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Ends a hold's transaction of that number at the deadline, unless it has ended by then.
    func end(_ hold: FileHold, _ number: Int, at deadline: ContinuousClock.Instant) {
        state.withLock { state in
            state.entries.append(Entry(hold: hold, number: number, deadline: deadline))
            if state.next.map({ deadline < $0 }) ?? true { schedule(&state, deadline) }
        }
    }

    private func fire(_ planned: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let due: [Entry] = state.withLock { state in
            // One that is due sooner has taken its place.
            guard state.next == planned else { return [] }
            let due = state.entries.filter { $0.deadline <= now }
            state.entries.removeAll { $0.deadline <= now || $0.hold?.isHeld != true }
            state.next = nil
            if let next = state.entries.map(\.deadline).min() { schedule(&state, next) }
            return due
        }
        for entry in due { entry.hold?.end(number: entry.number) }
    }

    private func schedule(_ state: inout State, _ deadline: ContinuousClock.Instant) {
        state.next = deadline
        let rest = max(.zero, deadline - .now) / .seconds(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + rest) { self.fire(deadline) }
    }
}
