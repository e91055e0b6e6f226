import DrydockFindings
import Synchronization

/// How several databases use their files, as `drydock stats` of several reports it. All sizes are in bytes.
public struct FleetStatistics: Sendable, Codable {
    /// One database: its figures, or why it could not be read.
    public struct Database: Sendable, Codable {
        public var path: String
        public var bytes = 0
        public var freelistBytes = 0
        /// What VACUUM would free, approximately.
        public var vacuumReclaimableBytes = 0
        public var walBytes = 0
        public var userVersion: Int32 = 0
        public var trouble: String?

        /// The part of the file that is free pages.
        public var freelistRatio: Double { bytes == 0 ? 0 : Double(freelistBytes) / Double(bytes) }
    }

    /// A table or an index, over all databases that have one of its name.
    public struct Object: Sendable, Codable {
        public var name: String
        public var table: String
        public var isIndex: Bool
        public var databases = 0
        public var bytes = 0
        public var rows = 0
        /// The bytes of its pages that hold nothing.
        public var unused = 0
    }

    /// In the order in which they were named.
    public var databases: [Database]
    /// The largest first.
    public var objects: [Object]

    public var read: [Database] { databases.filter { $0.trouble == nil } }
    public var hasTrouble: Bool { databases.contains { $0.trouble != nil } }
    public var size: Spread? { Spread(read.map { Double($0.bytes) }) }
    public var freeRatio: Spread? { Spread(read.map(\.freelistRatio)) }

    package init(databases: [Database], objects: [Object]) {
        (self.databases, self.objects) = (databases, objects)
    }
}

extension StatisticsReader {
    /// Reads the statistics of several databases. One that cannot be read does not stop the others.
    /// - Parameter onRead: called from any thread with the number of those that are done.
    /// - Throws: CancellationError if the task is cancelled.
    public func statistics(
        of paths: [String], jobs: Int, onRead: @escaping @Sendable (String, Int) -> Void = { _, _ in }
    ) async throws -> FleetStatistics {
        let objects = FleetObjects()
        let done = Atomic(0)
        let databases = try await concurrentMap(paths, jobs: jobs) { path in
            defer { onRead(path, done.add(1, ordering: .relaxed).newValue) }
            var database = FleetStatistics.Database(path: path)
            do {
                let statistics = try await statistics(of: path)
                objects.add(statistics)
                database.bytes = statistics.byteCount
                database.freelistBytes = statistics.freelistPages * statistics.pageSize
                database.vacuumReclaimableBytes = statistics.reclaimableByteCount
                database.walBytes = statistics.logPages * statistics.pageSize
                database.userVersion = statistics.userVersion
            } catch let error as RequestError {
                database.trouble = error.description
            }
            return database
        }
        return FleetStatistics(databases: databases, objects: objects.sorted)
    }
}

/// The sums of tables and indexes, so that no database's own figures are kept.
private final class FleetObjects: Sendable {
    private struct Key: Hashable {
        var name, table: String
        var isIndex: Bool
    }

    private let sums = Mutex<[Key: FleetStatistics.Object]>([:])

    func add(_ statistics: DatabaseStatistics) {
        sums.withLock { sums in
            for object in statistics.objects {
                let key = Key(name: object.name, table: object.table, isIndex: object.isIndex)
                var sum =
                    sums[key]
                    ?? FleetStatistics.Object(name: object.name, table: object.table, isIndex: object.isIndex)
                sum.databases += 1
                sum.bytes += object.tree.pages * statistics.pageSize
                sum.rows += object.entries
                sum.unused += object.tree.unused
                sums[key] = sum
            }
        }
    }

    var sorted: [FleetStatistics.Object] {
        sums.withLock { Array($0.values) }.sorted {
            ($1.bytes, $0.name, $0.table) < ($0.bytes, $1.name, $1.table)
        }
    }
}
