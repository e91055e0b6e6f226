import DrydockState
import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// Compares full-text tables that store no text (`content=''`): their index is the only copy of the words.
///
/// For FTS5 every word at every position is read through `fts5vocab`
/// (https://www.sqlite.org/fts5.html#the_fts5vocab_virtual_table_module). For FTS4 `fts4aux` and the sizes of the
/// documents are read, which show less: the rest is reported as not compared.
package struct IndexComparison {
    /// Has the state before the step as `main` and the state after it attached.
    package let connection: any Connection
    package let match: TableMatch
    /// Conditions on the earlier table; documents that match one may go.
    var deletable: [String] = []
    package var encoding = TextEncoding.utf8

    package init(
        connection: any Connection, match: TableMatch, deletable: [String] = [],
        encoding: TextEncoding = TextEncoding.utf8
    ) {
        self.connection = connection
        self.match = match
        self.deletable = deletable
        self.encoding = encoding
    }

    private static let schemas = (before: "main", after: StateInspector.laterSchema)

    package struct Outcome {
        package var difference = TableDifference()
        /// Why something could not be compared.
        package var failure: String?
    }

    package func run() throws -> Outcome {
        var outcome = Outcome()
        outcome.difference.keyColumns = ["rowid"]
        outcome.difference.encoding = encoding
        guard let old = FullTextIndex(match.before, in: Self.schemas.before, connection),
            let new = FullTextIndex(match.after, in: Self.schemas.after, connection), old.module == new.module
        else {
            outcome.failure = "it kept no text, and now has a different kind of index"
            return outcome
        }
        if old.module == "fts5" {
            try compareWords(old, new, into: &outcome)
        } else {
            try compareTotals(old, new, into: &outcome)
        }
        outcome.failure = outcome.failure.map {
            "the index of \(match.before.name) cannot be compared: \($0)"
        }
        return outcome
    }

    /// Returns the number of documents of a dropped table.
    static func documentCount(of table: Catalog.Table, _ connection: any Connection) throws -> Int {
        guard let index = FullTextIndex(table, in: schemas.before, connection) else { return 0 }
        return try index.documentCount()
    }

    // MARK: - FTS5

    /// The differences of one document.
    private struct Document {
        var missing: [Int: SQLValue] = [:]
        var added: [Int: SQLValue] = [:]
        var isBefore = false
        var isAfter = false
    }

    private func compareWords(_ old: FullTextIndex, _ new: FullTextIndex, into outcome: inout Outcome) throws
    {
        var documents: [Int64: Document] = [:]
        let isTokenizedAlike = old.tokenizer == new.tokenizer
        if isTokenizedAlike {
            try old.withWords { before in
                try new.withWords { after in
                    try compareWords(before, after, hasPlaces: old.detail == new.detail, into: &documents)
                }
            }
        } else {
            outcome.failure =
                "it now has a different tokenizer, which splits the same text into different words"
        }
        for id in try old.documents(missingIn: new) { documents[id, default: .init()].isBefore = true }
        for id in try new.documents(missingIn: old) { documents[id, default: .init()].isAfter = true }
        try old.mark(&documents, \.isBefore)
        try new.mark(&documents, \.isAfter)
        outcome.difference.rowsCompared = try old.documentCount()
        for (id, document) in documents.sorted(by: { $0.key < $1.key }) {
            try note(document, id, into: &outcome.difference)
        }
    }

    private func compareWords(
        _ before: FullTextIndex.Words, _ after: FullTextIndex.Words, hasPlaces: Bool,
        into documents: inout [Int64: Document]
    ) throws {
        let names = match.columns.map { ($0.before.name, $0.after.name) }
        // Documents are ordered within each word; the pages of FTS5 already have that order where text is UTF-8.
        let order = encoding == .utf8 ? "" : " ORDER BY 1, 2"
        let merge = RowMerge(
            before: try before.select(columns: names.map(\.0), order),
            after: try after.select(columns: names.map(\.1), order), keyCount: 2,
            columnCount: hasPlaces ? 4 : 2)
        func note(_ row: RowMerge.Row, _ list: WritableKeyPath<Document, [Int: SQLValue]>) {
            guard case .integer(let id) = row.values[1] else { return }
            var column = 0
            if hasPlaces, case .integer(let number) = row.values[2] { column = Int(number) }
            documents[id, default: .init()][keyPath: list][column, default: row.values[0]] = row.values[0]
        }
        try merge.run { event in
            switch event {
            case .lost(let row): note(row, \.missing)
            case .added(let row): note(row, \.added)
            case .changed(let old, let new):
                note(old, \.missing)
                note(new, \.added)
            }
        }
    }

    private func note(_ document: Document, _ id: Int64, into difference: inout TableDifference) throws {
        let row = TableDifference.Row(ordinal: -1, key: [.integer(id)])
        guard document.isAfter else {
            let condition = try deletable.firstIndex { try meets($0, id) }
            return difference.note(lost: -1, key: row.key, condition: condition.map { $0 + 1 } ?? 0)
        }
        guard document.isBefore else { return difference.added.note(row) }
        for column in Set(document.missing.keys).union(document.added.keys).sorted() {
            difference.note(
                .init(
                    row: row, before: document.missing[column] ?? .null,
                    after: document.added[column] ?? .null),
                column: column)
        }
    }

    /// Whether a document may go. Where its size is not stored the condition cannot be tested, and counts as false.
    private func meets(_ condition: String, _ id: Int64) throws -> Bool {
        if condition == Declaration.Kind.everyRow { return true }
        let sql = "SELECT 1 FROM main.\(quotedName(match.before.name)) WHERE rowid = \(id) AND (\(condition))"
        do {
            return try connection.firstRow(sql) { _ in true } ?? false
        } catch let error as EngineError where error.isOfExpression {
            return false
        }
    }

    // MARK: - FTS4

    private func compareTotals(_ old: FullTextIndex, _ new: FullTextIndex, into outcome: inout Outcome) throws
    {
        for id in try old.documents(missingIn: new) {
            try note(Document(isBefore: true), id, into: &outcome.difference)
        }
        for id in try new.documents(missingIn: old) {
            outcome.difference.added.note(.init(ordinal: -1, key: [.integer(id)]))
        }
        outcome.difference.rowsCompared = try old.documentCount()
        if try old.hasSameStore(as: new) { return }
        guard old.tokenizer == new.tokenizer else {
            outcome.failure =
                "it now has a different tokenizer, which splits the same text into different words"
            return
        }
        if outcome.difference.lost.count == 0, let word = try old.rarerWord(in: new) {
            let row = TableDifference.Row(ordinal: -1, key: [])
            outcome.difference.note(.init(row: row, before: word, after: .null), column: 0)
            return
        }
        outcome.failure = "FTS4 does not say which document contains a word"
    }
}
