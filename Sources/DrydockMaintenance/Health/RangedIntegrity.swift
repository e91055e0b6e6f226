import DrydockFindings
import DrydockState
import DatabaseEngine
import SQLiteFile
import SQLiteSchema

/// The checks of `integrity_check` for one table, in ranges of its keys.
///
/// The first pass reads the pages of the table's tree. The second checks for each row that it satisfies its
/// constraints and is in every index. Then each index's tree is read and its entries are compared with the rows. The
/// database may change between slices, so that nothing is counted over all of them.
struct RangedIntegrity {
    /// The kind of a tally for constraints, beside damaged pages.
    static let constraint = "constraint"

    private let view: HealthView
    private let table: Catalog.Table?
    private let root: UInt32
    private let indexes: [TableIndex]
    private let layout: RecordLayout?

    init?(_ view: HealthView, table name: String) throws {
        guard let root = view.facts.roots[name] else { return nil }
        (self.view, self.root) = (view, root)
        let table = view.catalog.table(name)
        self.table = table
        indexes =
            try table.map { try TableIndex.all(of: $0, view) }
            ?? view.facts.entries.filter { $0.type == "index" && $0.tableName == name }.map {
                TableIndex(ofUnknown: $0)
            }
        layout = table.flatMap { RecordLayout($0) }
    }

    func run(_ range: inout HealthRange) throws {
        do {
            while !range.isDone {
                let goesOn = try runPass(&range)
                guard goesOn else { return }
                goToNext(&range)
            }
        } catch let damage as FileDamage {
            record(damage, &range)
        } catch let error as EngineError where error.isCorruption {
            record(error, &range)
        }
    }

    /// Records damage, which ends a pass: later faults cannot be distinguished from its consequences.
    private func record(_ error: any Error, _ range: inout HealthRange) {
        let index = range.place.pass - 2
        var tally = HealthTally(indexes.indices.contains(index) ? indexes[index].name : nil)
        tally.add(detail: "\(error)")
        range.add(tally)
        goToNext(&range)
    }

    private func goToNext(_ range: inout HealthRange) {
        range.next()
        range.isDone = range.place.pass > 1 + indexes.count
    }

    /// - Returns: whether the pass has reached its end.
    private func runPass(_ range: inout HealthRange) throws -> Bool {
        switch range.place.pass {
        case 0: try checkTree(&range)
        case 1: try checkRows(&range)
        default: try checkIndex(indexes[range.place.pass - 2], &range)
        }
    }

    // MARK: - The table's pages

    private func checkTree(_ range: inout HealthRange) throws -> Bool {
        if range.place.key == nil {
            var schema = TreeCheck(view.file, root: 1, holdsRowids: true)
            _ = try schema.run(while: { true })
        }
        var order: KeyOrder?
        if let layout, layout.isWithoutRowid { order = KeyOrder(terms: layout.key, in: view.file) }
        var check = TreeCheck(
            view.file, root: root, holdsRowids: layout.map { !$0.isWithoutRowid }, order: order,
            from: range.place.key)
        let isTable = try view.file.treePage(root).kind.isTable
        var buffer = PayloadBuffer()
        let (file, deadline) = (view.file, range)
        let isDone = try check.run(while: { deadline.goesOn || !isTable && order == nil }) { entry in
            var reader = try RecordReader(
                try file.bytes(of: entry.payload, in: &buffer), page: entry.payload.page)
            while try reader.next() != nil {}
        }
        range.place.key = check.place
        return isDone
    }

    // MARK: - Rows

    private func checkRows(_ range: inout HealthRange) throws -> Bool {
        guard let table, let schema = view.schema.table(table.name), table.rowidName != nil,
            table.kind == .ordinary
        else {
            if table?.kind == .withoutRowid, view.isDeep, !indexes.isEmpty {
                range.notReached.append(
                    miss(
                        "its rows are not compared with its indexes while the database is being written",
                        .wholeFile))
            }
            return true
        }
        var tests = constraints(of: schema)
        if view.isDeep { tests += indexes.compactMap { $0.missing(from: table) } }
        tests = tests.filter { test in
            do {
                _ = try view.connection.prepare(batches(table, [test]).preview)
                return true
            } catch {
                range.notReached.append(miss("\(test.object ?? test.kind): \(error)", .database))
                return false
            }
        }
        var key = range.place.key
        let deadline = range
        var found = tests.map { HealthTally($0.object, kind: $0.kind) }
        let isDone = try batches(table, tests).run(&key, while: { deadline.goesOn }) { rowid, row in
            for index in tests.indices where row.integer(index + 1) != 0 { found[index].add(rowid: rowid) }
        }
        range.place.key = key
        for tally in found where tally.count > 0 { range.add(tally) }
        return isDone
    }

    private func batches(_ table: Catalog.Table, _ tests: [TableIndex.Test]) -> RowidBatches {
        RowidBatches(
            view: view, table: table, columns: tests.map(\.condition), extra: tests.flatMap(\.extra))
    }

    private func constraints(of table: Table) -> [TableIndex.Test] {
        var tests = table.columns.filter { table.isNotNull($0) }.map { column in
            // `IS NULL` would be optimised to false if the column is NOT NULL.
            TableIndex.Test(
                object: column.name, kind: Self.constraint,
                condition: "typeof(\(quotedName(column.name))) = 'null'")
        }
        for check in table.checks {
            tests.append(
                TableIndex.Test(
                    object: check.name ?? check.expression.description, kind: Self.constraint,
                    condition: "coalesce(NOT (\(check.expression)), 0)"))
        }
        return tests
    }

    // MARK: - Indexes

    private func checkIndex(_ index: TableIndex, _ range: inout HealthRange) throws -> Bool {
        guard let root = index.root else { return true }
        var check = TreeCheck(
            view.file, root: root, holdsRowids: false, order: index.order, unique: index.unique,
            from: range.place.key)
        let (file, deadline) = (view.file, range)
        let canStop = index.order != nil
        guard view.isDeep, let table, table.kind == .ordinary, let layout else {
            let isDone = try check.run(while: { deadline.goesOn || !canStop })
            range.place.key = check.place
            return isDone
        }
        var rows = try TreeCursor(file, root: self.root)
        var entryBuffer = PayloadBuffer()
        var rowBuffer = PayloadBuffer()
        var (entryFields, rowFields): ([Field], [Field]) = ([], [])
        var orphans = HealthTally(index.name, kind: "entries")
        let isDone = try check.run(while: { deadline.goesOn || !canStop }) { entry in
            let page = entry.payload.page
            try RecordReader.read(
                try file.bytes(of: entry.payload, in: &entryBuffer), page: page, into: &entryFields)
            guard let last = entryFields.last else { throw FileDamage(page, .record) }
            try rows.seek(to: last.integer)
            guard let row = try rows.next(), row.rowid == last.integer else {
                return orphans.add(rowid: last.integer)
            }
            try RecordReader.read(
                try file.bytes(of: row.payload, in: &rowBuffer), page: row.payload.page, into: &rowFields)
            if !index.agrees(entryFields, row.rowid, rowFields, layout, file) {
                orphans.add(rowid: row.rowid)
            }
        }
        range.place.key = check.place
        if orphans.count > 0 { range.add(orphans) }
        return isDone
    }

    private func miss(
        _ reason: String, _ cause: NotChecked.Obstacle = .writers
    ) -> CheckedDatabase.NotReached {
        .init(.integrityFailure, table: table?.name, reason: reason, cause: cause)
    }
}
