import SQLiteSchema
import DrydockFindings
import DatabaseEngine
import SQLiteFile

/// How a database uses its file, as `drydock stats` reports it. All sizes are in bytes.
public struct DatabaseStatistics: Sendable {
    /// A table or an index, with its pages.
    public struct Object: Sendable {
        public var name: String
        /// The table of an index; a table's own name.
        public var table: String
        public var isIndex: Bool
        /// Whether a PRIMARY KEY or UNIQUE constraint made it.
        public var isImplied: Bool
        public var isWithoutRowid: Bool
        public var tree: TreeStatistics
    }

    public var path: String
    public var pageSize = 0
    /// The page size that ``vacuumedByteCount`` assumes.
    var vacuumPageSize = 0
    public var reservedBytes = 0
    public var pageCount = 0
    public var freelistPages = 0
    public var pointerMapPages = 0
    public var lockBytePages = 0
    public var encoding = TextEncoding.utf8
    public var autoVacuum = AutoVacuum.none
    public var userVersion: Int32 = 0
    public var applicationID: Int32 = 0
    /// `SQLITE_VERSION_NUMBER` of the library that wrote the file last.
    public var libraryVersion: UInt32 = 0
    /// Whether the file uses a write-ahead log (`PRAGMA journal_mode = WAL`).
    public var isLogged = false
    /// Frames of the write-ahead log up to the last commit.
    public var logFrames = 0
    /// Distinct pages in those frames.
    public var logPages = 0
    /// The schema table first, then the rest in the schema's order.
    public var objects: [Object] = []

    /// The use of each page, if requested.
    public var map: PageMap?

    public enum AutoVacuum: String, Sendable { case none, full, incremental }

    public init(path: String) { self.path = path }

    public var byteCount: Int { pageCount * pageSize }

    /// Pages of tables and indexes.
    public var usedPages: Int { objects.reduce(0) { $0 + $1.tree.pages } }

    /// Pages that no tree, list or map refers to.
    public var lostPages: Int {
        max(0, pageCount - usedPages - freelistPages - pointerMapPages - lockBytePages)
    }

    /// The approximate size of the file after VACUUM.
    public var vacuumedByteCount: Int {
        let pages = objects.reduce(0) { $0 + $1.tree.packedPages }
        guard vacuumPageSize == pageSize || vacuumPageSize == 0 else {
            let pointers = autoVacuum == .none ? 0 : pages / ((vacuumPageSize - reservedBytes) / 5) + 1
            return (pages + pointers) * vacuumPageSize
        }
        let pointers = autoVacuum == .none ? 0 : pages / ((pageSize - reservedBytes) / 5) + 1
        return min(pageCount, pages + pointers + lockBytePages) * pageSize
    }

    /// The approximate number of bytes that VACUUM would free.
    public var reclaimableByteCount: Int { byteCount - vacuumedByteCount }
}

/// The combined figures of some trees, with what `sqlite3_analyzer` derives from them.
public struct SpaceUse: Sendable, Equatable {
    public let entries, storage, payload, unused, metadata, pages: Int

    public init(_ objects: some Sequence<DatabaseStatistics.Object>, pageSize: Int) {
        var sum = Sum()
        for object in objects { sum.add(object) }
        self.init(sum, pageSize)
    }

    public init(_ object: DatabaseStatistics.Object, pageSize: Int) {
        var sum = Sum()
        sum.add(object)
        self.init(sum, pageSize)
    }

    private init(_ sum: Sum, _ pageSize: Int) {
        (entries, payload, unused, pages) = (sum.entries, sum.payload, sum.unused, sum.pages)
        storage = pages * pageSize
        // The analyzer counts the pointers between overflow pages twice, so its figure is reproduced.
        metadata = storage - payload - unused + 4 * sum.chained
    }

    private struct Sum {
        var (entries, payload, unused, pages, chained) = (0, 0, 0, 0, 0)

        mutating func add(_ object: DatabaseStatistics.Object) {
            entries += object.entries
            payload += object.tree.payload
            unused += object.tree.unused
            pages += object.tree.pages
            chained += object.tree.overflowPages - object.tree.overflowCellCount
        }
    }
}

extension DatabaseStatistics.Object {
    /// Rows of a table, or entries of an index.
    public var entries: Int { tree.rowCount }
}
