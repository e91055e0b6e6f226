import Synchronization

/// The changes of a database from a moment on, for one consumer.
///
/// - There is no element for the state at the beginning: the first is the first change after that moment.
/// - Commits that come while the consumer is busy are merged into one element: their tables are united, so that memory
///   stays bounded and no change is lost.
/// - The sequence ends when the database is closed, after the last change. If its file was deleted or replaced, it
///   throws ``LostFile``.
/// - Cancelling the task that iterates, or dropping the sequence, ends the observation.
///
/// Several iterators share the elements.
public struct DatabaseChanges: AsyncSequence, Sendable {
    public typealias Element = DatabaseChange

    private let observation: ChangeObservation

    package init(_ observation: ChangeObservation) { self.observation = observation }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let observation: ChangeObservation

        /// Waits for the next change.
        /// - Returns: Nil if the database was closed or the task is cancelled.
        /// - Throws: ``LostFile``, ``EngineError``.
        public mutating func next() async throws -> DatabaseChange? { try await observation.next() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(observation: observation) }
}

/// The place in which changes wait for their consumer: at most one, into which later ones are merged.
package final class ChangeMailbox: Sendable {
    private struct State {
        var pending: DatabaseChange?
        var end: Result<Void, any Error>?
    }

    private let state = Mutex(State())
    /// Wakes the consumer; it says only that it is worth looking.
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init() {}

    package func post(_ change: DatabaseChange) {
        state.withLock { state in
            guard state.end == nil else { return }
            if state.pending?.merge(change) == nil { state.pending = change }
        }
        signal.continuation.yield()
    }

    /// Ends the sequence, with an error or without; what waits is still delivered.
    package func end(throwing error: (any Error)? = nil) {
        state.withLock { $0.end = $0.end ?? (error.map { .failure($0) } ?? .success(())) }
        signal.continuation.finish()
    }

    fileprivate func next() async throws -> DatabaseChange? {
        while true {
            let (change, end) = state.withLock { state in
                defer { state.pending = nil }
                return (state.pending, state.end)
            }
            if let change { return change }
            if let end {
                try end.get()
                return nil
            }
            var signals = signal.stream.makeAsyncIterator()
            if await signals.next() == nil, Task.isCancelled { return nil }
        }
    }
}

/// An observation of one consumer: its mailbox, and the task that looks for what other connections commit. It ends with
/// its last reference.
package final class ChangeObservation: Sendable {
    private let mailbox: ChangeMailbox
    private let task: Task<Void, Never>
    private let ended: @Sendable () -> Void

    /// - Parameters:
    ///   - poll: looks once; returns false if there is nothing to look at any more.
    ///   - ended: runs when the observation has ended; may run twice.
    package init(
        _ mailbox: ChangeMailbox, every interval: Duration, poll: @escaping @Sendable () async throws -> Bool,
        ended: @escaping @Sendable () -> Void = {}
    ) {
        (self.mailbox, self.ended) = (mailbox, ended)
        task = Task {
            do {
                repeat { try await Task.sleep(for: interval) } while try await poll()
                mailbox.end()
            } catch is CancellationError {
                mailbox.end()
            } catch {
                mailbox.end(throwing: error)
            }
        }
    }

    deinit { stop() }

    private func stop() {
        task.cancel()
        ended()
    }

    fileprivate func next() async throws -> DatabaseChange? {
        do {
            if let change = try await mailbox.next() { return change }
        } catch {
            stop()
            throw error
        }
        stop()
        return nil
    }
}
