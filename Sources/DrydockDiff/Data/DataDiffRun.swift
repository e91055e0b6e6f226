import DrydockFindings
import DrydockConservation
import DrydockState
import DatabaseEngine
import OverlayVFS
import SQLiteFile
import SQLiteSchema

/// One comparison, on a connection that has both databases.
struct DataDiffRun {
    private let request: DataDiffRequest
    private let connection: any Connection
    private let old: LoadedSource
    private let new: LoadedSource
    private let oldSide: DataSide
    private let newSide: DataSide
    private let consumer: any DataDiffConsumer
    private let oldPages: TablePages?
    private let newPages: TablePages?
    private let unpairedLimit: Int

    /// - Parameters:
    ///   - readsPages: Whether rows are read from the pages where that is exact; SQL returns the same rows.
    ///   - unpairedLimit: How many rows may be left without a partner before rows are aligned another way.
    init(
        _ request: DataDiffRequest, _ connection: any Connection, _ old: LoadedSource, _ new: LoadedSource,
        _ newSide: DataSide, _ consumer: any DataDiffConsumer, readsPages: Bool, unpairedLimit: Int
    ) throws {
        (self.request, self.connection, self.consumer) = (request, connection, consumer)
        (self.old, self.new, self.newSide) = (old, new, newSide)
        oldSide = try DataSide(connection)
        // A file whose pages cannot be read this way is read through SQL.
        oldPages = readsPages ? try? TablePages(old.image) : nil
        newPages = readsPages ? try? TablePages(new.image) : nil
        self.unpairedLimit = unpairedLimit
    }

    func report() throws -> DataDiffReport {
        var overview = DataDiffOverview(old: old.source.text, new: new.source.text)
        overview.encoding = oldSide.catalog.encoding
        let names = try wantedTables(&overview)
        for trigger in oldSide.triggers {
            overview.triggers[trigger.table.foldedASCII, default: []].append((trigger.name, trigger.sql))
        }
        for table in old.schema.virtualTables.values.sorted(by: { $0.name < $1.name }) {
            guard table.isFullText, let content = table.content else { continue }
            if content.isEmpty {
                try compareContentless(table, names, &overview)
            } else if oldSide.catalog.tables[content.foldedASCII] == nil {
                overview.viewIndexes.append(table.name)
            } else {
                overview.searchIndexes[content.foldedASCII, default: []].append(table.name)
            }
        }
        overview.sequences = newSide.sequences
        let pairings = pairings(of: names, &overview)
        if request.wantsScript { try refuseScript(overview, pairings) }
        try consumer.begin(overview)
        var report = DataDiffReport(overview: overview)
        for pairing in pairings { report.tables.append(try compare(pairing)) }
        try old.checkUnchanged()
        try new.checkUnchanged()
        try consumer.end(report)
        return report
    }

    // MARK: - Tables

