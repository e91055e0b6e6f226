import DrydockFindings

/// A database at one moment, as ``HealthWatcher`` sees it.
public struct HealthUpdate: Sendable {
    /// The size of a table with its indexes, from interior pages and some leaves: exact for small ones.
    public struct Table: Sendable, Hashable {
        public var name: String
        public var bytes: Int
        /// How many bytes it has grown since the watcher began.
        public var growth: Int
    }

    /// The reader whose transaction keeps the write-ahead log from being moved to the file.
    public struct Reader: Sendable, Hashable {
        public var process: Int32
        /// How many frames it is behind.
        public var framesBehind: Int
    }

    /// Something that happened.
    public struct Event: Sendable {
        public enum Kind: Sendable {
            /// A finding that the report before did not have.
            case new(Finding)
            /// A finding that the report has no longer.
            case gone(Finding)
            /// The file was deleted or moved away.
            case removed
            /// A file of the name is there again.
            case returned
            /// Another file has the name.
            case replaced
        }

        public var kind: Kind
        /// In seconds since 1970.
        public var time: Double
    }

    /// The path as given.
    public var path: String
    /// In seconds since 1970.
    public var time: Double
    /// The last health report; if checking takes long it is older than the figures.
    public var report: Report
    /// When the report was made, in seconds since 1970.
    public var checkedAt: Double
    /// Whether a file has the name.
    public var exists: Bool
    /// In bytes, and how much more than when the watcher began.
    public var size = 0, growth = 0
    /// The bytes of the write-ahead log; nil if there is none.
    public var logSize: Int?
    /// The frames of the log, and how many of them no checkpoint has moved to the file; nil if no program has the log open.
    public var frames: Int?, framesNotMoved: Int?
    public var oldestReader: Reader?
    /// The process that holds the write lock of a rollback journal.
    public var writer: Int32?
    /// Commits in a second since the last look; nil if nobody counts them.
    public var commitsPerSecond: Double?
    /// The tables that changed most, then the largest; not all if there are many.
    public var tables: [Table] = []
    /// The number of all tables.
    public var tableCount = 0
    /// What has happened since the update before.
    public var events: [Event] = []
    /// What has happened before and in this update, the newest last; not all if it was much.
    public var history: [Event] = []

    package init(path: String, time: Double, report: Report, exists: Bool) {
        (self.path, self.time, self.report, self.exists) = (path, time, report, exists)
        checkedAt = time
    }

    /// A figure of the report.
    public func measure(_ name: String) -> Double? {
        report.health?.databases.first?.measures.first { $0.name == name }?.value
    }
}
