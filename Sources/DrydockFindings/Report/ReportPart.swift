/// Which part of a run a report is, and what the report of the whole needs of it. `drydock merge` reads it.
public struct ReportPart: Sendable, Codable {
    /// A database of the part, and its result as JSON, which only the same version of Drydock reads.
    public struct Database: Sendable, Codable {
        /// The place in the whole list.
        public var index: Int
        public var path: String
        public var result: String

        public init(index: Int, path: String, result: String) {
            (self.index, self.path, self.result) = (index, path, result)
        }
    }

    /// The version of Drydock.
    public var version: String
    /// Which shard, from 1, and how many there are.
    public var shard, shards: Int
    /// A digest of the list of databases, and how many it has.
    public var list: String
    public var listCount: Int
    /// A digest of the settings and of the migrations.
    public var settings: String
    /// The command line, without the name of the program.
    public var arguments: [String]
    public var migrationFormat: String?
    /// Whether values are left out.
    public var isRedacted = false
    public var databases: [Database] = []
    /// What belongs to no database: the results of generated rows.
    public var others: [String: String] = [:]

    public init(
        version: String, shard: Int, of shards: Int, list: String, listCount: Int, settings: String,
        arguments: [String]
    ) {
        (self.version, self.shard, self.shards) = (version, shard, shards)
        (self.list, self.listCount) = (list, listCount)
        (self.settings, self.arguments) = (settings, arguments)
    }
}
