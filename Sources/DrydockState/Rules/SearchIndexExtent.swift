import DrydockFindings
import DatabaseEngine
import SQLiteSchema

/// How much of a full-text index is wrong, so that an index which was stale before is not made worse unnoticed.
///
/// The text is indexed again in a temporary table, and the words of the two indexes are counted that only one of them
/// has: for FTS5 at each position, for FTS3 and FTS4 with the numbers of documents and occurrences, which is all that
/// `fts4aux` shows (https://www.sqlite.org/fts3.html#fts4aux).
struct SearchIndexExtent {
    /// Of an index that cannot be read, or whose text is gone: nothing is worse.
    static let whole = Int(Int32.max)

    private let table: Catalog.Table
    private let definition: VirtualTable
    private let connection: any Connection

    private static let fresh = "drydock_fresh_index"

    init(_ table: Catalog.Table, _ definition: VirtualTable, _ connection: any Connection) {
        (self.table, self.definition, self.connection) = (table, definition, connection)
    }

    /// Returns the number of entries that are missing or wrong, at least 1; nil where that cannot be said.
    func count() throws -> Int? {
        // The index is the only copy of its words.
        guard !table.isContentless, definition.option("languageid") == nil else { return nil }
        let text = "CREATE VIRTUAL TABLE temp.\(Self.fresh) USING \(definition.module)(\(arguments))"
        var copy = table
        copy.name = Self.fresh
        copy.text = "CREATE VIRTUAL TABLE \(Self.fresh) USING \(definition.module)(\(arguments))"
        let columns = table.columns.map { quotedName($0.name) }.joined(separator: ", ")
        try connection.execute("DROP TABLE IF EXISTS temp.\(Self.fresh)")
        try connection.execute(text)
        defer { try? connection.execute("DROP TABLE temp.\(Self.fresh)") }
        guard let index = FullTextIndex(table, in: "main", connection),
            let right = FullTextIndex(copy, in: "temp", connection)
        else { return nil }
        do {
            try connection.execute(
                "INSERT INTO temp.\(Self.fresh)(rowid, \(columns)) SELECT rowid, \(columns) FROM main.\(quotedName(table.name))"
            )
            let isDamaged = try FullTextStore(definition, table.columns, connection).damage() != nil
            return max(1, try index.differenceCount(from: right)) + (isDamaged ? 1 : 0)
        } catch let error as EngineError where !error.isInterrupt && !error.isOutage && !error.isOverLimit {
            return Self.whole
        }
    }

    /// The columns, and the options that decide which words an index has.
    private var arguments: String {
        let kept = definition.arguments.filter { argument in
            let only = VirtualTable(name: Self.fresh, module: definition.module, arguments: [argument])
            return ![
                "content", "content_rowid", "contentless_delete", "contentless_unindexed", "compress",
                "uncompress",
            ]
            .contains { only.option($0) != nil }
        }.map(\.text)
        return (kept + (definition.module.foldedASCII == "fts5" ? ["content=''"] : [])).joined(
            separator: ", ")
    }
}

extension FullTextIndex {
    /// Returns the number of entries that only one of two indexes has.
    fileprivate func differenceCount(from other: FullTextIndex) throws -> Int {
        func count(_ columns: String, _ own: String, _ its: String) throws -> Int {
            let (a, b) = ("SELECT \(columns) FROM \(own)", "SELECT \(columns) FROM \(its)")
            let sql =
                "SELECT (SELECT count(*) FROM (\(a) EXCEPT \(b))) + (SELECT count(*) FROM (\(b) EXCEPT \(a)))"
            return try connection.firstRow(sql) { Int($0.integer(0)) } ?? 0
        }
        if module == "fts5" {
            return try withWords { own in
                try other.withWords { its in try count("term, doc, col, \"offset\"", own.name, its.name) }
            }
        }
        return try withTotals { own in
            try other.withTotals { its in try count("term, col, documents, occurrences", own, its) }
        }
    }
}
