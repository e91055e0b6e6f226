import Drydock

/// Page statistics as JSON, in the envelope of every report; sizes in bytes. `spaceUsed` has the columns of
/// `sqlite3_analyzer`'s table with that name.
package enum StatisticsJSON {
    package static func render(_ statistics: DatabaseStatistics, since old: DatabaseStatistics? = nil)
        -> String
    {
        var bytes: [UInt8] = []
        write(statistics, since: old) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the document as it goes: of 4,000 tables it has nearly 9 MB.
    /// - Parameter sink: gets the bytes in order, some at a time, which are valid until it returns.
    package static func write(
        _ statistics: DatabaseStatistics, since old: DatabaseStatistics? = nil,
        to sink: @escaping (UnsafeRawBufferPointer) -> Void
    ) {
        var json = JSONStream(to: sink)
        json.object { $0.write(statistics, since: old) }
        json.end()
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

extension JSONStream {
    /// Writes what the envelope of every report has, and the statistics.
    fileprivate mutating func write(_ file: DatabaseStatistics, since old: DatabaseStatistics?) {
        object("all") { $0.write(SpaceUse(file.objects, pageSize: file.pageSize), file) }
        member("applicationID", Int(file.applicationID))
        member("autoVacuum", file.autoVacuum.rawValue)
        member("bytes", file.byteCount)
        member("command", "stats")
        if let old { member("comparedTo", old.path) }
        member("database", file.path)
        member("encoding", file.encoding.rawValue)
        array("findings") { _ in }
        member("formatVersion", 1)
        member("freelistPages", file.freelistPages)
        if let old { array("growth") { json in Growth.all(from: old, to: file).forEach { json.write($0) } } }
        let (indexes, tables) = (file.objects.filter(\.isIndex), file.objects.filter { !$0.isIndex })
        object("indexes") { $0.write(SpaceUse(indexes, pageSize: file.pageSize), file) }
        if file.libraryVersion != 0 {
            member("libraryVersion", StatisticsRenderer.version(file.libraryVersion))
        }
        member("lockBytePages", file.lockBytePages)
        member("lostPages", file.lostPages)
        array("notChecked") { _ in }
        array("objects") { json in
            for object in file.objects { json.element { $0.write(object, file) } }
        }
        member("pageCount", file.pageCount)
        member("pageSize", file.pageSize)
        member("pointerMapPages", file.pointerMapPages)
        member("reservedBytes", file.reservedBytes)
        object("tables") { $0.write(SpaceUse(tables, pageSize: file.pageSize), file) }
        member("tool", "drydock")
        member("userVersion", Int(file.userVersion))
        member("vacuumReclaimableBytes", file.reclaimableByteCount)
        member("verdict", "passed")
        member("walFrames", file.logFrames)
        member("walPages", file.logPages)
    }

    private mutating func write(_ growth: Growth) {
        element {
            $0.member("bytes", growth.bytes)
            $0.member("name", growth.name)
            $0.member("rows", growth.rows)
        }
    }

    /// Writes what `sqlite3_analyzer` derives from its columns.
    private mutating func write(_ use: SpaceUse, _ file: DatabaseStatistics) {
        if use.entries > 0 {
            member("averageMetadata", Double(use.metadata) / Double(use.entries))
            member("averagePayload", Double(use.payload) / Double(use.entries))
            member("averageUnused", Double(use.unused) / Double(use.entries))
        }
        member("entries", use.entries)
        member("metadata", use.metadata)
        member("pages", use.pages)
        member("payload", use.payload)
        member("share", file.pageCount == 0 ? 0 : Double(use.pages) / Double(file.pageCount))
        member("storage", use.storage)
        member("unused", use.unused)
    }

    private mutating func write(_ object: DatabaseStatistics.Object, _ file: DatabaseStatistics) {
        let tree = object.tree
        member("depth", tree.depth)
        member("isImplied", object.isImplied)
        member("isWithoutRowid", object.isWithoutRowid)
        member("kind", object.isIndex ? "index" : "table")
        member("name", object.name)
        // How many payloads have `2^(n-1)` to less than `2^n` bytes, starting with the empty ones.
        array("payloadSizes") { json in
            let last = tree.payloadSizes.lastIndex { $0 != 0 } ?? -1
            for count in tree.payloadSizes.prefix(last + 1) { json.element(count) }
        }
        member("scatteredLeaves", tree.scatteredLeaves)
        self.object("space") {
            $0.write(SpaceUse(object, pageSize: file.pageSize), file)
        }
        self.object("spaceUsed") { $0.writeColumns(object, file) }
        member("table", object.table)
    }

    /// Writes the columns of `sqlite3_analyzer`'s table `space_used`.
    private mutating func writeColumns(_ object: DatabaseStatistics.Object, _ file: DatabaseStatistics) {
        let tree = object.tree
        member("compressed_size", tree.pages * file.pageSize)
        member("depth", tree.depth)
        member("gap_cnt", tree.gapCount)
        member("int_pages", tree.interiorPages)
        member("int_unused", tree.interiorUnused)
        member("is_index", object.isIndex ? 1 : 0)
        member("is_without_rowid", object.isWithoutRowid ? 1 : 0)
        member("leaf_entries", tree.leafCellCount)
        member("leaf_pages", tree.leafPages)
        member("leaf_unused", tree.leafUnused)
        member("mx_payload", tree.largestPayload)
        member("nentry", tree.cellCount)
        member("ovfl_cnt", tree.overflowCellCount)
        member("ovfl_pages", tree.overflowPages)
        member("ovfl_payload", tree.overflowPayload)
        member("ovfl_unused", tree.overflowUnused)
        member("payload", tree.payload)
    }
}
