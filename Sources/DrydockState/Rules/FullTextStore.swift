import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// The tables in which a full-text module keeps its data, as far as the module's own `integrity-check` ignores them.
///
/// FTS5 reads the pages of its index one after the other, but not the list `_idx` by which a search finds them
/// (ext/fts5/fts5_index.c, `fts5IndexIntegrityCheckSegment`). FTS4 compares words, but neither the sizes of documents
/// nor their totals, which ranking functions read (https://www.sqlite.org/fts3.html#matchinfo).
struct FullTextStore {
    private let index: VirtualTable
    private let columns: [Catalog.Column]
    private let connection: any Connection

    init(_ index: VirtualTable, _ columns: [Catalog.Column], _ connection: any Connection) {
        (self.index, self.columns, self.connection) = (index, columns, connection)
    }

    /// Returns what is missing or wrong; nil where the data is complete.
    /// - Throws: ``EngineError``, also where a table of the module is gone.
    func damage() throws -> String? {
        switch index.module.foldedASCII {
        case "fts5": try unlistedPages()
        case "fts4": try sizeDamage()
        default: nil
        }
    }

    private func name(_ suffix: String) -> String { "\(index.name)_\(suffix)" }
    private func store(_ suffix: String) -> String { "main.\(quotedName(name(suffix)))" }

    private func count(_ sql: String) throws -> Int {
        try connection.firstRow(sql) { Int($0.integer(0)) } ?? 0
    }

    // MARK: - FTS5

    /// Checks that the pages on which a word begins are listed: the first, and those that the module has filled since.
    /// The lower 31 bits of a rowid are the page number, those above 37 the segment, and flags of other pages are
    /// between. After the words, from the offset in its third and fourth byte on, a page lists where they begin
    /// ("Section 2" and "3" of the comment at the top of fts5_index.c).
    private func unlistedPages() throws -> String? {
        let sql = """
            SELECT count(*) FROM (
              SELECT id >> 37, id & 2147483647 FROM \(store("data"))
              WHERE id > 10 AND id >> 37 < 65536 AND (id >> 31) & 63 = 0
                AND (length(block) > 65535 OR hex(substr(block, 3, 2)) < printf('%04X', length(block)))
              EXCEPT SELECT segid, pgno >> 1 FROM \(store("idx")))
            """
        let missing = try count(sql)
        guard missing > 0 else { return nil }
        return
            "\(counted(missing, "page")) of words \(missing == 1 ? "is" : "are") not listed in \(name("idx")), so "
            + "searches miss them"
    }

    // MARK: - FTS4

    private func sizeDamage() throws -> String? {
        let hasSizes = index.owns(table: name("docsize"))
        if hasSizes, let missing = try documentsWithoutSize() { return missing }
        let total = try connection.firstRow(
            "SELECT value FROM \(store("stat")) WHERE id = 0 AND typeof(value) = 'blob'"
        ) { row in row.withBytes(0) { Self.numbers(in: $0) } }
        let documents: Int
        if hasSizes {
            documents = try count("SELECT count(*) FROM \(store("docsize"))")
        } else {
            guard index.content == nil else { return nil }
            documents = try count("SELECT count(*) FROM \(store("content"))")
        }
        guard let total else {
            return documents == 0 ? nil : "\(name("stat")) does not record the number of documents"
        }
        // Triggers that miss a REPLACE leave different totals for external content.
        guard !index.isExternalContent else { return nil }
        guard total.first ?? 0 == documents else {
            return
                "\(name("stat")) counts \(counted(total.first ?? 0, "document")), and there are \(documents)"
        }
        guard hasSizes else { return nil }
        var sums = [Int](repeating: 0, count: columns.count)
        try connection.forEachRow("SELECT size FROM \(store("docsize"))") { row in
            for (column, size) in row.withBytes(0, { Self.numbers(in: $0) }).prefix(sums.count).enumerated() {
                sums[column] &+= size
            }
        }
        // The column of languageid= is not counted, and comes last.
        let known = max(0, min(sums.count, total.count - 2))
        guard Array(sums.prefix(known)) != Array(total.dropFirst().prefix(known)) else { return nil }
        return "the sizes in \(name("docsize")) do not add up to the totals in \(name("stat"))"
    }

    private func documentsWithoutSize() throws -> String? {
        guard !index.isContentless else { return nil }
        var sql =
            "SELECT count(*) FROM main.\(quotedName(index.name)) AS t WHERE NOT EXISTS (SELECT 1 FROM "
            + "\(store("docsize")) AS d WHERE d.docid = t.docid)"
        if index.isExternalContent {
            // A trigger may leave out rows without a word.
            let words = columns.map { "t.\(quotedName($0.name)) GLOB '*[A-Za-z0-9]*'" }
            guard !words.isEmpty else { return nil }
            sql += " AND (\(words.joined(separator: " OR ")))"
        }
        let missing = try count(sql)
        return missing == 0 ? nil : "\(name("docsize")) lacks \(counted(missing, "document"))"
    }

    /// Decodes numbers as FTS3 writes them: seven bits a byte, the lowest first, the highest bit set where more follow.
    private static func numbers(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var (numbers, number, shift) = ([Int](), 0, 0)
        for byte in bytes {
            if shift < 63 { number |= Int(byte & 0x7f) << shift }
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            numbers.append(number)
            (number, shift) = (0, 0)
        }
        return numbers
    }
}
