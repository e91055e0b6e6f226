import DrydockFiles
import DrydockFindings
import DrydockReplay
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
        /// Wall-clock seconds.
        public var seconds = 0.0
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

extension FleetStatistics {
    /// What one database adds to the figures of several.
    struct Share: Sendable, Codable {
        var database: Database
        var objects: [Object] = []
    }

    /// Returns the statistics of the databases of all shards, of which none is read.
    /// - Throws: ``RequestError`` where the parts have no result of one.
    package static func merged(_ paths: [String], _ kept: KeptResults) throws -> FleetStatistics {
        let objects = FleetObjects()
        let databases = try paths.map { path in
            let share: FleetStatistics.Share = try kept.resultOfPart(of: path)
            objects.add(share.objects)
            return share.database
        }
        return FleetStatistics(databases: databases, objects: objects.sorted)
    }
}

extension StatisticsReader {
    /// Reads the statistics of several databases. One that cannot be read does not stop the others.
    /// - Parameter onRead: called from any thread with the number of those that are done.
    /// - Throws: CancellationError if the task is cancelled.
    public func statistics(
        of paths: [String], jobs: Int, onRead: @escaping @Sendable (String, Int) -> Void = { _, _ in }
    ) async throws -> FleetStatistics {
        try await statistics(of: paths, jobs: jobs, kept: nil, onRead: onRead)
    }

    /// - Parameter kept: the figures of earlier runs, and where those of this one are kept; nil for neither.
    package func statistics(
        of paths: [String], jobs: Int, kept: KeptResults?,
        onRead: @escaping @Sendable (String, Int) -> Void = { _, _ in }
    ) async throws -> FleetStatistics {
        let objects = FleetObjects()
        let done = Atomic(0)
        let databases = try await concurrentMap(paths, jobs: jobs) { path in
            defer { onRead(path, done.add(1, ordering: .relaxed).newValue) }
            if let known: FleetStatistics.Share = kept?.result(of: path) {
                objects.add(known.objects)
                return known.database
            }
            let stamp = kept.flatMap { _ in KeptResults.stamp(of: path) }
            let share = try await share(of: path)
            // What could not be read is for the next run to read.
            try kept?.keep(share, of: path, share.database.trouble == nil ? stamp : nil)
            objects.add(share.objects)
            return share.database
        }
        return FleetStatistics(databases: databases, objects: objects.sorted)
    }

    private func share(of path: String) async throws -> FleetStatistics.Share {
        let start = ContinuousClock.now
        var share = FleetStatistics.Share(database: .init(path: path))
        do {
            let statistics = try await statistics(of: path)
            share.database.bytes = statistics.byteCount
            share.database.freelistBytes = statistics.freelistPages * statistics.pageSize
            share.database.vacuumReclaimableBytes = statistics.reclaimableByteCount
            share.database.walBytes = statistics.logPages * statistics.pageSize
            share.database.userVersion = statistics.userVersion
            share.objects = statistics.objects.map { object in
                .init(
                    name: object.name, table: object.table, isIndex: object.isIndex, databases: 1,
                    bytes: object.tree.pages * statistics.pageSize, rows: object.entries,
                    unused: object.tree.unused)
            }
        } catch let error as RequestError {
            share.database.trouble = error.description
        }
        share.database.seconds = ((ContinuousClock.now - start).inSeconds * 1e6).rounded() / 1e6
        return share
    }
}

/// The sums of tables and indexes, so that no database's own figures are kept.
private final class FleetObjects: Sendable {
    private struct Key: Hashable {
        var name, table: String
        var isIndex: Bool
    }

    private let sums = Mutex<[Key: FleetStatistics.Object]>([:])

    func add(_ objects: [FleetStatistics.Object]) {
        sums.withLock { sums in
            for object in objects {
                let key = Key(name: object.name, table: object.table, isIndex: object.isIndex)
                guard var sum = sums[key] else {
                    sums[key] = object
                    continue
                }
                sum.databases += object.databases
                sum.bytes += object.bytes
                sum.rows += object.rows
                sum.unused += object.unused
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
