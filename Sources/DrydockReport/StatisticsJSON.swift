import Drydock

/// Page statistics as JSON, in the envelope of every report; sizes in bytes. `spaceUsed` has the columns of
/// `sqlite3_analyzer`'s table with that name.
package enum StatisticsJSON {
    package static func render(_ statistics: DatabaseStatistics, since old: DatabaseStatistics? = nil)
        -> String
    {
        let growth = old.map { Growth.all(from: $0, to: statistics).map(JSONGrowth.init) }
        return jsonText(JSONEnvelope(command: "stats", JSONStatistics(statistics, old?.path, growth)))
    }

    /// Renders the statistics of several databases.
    /// - Parameter part: which shard they are of, if they are not of all.
    package static func render(_ statistics: FleetStatistics, part: ReportPart? = nil) -> String {
        jsonText(
            JSONEnvelope(
                command: "stats", hasFailed: statistics.hasTrouble, part: part,
                JSONFleetStatistics(statistics)))
    }
}

private struct JSONFleetStatistics: Encodable {
    struct Totals: Encodable {
        var databases, notRead: Int
        var bytes, freelistRatio, vacuumReclaimableBytes: JSONSpread?
    }

    var databases: [FleetStatistics.Database]
    /// Tables and indexes by name, over all databases.
    var objects: [FleetStatistics.Object]
    var totals: Totals

    init(_ statistics: FleetStatistics) {
        (databases, objects) = (statistics.databases, statistics.objects)
        totals = Totals(
            databases: databases.count, notRead: databases.count - statistics.read.count,
            bytes: statistics.size.map { JSONSpread($0) },
            freelistRatio: statistics.freeRatio.map { JSONSpread($0, hasSum: false) },
            vacuumReclaimableBytes: Spread(statistics.read.map { Double($0.vacuumReclaimableBytes) })
                .map { JSONSpread($0) })
    }
}

private struct JSONStatistics: Encodable {
    var database, encoding, autoVacuum: String
    var libraryVersion: String?
    var pageSize, reservedBytes, pageCount, freelistPages, pointerMapPages, lockBytePages, lostPages: Int
    var bytes, vacuumReclaimableBytes, walFrames, walPages: Int
    var userVersion, applicationID: Int32
    var all, tables, indexes: JSONSpace
    var objects: [JSONObject]
    var comparedTo: String?
    var growth: [JSONGrowth]?

    init(_ file: DatabaseStatistics, _ comparedTo: String?, _ growth: [JSONGrowth]?) {
        (database, encoding, autoVacuum) = (file.path, file.encoding.rawValue, file.autoVacuum.rawValue)
        libraryVersion = file.libraryVersion == 0 ? nil : StatisticsRenderer.version(file.libraryVersion)
        (pageSize, reservedBytes, pageCount) = (file.pageSize, file.reservedBytes, file.pageCount)
        (freelistPages, pointerMapPages) = (file.freelistPages, file.pointerMapPages)
        (lockBytePages, lostPages) = (file.lockBytePages, file.lostPages)
        (bytes, vacuumReclaimableBytes) = (file.byteCount, file.reclaimableByteCount)
        (walFrames, walPages) = (file.logFrames, file.logPages)
        (userVersion, applicationID) = (file.userVersion, file.applicationID)
        all = JSONSpace(file.objects, file)
        tables = JSONSpace(file.objects.filter { !$0.isIndex }, file)
        indexes = JSONSpace(file.objects.filter(\.isIndex), file)
        objects = file.objects.map { JSONObject($0, file) }
        (self.comparedTo, self.growth) = (comparedTo, growth)
    }
}

private struct JSONGrowth: Encodable {
    var name: String
    var bytes, rows: Int

    init(_ growth: Growth) { (name, bytes, rows) = (growth.name, growth.bytes, growth.rows) }
}

/// What `sqlite3_analyzer` derives from its columns.
private struct JSONSpace: Encodable {
    // In the order of their keys, so that no object is sorted.
    var averageMetadata, averagePayload, averageUnused: Double?
    var entries, metadata, pages, payload: Int
    var share: Double
    var storage, unused: Int

