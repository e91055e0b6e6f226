import DatabaseEngine
import DrydockFindings

/// The health of a database file over time: first as it is, then whenever something has changed.
///
///     var request = HealthRequest()
///     request.databases = ["app.sqlite"]
///     for try await update in HealthWatcher(engine: GRDBDriver(), request: request) {
///         for event in update.events { print(event) }
///     }
///
/// Nothing is written, and no connection stays open between two looks: a program that closes the database as the last
/// one still removes its log. What has changed is seen from the files, the log's index and the counters in both. A change
/// that comes while nobody asks for the next update is part of that one.
///
/// Checks take at most a twentieth of the time: a database whose checks take a second is checked every twenty seconds while it
/// is being written. Sizes and counts are those of each look; while a check runs there is no look. The sequence goes on when
/// the file is deleted or replaced, and ends when its task is cancelled.
///
/// As with ``HealthInspector``, this process must have no connection of its own to the database. To observe a database
/// that it has open, use `OpenDatabase.changes()`.
public struct HealthWatcher: AsyncSequence, Sendable {
    public typealias Element = HealthUpdate

    private let engine: any Engine
    private let request: HealthRequest
    private let interval: Duration
    /// Of the time, the part that is spent on checks is at most one in this many.
    var share = 20

    /// - Parameters:
    ///   - request: what to check; it names one database.
    ///   - interval: how often to look.
    public init(engine: any Engine, request: HealthRequest, every interval: Duration = .seconds(1)) {
        (self.engine, self.request, self.interval) = (engine, request, interval)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let engine: any Engine
        fileprivate let request: HealthRequest
        fileprivate let interval: Duration
        fileprivate let share: Int
        private var followed: FollowedHealth?

        fileprivate init(_ watcher: HealthWatcher) {
            (engine, request, interval) = (watcher.engine, watcher.request, watcher.interval)
            share = watcher.share
        }

        /// Waits until something has changed.
        /// - Returns: Nil if the task is cancelled.
        /// - Throws: ``RequestError`` if the request is not valid; only the first time.
        public mutating func next() async throws -> HealthUpdate? {
            guard var followed else {
                var first = try FollowedHealth(engine, request, share: share)
                let update = await first.look()
                followed = first
                return Task.isCancelled ? nil : update
            }
            defer { self.followed = followed }
            while !Task.isCancelled {
                guard (try? await Task.sleep(for: interval)) != nil else { return nil }
                if let update = await followed.look() { return Task.isCancelled ? nil : update }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}
