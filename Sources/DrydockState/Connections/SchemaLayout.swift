import Foundation
import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// All that a connection keeps of a database from one transaction to the next: the schema, byte by byte, with its root
/// pages and its cookie, the page size, the encoding and the vacuum mode.
struct SchemaLayout: Hashable, Sendable {
    /// The header, and the records of `sqlite_schema` and of the settings of full-text indexes, each with its length. In one
    /// array, since many are compared slowly.
    private let content: [UInt8]
    /// Computed once, since a layout is looked up several times.
    private let digest: Int
    /// The definitions of virtual tables.
    private let virtualTables: [SchemaRow]
    /// Whether there are statistics, by which SQLite plans queries. It reads them with the schema.
    let hasStatistics: Bool

    /// The size of the schema.
    var byteCount: Int { content.count }

    /// The places in the header that SQLite reads only with the schema
    /// (https://www.sqlite.org/fileformat2.html#the_database_header): from the page size to the payload fractions, from the
    /// schema cookie to the cache size, and the encoding.
    private static let places = [16..<24, 40..<52, 56..<60]
    /// Of these only whether they are zero: the largest root page, and incremental vacuum.
    private static let flags = [52..<56, 64..<68]
    /// Those that read everything again in each transaction, but for FTS5's settings. What others keep is not known.
    private static let modules: Set = ["fts3", "fts4", "fts5"]

    /// - Returns: nil where a connection cannot go on from this database to another: it is empty or damaged, uses a log, or
    ///   is not whole without what lies beside it.
    init?(_ image: Image) {
        let pages = ImagePages(image)
        guard !image.hasSidecars, let file = try? DatabaseFile(pages),
            let first = try? pages.page(1), first.count >= 100, first[18] == 1, first[19] == 1,
            let entries = try? file.schema(), var records = try? file.records(ofTree: 1), !records.isEmpty
        else { return nil }
        virtualTables = entries.filter { $0.type == "table" && $0.rootPage == 0 }.map {
            SchemaRow(type: $0.type, name: $0.name, table: $0.tableName, sql: $0.sql)
        }
        let settings = Set(virtualTables.map { $0.name.foldedASCII + "_config" })
        for entry in entries where settings.contains(entry.name.foldedASCII) {
            guard let more = try? file.records(ofTree: entry.rootPage) else { return nil }
            records += more
        }
        hasStatistics = entries.contains { $0.name.foldedASCII.hasPrefix("sqlite_stat") }
        var content =
            Self.places.flatMap { first[$0] } + Self.flags.map { first[$0].allSatisfy { $0 == 0 } ? 0 : 1 }
        for record in records {
            withUnsafeBytes(of: record.count) { content.append(contentsOf: $0) }
            content += record
        }
        self.content = content
        var hasher = Hasher()
        content.withUnsafeBytes { hasher.combine(bytes: $0) }
        digest = hasher.finalize()
    }

    static func == (one: SchemaLayout, other: SchemaLayout) -> Bool {
        // The definitions of virtual tables are part of the content.
        one.digest == other.digest && one.content.count == other.content.count
            && one.content.withUnsafeBufferPointer { own in
                other.content.withUnsafeBufferPointer { its in
                    guard let own = own.baseAddress, let its = its.baseAddress else { return true }
                    return memcmp(own, its, one.content.count) == 0
                }
            }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    /// Whether all virtual tables are of modules that keep no rows from one transaction to the next.
    var hasKnownModules: Bool {
        guard !virtualTables.isEmpty else { return true }
        let tables = SchemaParser().schema(of: virtualTables).virtualTables
        return tables.count == virtualTables.count
            && tables.values.allSatisfy { Self.modules.contains($0.module.foldedASCII) }
    }
}