    /// - Returns: Folded names, those of SQLite's own tables last.
    private func wantedTables(_ overview: inout DataDiffOverview) throws -> [String] {
        let (before, after) = (oldSide.catalog.tables, newSide.catalog.tables)
        var names = Set(before.keys).union(after.keys)
        let unreadable = Set((oldSide.unreadable + newSide.unreadable).map(\.name.foldedASCII))
        if !request.tables.isEmpty {
            for name in request.tables where !names.union(unreadable).contains(name.foldedASCII) {
                let nearest = nearestName(to: name, in: names.sorted())
                throw RequestError(
                    .notFound,
                    "neither side has a table '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
            }
            names.formIntersection(request.tables.map(\.foldedASCII))
        }
        if oldSide.catalog.encoding != newSide.catalog.encoding {
            throw RequestError(
                .refused,
                "\(old.source.text) keeps its text in \(oldSide.catalog.encoding.rawValue) and \(new.source.text) in "
                    + "\(newSide.catalog.encoding.rawValue): the same text is stored as different bytes. "
                    + "Copy one into a database of the other's encoding first")
        }
        for table in oldSide.unreadable + newSide.unreadable
        where request.tables.isEmpty || request.tables.map(\.foldedASCII).contains(table.name.foldedASCII) {
            overview.notCompared.append((table.name, table.error.message))
        }
        names.subtract(unreadable)
        return names.sorted { ($0.hasPrefix("sqlite_") ? 1 : 0, $0) < ($1.hasPrefix("sqlite_") ? 1 : 0, $1) }
    }

    private func pairings(of names: [String], _ overview: inout DataDiffOverview) -> [TablePairing] {
        var pairings: [TablePairing] = []
        for name in names {
            switch (oldSide.catalog.tables[name], newSide.catalog.tables[name]) {
            case (let old?, let new?):
                // Tables derived from other tables are compared through those.
                if old.keepsRows, new.keepsRows {
                    pairings.append(TablePairing(old, new))
                } else if old.keepsRows != new.keepsRows, !old.isContentless {
                    overview.notCompared.append((old.name, "only one side keeps its rows in it"))
                }
            case (let table?, nil):
                if name != "sqlite_sequence" || (oldSide.sequences ?? []).count > 0 {
                    overview.onlyInOld.append(table.name)
                }
            case (nil, let table?):
                if name != "sqlite_sequence" || (newSide.sequences ?? []).count > 0 {
                    overview.onlyInNew.append(table.name)
                }
            case (nil, nil): break
            }
        }
        return pairings
    }

    /// Compares the index of a contentless table (https://www.sqlite.org/fts5.html#contentless_tables), which stores no
    /// rows. Only the number of documents that differ can be shown.
    private func compareContentless(
        _ table: VirtualTable, _ names: [String], _ overview: inout DataDiffOverview
    ) throws {
        guard names.contains(table.name.foldedASCII),
            let before = oldSide.catalog.tables[table.name.foldedASCII],
            let after = newSide.catalog.tables[table.name.foldedASCII]
        else { return }
        let pairing = TablePairing(before, after)
        let outcome = try IndexComparison(
            connection: connection, match: pairing.match, encoding: oldSide.catalog.encoding
        ).run()
        let difference = outcome.difference
        let changed = difference.changed.values.map(\.count).max() ?? 0
        var facts = [
            (difference.lost.count, "removed"), (difference.added.count, "added"), (changed, "changed"),
        ].filter { $0.0 > 0 }.map { "\(counted($0, "document")) \($1)" }
        if !pairing.columnsOnlyInOld.isEmpty || !pairing.columnsOnlyInNew.isEmpty {
            facts.append("different columns")
        }
        if !facts.isEmpty {
            overview.notCompared.append(
                (
                    table.name,
                    "its index differs (\(facts.joined(separator: ", "))), and it keeps no text that would show how"
                ))
        } else if let failure = outcome.failure {
            overview.notCompared.append((table.name, failure))
        }
    }

    private func refuseScript(_ overview: DataDiffOverview, _ pairings: [TablePairing]) throws {
        let changes = SchemaDiff(from: old.schema, to: new.schema).changes().filter { change in
            if case .setting = change { return false }
            return !change.isQuiet
        }
        let isPartial = pairings.contains { !$0.columnsOnlyInOld.isEmpty || !$0.columnsOnlyInNew.isEmpty }
        if !changes.isEmpty || !overview.onlyInOld.isEmpty || !overview.onlyInNew.isEmpty || isPartial {
            throw RequestError(
                .refused,
                "the schemas differ, so SQL that changes only rows cannot turn one into the other: "
                    + "bring the old one to the new schema first, with what `drydock diff --sql` writes")
        }
        if let table = overview.notCompared.first {
            throw RequestError(
                .databaseUnreadable, "the table \(table.table) cannot be read: \(table.reason)")
        }
    }

    // MARK: - Rows

    private func compare(_ pairing: TablePairing) throws -> TableDataDiff {
        var diff = pairing.emptyDiff(old.schema)
        // Rows are first counted in the detail that the consumer needs, so that a value that cannot be read from the
        // pages shows up before any row is passed on.
        let isWhole = request.wantsScript && pairing.match.before.kind == .withoutRowid
        let detail: RowDetail = isWhole ? .whole : .count
        var counted: PageRows?
        do {
            counted = try pageRows(pairing)
            if let rows = counted { try diff.count(rows, detail) }
        } catch  where error is RowsUndecided || error is PageConservation.NoDefault || error is FileDamage {
            counted = nil
        }
        if var counted {
            counted.mayDiffer = diff.changes.indices.map { diff.changes[$0] > 0 || pairing.key.contains($0) }
            try deliver(counted, diff)
            return diff
        }
        let rows: SQLRows
        do {
            rows = try SQLRows(connection, pairing)
        } catch is RowsUndecided {
            throw RequestError(
                .refused,
                "the rows of \(pairing.match.before.name) have neither a key nor a rowid by which they could be matched"
            )
        }
        try diff.count(rows, detail)
        try deliver(rows, diff)
        return diff
    }

    private func deliver(_ rows: some RowDiffSource, _ diff: TableDataDiff) throws {
        let wanted = try consumer.begin(diff)
        if !diff.isSame {
            for pass in 0..<wanted.passes { try deliver(rows, diff, wanted.detail, pass) }
        }
        try consumer.end(diff)
    }

    private func deliver(_ rows: some RowDiffSource, _ diff: TableDataDiff, _ detail: RowDetail, _ pass: Int)
        throws
    {
        guard diff.added + diff.removed + diff.changed >= Self.manyRows else {
            return try rows.forEach(detail) { try consumer.take($0, of: diff, pass: pass) }
        }
        var pipe = RowPipe(consumer, diff, pass: pass)
        defer { pipe.wait() }
        try rows.forEach(detail) { try pipe.add($0) }
        try pipe.finish()
    }

    /// From so many rows on they are written out on a thread of their own.
    private static let manyRows = 5000

    private func pageRows(_ pairing: TablePairing) throws -> PageRows? {
        let match = pairing.match
        guard let oldPages, let newPages, !match.before.text.isEmpty,
            let old = RecordLayout(match.before), let new = RecordLayout(match.after),
            let columns = RecordColumns(match, old, new),
            let before = table(match.before, old, oldPages, "main"),
            let after = table(match.after, new, newPages, StateInspector.laterSchema)
        else { return nil }
        return try PageRows(
            RecordPair(pairing, columns, before, after), leftoverLimit: unpairedLimit)
    }

    private func table(
        _ table: Catalog.Table, _ layout: RecordLayout, _ pages: TablePages, _ schema: String
    ) -> RecordTable? {
        guard let root = pages.roots[table.name.foldedASCII] else { return nil }
        let (connection, rowidName) = (connection, table.rowidName)
        return RecordTable(pages.file, root: root, layout: layout) { column, rowid in
            guard let rowidName else { throw PageConservation.NoDefault() }
            return try connection.firstRow(
                "SELECT \(quotedName(column)) FROM \(schema).\(quotedName(table.name)) WHERE \(rowidName) = \(rowid)"
            ) { $0.value(0) } ?? .null
        }
    }
}

/// The root pages of a database's tables, by folded name.
struct TablePages {
    let source: ImagePages
    let file: DatabaseFile
    let roots: [String: UInt32]

    init(_ image: Image) throws(FileDamage) {
        source = ImagePages(image)
        file = try DatabaseFile(source)
        var roots: [String: UInt32] = [:]
        for entry in try file.schema() where entry.type == "table" && entry.rootPage != 0 {
            roots[entry.name.foldedASCII] = entry.rootPage
        }
        self.roots = roots
    }
}
