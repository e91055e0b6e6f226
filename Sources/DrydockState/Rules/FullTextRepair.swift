import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// How a damaged full-text index is filled again, by what is left of the tables in which its module keeps it.
///
/// The module must open the index to rebuild it. FTS5 does not where the number of its format is missing, or the record of
/// its segments is wrong (`sqlite3Fts5ConfigLoad` and `fts5StructureDecode` in ext/fts5). Both can be written for an empty
/// index.
package struct FullTextRepair {
    private let table: Catalog.Table
    private let index: VirtualTable
    /// What makes SQLite open the index.
    private var opening: [String] = []
    private var hasFormat = true
    /// Whether pages are damaged, which no statement repairs.
    private var hasDamagedPages = false

    /// The format that every version of SQLite reads.
    static let format = 4

    /// Looks into the tables of the module, without the module: a connection may have opened the index while it was whole.
    /// - Throws: ``EngineError``.
    package init?(_ table: Catalog.Table, _ connection: any Connection) throws {
        guard let index = table.virtual, index.isFullText else { return nil }
        (self.table, self.index) = (table, index)
        guard index.module.foldedASCII == "fts5" else { return }
        let (config, data) = (name("config"), name("data"))
        // What the module has read of a damaged page is not looked at again.
        connection.releaseMemory()
        do {
            let format = try connection.firstRow(
                "SELECT v FROM main.\(quotedName(config)) WHERE k = 'version'"
            ) { Int($0.integer(0)) }
            hasFormat = format != nil
            if !(Self.format...Self.format + 1).contains(format ?? 0) {
                opening.append(
                    "INSERT OR REPLACE INTO \(quotedIfNeeded(config)) VALUES('version', \(Self.format));")
            }
            let segments = try connection.firstRow(
                "SELECT block FROM main.\(quotedName(data)) WHERE id = 10"
            ) { $0.withBytes(0) { Array($0) } }
            if segments.map(Self.isReadable) != true {
                opening.append(
                    "INSERT OR REPLACE INTO \(quotedIfNeeded(data)) VALUES(10, x'00000000000000');")
            }
            let owned = ["config", "data", "idx", "docsize"].map(name).filter { index.owns(table: $0) }
            hasDamagedPages = try connection.hasDamagedPages(in: owned)
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage && !error.isOverLimit {
            hasDamagedPages = true
        }
    }

    private func name(_ suffix: String) -> String { "\(index.name)_\(suffix)" }

    /// Whether SQLite opens the index.
    package var isSimple: Bool { opening.isEmpty && !hasDamagedPages }

    package var help: String {
        let name = quotedIfNeeded(index.name)
        if hasDamagedPages { return table.isContentless ? Self.lost : another }
        guard table.isContentless else {
            let statements = opening + ["INSERT INTO \(name)(\(name)) VALUES('rebuild');"]
            return "Rebuild it:" + (isSimple ? " \(statements[0])" : Self.listed(statements))
        }
        guard index.module.foldedASCII == "fts5" else {
            return "The index is the only copy of its words: fill it again from the source."
        }
        if opening.count == 1, !hasFormat {
            return "Restore its format number:" + Self.listed(opening)
        }
        return
            "The index is the only copy of its words. If the text is stored elsewhere, empty the index and fill it again from there:"
            + Self.listed(opening + ["INSERT INTO \(name)(\(name)) VALUES('delete-all');"])
    }

    private static let lost =
        "Restore a backup, or create it again and fill it from the source: the index is the only copy of its words."

    /// SQLite neither rebuilds nor drops an index that it does not open.
    private var another: String {
        let new = quotedIfNeeded(name("new"))
        let arguments = index.arguments.map(\.text).joined(separator: ", ")
        var fill = "INSERT INTO \(new)(\(new)) VALUES('rebuild');"
        if !index.isExternalContent {
            let columns = table.columns.map { quotedIfNeeded($0.name) }.joined(separator: ", ")
            let values = table.columns.indices.map { "c\($0)" }.joined(separator: ", ")
            fill =
                "INSERT INTO \(new)(rowid, \(columns)) SELECT id, \(values) FROM \(quotedIfNeeded(name("content")));"
        }
        return
            "Its own tables are damaged, so 'rebuild' fails. Restore a backup, or create another index "
            + "from its content:"
            + Self.listed(["CREATE VIRTUAL TABLE \(new) USING \(index.module)(\(arguments));", fill])
    }

    private static func listed(_ statements: [String]) -> String {
        statements.map { "\n  \($0)" }.joined()
    }

    /// Returns whether FTS5 takes a record for that of an index's segments: four bytes, then numbers of variable length.
    /// What is missing at its end is read as zeros.
    static func isReadable(_ record: [UInt8]) -> Bool {
        let isSecondForm = record.dropFirst(4).starts(with: [0xff, 0, 0, 1])
        var place = isSecondForm ? 8 : 4
        func next() -> UInt64 {
            var value: UInt64 = 0
            for _ in 0..<8 {
                let byte = place < record.count ? record[place] : 0
                place += 1
                value = value << 7 | UInt64(byte & 0x7f)
                if byte < 0x80 { return value }
            }
            defer { place += 1 }
            return value << 8 | UInt64(place < record.count ? record[place] : 0)
        }
        let most: UInt64 = 2000
        var (levels, segments, merging): (UInt64, UInt64, UInt64) = (next(), next(), 0)
        _ = next()
        guard levels <= most, segments <= most else { return false }
        while levels > 0 {
            guard place < record.count else { return false }
            let (merged, count) = (next(), next())
            // A level that is being merged needs the next one.
            guard merged <= count, count <= segments, merging == 0 || count > 0 else { return false }
            for _ in 0..<count {
                guard place < record.count else { return false }
                _ = next()
                let (first, last) = (next(), next())
                guard first <= last else { return false }
                if isSecondForm { for _ in 0..<5 { _ = next() } }
            }
            (levels, segments, merging) = (levels - 1, segments - count, merged)
        }
        return segments == 0
    }
}

extension Connection {
    /// Whether a page of some ordinary tables is damaged, in which a module keeps what is in a virtual table.
    /// - Throws: ``EngineError``, also where SQLite does not even open them.
    func hasDamagedPages(in tables: [String]) throws -> Bool {
        try tables.contains { table in
            try firstRow("PRAGMA main.quick_check(\(quotedName(table)))") { $0.string(0) } != "ok"
        }
    }
}