    init(_ objects: [DatabaseStatistics.Object], _ file: DatabaseStatistics) {
        let use = SpaceUse(objects, pageSize: file.pageSize)
        (entries, storage, payload) = (use.entries, use.storage, use.payload)
        (metadata, unused, pages) = (use.metadata, use.unused, use.pages)
        share = file.pageCount == 0 ? 0 : Double(use.pages) / Double(file.pageCount)
        guard use.entries > 0 else { return }
        averagePayload = Double(use.payload) / Double(use.entries)
        averageUnused = Double(use.unused) / Double(use.entries)
        averageMetadata = Double(use.metadata) / Double(use.entries)
    }
}

private struct JSONObject: Encodable {
    // In the order of their keys, so that no object is sorted.
    var depth: Int
    var isImplied, isWithoutRowid: Bool
    var kind, name: String
    /// How many payloads have `2^(n-1)` to less than `2^n` bytes, starting with the empty ones.
    var payloadSizes: [Int]
    var scatteredLeaves: Int
    var space: JSONSpace
    var spaceUsed: JSONSpaceUsed
    var table: String

    init(_ object: DatabaseStatistics.Object, _ file: DatabaseStatistics) {
        let tree = object.tree
        (name, table, kind) = (object.name, object.table, object.isIndex ? "index" : "table")
        (isImplied, isWithoutRowid) = (object.isImplied, object.isWithoutRowid)
        space = JSONSpace([object], file)
        (depth, scatteredLeaves) = (tree.depth, tree.scatteredLeaves)
        payloadSizes = tree.payloadSizes.trimmingZeros
        spaceUsed = JSONSpaceUsed(object, file)
    }
}

/// The columns of `sqlite3_analyzer`'s table `space_used`.
private struct JSONSpaceUsed: Encodable {
    let object: DatabaseStatistics.Object
    let size: Int

    init(_ object: DatabaseStatistics.Object, _ file: DatabaseStatistics) {
        (self.object, size) = (object, object.tree.pages * file.pageSize)
    }

    /// In the order of the keys, so that no object is sorted.
    private enum Column: String, CodingKey, CaseIterable {
        case size = "compressed_size"
        case depth
        case gaps = "gap_cnt"
        case interiorPages = "int_pages"
        case interiorUnused = "int_unused"
        case isIndex = "is_index"
        case isWithoutRowid = "is_without_rowid"
        case leafCells = "leaf_entries"
        case leafPages = "leaf_pages"
        case leafUnused = "leaf_unused"
        case largestPayload = "mx_payload"
        case cells = "nentry"
        case overflowCells = "ovfl_cnt"
        case overflowPages = "ovfl_pages"
        case overflowPayload = "ovfl_payload"
        case overflowUnused = "ovfl_unused"
        case payload
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Column.self)
        for column in Column.allCases { try container.encode(value(column), forKey: column) }
    }

    private func value(_ column: Column) -> Int {
        switch column {
        case .size: size
        case .depth: object.tree.depth
        case .gaps: object.tree.gapCount
        case .interiorPages: object.tree.interiorPages
        case .interiorUnused: object.tree.interiorUnused
        case .isIndex: object.isIndex ? 1 : 0
        case .isWithoutRowid: object.isWithoutRowid ? 1 : 0
        case .leafCells: object.tree.leafCellCount
        case .leafPages: object.tree.leafPages
        case .leafUnused: object.tree.leafUnused
        case .largestPayload: object.tree.largestPayload
        case .cells: object.tree.cellCount
        case .overflowCells: object.tree.overflowCellCount
        case .overflowPages: object.tree.overflowPages
        case .overflowPayload: object.tree.overflowPayload
        case .overflowUnused: object.tree.overflowUnused
        case .payload: object.tree.payload
        }
    }
}

extension Array<Int> {
    /// The array without trailing zeros.
    fileprivate var trimmingZeros: [Int] {
        lastIndex { $0 != 0 }.map { Array(self[...$0]) } ?? []
    }
}
