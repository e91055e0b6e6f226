/// What was done to several databases by `drydock vacuum`. All sizes are in bytes.
public struct VacuumFleetSummary: Sendable {
    /// The result for one database.
    public struct Database: Sendable, Codable {
        public var path: String
        /// What was done, or would be; nil if it was not done, or not completed.
        public var vacuum: VacuumSummary?
        /// Why it was not done, or not completed: the database is then unchanged.
        public var trouble: RequestError?
        /// Wall-clock seconds.
        public var seconds = 0.0

        public init(path: String) { self.path = path }
    }

    /// In the order in which they were named.
    public var databases: [Database] = []
    /// Whether the run was interrupted: the databases that it had not begun are not among them.
    public var isInterrupted = false

    public init(databases: [Database] = []) { self.databases = databases }

    /// The databases to which something was done, or would be.
    public var done: [VacuumSummary] { databases.compactMap(\.vacuum) }
    public var bytesBefore: Int { done.reduce(0) { $0 + $1.forecast.bytes } }
    public var bytesAfter: Int { done.reduce(0) { $0 + $1.bytesAfter } }
    public var hasTrouble: Bool { databases.contains { $0.trouble != nil } }
}

extension Report {
    /// Creates the report of several vacuums.
    public init(_ summary: VacuumFleetSummary) {
        self.init(.vacuums(summary))
        findings = summary.databases.compactMap { database in
            guard let trouble = database.trouble else { return nil }
            var finding = Finding(.vacuumFailed, trouble.description)
            finding.database = database.path
            return finding
        }
    }
}
