import Drydock

/// Page statistics as JSON, in the envelope of every report; sizes in bytes. `spaceUsed` has the columns of
/// `sqlite3_analyzer`'s table with that name.
package enum StatisticsJSON {
    package static func render(_ statistics: DatabaseStatistics, since old: DatabaseStatistics? = nil)
        -> String
    {
        let growth = old.map { Growth.all(from: $0, to: statistics).map(JSONGrowth.init) }
        return jsonText(Envelope(statistics, old?.path, growth))
    }
}

private struct Envelope: Encodable {
    var tool = "drydock"
    var formatVersion = 1
    var command = "stats"
    var verdict = "passed"
    var findings: [String] = []
    var database, encoding, autoVacuum: String
    var libraryVersion: String?
    var pageSize, reservedBytes, pageCount, freelistPages, pointerMapPages, lockBytePages, lostPages: Int
    var bytes, vacuumReclaimableBytes, walFrames, walPages: Int
    var userVersion, applicationID: Int32
    var all, tables, indexes: JSONSpace
    var objects: [JSONObject]
    var comparedTo: String?
    var growth: [JSONGrowth]?

    init(_ it: DatabaseStatistics, _ comparedTo: String?, _ growth: [JSONGrowth]?) {
        (database, encoding, autoVacuum) = (it.path, it.encoding.rawValue, it.autoVacuum.rawValue)
        libraryVersion = it.libraryVersion == 0 ? nil : StatisticsRenderer.version(it.libraryVersion)
        (pageSize, reservedBytes, pageCount) = (it.pageSize, it.reservedBytes, it.pageCount)
        (freelistPages, pointerMapPages) = (it.freelistPages, it.pointerMapPages)
        (lockBytePages, lostPages) = (it.lockBytePages, it.lostPages)
        (bytes, vacuumReclaimableBytes) = (it.byteCount, it.reclaimableByteCount)
        (walFrames, walPages) = (it.logFrames, it.logPages)
        (userVersion, applicationID) = (it.userVersion, it.applicationID)
        all = JSONSpace(it.objects, it)
        tables = JSONSpace(it.objects.filter { !$0.isIndex }, it)
        indexes = JSONSpace(it.objects.filter(\.isIndex), it)
        objects = it.objects.map { JSONObject($0, it) }
        (self.comparedTo, self.growth) = (comparedTo, growth)
    }
}

private struct JSONGrowth: Encodable {
    var name: String
    var bytes, rows: Int

    init(_ it: Growth) { (name, bytes, rows) = (it.name, it.bytes, it.rows) }
}

/// What `sqlite3_analyzer` derives from its columns.
private struct JSONSpace: Encodable {
    var entries, storage, payload, metadata, unused, pages: Int
    var share: Double
    var averagePayload, averageUnused, averageMetadata: Double?

    init(_ objects: [DatabaseStatistics.Object], _ it: DatabaseStatistics) {
        let use = SpaceUse(objects, pageSize: it.pageSize)
        (entries, storage, payload) = (use.entries, use.storage, use.payload)
        (metadata, unused, pages) = (use.metadata, use.unused, use.pages)
        share = it.pageCount == 0 ? 0 : Double(use.pages) / Double(it.pageCount)
        guard use.entries > 0 else { return }
        averagePayload = Double(use.payload) / Double(use.entries)
        averageUnused = Double(use.unused) / Double(use.entries)
        averageMetadata = Double(use.metadata) / Double(use.entries)
    }
}

private struct JSONObject: Encodable {
    var name, table, kind: String
    var isImplied, isWithoutRowid: Bool
    var space: JSONSpace
    var depth, scatteredLeaves: Int
    /// How many payloads have `2^(n-1)` to less than `2^n` bytes, starting with the empty ones.
    var payloadSizes: [Int]
    var spaceUsed: [String: Int]

    init(_ object: DatabaseStatistics.Object, _ it: DatabaseStatistics) {
        let tree = object.tree
        (name, table, kind) = (object.name, object.table, object.isIndex ? "index" : "table")
        (isImplied, isWithoutRowid) = (object.isImplied, object.isWithoutRowid)
        space = JSONSpace([object], it)
        (depth, scatteredLeaves) = (tree.depth, tree.scatteredLeaves)
        payloadSizes = tree.payloadSizes.trimmingZeros
        spaceUsed = [
            "nentry": tree.cellCount, "leaf_entries": tree.leafCellCount, "depth": tree.depth,
            "payload": tree.payload, "ovfl_payload": tree.overflowPayload,
            "ovfl_cnt": tree.overflowCellCount, "mx_payload": tree.largestPayload,
            "int_pages": tree.interiorPages, "leaf_pages": tree.leafPages,
            "ovfl_pages": tree.overflowPages, "int_unused": tree.interiorUnused,
            "leaf_unused": tree.leafUnused, "ovfl_unused": tree.overflowUnused, "gap_cnt": tree.gapCount,
            "compressed_size": tree.pages * it.pageSize, "is_index": object.isIndex ? 1 : 0,
            "is_without_rowid": object.isWithoutRowid ? 1 : 0,
        ]
    }
}

extension Array<Int> {
    /// The array without trailing zeros.
    fileprivate var trimmingZeros: [Int] {
        lastIndex { $0 != 0 }.map { Array(self[...$0]) } ?? []
    }
}
