import DatabaseEngine
import DrydockFiles
import DrydockFindings
import OverlayVFS

/// The forecast of a vacuum, and the conditions that it has to satisfy before it begins.
package struct VacuumPlan: Sendable {
    let request: VacuumRequest
    let forecast: VacuumForecast
    let temporaryFolder: String
    private let lostPages: Int
    private let autoVacuum: DatabaseStatistics.AutoVacuum

    init(_ request: VacuumRequest, _ engine: any Engine) async throws {
        let pageSize = request.pageSize.flatMap { Self.isPageSize($0) ? $0 : nil }
        let statistics = try await StatisticsReader(engine: engine).statistics(
            of: request.path, vacuumPageSize: pageSize)
        let folder = PathParts.folder(of: realPath(of: request.path))
        self.request = request
        (lostPages, autoVacuum) = (statistics.lostPages, statistics.autoVacuum)
        temporaryFolder = request.temporaryFolder ?? folder
        let after =
            request.incrementalPages.map { pages in
                (statistics.pageCount - min(pages, statistics.freelistPages)) * statistics.pageSize
            } ?? statistics.vacuumedByteCount
        var forecast = VacuumForecast(
            bytes: statistics.byteCount, bytesAfter: after,
            freelistBytes: statistics.freelistPages * statistics.pageSize,
            needs: Self.needs(request, statistics, after, folder, temporaryFolder),
            journalMode: statistics.isLogged ? "wal" : "rollback journal")
        if request.isForecast, request.incrementalPages == nil,
            let rate = await VacuumRate.measure(request.path, statistics, engine)
        {
            forecast.seconds =
                Double(after) * rate.secondsPerByte
                + Self.writing(forecast, into: request.into == nil ? folder : nil)
            forecast.sampleBytes = rate.sampleBytes
        }
        self.forecast = forecast
    }

    /// Returns the seconds that the disks need for all writes, including those to the database itself.
    private static func writing(_ forecast: VacuumForecast, into folder: String?) -> Double {
        var writes = forecast.needs.map { (folder: $0.folder, bytes: $0.bytes) }
        if let folder { writes.append((folder, forecast.bytesAfter)) }
        let folders = Set(writes.map(\.folder))
        let rates = Dictionary(uniqueKeysWithValues: folders.map { ($0, DiskRate.measure(in: $0)) })
        return writes.reduce(0) { sum, write in
            sum + ((rates[write.folder] ?? nil).map { Double(write.bytes) / $0 } ?? 0)
        }
    }

    private static func isPageSize(_ size: Int) -> Bool {
        (512...65536).contains(size) && size & (size - 1) == 0
    }

    private static func needs(
        _ request: VacuumRequest, _ statistics: DatabaseStatistics, _ after: Int, _ folder: String,
        _ temporaryFolder: String
    ) -> [DiskNeed] {
        var needs: [DiskNeed] = []
        func need(_ folder: String, _ bytes: Int, _ purpose: String) {
            needs.append(
                .init(folder: folder, bytes: bytes, purpose: purpose, free: DiskSpace.free(in: folder)))
        }
        if let into = request.into {
            need(PathParts.folder(of: into), after, "the copy")
        } else if request.incrementalPages == nil {
            need(temporaryFolder, after, "the copy, until it is in its place")
            if statistics.isLogged {
                // "The WAL header is 32 bytes [...], each frame consists of a 24-byte frame-header followed by
                // a page" (https://www.sqlite.org/fileformat2.html#walformat).
                let frames = after / max(1, statistics.pageSize)
                need(
                    folder, 32 + frames * (24 + statistics.pageSize),
                    "the write-ahead log, with every new page")
                if LiveState(request.path).isOpenElsewhere {
                    need(
                        SQLiteTemporaryFolder.path, after,
                        "SQLite's own copy, since other programs have the file open")
                }
            } else {
                need(folder, statistics.byteCount, "the rollback journal, with the old pages")
            }
            // The file grows before it is truncated.
            if after > statistics.byteCount {
                need(folder, after - statistics.byteCount, "the database, which becomes larger")
            }
        }
        return needs
    }

    /// Throws ``RequestError`` for what would stop the vacuum midway.
    func check() throws {
        if let size = request.pageSize {
            guard Self.isPageSize(size) else {
                throw RequestError(
                    .settingInvalid, "--page-size \(size) is not a power of two between 512 and 65536")
            }
            if forecast.journalMode == "wal", request.into == nil {
                throw RequestError(
                    .settingInvalid,
                    "\(request.path) is in WAL mode, which keeps its page size; leave it first with "
                        + "PRAGMA journal_mode = DELETE, or make a copy with --into")
            }
        }
        if forecast.bytes == 0, LiveState(request.path).usesLog {
            throw RequestError(
                .refused,
                "\(request.path) is empty, and SQLite would delete the write-ahead log beside it, which may hold the rest "
                    + "of a database: keep a copy of both, and look for the file that the log belongs to"
            )
        }
        if lostPages > 0 {
            throw RequestError(
                .refused,
                "\(lostPages) pages of \(request.path) belong to nothing and may hold lost data, and a vacuum "
                    + "would drop them: recover it first, with sqlite3's .recover")
        }
        if request.incrementalPages != nil, autoVacuum != .incremental {
            throw RequestError(
                .settingInvalid,
                "\(request.path) has no incremental auto_vacuum, so pages cannot be given back in slices: "
                    + "leave --incremental out")
        }
        if let into = request.into {
            for suffix in Sidecar.family where FolderListing.exists(into + suffix) {
                throw RequestError(.notWritable, "'\(into + suffix)' already exists; name a new file")
            }
        }
        let folder = PathParts.folder(of: realPath(of: request.path))
        var places = request.into.map { [PathParts.folder(of: $0)] } ?? [request.path, folder]
        if request.into == nil, request.incrementalPages == nil { places.append(temporaryFolder) }
        for place in places {
            guard FolderListing.exists(place) else {
                throw RequestError(.notFound, "there is no folder '\(place)'")
            }
            if let obstacle = DiskSpace.writeObstacle(place) {
                throw RequestError(
                    .notWritable,
                    "\(place) \(obstacle)"
                        + (place == folder ? ", and SQLite needs a journal beside the database" : ""))
            }
        }
        try checkDisk()
    }

    private func checkDisk() throws {
        for (index, need) in forecast.needs.enumerated() {
            guard let free = need.free else { continue }
            // Needs on one file system add up.
            let total = forecast.needs.prefix(index + 1).filter { DiskSpace.areOnOne($0.folder, need.folder) }
                .reduce(0) { $0 + $1.bytes }
            guard total <= free else {
                throw RequestError(
                    .diskFull,
                    "\(need.folder) has \(free) bytes free and \(total) are needed: \(need.purpose); "
                        + "free space, or make the copy elsewhere with --temporary-folder")
            }
        }
    }
}
