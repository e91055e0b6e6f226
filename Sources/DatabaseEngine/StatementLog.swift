import Synchronization

/// The statement of a file that connections are working on, where another thread can ask for it.
///
/// Whoever gives up waiting for SQL that is not its own says with it what was waited for.
public final class StatementLog: Sendable {
    /// Where a statement begins. Line and column are counted from 1.
    public struct Place: Sendable, Hashable {
        public var file: String
        public var line: Int
        public var column: Int
        /// The line as it is written.
        public var lineText: String

        public init(file: String, line: Int, column: Int, lineText: String) {
            (self.file, self.line, self.column, self.lineText) = (file, line, column, lineText)
        }

        /// As compilers write it.
        public var text: String { "\(file):\(line)" }
    }

    private let running = Mutex<(@Sendable () -> Place)?>(nil)

    public init() {}

    /// Notes that a statement begins; its place is computed only when it is needed.
    public func begin(_ place: @escaping @Sendable () -> Place) { running.withLock { $0 = place } }

    /// Notes that it has ended. One that was stopped is not ended.
    public func end() { running.withLock { $0 = nil } }

    /// The place of the statement that runs, or was stopped last; nil for none.
    public var place: Place? { running.withLock { $0 }?() }
}
