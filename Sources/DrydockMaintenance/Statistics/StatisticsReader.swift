import DrydockFindings
import DatabaseEngine
import Foundation
import SQLiteFile
import SQLiteSchema
import Synchronization

/// Reads the statistics of a database that other programs may have open, from its pages only.
///
///     let statistics = try await StatisticsReader(engine: GRDBDriver()).statistics(of: "app.sqlite")
///     print(statistics.reclaimableByteCount, "bytes would be freed by VACUUM")
public struct StatisticsReader: Sendable {
    private let engine: any Engine

    public init(engine: any Engine) { self.engine = engine }

    /// Reads the statistics.
    /// - Parameter vacuumPageSize: The page size in bytes that a VACUUM is to set; nil to keep the database's.
    /// - Parameter mapsPages: Whether to record the use of each page, which takes memory for each.
    /// - Throws: ``RequestError`` that names the file: it is missing, is not a database, or is damaged or locked.
    public func statistics(
        of path: String, vacuumPageSize: Int? = nil, mapsPages: Bool = false
    ) async throws -> DatabaseStatistics {
        try await LiveFile(engine: engine, path: path).read { file, log in
            try Self.statistics(of: path, file, log, vacuumPageSize, mapsPages)
        }
    }

    private static func statistics(
        of path: String, _ file: DatabaseFile, _ log: WriteAheadLog?, _ vacuumPageSize: Int?,
        _ mapsPages: Bool
    ) throws -> DatabaseStatistics {
        var result = DatabaseStatistics(path: path)
        let header = file.header
        (result.pageSize, result.reservedBytes) = (header.pageSize, header.reservedBytes)
        result.vacuumPageSize = vacuumPageSize ?? header.pageSize
        result.pageCount = Int(file.pageCount)
        result.lockBytePages = file.lockBytePage <= file.pageCount ? 1 : 0
        result.encoding = header.encoding
        if header.hasPointerMaps { result.autoVacuum = header.isIncrementalVacuum ? .incremental : .full }
        (result.userVersion, result.applicationID) = (header.userVersion, header.applicationID)
        result.libraryVersion = header.libraryVersion
        result.isLogged = header.writeVersion == 2
        (result.logFrames, result.logPages) = (log?.frameCount ?? 0, log?.distinctPages ?? 0)
        guard file.pageCount > 0 else { return result }
        try file.forEachFreePage { _, _ in result.freelistPages += 1 }
        if header.hasPointerMaps {
            result.pointerMapPages = (2..<max(2, UInt64(file.pageCount) + 1)).count {
                file.isPointerMap(UInt32($0))
            }
        }
        result.objects = try objects(of: file, vacuumPageSize)
        if mapsPages {
            let roots = try file.schema().map(\.rootPage).filter { $0 != 0 }
            result.map = try PageMap(file, roots: [1] + roots)
        }
        return result
    }

    private static func objects(
        of file: DatabaseFile, _ vacuumPageSize: Int?
    ) throws -> [DatabaseStatistics.Object] {
        let entries = try file.schema().filter { $0.rootPage != 0 }
        let trees = try read(file, roots: [1] + entries.map(\.rootPage), vacuumPageSize)
        var objects = [
            DatabaseStatistics.Object(
                name: "sqlite_schema", table: "sqlite_schema", isIndex: false, isImplied: false,
                isWithoutRowid: false, tree: trees[0])
        ]
        for (entry, tree) in zip(entries, trees.dropFirst()) {
            let isIndex = entry.type == "index"
            objects.append(
                .init(
                    name: entry.name, table: entry.tableName, isIndex: isIndex,
                    isImplied: isIndex && entry.sql == nil,
                    isWithoutRowid: try !isIndex && !file.treePage(entry.rootPage).kind.isTable, tree: tree))
        }
        return objects
    }

    /// Reads the trees on all cores; a large tree is split into parts.
    private static func read(
        _ file: DatabaseFile, roots: [UInt32], _ vacuumPageSize: Int?
    ) throws -> [TreeStatistics] {
        let parts = try roots.map { try TreePart.parts(of: $0, in: file) }
        let read = try readings(of: parts.flatMap(\.self), file, vacuumPageSize)
        var next = 0
        return try parts.map { parts in
            defer { next += parts.count }
            return try TreeStatistics(read[next..<(next + parts.count)])
        }
    }

    /// - Throws: `FileDamage` of the first part that is damaged.
    private static func readings(
        of parts: [TreePart], _ file: DatabaseFile, _ vacuumPageSize: Int?
    ) throws -> [TreePart.Reading] {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        // Large parts go to whichever thread is free; of thousands of small ones each takes some at a time.
        let size = max(1, parts.count / (128 * cores))
        let blocks = stride(from: 0, to: parts.count, by: size).map {
            parts[$0..<min($0 + size, parts.count)]
        }
        let next = Atomic(0)
        let none = Result<[TreePart.Reading], any Error>.success([])
        let read = Mutex(Array(repeating: none, count: blocks.count))
        DispatchQueue.concurrentPerform(iterations: min(blocks.count, cores)) { _ in
            let window = PageWindow(file)
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < blocks.count {
                let result = Result {
                    try blocks[index].map { try $0.read(file, packedInto: vacuumPageSize, through: window) }
                }
                read.withLock { $0[index] = result }
            }
        }
        return try read.withLock { $0 }.flatMap { try $0.get() }
    }
}
