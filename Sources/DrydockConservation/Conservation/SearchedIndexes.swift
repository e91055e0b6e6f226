import DrydockState
import DrydockFindings
import DrydockMigrations
import DatabaseEngine
import SQLiteSchema

/// A full-text index that read the text of another table, and how many entries a search found in it: an index that is
/// created again with its own text is empty until the text is copied into it, and yet is consistent.
package struct SearchedIndex: Sendable {
    /// The number of entries when the index last read another table.
    var had: Int
    /// The present name of the table or view that the index read; nil once it is gone with its rows.
    var content: String?
    /// The number of entries now that the index stores its text; nil where the table does not exist.
    package var count: Int?
}

/// Follows full-text indexes that read another table through one step.
package struct SearchedIndexes {
    let before: Catalog
    let after: Catalog
    /// The names of tables after the step.
    let names: StepNames

    package init(before: Catalog, after: Catalog, names: StepNames) {
        self.before = before
        self.after = after
        self.names = names
    }

    package struct Loss: Sendable {
        package var table: String
        package var count: Int
        /// The number of entries that the index should have.
        package var expected: Int
        var had: Int
        var content: String?
        /// The statement that copies the text, as far as the columns show it.
        package var remedy: String?
    }

    /// Whether the two states need to be queried.
    package func isNeeded(_ known: [String: SearchedIndex]) -> Bool {
        !known.isEmpty || before.tables.contains { isLeft($0.key, $0.value) }
    }

    /// Whether the index no longer reads another table.
    private func isLeft(_ name: String, _ table: Catalog.Table) -> Bool {
        guard case .derived = table.kind, table.isFullText else { return false }
        if case .derived = after.tables[name]?.kind { return false }
        return true
    }

    /// - Parameters:
    ///   - known: indexes that stopped reading another table in earlier steps, by folded name; updated with this step.
    ///   - connection: has the state before as `main` and the state after attached.
    package func losses(_ known: inout [String: SearchedIndex], _ connection: any Connection) throws -> [Loss]
    {
        for name in known.keys {
            guard let content = known[name]?.content else { continue }
            known[name]?.content = present(content)
        }
        for (name, table) in before.tables where isLeft(name, table) {
            guard let index = FullTextIndex(table, in: "main", connection) else { continue }
            known[name] = SearchedIndex(
                had: try index.documentCount(), content: table.virtual?.content.flatMap(present))
        }
        var losses: [Loss] = []
        for name in known.keys.sorted() {
            guard var index = known[name] else { continue }
            index.count = try count(name, connection)
            known[name] = index
            let wasOwn = before.tables[name].map { !isLeft(name, $0) } ?? false
            guard !wasOwn, let table = after.tables[name], let count = index.count else { continue }
            let expected = try expected(index, connection)
            guard count < expected else { continue }
            losses.append(
                Loss(
                    table: table.name, count: count, expected: expected, had: index.had,
                    content: index.content,
                    remedy: try index.content.flatMap { try copy(from: $0, into: table, connection) }))
        }
        return losses
    }

    private func present(_ content: String) -> String? {
        let folded = content.foldedASCII
        if names.dropped.contains(folded) { return nil }
        return after.tables[names.renamed[folded] ?? folded]?.name
            ?? after.objects[.init(.view, folded)]?.name
            // Dropping a view deletes no rows.
            ?? (before.objects[.init(.view, folded)] == nil ? nil : content)
    }

    private func count(_ name: String, _ connection: any Connection) throws -> Int? {
        guard let table = after.tables[name], table.isFullText else { return nil }
        switch table.kind {
        case .virtual: return try rowCount(of: table.name, connection)
        case .contentless:
            return try FullTextIndex(table, in: StateInspector.laterSchema, connection)?.documentCount()
        default: return nil
        }
    }

    /// Returns the number of entries to be found: entries for text that the step deleted are not expected.
    private func expected(_ index: SearchedIndex, _ connection: any Connection) throws -> Int {
        guard let content = index.content else { return 0 }
        do {
            return min(index.had, try rowCount(of: content, connection))
        } catch let error as EngineError where error.isStatementError {
            return index.had
        }
    }

    private func rowCount(of name: String, _ connection: any Connection) throws -> Int {
        try connection.firstRow("SELECT count(*) FROM \(StateInspector.laterSchema).\(quotedName(name))") {
            Int($0.integer(0))
        } ?? 0
    }

    private func copy(
        from content: String, into table: Catalog.Table, _ connection: any Connection
    ) throws -> String? {
        let sources = try connection.rows(
            "PRAGMA \(StateInspector.laterSchema).table_xinfo(\(quotedName(content)))"
        ) { $0.string(1) }
        let columns = table.columns.map(\.name)
        guard columns.allSatisfy({ name in sources.contains { $0.foldedASCII == name.foldedASCII } }) else {
            return nil
        }
        let key = after.table(content)?.rowidName ?? "rowid"
        guard after.table(content)?.kind == .ordinary else { return nil }
        let names = columns.map(quotedIfNeeded).joined(separator: ", ")
        let target = quotedIfNeeded(table.name)
        let hasAll = "\(key) NOT IN (SELECT rowid FROM \(target))"
        return
            "INSERT INTO \(target)(rowid, \(names)) SELECT \(key), \(names) FROM \(quotedIfNeeded(content)) WHERE \(hasAll);"
    }
}
