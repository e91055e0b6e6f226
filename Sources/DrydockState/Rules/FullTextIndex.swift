import DatabaseEngine
import DrydockFindings
import SQLiteSchema

/// The index of a full-text table: its documents, and the words at their positions.
package struct FullTextIndex {
    package let module: String
    private let table: VirtualTable
    private let schema: String
    package let connection: any Connection

    package init?(_ table: Catalog.Table, in schema: String, _ connection: any Connection) {
        let row = SchemaRow(type: "table", name: table.name, table: table.name, sql: table.text)
        guard let model = SchemaParser().schema(of: [row]).virtualTables.values.first, model.isFullText else {
            return nil
        }
        (self.table, self.schema, self.connection) = (model, schema, connection)
        module = model.module.foldedASCII
    }

    /// The tokenizer; nil for the module's default.
    package var tokenizer: String? {
        if module == "fts5" { return table.option("tokenize")?.foldedASCII }
        return table.arguments.first { $0.text.foldedASCII.hasPrefix("tokenize") }?.text.foldedASCII
    }

    package var detail: String { table.option("detail")?.foldedASCII ?? "full" }

    private func store(_ suffix: String) -> String { "\(schema).\(quotedName("\(table.name)_\(suffix)"))" }

    private var key: String { module == "fts5" ? "id" : "docid" }

    /// The table with a row for each document, where it exists.
    private var sizes: String? {
        table.owns(table: "\(table.name)_docsize") ? store("docsize") : nil
    }

    /// Returns the documents that the other index lacks; none where sizes are not stored.
    package func documents(missingIn other: FullTextIndex) throws -> [Int64] {
        guard let sizes, let its = other.sizes else { return [] }
        return try connection.rows(
            "SELECT \(key) FROM \(sizes) AS d WHERE NOT EXISTS (SELECT 1 FROM \(its) AS o WHERE o.\(key) = d.\(key))"
        ) { $0.integer(0) }
    }

    package func documentCount() throws -> Int {
        if let sizes {
            return try connection.firstRow("SELECT count(*) FROM \(sizes)") { Int($0.integer(0)) } ?? 0
        }
        if module == "fts5" {
            return try withWords { words in try words.documentCount() }
        }
        // At least one document has the most frequent word.
        return try withTotals { totals in
            try connection.firstRow("SELECT max(documents) FROM \(totals)") { Int($0.integer(0)) } ?? 0
        }
    }

    /// Sets a flag for each of the documents that the index has.
    package func mark<Value>(_ documents: inout [Int64: Value], _ flag: WritableKeyPath<Value, Bool>) throws {
        guard !documents.isEmpty else { return }
        if let sizes {
            try connection.forEachRow("SELECT \(key) FROM \(sizes)") {
                documents[$0.integer(0)]?[keyPath: flag] = true
            }
        } else {
            try withWords { words in
                try words.forEachDocument { documents[$0]?[keyPath: flag] = true }
            }
        }
    }

    // MARK: - FTS5

    /// The words of an FTS5 index at each of their positions.
    package struct Words {
        package let name: String
        let connection: any Connection

        /// Selects the word, the document, the position of the column in `columns`, and the position in the column.
        package func select(columns: [String], _ order: String) throws -> any PreparedStatement {
            let cases = columns.enumerated().map { "WHEN \(quotedText($0.element)) THEN \($0.offset)" }
            let column = cases.isEmpty ? "col" : "CASE col \(cases.joined(separator: " ")) ELSE col END"
            return try connection.prepare("SELECT term, doc, \(column), \"offset\" FROM \(name)\(order)")
        }

        package func documentCount() throws -> Int {
            try connection.firstRow("SELECT count(DISTINCT doc) FROM \(name)") { Int($0.integer(0)) } ?? 0
        }

        package func forEachDocument(_ body: (Int64) -> Void) throws {
            try connection.forEachRow("SELECT doc FROM \(name)") { body($0.integer(0)) }
        }

        /// Returns the number of documents with a word in a column.
        package func documentCount(column: String) throws -> Int {
            let sql =
                "SELECT count(DISTINCT doc) FROM \(name) WHERE col = \(quotedText(column)) COLLATE NOCASE"
            return try connection.firstRow(sql) { Int($0.integer(0)) } ?? 0
        }
    }

    package func withWords<Result>(_ body: (Words) throws -> Result) throws -> Result {
        try withReader("fts5vocab", "\(schema), \(quotedText(table.name)), instance") {
            try body(Words(name: $0, connection: connection))
        }
    }

    /// Returns the number of documents with a word in a column.
    package func valueCount(of column: Catalog.Column) throws -> Int {
        guard module == "fts5", detail != "none" else { return try documentCount() }
        return try withWords { try $0.documentCount(column: column.name) }
    }

    // MARK: - FTS4

    package func withTotals<Result>(_ body: (String) throws -> Result) throws -> Result {
        // The module takes no quotes around the name of the schema.
        try withReader("fts4aux", "\(schema), \(quotedText(table.name))", body)
    }

    /// Returns a word that occurs less often, or in fewer documents, in the other index.
    package func rarerWord(in other: FullTextIndex) throws -> SQLValue? {
        try withTotals { own in
            try other.withTotals { its in
                try connection.firstRow(
                    """
                    SELECT term FROM \(own) AS a WHERE NOT EXISTS (SELECT 1 FROM \(its) AS b WHERE b.term = a.term
                    AND b.col = a.col AND b.documents >= a.documents AND b.occurrences >= a.occurrences) LIMIT 1
                    """
                ) { $0.value(0) }
            }
        }
    }

    /// Whether every record of both indexes is the same.
    package func hasSameStore(as other: FullTextIndex) throws -> Bool {
        try ["segments", "segdir", "docsize"].allSatisfy { suffix in
            guard suffix != "docsize" || sizes != nil && other.sizes != nil else {
                return sizes == nil && other.sizes == nil
            }
            let (old, new) = ("SELECT * FROM \(store(suffix))", "SELECT * FROM \(other.store(suffix))")
            let sql = "SELECT 1 FROM (\(old) EXCEPT \(new)) UNION ALL SELECT 1 FROM (\(new) EXCEPT \(old))"
            return try connection.firstRow(sql) { _ in true } == nil
        }
    }

    // MARK: - Readers

    /// Creates a table that shows the index while a closure runs.
    private func withReader<Result>(
        _ reader: String, _ arguments: String, _ body: (String) throws -> Result
    ) throws -> Result {
        let name = "temp.drydock_index_\(schema)"
        try connection.execute("DROP TABLE IF EXISTS \(name)")
        try connection.execute("CREATE VIRTUAL TABLE \(name) USING \(reader)(\(arguments))")
        defer { try? connection.execute("DROP TABLE \(name)") }
        return try body(name)
    }
}
